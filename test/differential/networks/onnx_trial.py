"""The checks of an ONNX network, beside ONNX Runtime.

Example:
    outcomes = OnnxTrial(graph, seed, "folder", program="yarrow", oracle=None).run()
"""
import oracle as oracles
import values
from trial import Stop, Trial

FLOAT_TOLERANCE = 1e-4
# Of a network that has integers of its own: by the range of its results, and steps of them.
QUANTIZED_TOLERANCE = 0.1
STEPS = 2.1
# An exported integer network rounds at other places: its mean error by the largest value.
EXPORT_ERROR = 0.02
TIES = 0.3  # of a step, where scales of the network's own are coarse: means of two are often ties
JUMPS = {"Floor", "Ceil", "Round", "Sign", "ArgMax", "ArgMin", "TopK", "Hardmax", "Mod", "Shrink",
         "ThresholdedRelu", "Cast", "CastLike", "Equal", "Greater", "GreaterOrEqual", "Less",
         "LessOrEqual", "IsInf", "MaxUnpool", "If"}
# Their integers are coarse by definition with the recipe `compass`.
COARSE = {"Softmax", "LogSoftmax", "Attention"}


def scales_of(graph):
    """Scales of quantized tensors, those within subgraphs included."""
    scales = [c.values[0] for node in graph.nodes if "Linear" in node.op
              for c in [graph.constants.get(n) for n in node.inputs[1:]]
              if c and c.kind == "f32"]
    return scales + [s for node in graph.nodes for g in node.graphs() for s in scales_of(g)]


class OnnxTrial(Trial):
    def __init__(self, graph, seed, folder, program, oracle=None, every=True):
        super().__init__(graph, seed, folder, program, every)
        self.oracle = oracle
        self.has_scales = any(op.startswith(("Quantize", "QLinear")) for op in graph.operators())

    def arguments(self, name):
        return [name + ".onnx"]

    def write(self, graph, name):
        with open(self.path(name + ".onnx"), "wb") as file:
            file.write(graph.model())

    def expected(self):
        """The oracle's outputs for the first samples."""
        def make():
            if self.oracle is None:
                raise Stop("skipped", "no oracle")
            self.model()
            try:
                return [self.oracle.run(self.path("m.onnx"),
                                        values.sample(self.graph, self.values, i))
                        for i in range(2)]
            except oracles.NoAnswer as problem:
                raise Stop("skipped", "oracle: " + str(problem)[:200]) from None
        return self.once("expected", make)

    def check_float(self):
        """Floats as the oracle has them."""
        found = self.float_results()
        expected = self.expected()
        tolerance, least = FLOAT_TOLERANCE, 1e-2
        if self.has_scales:
            scales = scales_of(self.graph)
            tolerance = QUANTIZED_TOLERANCE
            least = STEPS * max(scales, default=0) / tolerance
        self.compare_floats(expected, found, tolerance, least)

    def compare_floats(self, expected, found, tolerance, least):
        for number, outputs in enumerate(expected):
            if len(outputs) != len(found):
                raise Stop("differs", "%d outputs in place of %d" % (len(found), len(outputs)))
            for (name, shape, want), (_, all_shape, have) in zip(outputs, found):
                n = len(want)
                if len(have) != values.SAMPLES * n or list(shape[1:]) != list(all_shape[1:]) and \
                        len(shape):
                    raise Stop("differs", "output %s is %s of 4 samples, not of %s" % (
                        name, list(all_shape), list(shape)))
                problem = values.difference(want, have[number * n:(number + 1) * n], tolerance,
                                            least)
                if problem:
                    raise Stop("differs", "output %s of sample %d: %s" % (name, number, problem))

    def exported(self, network, name):
        self.yarrow("export", *network, "--onnx", "-o", name)
        return name

    def check_export_float(self):
        """A float network exported: the oracle's values, and read back."""
        expected = self.float_results()
        self.yarrow("import", "m.onnx", "-o", "f", "--float")
        if self.has_scales:
            expected = self.evaluated(["f/m.txt"], "f.npz")
        self.exported(["f/m.txt", "-w", "f/m.bin"], "ef.onnx")
        self.must("eval", "ef.onnx", "-i", self.inputs, "-o", "ef.npz")
        self.same(expected, values.read_npz(self.path("ef.npz")), FLOAT_TOLERANCE)

    def check_export_int(self):
        """An integer network exported and read back: nearly the same numbers (docs/export.md)."""
        network = self.quantized()
        self.int_results()
        expected = self.evaluated(network, "real.npz")
        self.exported(network, "ei.onnx")
        self.must("eval", "ei.onnx", "-i", self.inputs, "-o", "ei.npz")
        if (JUMPS | COARSE).intersection(self.graph.operators()):
            raise Stop("skipped", "an operator makes a step of rounding large")
        found = values.read_npz(self.path("ei.npz"))
        step = max(scales_of(self.graph), default=0) if self.has_scales else 0
        for (name, _, want), (_, _, have) in zip(expected, found):
            error = values.mean_error(want, have)
            most = max(max(map(abs, want), default=0), 1e-2)
            if error > max(EXPORT_ERROR, TIES * step / most):
                # An IR as import writes it is another failure than one that was quantized.
                with open(self.path(network[0]), encoding="utf-8") as file:
                    form = "compat" if "compat_quantized_model=true" in file.read() else "compass"
                raise Stop("differs", "output %s: the mean error is %.3f of the largest value" % (
                    name, error), form)
