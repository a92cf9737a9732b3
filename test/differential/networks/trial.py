"""The checks of one network that are the same for every format.

A format's trial writes the model and says what its oracle expects:

    class OnnxTrial(Trial):
        def arguments(self, name): return [name + ".onnx"]
        def write(self, graph, name): ...
        def check_float(self): ...

    outcomes = OnnxTrial(graph, seed, "folder", program="yarrow").run()   # [Outcome]
"""
import os
import random
import re
import signal
import subprocess
from dataclasses import dataclass

import machines
import values

SECONDS = 60       # of processor time, so that a busy machine is not a hang
WAITING = 15 * 60  # for a command that does not compute
LIMITED = ["sh", "-c", "ulimit -t %d; exec \"$@\"" % SECONDS, "sh"]
# Codes of documented limits. Another one is a failure: the network is valid.
LIMITS = {
    "E0402": "the layer is not quantized",
    "E0403": "the float network has infinite values",
    "E0602": "the executable cannot have several samples",
    "E1004": "the operator is not imported", "E1005": "this form of the operator is not imported",
    "E1017": "the layer is not exported",
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


class Trial:
    OTHERS = ("renamed", "batch", "export float", "export int")  # two of these, or all
    FIRST = ("float", "npu", "passes")
    LIMITS = LIMITS

    def __init__(self, graph, seed, folder, program, every=True):
        self.graph, self.seed, self.folder = graph, seed, folder
        self.program, self.every = program, every
        self.rng = random.Random("trial %d" % seed)
        self.commands = []
        self.outcomes = []
        os.makedirs(folder, exist_ok=True)
        self.machine = machines.draw(self.rng, self.path("machine.json"))
        self.settings = self.draw_settings()
        self.variants = [machines.disabled(self.rng) for _ in range(3 if every else 1)]
        self.others = self.rng.sample(self.OTHERS, len(self.OTHERS) if every else 2)
        self.is_cached = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    # What a format has of its own.

    def draw_settings(self):
        """Options of `quantize`."""
        return ["--recipe", self.rng.choice(("auto", "compass"))]

    def arguments(self, name):
        """The model of this name as a command takes it."""
        raise NotImplementedError

    def write(self, graph, name):
        raise NotImplementedError

    def can_reorder(self):
        """The recipe `auto` weighs cycles, which depend on the order."""
        return "auto" not in self.settings

    # Running commands.

    def yarrow(self, *arguments):
        """Standard output; stops the check where the command does not end well."""
        return self.output_of([self.program, "-q", "-j", "1", *arguments], arguments[0])

    def output_of(self, command, name):
        self.commands.append(" ".join(command))
        try:
            done = subprocess.run(LIMITED + command, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, timeout=WAITING, cwd=self.folder)
        except subprocess.TimeoutExpired:
            raise Stop("hang", "%s takes over %d s" % (name, WAITING)) from None
        if -done.returncode in (signal.SIGXCPU, signal.SIGKILL):
            raise Stop("hang", "%s computes for over %d s" % (name, SECONDS))
        said = (done.stdout + done.stderr).decode(errors="replace")
        if done.returncode == 0:
            return said
        if done.returncode < 0 or done.returncode > 125:
            end = signal.Signals(-done.returncode).name if done.returncode < 0 else ""
            raise Stop("crash", "%s ends by %s: %s" % (name, end or done.returncode,
                                                       said[-300:]), end)
        codes = re.findall(r"error (E\d{4})", said)
        # That the file is wrong is a refusal; other ends are not.
        kind = "refused" if done.returncode == 1 and codes and codes[0] in self.LIMITS else "error"
        raise Stop(kind, said[:600], codes[0] if codes else "exit %d" % done.returncode)

    def must(self, *arguments):
        """A command that no diagnostic may end."""
        try:
            return self.yarrow(*arguments)
        except Stop as stop:
            kind = "error" if stop.kind == "refused" else stop.kind
            raise Stop(kind, stop.text, "%s %s" % (arguments[0], stop.code)) from None

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

    def read(self, name):
        """[(name, shape, values)] of a file with arrays."""
        return values.read_npz(self.path(name))

    def evaluated(self, arguments, output, *options):
        self.yarrow("eval", *arguments, "-i", self.inputs, "-o", output, *options)
        return self.read(output)

    # Steps.

    def model(self):
        def make():
            self.write(self.graph, "m")
            self.paths, self.values = values.write_inputs(self.graph, self.seed, self.folder)
            self.inputs = ",".join(os.path.basename(p) for p in self.paths)
        self.once("model", make)

    def float_results(self):
        def make():
            self.model()
            return self.evaluated(self.arguments("m"), "float.npz")
        return self.once("float", make)

    def quantized(self):
        """The integer network, as commands take it."""
        def make():
            self.float_results()
            return self.quantize("m")
        return self.once("quantized", make)

    def quantize(self, name):
        """The integer network of a model, which can have all its scales already."""
        try:
            self.yarrow("quantize", *self.arguments(name), "-c", self.inputs, "-o", "q",
                        "--model-name", name, "--brief", *self.settings)
        except Stop as stop:
            if "quantized already" not in stop.text:
                raise
            self.yarrow("import", *self.arguments(name), "-o", "q", "--model-name", name + "_o")
        return ["q/%s_o.txt" % name, "-w", "q/%s_o.bin" % name]

    def int_results(self):
        def make():
            return self.evaluated(self.quantized(), "int.npz", "--stored")
        return self.once("int", make)

    def compiled(self, name, *options):
        self.yarrow("compile", *self.quantized(), "-t", self.machine, "-o", name + ".aipu", *options)
        return name + ".aipu"

    def same_bytes(self, executable, name):
        """The executable gives the evaluator's bytes."""
        expected = self.int_results()
        self.yarrow("run", executable, "-i", self.inputs, "-o", name + ".npz", "--stored")
        self.same(expected, self.read(name + ".npz"))

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

    def check_npu(self):
        """The NPU has the evaluator's bytes, and `prove` and `check` find nothing."""
        network = self.quantized()
        self.int_results()
        self.once("npu", lambda: self.compiled("npu"))
        self.same_bytes("npu.aipu", "npu")
        self.must("check", *network)
        self.must("prove", "npu.aipu")

    def check_passes(self):
        """Without some optimizations the same bytes."""
        self.int_results()
        self.once("npu", lambda: self.compiled("npu"))
        for i, options in enumerate(self.variants):
            name = "variant%d" % i
            self.same_bytes(self.compiled(name, *options), name)
            self.must("prove", name + ".aipu")

    def check_renamed(self):
        """Other names and another order of nodes: the same floats and integers."""
        expected = self.float_results()
        self.write(self.graph.shuffled(random.Random(self.seed), self.can_reorder()), "r")
        try:
            found = self.evaluated(self.arguments("r"), "rfloat.npz")
        except Stop as stop:
            raise Stop("error" if stop.kind == "refused" else stop.kind, stop.text, stop.code) from None
        self.same(expected, found)
        expected = self.int_results()
        self.must("eval", *self.quantize("r"), "-i", self.inputs, "-o", "rint.npz", "--stored")
        self.same(expected, self.read("rint.npz"))

    def check_batch(self):
        """A batch of samples as one by one."""
        ends = self.graph.inputs + self.graph.outputs
        if any(v.shape[:1] != [1] for v in ends):
            raise Stop("skipped", "a first axis is not 1")
        self.int_results()
        self.once("npu", lambda: self.compiled("npu"))
        self.same_bytes(self.compiled("batch", "--batch", "2"), "batch")

    def run(self, only=None):
        """The outcomes of all checks, or of one."""
        for name in (*self.FIRST, *self.others):
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
