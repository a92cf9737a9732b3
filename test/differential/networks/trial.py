"""The checks of one network.

Example:
    trial = Trial(graph, seed, "folder", program="yarrow", oracle=None)
    outcomes = trial.run()          # [Outcome]
"""
import os
import random
import re
import signal
import subprocess
from dataclasses import dataclass

import machines
import oracle as oracles
import values
from graph import count

SECONDS = 60
FLOAT_TOLERANCE = 1e-4
# Of a network that has integers of its own: by the range of its results, and steps of them.
QUANTIZED_TOLERANCE = 0.1
STEPS = 2.1
# An exported integer network rounds at other places: its mean error by the largest value.
EXPORT_ERROR = 0.02
JUMPS = {"Floor", "Ceil", "Round", "Sign", "ArgMax", "ArgMin", "TopK", "Hardmax", "Mod", "Shrink",
         "ThresholdedRelu", "Cast", "CastLike", "Equal", "Greater", "GreaterOrEqual", "Less",
         "LessOrEqual", "IsInf", "MaxUnpool", "If"}
# Their integers are coarse by definition with the recipe `compass`.
COARSE = {"Softmax", "LogSoftmax", "Attention"}
# Codes of documented limits. Another one is a failure: the network is valid.
LIMITS = {
    "E1004": "the operator is not imported", "E1005": "this form of the operator is not imported",
    "E1017": "the layer is not exported", "E0402": "the layer is not quantized",
    "E0403": "the float network has infinite values",
    "E0602": "the executable cannot have several samples",
}


@dataclass
class Outcome:
    check: str
    kind: str   # ok, refused, skipped, or what failed: crash, hang, differs, error
    text: str = ""
    code: str = ""

    @property
    def is_failure(self):
        return self.kind in ("crash", "hang", "differs", "error")

    def signature(self):
        """Equal for failures that are likely one."""
        return self.check, self.kind, self.code


class Stop(Exception):
    def __init__(self, kind, text="", code=""):
        super().__init__(text)
        self.kind, self.text, self.code = kind, text, code


def scales_of(graph):
    """Scales of quantized tensors, those within subgraphs included."""
    scales = [c.values[0] for node in graph.nodes if "Linear" in node.op
              for c in [graph.constants.get(n) for n in node.inputs[1:]]
              if c and c.kind == "f32"]
    return scales + [s for node in graph.nodes for g in node.graphs() for s in scales_of(g)]


class Trial:
    def __init__(self, graph, seed, folder, program, oracle=None, every=True):
        self.graph, self.seed, self.folder = graph, seed, folder
        self.program, self.oracle, self.every = program, oracle, every
        self.rng = random.Random("trial %d" % seed)
        self.commands = []
        self.outcomes = []
        os.makedirs(folder, exist_ok=True)
        self.machine = machines.draw(self.rng, self.path("machine.json"))
        self.recipe = self.rng.choice(("auto", "compass"))
        self.variants = [machines.disabled(self.rng) for _ in range(3 if every else 1)]
        self.others = self.rng.sample(("renamed", "batch", "export float", "export int"),
                                      4 if every else 2)
        self.has_scales = any(op.startswith(("Quantize", "QLinear")) for op in graph.operators())
        self.is_cached = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    # Running commands.

    def yarrow(self, *arguments):
        """Standard output; stops the check where the command does not end well."""
        command = [self.program, "-q", "-j", "1", *arguments]
        self.commands.append(" ".join(command))
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=SECONDS, cwd=self.folder)
        except subprocess.TimeoutExpired:
            raise Stop("hang", "%s takes over %d s" % (arguments[0], SECONDS)) from None
        said = (done.stdout + done.stderr).decode(errors="replace")
        if done.returncode == 0:
            return said
        if done.returncode < 0 or done.returncode > 125:
            name = signal.Signals(-done.returncode).name if done.returncode < 0 else ""
            raise Stop("crash", "%s ends by %s: %s" % (arguments[0], name or done.returncode,
                                                       said[-300:]), name)
        codes = re.findall(r"error (E\d{4})", said)
        # That the file is wrong is a refusal; other ends are not.
        kind = "refused" if done.returncode == 1 and codes and codes[0] in LIMITS else "error"
        raise Stop(kind, said[:600], codes[0] if codes else "exit %d" % done.returncode)

    def once(self, name, make):
        """The result of a step, or how it stopped, for all checks that need it."""
        if name not in self.is_cached:
            try:
                self.is_cached[name] = make()
            except Stop as stop:
                self.is_cached[name] = Stop(stop.kind, stop.text, stop.code)
        found = self.is_cached[name]
        if isinstance(found, Stop):
            raise found
        return found

    # Steps.

    def model(self):
        def make():
            with open(self.path("m.onnx"), "wb") as file:
                file.write(self.graph.model())
            self.paths, self.values = values.write_inputs(self.graph, self.seed, self.folder)
            self.inputs = ",".join(os.path.basename(p) for p in self.paths)
            return "m.onnx"
        return self.once("model", make)

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

    def float_results(self):
        def make():
            self.model()
            self.yarrow("eval", "m.onnx", "-i", self.inputs, "-o", "float.npz")
            return values.read_npz(self.path("float.npz"))
        return self.once("float", make)

    def quantized(self):
        def make():
            self.float_results()
            return self.quantize("m")
        return self.once("quantized", make)

    def quantize(self, name):
        """The integer network of a model, which can have all its scales already."""
        try:
            self.yarrow("quantize", name + ".onnx", "-c", self.inputs, "-o", "q", "--brief",
                        "--recipe", self.recipe)
        except Stop as stop:
            if "quantized already" not in stop.text:
                raise
            self.yarrow("import", name + ".onnx", "-o", "q", "--model-name", name + "_o")
        return "q/%s_o" % name

    def int_results(self):
        def make():
            network = self.quantized()
            self.yarrow("eval", network + ".txt", "-w", network + ".bin", "-i", self.inputs, "-o",
                        "int.npz", "--stored")
            return values.read_npz(self.path("int.npz"))
        return self.once("int", make)

    def compiled(self, name, *options):
        network = self.quantized()
        self.yarrow("compile", network + ".txt", "-w", network + ".bin", "-t", self.machine, "-o",
                    name + ".aipu", *options)
        return name + ".aipu"

    def same_bytes(self, executable, name):
        """The executable gives the evaluator's bytes."""
        expected = self.int_results()
        self.yarrow("run", executable, "-i", self.inputs, "-o", name + ".npz", "--stored")
        self.same(expected, values.read_npz(self.path(name + ".npz")))

    def same(self, expected, found, tolerance=None):
        if len(expected) != len(found):
            raise Stop("differs", "%d outputs in place of %d" % (len(found), len(expected)))
        for (name, _, want), (_, _, have) in zip(expected, found):
            if want.tobytes() != have.tobytes():
                problem = values.difference(want, have, tolerance or 0) or \
                    (not tolerance and "bits of floats differ")
                if problem:
                    raise Stop("differs", "output %s: %s" % (name, problem))

    # Checks.

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

    def check_npu(self):
        """The NPU has the evaluator's bytes, and `prove` and `check` find nothing."""
        network = self.quantized()
        self.int_results()
        self.once("npu", lambda: self.compiled("npu"))
        self.same_bytes("npu.aipu", "npu")
        self.must("check", network + ".txt", "-w", network + ".bin")
        self.must("prove", "npu.aipu")

    def must(self, *arguments):
        """A command that no diagnostic may end."""
        try:
            self.yarrow(*arguments)
        except Stop as stop:
            kind = "error" if stop.kind == "refused" else stop.kind
            raise Stop(kind, stop.text, "%s %s" % (arguments[0], stop.code)) from None

    def check_passes(self):
        """Without some optimizations the same bytes."""
        self.int_results()
        self.once("npu", lambda: self.compiled("npu"))
        for i, options in enumerate(self.variants):
            name = "variant%d" % i
            self.same_bytes(self.compiled(name, *options), name)
            self.must("prove", name + ".aipu")

    def check_renamed(self):
        """Other names and another order of nodes: the same floats and integers.

        The recipe `auto` weighs cycles, which depend on the order: it gets the names alone.
        """
        expected = self.float_results()
        graph = self.graph.shuffled(random.Random(self.seed), self.recipe == "compass")
        with open(self.path("r.onnx"), "wb") as file:
            file.write(graph.model())
        try:
            self.yarrow("eval", "r.onnx", "-i", self.inputs, "-o", "rfloat.npz")
        except Stop as stop:
            raise Stop("error" if stop.kind == "refused" else stop.kind, stop.text, stop.code) from None
        self.same(expected, values.read_npz(self.path("rfloat.npz")))
        expected = self.int_results()
        self.quantize("r")
        self.must("eval", "q/r_o.txt", "-w", "q/r_o.bin", "-i", self.inputs, "-o", "rint.npz",
                  "--stored")
        self.same(expected, values.read_npz(self.path("rint.npz")))

    def check_batch(self):
        """A batch of samples as one by one."""
        ends = self.graph.inputs + self.graph.outputs
        if any(v.shape[:1] != [1] for v in ends):
            raise Stop("skipped", "a first axis is not 1")
        self.int_results()
        self.once("npu", lambda: self.compiled("npu"))
        self.same_bytes(self.compiled("batch", "--batch", "2"), "batch")

    def exported(self, network, name):
        self.yarrow("export", network + ".txt", "-w", network + ".bin", "--onnx", "-o", name)
        return name

    def check_export_float(self):
        """A float network exported: the oracle's values, and read back."""
        expected = self.float_results()
        self.yarrow("import", "m.onnx", "-o", "f", "--float")
        if self.has_scales:
            self.yarrow("eval", "f/m.txt", "-i", self.inputs, "-o", "f.npz")
            expected = values.read_npz(self.path("f.npz"))
        self.exported("f/m", "ef.onnx")
        self.must("eval", "ef.onnx", "-i", self.inputs, "-o", "ef.npz")
        self.same(expected, values.read_npz(self.path("ef.npz")), FLOAT_TOLERANCE)

    def check_export_int(self):
        """An integer network exported and read back: nearly the same numbers (docs/export.md)."""
        network = self.quantized()
        self.int_results()
        self.yarrow("eval", network + ".txt", "-w", network + ".bin", "-i", self.inputs, "-o",
                    "real.npz")
        self.exported(network, "ei.onnx")
        self.must("eval", "ei.onnx", "-i", self.inputs, "-o", "ei.npz")
        if (JUMPS | COARSE).intersection(self.graph.operators()):
            raise Stop("skipped", "an operator makes a step of rounding large")
        found = values.read_npz(self.path("ei.npz"))
        for (name, _, want), (_, _, have) in zip(values.read_npz(self.path("real.npz")), found):
            error = values.mean_error(want, have)
            if error > EXPORT_ERROR:
                # An IR as import writes it is another failure than one that was quantized.
                with open(self.path(network + ".txt"), encoding="utf-8") as file:
                    form = "compat" if "compat_quantized_model=true" in file.read() else "compass"
                raise Stop("differs", "output %s: the mean error is %.3f of the largest value" % (
                    name, error), form)

    def run(self, only=None):
        """The outcomes of all checks, or of one."""
        for name in ("float", "npu", "passes", *self.others):
            if only and name != only:
                continue
            try:
                getattr(self, "check_" + name.replace(" ", "_"))()
                outcome = Outcome(name, "ok")
            except Stop as stop:
                outcome = Outcome(name, stop.kind, stop.text, stop.code)
            # What an earlier step did is counted once.
            if outcome.kind != "ok" and any((o.kind, o.text) == (outcome.kind, outcome.text)
                                            for o in self.outcomes):
                outcome = Outcome(name, "skipped", "the same as before")
            self.outcomes.append(outcome)
        return self.outcomes
