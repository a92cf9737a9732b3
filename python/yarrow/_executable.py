"""Executables and their runs: compile(), open(), Session."""
import functools
import json
import os
import threading

from yarrow._errors import diagnostics_of, tell, usage_error
from yarrow._library import native
from yarrow._model import Model, load, picture_keys
from yarrow._tensors import tensor_of


def compile(model, target="X2_1204", *, winograd="off", optimize=True, disabled_passes=(),
            batch=1, tiling="fps", cache=None, profile=False, shape_ranges=None):
    """Compiles an integer (or float) network for a machine: a name of targets(), or
    the path of a .json file. The keywords are the options of `yarrow compile`.
    shape_ranges is as in load(), if model is a path.

        >>> q = yarrow.quantize("digits.txt", "calibration.npy", recipe="compass")
        >>> yarrow.compile(q, "Z1_0701").target
        'Z1_0701'
    """
    if not isinstance(model, Model):
        model = load(model, shape_ranges=shape_ranges)
    elif shape_ranges is not None:
        raise usage_error("the network already has its shapes",
                          "read it with several: yarrow.load(path, shape_ranges=...)")
    settings = {"target": os.fspath(target), "winograd": winograd, "tiling": tiling,
                "cache": os.fspath(cache or ""), "optimize": str(bool(optimize)),
                "profile": str(bool(profile)), "batch": str(batch)}
    handle = model._native.compile(settings, list(disabled_passes))
    result = Executable(handle)
    tell(result.diagnostics)
    return result


def open(path):
    """Opens an executable that was saved or written by `yarrow compile`."""
    return Executable(native().Executable.open(os.fspath(path)))


class Executable:
    """A compiled network, as `yarrow compile` writes it. memoryview(exe.data) are its bytes."""

    def __init__(self, handle):
        if not isinstance(handle, native().Executable):
            raise usage_error("yarrow.Executable cannot be created directly",
                              "use yarrow.compile() or yarrow.open()")
        self._native = handle

    @classmethod
    def from_bytes(cls, data, name="executable"):
        """Opens an executable in memory; its bytes are copied."""
        return cls(native().Executable.make(bytes(data), name))

    def save(self, path):
        """Writes the file, whole or not at all."""
        self._native.save(os.fspath(path))

    @property
    def data(self):
        """The bytes of the file, read only, not copied."""
        return memoryview(self._native).toreadonly()

    @functools.cached_property
    def _facts(self):
        return json.loads(self._native.json())

    @property
    def model(self):
        """The network's name."""
        return self._facts["model"]

    @property
    def target(self):
        """The machine that it was compiled for."""
        return self._facts["target"]

    @functools.cached_property
    def inputs(self):
        """A Tensor for each input."""
        return tuple(map(tensor_of, self._facts["inputs"]))

    @functools.cached_property
    def outputs(self):
        """A Tensor for each output."""
        return tuple(map(tensor_of, self._facts["outputs"]))

    @functools.cached_property
    def states(self):
        """A Tensor for each state, which the device keeps from run to run."""
        return tuple(map(tensor_of, self._facts["states"]))

    @property
    def layers(self):
        """name, type, file, line and macs of each layer."""
        return self._facts["layers"]

    @functools.cached_property
    def summary(self):
        """commands, kernels, weight_bytes, workspace_bytes, sram_bytes; None if the
        executable was opened from a file."""
        return json.loads(self._native.summary_json)

    @functools.cached_property
    def diagnostics(self):
        """Warnings and notes of the call that made it."""
        return tuple(diagnostics_of(self._native.diagnostics_json))

    def __repr__(self):
        return f"<yarrow.Executable {self.model} for {self.target}: {len(self.data):,} bytes>"


class Session:
    """An executable on the simulated machine. Any number of threads may run it.

    machine replaces the one that it was compiled for; budget ends runs that would
    never end.
    """

    def __init__(self, executable, *, machine=None, budget=None):
        if not isinstance(executable, Executable):
            executable = open(executable)
        self.executable = executable
        self._native = native().Session(executable._native, os.fspath(machine or ""),
                                        native().DEFAULT_BUDGET if budget is None else budget)
        self._lock = threading.Lock()
        self._report = None

    @property
    def inputs(self):
        """A Tensor for each input."""
        return self.executable.inputs

    @property
    def outputs(self):
        """A Tensor for each output."""
        return self.executable.outputs

    @property
    def state(self):
        """The values that the network keeps from run to run, as float32: a dict by name."""
        names = [each.name for each in self.executable.states]
        return dict(zip(names, self._native.states(True)))

    def set_state(self, values):
        """Sets the values with which the next run begins, a dict by name; other states
        stay. Floats are real numbers, integers are stored values."""
        names = [each.name for each in self.executable.states]
        for name in values:
            if name not in names:
                raise usage_error(f"the network has no state {name!r}",
                                  "its states: " + (", ".join(names) or "none"))
        self._native.set_states([values.get(name) for name in names])

    def reset_state(self):
        """Resets all states to their values before the first run."""
        self._native.reset_states()

    def run(self, data, feed=None, *, stored=False, timed=False, copy=True, reset_every=None,
            **pictures):
        """The outputs for all samples of `data`.

        data is an array, or a dict by input. Samples are along the first axis and run
        on several devices. Floats are real numbers, which are quantized; integers are
        stored values. Returns float32, or stored values with stored=True: an array if
        data is an array and the network has one output, else a dict by output.

        A path names arrays, pictures or a folder of pictures: run("photos/",
        mean=127.5, channels="bgr"). docs/howto/pictures.md describes mean, scale,
        channels, layout and resize.

        timed=True counts the cycles of the first sample for `report`. With
        copy=False, outputs of one sample that need no conversion are read-only views
        of the device's memory; the device stays in use as long as they live.

        If the network keeps a state, samples are the steps of a sequence, which
        continues in the next run(); reset_every=N resets the state every N samples.

        run(names, feed), as in other runtimes, returns a list of the outputs with
        these names, or of all outputs for None.

            >>> session = yarrow.Session("out/aipu.bin")
            >>> scores = session.run(np.load("heldout.npy"), stored=True)
            >>> scores.shape, scores.dtype
            ((360, 10), dtype('int8'))
        """
        from yarrow import _arrays
        known = [each.name for each in self.outputs]
        wanted = _arrays.chosen(data, known) if feed is not None else None
        arrays, report = self._native.run(_arrays.named(data if feed is None else feed),
                                          not stored, bool(timed), not copy,
                                          picture_keys(pictures), reset_every or 0)
        with self._lock:
            self._report = report
        if wanted is not None:
            return [arrays[known.index(name)] for name in wanted]
        return _arrays.as_given(data, known, arrays)

    @property
    def report(self):
        """The report of the last run, as `yarrow run --report` writes it (docs/report.md):
        with None for "performance" unless the run was timed. None before the first run."""
        with self._lock:
            text = self._report
        return json.loads(text) if text else None

    def __repr__(self):
        return f"<yarrow.Session of {self.executable!r}>"
