"""ONNX models of a folder: their outputs on the NPU beside those of the CPU, as a table.

A model is good if its outputs are the same, or within a tolerance of the largest value. Models with
QuantizeLinear and DequantizeLinear have integers inside. ONNX Runtime computes them in integers, or in
floats where it has no kernel for integers (everywhere with session.disable_quant_qdq=1): one of the two
must be met, or outputs are off by one step of their integers, or by no more than the two ways of the
CPU differ from each other.

Other differences have to be explained by what the models or the CPU's outputs themselves show
(EXPLANATIONS). No names of models are listed here.
"""
import collections
import glob
import math
import os
import re
import subprocess

import causes
import wire

HALVES, BFLOATS = 10, 16
# The difference of 1 and the next number, by element type.
STEPS = {HALVES: 2 ** -10, BFLOATS: 2 ** -7}

Difference = collections.namedtuple("Difference", "type elements equal one more lost not_finite most top")
Result = collections.namedtuple("Result", "name nodes equal one more far is_good verdict")
LINE = re.compile(r"^(\w+) \d+ " + " ".join(rf"{name} (\S+)" for name in Difference._fields) + "$", re.M)


class NotRun(Exception):
    """The CPU does not run the model."""


class Comparison:
    """What the program compare prints of a model."""

    def __init__(self, check, path):
        self.check, self.path = check, path
        try:
            self.facts = wire.facts(path)
        except (KeyError, IndexError) as why:  # a test of readers
            raise NotRun from why
        self.ways, self.report = {}, check.path("report.json")
        self.run("npu", "report=" + self.report)
        self.npu = self.ways["npu"]
        self.provider = check.read_report(self.report, path)["provider"]
        self.far = self.farthest("npu")

    def run(self, ways, *settings):
        steps = ",".join(str(self.facts.step(name) or "-") for name in self.facts.outputs) or "-"
        try:
            printed = self.check.call(self.check.path("compare"), self.path, self.check.options.library,
                                      steps, ways, *settings)
        except RuntimeError as why:
            if "the CPU runs it" not in str(why):
                raise NotRun from why
            raise
        found = collections.defaultdict(list)
        for way, *values in LINE.findall(printed):
            found[way].append(Difference(*(float(v) if "." in v or "e" in v else int(v) for v in values)))
        self.ways.update(found)

    def farthest(self, way):
        """The largest difference by the largest value; infinite where a number was lost."""
        if way not in self.ways:
            with open(self.path, "rb") as file:
                model = file.read()
            # A model with constants in other files has noise in its inputs alone.
            noisy = self.path if self.facts.is_divided else self.check.write("noise.onnx", wire.with_noise(model))
            self.run("floats,again,noise=" + noisy)
        return max((float("inf") if d.lost else d.most / max(d.top, 1) for d in self.ways[way]), default=0)

    def counts(self):
        """Elements that are equal, one step apart, and more, of outputs with steps."""
        return [sum(getattr(d, name) for d in self.npu) for name in ("equal", "one", "more")]

    def steps(self, way):
        """The most steps of an output; infinite where one has none."""
        most = 0
        for d, name in zip(self.ways[way], self.facts.outputs):
            step = self.facts.step(name)
            if not step and d.elements != d.equal or d.lost:
                return float("inf")
            most = max(most, round(d.most / step) if step else 0)
        return most

    def judge(self, tolerance):
        """Whether it is good, and why."""
        if not any(d.elements for d in self.npu):
            return True, "no output is a tensor of numbers"
        if all(d.equal == d.elements for d in self.npu):
            return True, "equal"
        if self.facts.is_quantized:
            good = self.judge_quantized()
            if good:
                return True, good
        if self.far <= tolerance:
            return True, f"within {tolerance:g}"
        for explain in EXPLANATIONS:
            why = explain(self, tolerance)
            if why:
                return True, why
        return False, f"differs by {self.far:.2g}"

    def judge_quantized(self):
        if all(d.more == 0 for d in self.npu):
            return "one step"
        own = self.farthest("floats")
        steps = self.steps("npu")
        if steps < float("inf") and steps <= self.steps("floats"):
            return f"{steps} steps; the CPU in floats is {self.steps('floats')} from itself"
        return f"{self.far:.2g}; the CPU in floats is {own:.2g} from itself" if 0 < self.far <= own else None


#===-- Explanations ----------------------------------------------------------===#

def random_numbers(it, _):
    """The CPU does not compute the same again."""
    return "the CPU draws random numbers" if it.farthest("again") else None


def not_numbers(it, tolerance):
    """Where the CPU gives a number, it is near."""
    if any(d.not_finite for d in it.npu) and it.far <= tolerance:
        return "the CPU gives values that are not finite"
    return None


def short_floats(it, _):
    """Tensors inside are rounded to few digits, at other places."""
    steps = [STEPS[element] for element in it.facts.elements if element in STEPS]
    if steps and it.far <= max(steps):
        return f"floats of 16 bits: {it.far / max(steps):.1f} of their steps"
    return None


def amplified(it, _):
    """The model makes much of little: the CPU's own outputs move as far when the last bits of inputs and
    constants change. These are rounded once, a sum once for each product: its error grows with the number
    of products, that of rounded factors with its root. Two tries of few numbers differ by twice."""
    own = it.farthest("noise")
    times = max(2, math.sqrt(it.facts.longest_sum()))
    if it.far <= times * own:
        return f"{it.far:.2g}; other last bits change {own:.2g} on the CPU, sums have {it.facts.longest_sum()} terms"
    return None


EXPLANATIONS = (random_numbers, not_numbers, short_floats, lambda it, _: causes.of(it), amplified)


#===-- The table -------------------------------------------------------------===#

def compare(check, path, name):
    it = Comparison(check, path)
    is_good, verdict = it.judge(check.options.tolerance)
    nodes = f"{it.provider['nodes_on_npu'] or 0} of {it.provider['nodes'] or 0}"
    return Result(name, nodes, *it.counts(), f"{it.far:.2g}", is_good, verdict)


def check_packs(check):
    """The integer networks of the packs, as `yarrow export` writes them in QDQ form."""
    folder = check.path("exported")
    os.makedirs(folder)
    for network in sorted(glob.glob(os.path.join(check.options.packs, "models/*/int.txt"))):
        name = os.path.basename(os.path.dirname(network))
        # What is not exported (weights of Winograd's form) is refused with a code.
        check.call(check.options.yarrow, "export", network, "-w", network[:-3] + "bin", "--onnx", "-o",
                   os.path.join(folder, name + ".onnx"), ok=False)
    check_models(check, folder)


def check_models(check, folder):
    """Those of a folder that the CPU runs: a line for each, and how many there are of each kind."""
    rows, skipped = [], 0
    print("| network | nodes on the NPU | equal | one step | more | farthest | why it is good |\n"
          "|---|---|---|---|---|---|---|")
    for path in sorted(glob.glob(os.path.join(folder, "**/*.onnx"), recursive=True)):
        name = os.path.relpath(path, folder)
        try:
            row = compare(check, path, name)
        except NotRun:
            skipped += 1
            continue
        except subprocess.TimeoutExpired:
            row = Result(name, "", "", "", "", "", False, f"longer than {check.options.timeout:g} s")
        except RuntimeError as why:
            row = Result(name, "", "", "", "", "", False, str(why)[-600:].replace("\n", " "))
        rows.append(row)
        print(f"| {row.name} | {row.nodes} | {row.equal} | {row.one} | {row.more} | {row.far} | "
              f"{'' if row.is_good else 'FAILED: '}{row.verdict} |", flush=True)
        check.check(row.is_good, f"{name}: {row.verdict}")
    kinds = collections.Counter(kind_of(row.verdict) if row.is_good else "failed" for row in rows)
    print(f"{len(rows)} models; the CPU does not run {skipped} more")
    for kind, count in kinds.most_common():
        print(f"  {count}: {kind}")


def kind_of(verdict):
    """Without its figures."""
    return re.sub(r"\b\d[\d.]*(e[-+]\d+)?\b", "#", verdict)
