"""Networks: load(), quantize(), Model."""
import functools
import json
import os
from collections.abc import Mapping

from yarrow._errors import diagnostics_of, tell, usage_error
from yarrow._library import native
from yarrow._tensors import tensor_of


def load(path, weights=None, *, input_shapes=None, shape_ranges=None, states=(), rounding="once"):
    """Reads a network in any format that `yarrow` reads: Compass IR (float or
    integer; give `weights` if they are not in the file that the text names), ONNX,
    TFLite or QNN. path and weights can also be the content, as bytes.

    input_shapes sets lengths that a model leaves open: {"x": (1, 3, 224, 224)}.
    shape_ranges sets several lengths, as a tuple (first, last, step) or as a list:
    {"x": (1, 3, (160, 224, 32), (160, 224, 32))} or {"x": (1, [8, 64, 128])}. They
    change together, and an executable has a program for each.
    states pairs inputs with the outputs that become them in the next run and that
    the device keeps: ["h=hn"]. ["none"] keeps all of them inputs and outputs.
    rounding sets how an already quantized model rounds: "once" or "reference".

        >>> yarrow.load("digits.txt").inputs[0].shape
        (1, 8, 8, 1)
    """
    shapes = [f"{name}={','.join(map(str, shape))}" for name, shape in (input_shapes or {}).items()]
    ranges = [f"{name}={','.join(map(_range, lengths))}"
              for name, lengths in (shape_ranges or {}).items()]
    if isinstance(path, (bytes, bytearray, memoryview)):
        return Model(native().Model.load_bytes(bytes(path), bytes(weights or b""), shapes, ranges,
                                               list(states), rounding))
    return Model(native().Model.load(os.fspath(path), os.fspath(weights or ""), shapes, ranges,
                                     list(states), rounding))


def _range(length):
    """A length as in --input-shape-range: 3, 160..224/32 or 8:64:128."""
    if isinstance(length, tuple):
        first, last, *step = length
        return f"{first}..{last}" + "".join(f"/{each}" for each in step)
    return ":".join(map(str, length)) if isinstance(length, list) else str(length)


def picture_keys(keywords):
    """The keywords of pictures as values of the keys of [Parser]."""
    return {key: ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
            for key, value in keywords.items() if value is not None}


def _setting(value):
    """A value as in a configuration file."""
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(str, value)) + "]"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def quantize(model, data=None, *, recipe="auto", target="X2_1204", winograd=None, **settings):
    """Quantizes a float network with the ranges of `data`.

    data is an array with samples along its first axis, a dict of arrays by input,
    or the path of a .npy or .npz file ("a.npy,b.npy" for several inputs). settings
    are the keys of docs/configuration.md that `yarrow quantize` accepts, as values or
    as text with rules by layer:

        >>> model = yarrow.load("digits.txt")
        >>> q = yarrow.quantize(model, "calibration.npy", activation_bits="8 & <[Eltwise]:16>",
        ...                     weight_bits=8)
        >>> q.outputs[0].dtype, q.report["quantization"]["calibration_samples"]
        ('int8', 128)
    """
    from yarrow import _arrays
    if not isinstance(model, Model):
        model = load(model)
    arrays = []
    if isinstance(data, (str, os.PathLike)):
        arrays = [("", os.fspath(data))]
    elif data is not None:
        arrays = _arrays.named(data)
    texts = {key: _setting(value) for key, value in settings.items() if value is not None}
    texts |= picture_keys({key: settings[key] for key in ("mean", "scale") if key in settings})
    texts |= {"recipe": recipe, "winograd": winograd or "", "target": _setting(target)}
    result = Model(model._native.quantize(texts, arrays))
    tell(result.diagnostics)
    return result


class Model:
    """A float or integer network, made by load() or quantize()."""

    def __init__(self, handle):
        if not isinstance(handle, native().Model):
            raise usage_error("yarrow.Model cannot be created directly", "use yarrow.load()")
        self._native = handle

    @functools.cached_property
    def _all(self):
        return json.loads(self._native.tensors_json())

    @functools.cached_property
    def tensor_info(self):
        """The results of all layers, in order: {name: Tensor}, with the model's own names
        if it was imported. tensors() has the arrays."""
        return {each["name"]: tensor_of(each) for each in self._all["tensors"]}

    def _chosen(self, which):
        return tuple(tensor_of(self._all["tensors"][i]) for i in self._all[which])

    @functools.cached_property
    def inputs(self):
        """A Tensor for each input."""
        return self._chosen("inputs")

    @functools.cached_property
    def outputs(self):
        """A Tensor for each output."""
        return self._chosen("outputs")

    @property
    def name(self):
        return self._native.name

    @property
    def path(self):
        """The file that it was read from."""
        return self._native.path

    @property
    def is_quantized(self):
        return self._native.is_quantized

    @functools.cached_property
    def diagnostics(self):
        """Warnings and notes of the call that made it."""
        return tuple(diagnostics_of(self._native.diagnostics_json))

    @functools.cached_property
    def report(self):
        """The loss of quantization, layer by layer (docs/report.md); None if quantize()
        did not make the network."""
        text = self._native.report_json
        return json.loads(text) if text else None

    def run(self, data, *, stored=False, **pictures):
        """The outputs for all samples of `data`, computed on the host.

        data is an array, or a dict by input, with samples along the first axis.
        Floats are real numbers; integers are stored values of an integer input. A
        path names arrays, pictures or a folder of pictures, with mean, scale,
        channels, layout and resize as keywords (docs/howto/pictures.md). Returns
        float32, or stored values with stored=True: an array if data is an array and
        the network has one output, else a dict by output.

            >>> model = yarrow.load("digits.txt")
            >>> model.run(np.load("heldout.npy")).shape
            (360, 10)
        """
        return self._evaluate(data, False, stored, self.outputs, pictures)

    def tensors(self, data, *, stored=False, **pictures):
        """As run(), but for every tensor: {name: array}.

            >>> model = yarrow.load("digits.txt")
            >>> tensors = model.tensors(np.load("heldout.npy")[:2])
            >>> tensors["/stem/Conv_0"].shape
            (2, 8, 8, 16)
        """
        arrays = self._evaluate(data, True, stored, None, pictures)
        return dict(zip((each["name"] for each in self._all["tensors"]), arrays))

    def _evaluate(self, data, wants_all, stored, outputs, pictures):
        from yarrow import _arrays
        arrays = self._native.evaluate(_arrays.named(data), wants_all, not stored,
                                       picture_keys(pictures))
        if outputs is None:
            return arrays
        return _arrays.as_given(data, [each.name for each in outputs], arrays)

    def save(self, path):
        """Writes Compass IR to a text file (and its weights next to it, .bin for .txt) or
        to a folder, as <name>_o.txt for an integer network and <name>.txt for a float
        network. Returns both paths."""
        path = os.fspath(path)
        if not path.endswith(".txt"):
            path = os.path.join(path, self.name + ("_o.txt" if self.is_quantized else ".txt"))
        weights = path[:-len(".txt")] + ".bin"
        self._native.save(path, weights)
        return path, weights

    def mlir(self, *, weights=False):
        """The network as readable MLIR text; with weights=True, as yarrow-opt reads it."""
        return self._native.mlir(weights)

    def __repr__(self):
        kind = "integer" if self.is_quantized else "float"
        return f"<yarrow.Model {self.name}: {kind}, {len(self.tensor_info)} tensors>"
