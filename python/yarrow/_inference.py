"""InferenceSession, with the calls of ONNX Runtime's."""
import dataclasses
import os
import warnings

from yarrow._errors import Warning, tell, usage_error
from yarrow._executable import Session, compile
from yarrow._model import load, quantize

NPU, HOST = "YarrowExecutionProvider", "CPUExecutionProvider"

#: Options of the provider in addition to the keys of quantize().
_OPTIONS = ("target", "calibration", "recipe", "winograd", "cache", "input_shapes", "weights")

_NAMES = {"float32": "float", "float64": "double"}


def get_available_providers():
    """Lists the simulated NPU, and the host, which computes in floats."""
    return [NPU, HOST]


@dataclasses.dataclass(frozen=True)
class NodeArg:
    """An input or an output: its name, its shape as a list, and its type as
    'tensor(float)'."""
    name: str
    shape: list
    type: str


class SessionOptions:
    """Accepts all attributes of ONNX Runtime's class; they have no effect here."""


def _dtype(tensor):
    """The type that the model gives it: the IR has int32 for int64."""
    return tensor.model_dtype or tensor.dtype


def _node(tensor):
    dtype = _dtype(tensor)
    return NodeArg(tensor.name, list(tensor.shape), f"tensor({_NAMES.get(dtype, dtype)})")


def _providers(providers, options):
    """[(name, options)] in the order in which they are wanted."""
    wanted = []
    for each in providers if providers is not None else [NPU, HOST]:
        name, own = each if isinstance(each, (tuple, list)) else (each, {})
        wanted.append((name, dict(own)))
    if options is not None:
        if providers is None:
            wanted = wanted[:len(options)]
        if len(options) != len(wanted):
            raise usage_error(f"provider_options has {len(options)} dicts for {len(wanted)} providers",
                              "give one for each")
        wanted = [(name, {**own, **given}) for (name, own), given in zip(wanted, options)]
    for name, _ in wanted:
        if name not in (NPU, HOST):
            warnings.warn(f"there is no provider {name}; use {NPU} or {HOST}", Warning, stacklevel=4)
    return [(name, own) for name, own in wanted if name in (NPU, HOST)]


class InferenceSession:
    """A model, ready to run: a script for onnxruntime works with
    `import yarrow as onnxruntime`.

    path_or_bytes is the path of a model in any format that load() reads, or its
    content as bytes. A model with calibration data is quantized, compiled and run on
    the simulated NPU; so is an already quantized model. A float model without
    calibration data runs on the host, in floats.

    provider_options has a dict for each provider, or can be left out: calibration
    (data as in quantize()), target, recipe, winograd, cache, input_shapes, weights,
    and the keys of docs/configuration.md.

        >>> session = yarrow.InferenceSession(
        ...     "digits.txt", provider_options=[{"calibration": np.load("calibration.npy")}])
        >>> name = session.get_inputs()[0].name
        >>> scores, = session.run(None, {name: np.load("heldout.npy")[:1]})
        >>> int(scores.argmax()), session.get_providers()[0]
        (3, 'YarrowExecutionProvider')
    """

    def __init__(self, path_or_bytes, sess_options=None, providers=None, provider_options=None,
                 **kwargs):
        del sess_options, kwargs  # nothing of them has an effect
        wanted = _providers(providers, provider_options)
        self._options = {name: own for name, own in wanted}
        own = dict(self._options.get(NPU, {}))
        data = own.pop("calibration", None)
        target = own.pop("target", "X2_1204")
        cache = own.pop("cache", None)
        if not isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
            path_or_bytes = os.fspath(path_or_bytes)
        #: The model as it was read.
        self.model = load(path_or_bytes, own.pop("weights", None),
                          input_shapes=own.pop("input_shapes", None))
        self._session, runs = None, self.model
        if NPU in self._options and data is not None and not runs.is_quantized:
            runs = quantize(runs, data, target=target, **own)
        if NPU in self._options and runs.is_quantized:
            winograd = own.get("winograd") or "off"
            self._session = Session(compile(runs, target, cache=cache,
                                            winograd="off" if runs is not self.model else winograd))
        elif NPU in self._options and providers is not None and HOST not in self._options:
            raise usage_error("a float model needs calibration data to run on the NPU",
                              'provider_options=[{"calibration": samples}]')
        self._runs = runs

    def get_inputs(self):
        """A NodeArg for each input, in the model's order."""
        return [_node(each) for each in self.model.inputs]

    def get_outputs(self):
        """A NodeArg for each output, in the model's order."""
        return [_node(each) for each in self.model.outputs]

    def get_providers(self):
        """The provider that runs the model, first: the simulated NPU or the host."""
        return [NPU, HOST] if self._session else [HOST]

    def get_provider_options(self):
        """The options that were given, by provider."""
        return {name: self._options.get(name, {}) for name in self.get_providers()}

    @property
    def session(self):
        """The Session on the simulated NPU, for reports and cycles; None if the host
        runs the model."""
        return self._session

    def run(self, output_names, input_feed, run_options=None):
        """Returns a list of the outputs with these names, or of all outputs for None.

        input_feed has an array for each input, of its type and shape. Several samples
        along the first axis run one by one.
        """
        from yarrow import _arrays
        del run_options
        outputs = self.model.outputs
        names = _arrays.chosen(output_names or None, [each.name for each in outputs])
        feed = self._checked(input_feed)
        runs = self._session or self._runs
        arrays = runs.run(feed, stored=True)
        real = {given.name: _as_given(arrays[ours.name], ours, given)
                for ours, given in zip(runs.outputs, outputs)}
        return [real[name] for name in names]

    def _checked(self, feed):
        """The arrays, if they match the inputs."""
        import numpy as np
        inputs = {each.name: each for each in self.model.inputs}
        unknown = [name for name in feed if name not in inputs]
        missing = [name for name in inputs if name not in feed]
        if unknown or missing:
            what = f"there is no input {unknown[0]!r}" if unknown else f"input {missing[0]!r} has no array"
            raise usage_error(what, f"inputs are {', '.join(inputs)}")
        arrays = {}
        for name, value in feed.items():
            array, given = np.asarray(value), inputs[name]
            are_integers = array.dtype.kind in "iub" and np.dtype(given.dtype).kind in "iub"
            if array.dtype.name not in (_dtype(given), given.dtype) and not are_integers:
                raise usage_error(f"input {name!r} is {_node(given).type}, but the array is "
                                  f"{array.dtype.name}", f"array.astype(numpy.{_dtype(given)})")
            if not are_integers:
                array = array.astype(given.dtype, copy=False)
            if not _fits(array.shape, given.shape):
                raise usage_error(f"input {name!r} has the shape {list(given.shape)}, but the array "
                                  f"{list(array.shape)}",
                                  "only the first axis, along which samples are, can differ")
            arrays[name] = array
        return arrays


def _fits(shape, given):
    if len(shape) != len(given) or shape[1:] != given[1:]:
        return False
    return not given or (shape[0] % max(given[0], 1) == 0 and (shape[0] > 0 or given[0] == 0))


def _as_given(array, ours, given):
    """Stored values of an output in the model's type."""
    if ours.scale is not None and given.scale is None and given.dtype.startswith("float"):
        array = ours.real(array)
    return array.astype(_dtype(given), copy=False)
