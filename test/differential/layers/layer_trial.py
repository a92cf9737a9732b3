"""The checks of a network whose layers have functions of numpy.

Example:
    class QnnTrial(LayerTrial): ...     # format_trials.py
"""
import os

import numpy
import values
from trial import LIMITS, Stop, Trial

FLOAT_TOLERANCE = 1e-4  # of the largest value, beside what rounding anywhere can change
DISTURBED = 3           # evaluations that show how far rounding reaches
ROUNDING = 30           # times the largest difference that these have
SUFFIX = {"qnn": "_net.json", "onnx": ".onnx"}
STEPS = 2.1             # of a stored result
STORED_ROUNDING = 3     # times the largest difference that a step at every layer makes
EXPORT_ERROR = 0.02     # mean, of the largest value, for integers that round at other places


class LayerTrial(Trial):
    LIMITS = dict(LIMITS, E0302="the form of the layer is not computed",
                  E0308="the layer is not computed", E1031="the operator is not imported",
                  E1047="the layer is not exported to QNN", E1042="the operator of QNN is not imported",
                  W1032="weights alone are integers")
    FIRST = ("check", "float", "npu", "passes")

    @property
    def is_stored(self):
        """Whether the model has scales of its own."""
        return any(t.scale is not None for t in self.graph.known.values())

    def float_results(self):
        def make():
            self.model()
            return self.evaluated(self.arguments("m"), "float.npz",
                                  *(["--stored"] if self.is_stored else []))
        return self.once("float", make)

    def read(self, name):
        """[(name, shape, values)] in the order of the file."""
        with numpy.load(self.path(name)) as file:
            return [(n, file[n].shape, file[n].ravel()) for n in file.files]

    def model(self):
        def make():
            self.write(self.graph, "m")
            self.values = {}
            paths = []
            for i, value in enumerate(self.graph.inputs):
                tensor = self.graph.known[value.name]
                self.values[value.name] = tensor.drawn(self.seed, values.SAMPLES)
                numpy.save(self.path("x%d.npy" % i), numpy.concatenate(self.values[value.name]))
                paths.append("x%d.npy" % i)
            self.inputs = ",".join(paths)
        self.once("model", make)

    def expected(self):
        """Real results by name, and by how much rounding can change them."""
        def make():
            self.model()
            with numpy.errstate(all="ignore"):
                exact = self.graph.evaluate(self.values)
                if exact is None:
                    raise Stop("skipped", "no function")
                noise = numpy.random.default_rng(self.seed)
                reach = {name: 0.0 for name in exact}
                for _ in range(DISTURBED):
                    other = self.graph.evaluate(self.values, noise)
                    for name, found in other.items():
                        most = numpy.abs(numpy.array(found, float) - exact[name]).max(initial=0)
                        reach[name] = max(reach[name], float(numpy.nan_to_num(most, nan=1e30)))
            return exact, reach
        return self.once("expected", make)

    def check_check(self):
        """`check` accepts the network."""
        self.model()
        self.yarrow("check", *self.arguments("m"))

    def check_float(self):
        """The evaluator's numbers are those of the definition."""
        found = self.float_results()
        exact, reach = self.expected()
        if len(found) != len(self.graph.outputs):
            raise Stop("differs", "%d outputs in place of %d" % (len(found),
                                                                 len(self.graph.outputs)))
        for value, (_, shape, have) in zip(self.graph.outputs, found):
            self.compare(value, exact[value.name], reach[value.name], shape, have)

    def compare(self, value, exact, reach, shape, have):
        whole = [values.SAMPLES * value.shape[0], *value.shape[1:]]
        want = numpy.concatenate([numpy.ravel(v) for v in exact]).astype(float)
        if list(shape) != whole:
            raise Stop("differs", "output %s is %s of 4 samples, not %s" % (value.name, list(shape),
                                                                           whole))
        tensor = self.graph.known[value.name]
        if tensor.scale is not None:
            have = tensor.of_stored(have)
            limit = STEPS * tensor.scale + STORED_ROUNDING * reach
        else:
                limit = FLOAT_TOLERANCE * max(numpy.abs(want).max(initial=0), 1e-2) + ROUNDING * reach
        wrong = ~(numpy.abs(have.astype(float) - want) <= limit)
        if wrong.any():
            at = int(numpy.argmax(numpy.where(wrong, numpy.abs(have - want), -1)))
            raise Stop("differs", "output %s: %d of %d values differ, [%d] is %.7g and not %.7g" % (
                value.name, wrong.sum(), len(want), at, have[at], want[at]))

    def same(self, expected, found, tolerance=None):
        if len(expected) != len(found):
            raise Stop("differs", "%d outputs in place of %d" % (len(found), len(expected)))
        for (name, _, want), (_, _, have) in zip(expected, found):
            if want.tobytes() == have.tobytes():
                continue
            if want.size != have.size:
                raise Stop("differs", "output %s: %d values in place of %d" % (name, have.size,
                                                                            want.size))
            off = numpy.abs(want.astype(float) - have.astype(float))
            most = numpy.abs(want).max(initial=1e-2)
            if tolerance is None or off.max(initial=0) > tolerance * most:
                at = int(off.argmax())
                raise Stop("differs", "output %s: %d of %d values differ, [%d] is %.7g and not %.7g"
                           % (name, (off > 0).sum(), off.size, at, have[at], want[at]))

    def near(self, expected, found, reach):
        """The mean difference by the largest value, beside what rounding can change."""
        for (name, _, want), (_, _, have), far in zip(expected, found, reach):
            if want.size != have.size:
                raise Stop("differs", "output %s: %d values in place of %d" % (name, have.size,
                                                                            want.size))
            off = numpy.abs(want.astype(float) - have.astype(float)).mean()
            most = max(float(numpy.abs(want).max(initial=0)), 1e-2)
            if not off <= EXPORT_ERROR * most + far:
                raise Stop("differs", "output %s: the mean error is %.3f of the largest value" % (
                    name, off / most))

    def real_inputs(self):
        """Files of real numbers: an ONNX model has no stored inputs."""
        def make():
            paths = []
            for i, value in enumerate(self.graph.inputs):
                tensor = self.graph.known[value.name]
                found = tensor.of_stored(numpy.concatenate(self.values[value.name]))
                if found.dtype.kind == "f":
                    found = found.astype(numpy.float32)
                numpy.save(self.path("r%d.npy" % i), found)
                paths.append("r%d.npy" % i)
            return ",".join(paths)
        return self.once("real inputs", make)

    def exported(self, network, form, name):
        """Results of the network in another format, as reals, in the order of its outputs."""
        self.yarrow("export", *network, "--" + form, "-o", name)
        inputs = self.inputs if form == "qnn" else self.real_inputs()
        stored = ["--stored"] if form == "qnn" and self.has_integers else []
        self.must("eval", name, "-i", inputs, "-o", form + ".npz", *stored)
        found = self.read(form + ".npz")
        if stored:
            found = [(n, s, self.graph.known[v.name].of_stored(values_))
                     for v, (n, s, values_) in zip(self.outputs_of(form), found)]
        return found

    def outputs_of(self, form):
        """QNN has them in alphabetical order of their names in the IR."""
        outputs = self.graph.outputs
        return sorted(outputs, key=self.ir_name) if form == "qnn" else outputs

    def ir_name(self, value):
        return value.name

    @property
    def has_integers(self):
        return any(t.scale is not None or t.ir for t in self.graph.known.values())

    def float_network(self):
        """The network as Compass IR."""
        return self.arguments("m")

    def round_trip(self, form):
        """The network written in another format and read back."""
        network = self.float_network()
        results = self.float_results()
        results = {v.name: r for v, r in zip(self.graph.outputs, results)}
        expected = [(v.name, results[v.name][1], self.graph.known[v.name].of_stored(
            results[v.name][2])) for v in self.outputs_of(form)]
        found = self.exported(network, form, "f" + SUFFIX[form])
        _, reach = self.expected()
        reach = [reach[v.name] for v in self.outputs_of(form)]
        if self.has_integers:  # they round at other places
            self.near(expected, found, [STORED_ROUNDING * r for r in reach])
        else:
            self.same(expected, found, FLOAT_TOLERANCE + ROUNDING * max(reach))

    def check_written(self):
        """Compass IR read and written: every key, value and constant, also of the integers."""
        program = os.path.join(os.path.dirname(self.program), "yarrow-irs")
        if not os.path.exists(program):
            raise Stop("skipped", "no yarrow-irs beside yarrow")
        self.float_network()
        try:
            self.quantized()
        except Stop:
            pass
        self.output_of([program, "."], "yarrow-irs")

    def check_onnx(self):
        self.round_trip("onnx")

    def check_qnn(self):
        self.round_trip("qnn")
