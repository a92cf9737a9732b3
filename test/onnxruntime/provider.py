"""The provider in ONNX Runtime: what networks compute on the NPU, beside the CPU.

The ONNX Runtime is that of npm's package onnxruntime-node, which is fetched by npm into a folder
outside of the tree. examples/onnxruntime/run.c and host.c are compiled against it and run small
networks, written here, with the provider and without.

    python3 provider.py --yarrow build/bin/yarrow --library build/lib/libyarrow_onnxruntime.so
    python3 provider.py ... --models folder        # also all ONNX models of a folder

Without npm, network or a C compiler the check is skipped.
"""
import argparse
import array
import glob
import json
import math
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path[:0] = [os.path.join(ROOT, "examples/vision"), os.path.join(ROOT, "test/lit"),
                os.path.join(ROOT, "test/report")]
import npy
import onnx
import packages
import schema

PACKAGE = "onnxruntime-node@1.30.0"
SKIPPED = 77


#===-- Networks --------------------------------------------------------------===#

def determinants():
    """Three operators that Yarrow does not have, with layers before, between and after them."""
    weights = [((i * 7) % 13 - 6) / 16 for i in range(4 * 4 * 9)]
    graph = (onnx.node("Conv", ["x", "w1"], ["c0"], "/stem/Conv", pads=[1, 1, 1, 1]) +
             onnx.node("Tanh", ["c0"], ["t0"], "/stem/Tanh"))
    for i in range(3):
        graph += (onnx.node("Det", [f"t{i}"], [f"d{i}"], f"/det{i}") +
                  onnx.node("Reshape", [f"d{i}", "shape"], [f"r{i}"], f"/reshape{i}") +
                  onnx.node("Add", [f"r{i}", f"t{i}"], [f"a{i}"], f"/add{i}") +
                  onnx.node("Tanh", [f"a{i}"], [f"t{i + 1}"], f"/tanh{i}"))
    graph += onnx.node("Conv", ["t3", "w2"], ["y"], "/last/Conv", pads=[1, 1, 1, 1])
    graph += onnx.floats("w1", [4, 2, 3, 3], weights[:72]) + onnx.floats("w2", [4, 4, 3, 3], weights)
    graph += onnx.integers("shape", [1, 4, 1, 1])
    for i in range(3):
        graph += onnx.value(13, f"d{i}", [1, 4])
    return onnx.model(graph + onnx.value(11, "x", [1, 2, 6, 6]) + onnx.value(12, "y", [1, 4, 6, 6]))


def qdq_around():
    """A quantized network with an operator in the middle that Yarrow does not have."""
    weights = [(i * 7) % 251 - 125 for i in range(36)]
    return onnx.model(
        onnx.scaled("a", "b", 0.0078125, 0) + onnx.scaled("b", "b", 0.0625, 3) +
        onnx.scaled("c", "B", 0.03125, 128) +
        onnx.quantize("x", "a", "xq", "/in/Q") + onnx.dequantize("xq", "a", "xd", "/in/DQ") +
        onnx.scaled("w", "b", 0.0078125, 0) + onnx.stored("wq", "b", [2, 2, 3, 3], weights) +
        onnx.dequantize("wq", "w", "wd", "/w/DQ") +
        onnx.node("Conv", ["xd", "wd"], ["y1"], "/conv/Conv", pads=[1, 1, 1, 1]) +
        onnx.quantize("y1", "b", "y1q", "/conv/Q") + onnx.dequantize("y1q", "b", "y1d", "/conv/DQ") +
        onnx.node("Det", ["y1d"], ["d"], "/det") + onnx.node("Tanh", ["d"], ["t"], "/tanh") +
        onnx.quantize("t", "c", "tq", "/t/Q") + onnx.dequantize("tq", "c", "td", "/t/DQ") +
        onnx.node("Add", ["td", "td"], ["s"], "/add") + onnx.quantize("s", "c", "sq", "/s/Q") +
        onnx.dequantize("sq", "c", "y", "/out/DQ") + onnx.value(13, "d", [1, 2]) +
        onnx.value(11, "x", [1, 2, 4, 4]) + onnx.value(12, "y", [1, 2]))


def branches():
    """A branch and a loop, which read tensors from outside of them."""
    then = (onnx.node("Mul", ["x", "two"], ["t"]) + onnx.floats("two", [], [2]) +
            onnx.value(12, "t", [1, 4]) + onnx.field(2, "then"))
    other = (onnx.node("Sub", ["x", "zero"], ["e"]) + onnx.value(12, "e", [1, 4]) +
             onnx.field(2, "other"))
    body = (onnx.node("Add", ["v", "x"], ["w"]) + onnx.node("Identity", ["c"], ["d"]) +
            onnx.value(11, "i", [], 7) + onnx.value(11, "c", [], 9) + onnx.value(11, "v", [1, 4]) +
            onnx.value(12, "d", [], 9) + onnx.value(12, "w", [1, 4]) + onnx.field(2, "body"))
    return onnx.model(
        onnx.node("ReduceMax", ["x"], ["m"], keepdims=0) + onnx.node("Greater", ["m", "zero"], ["k"]) +
        onnx.node("If", ["k"], ["a"], then_branch=then, else_branch=other) +
        onnx.node("Loop", ["n", "", "a"], ["y"], body=body) + onnx.floats("zero", [], [0]) +
        onnx.integers("n", [3]) + onnx.field(2, "branches") + onnx.value(11, "x", [1, 4]) +
        onnx.value(12, "y", [1, 4]))


def suppression(least=0.5):
    """As many boxes as are kept, of up to 15; none has a score of 1 or more."""
    return onnx.model(
        onnx.node("Relu", ["s"], ["r"], "/relu") +
        onnx.node("NonMaxSuppression", ["b", "r", "m", "iou", "st"], ["i"], "/nms") +
        onnx.node("Cast", ["i"], ["f"], "/cast", to=1) + onnx.node("Tanh", ["f"], ["y"], "/tanh") +
        onnx.integers("m", [15]) + onnx.floats("iou", [1], [0.1]) + onnx.floats("st", [1], [least]) +
        onnx.value(11, "b", [1, 20, 4]) + onnx.value(11, "s", [1, 1, 20]) +
        onnx.value(12, "y", ["n", 3]))


def overridable():
    """A constant that a run may replace: it is among the inputs."""
    return onnx.model(onnx.node("Mul", ["x", "k"], ["y"], "/mul") + onnx.floats("k", [1, 4], [1, 2, 3, 4]) +
                      onnx.value(11, "x", [1, 4]) + onnx.value(11, "k", [1, 4]) +
                      onnx.value(12, "y", [1, 4]))


#===-- Running them ----------------------------------------------------------===#

class Unavailable(Exception):
    """Why there is nothing to check."""


def fetch_runtime(cache):
    """The path of libonnxruntime.so.1 for this machine."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine())
    try:
        folder = packages.fetch(PACKAGE, cache)
    except packages.Unavailable as why:
        raise Unavailable(str(why)) from why
    found = glob.glob(os.path.join(folder, "bin", "*", "linux", machine or "?", "libonnxruntime.so.1"))
    if not found:
        raise Unavailable(f"{PACKAGE} has no library for {platform.machine()}")
    return found[0]


class Check:
    def __init__(self, options):
        self.options = options
        with open(options.library, "rb") as file:
            content = file.read()
            if b"__asan_init" in content or b"__tsan_init" in content:
                raise Unavailable("the library has a sanitizer, which ONNX Runtime has not")
        self.runtime = fetch_runtime(options.cache)
        self.folder = tempfile.mkdtemp(prefix="yarrow-ort-")
        self.failures = 0
        with open(os.path.join(ROOT, "docs/report.schema.json"), encoding="utf-8") as file:
            self.schema = json.load(file)
        compiler = shutil.which("cc") or shutil.which("clang-22")
        if not compiler:
            raise Unavailable("there is no C compiler")
        for source in (os.path.join(ROOT, "examples/onnxruntime/run.c"), os.path.join(HERE, "host.c")):
            name = os.path.splitext(os.path.basename(source))[0]
            subprocess.run([compiler, "-std=gnu99", "-O1", "-I" + ROOT, source, "-o", self.path(name),
                            self.runtime, "-Wl,-rpath," + os.path.dirname(self.runtime), "-lm", "-lpthread"],
                           check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return self.path(name)

    def check(self, good, what):
        if not good:
            self.failures += 1
            print("FAILED: " + what)

    def call(self, *command, ok=True):
        done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, cwd=self.folder, timeout=self.options.timeout)
        if ok and done.returncode:
            raise RuntimeError("%s\n%s" % (" ".join(map(str, command)), done.stdout[-4000:]))
        return done.stdout

    def outputs(self, model, npu, *settings):
        """The bytes of the outputs, and the text that was printed."""
        prefix = "npu" if npu else "cpu"
        for old in glob.glob(self.path(prefix + "[0-9]*")):
            os.remove(old)
        library = [self.options.library] if npu else []
        printed = self.call(self.path("run"), model, prefix, *library, *settings)
        count = len(re.findall(r": \d+ bytes$", printed, re.M))
        found = []
        for i in range(count):
            with open(self.path(f"{prefix}{i}"), "rb") as file:
                found.append(file.read())
        return found, printed

    def report(self, model, *settings):
        """Outputs on the NPU and the report of the session."""
        path = self.path("report.json")
        if os.path.exists(path):
            os.remove(path)
        found, _ = self.outputs(model, True, "report=" + path, *settings)
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for problem in schema.problems(report, self.schema):
            self.check(False, f"the report of {model}: {problem}")
        return found, report

    def host(self, mode, model, *arguments, ok=True):
        return self.call(self.path("host"), mode, model, self.options.library, *arguments, ok=ok)

    def partition(self, model):
        """The partition that `yarrow check --provider` prints."""
        printed = self.call(self.options.yarrow, "check", "--provider", "cpu+npu", "--format", "json", model)
        return json.loads(printed)["provider"]


def distance(a, b):
    """The largest difference of floats, by the largest value."""
    if len(a) != len(b):
        return math.inf
    if len(a) % 4:
        return 0 if a == b else math.inf
    x, y = array.array("f", a), array.array("f", b)
    top = max((abs(v) for v in x), default=0)
    most = max((abs(p - q) for p, q in zip(x, y)), default=0)
    return most / max(top, 1) if most == most else math.inf


def same(check, model, what, *settings, tolerance=1e-4):
    """The report of a model whose outputs are those of the CPU."""
    cpu, _ = check.outputs(model, False)
    npu, report = check.report(model, *settings)
    far = max((distance(a, b) for a, b in zip(cpu, npu)), default=0)
    check.check(len(cpu) == len(npu) and far <= tolerance, f"{what}: outputs differ by {far:g}")
    provider = report["provider"]
    print(f"{what}: {provider['nodes_on_npu']} of {provider['nodes']} nodes in "
          f"{len(provider['parts'])} parts, outputs within {far:.2g}")
    return report


#===-- Checks ----------------------------------------------------------------===#

def check_floats(check):
    report = same(check, check.write("conv.onnx", onnx.conv(1)), "a float network")
    provider = report["provider"]
    check.check(provider["nodes_on_npu"] == provider["nodes"] == 7, "seven nodes, all on the NPU")
    run = provider["runs"][0]
    check.check(run["runs"] == 1 and run["cycles"] > 0, "one run with cycles")
    check.check(run["performance"]["cycles"] == run["cycles"], "its layers have the same cycles")
    for name in ("norm", "two_inputs"):
        same(check, check.write(name + ".onnx", getattr(onnx, name)(1)), name)
    same(check, check.write("branches.onnx", branches()), "branches")
    check.check(report["target"] == "X2_1204", "the target by default")
    report = same(check, check.path("conv.onnx"), "on Z1_0701", "target=Z1_0701")
    check.check(report["target"] == "Z1_0701" and
                report["provider"]["runs"][0]["cycles"] > run["cycles"], "another target is slower")


def check_quantized(check):
    for name in ("quantized", "quantized_ends", "quantized_cast"):
        model = check.write(name + ".onnx", getattr(onnx, name)(1))
        cpu, _ = check.outputs(model, False)
        npu, _ = check.outputs(model, True)
        check.check(cpu == npu, f"{name}: not the same bytes")
    same(check, check.write("qdq_around.onnx", qdq_around()), "a QDQ network in two parts", tolerance=1e-6)


def check_partition(check):
    model = check.write("determinants.onnx", determinants())
    report = same(check, model, "three operators that are left")
    provider = report["provider"]
    left = [each["operator"] for each in provider["left_out"]]
    check.check(left == ["Det"] * 3, f"left out are {left}")
    check.check(provider["nodes_on_npu"] + len(left) == provider["nodes"], "nodes add up")
    check.check(sorted(n for part in provider["parts"] for n in part["nodes"]) ==
                sorted(set(n for part in provider["parts"] for n in part["nodes"])), "a node in two parts")
    check.check(sum(len(part["nodes"]) for part in provider["parts"]) == provider["nodes_on_npu"],
                "the nodes of parts add up")
    check.check(len(provider["parts"]) == 4, "four parts")
    check.check(all("Det is not imported" in each["why"] for each in provider["left_out"]), "reasons")
    check.check(all(each["runs"] == 1 for each in provider["runs"]) and
                len(provider["runs"]) == 4, "each part ran once")
    plain = check.partition(model)
    check.check([p["nodes"] for p in plain["parts"]] == [p["nodes"] for p in provider["parts"]],
                "yarrow check divides it in the same way")
    report = same(check, check.write("suppression.onnx", suppression()), "as many results as values say",
                  tolerance=1e-6)
    same(check, check.write("none.onnx", suppression(least=2.0)), "no result at all")
    check.check([each["operator"] for each in report["provider"]["left_out"]] == ["NonMaxSuppression"],
                "only the suppression stays")
    report = same(check, model, "with min_nodes=4", "min_nodes=4")
    check.check(all(len(part["nodes"]) >= 4 for part in report["provider"]["parts"]),
                "parts of fewer nodes stay")
    report = same(check, model, "with min_macs=1000000", "min_macs=1000000")
    check.check(not report["provider"]["parts"] and report["provider"]["nodes_on_npu"] == 0,
                "nothing pays")


def check_calibration(check):
    model = check.write("conv.onnx", onnx.conv(1))
    values = [math.sin(i * 0.7) for i in range(16 * 72)]
    folder = check.path("samples")
    os.makedirs(folder, exist_ok=True)
    npy.write_npy(os.path.join(folder, "x.npy"), [16, 2, 6, 6],
                  array.array("f", values))
    cache = check.path("cache")
    os.makedirs(cache, exist_ok=True)
    for given in (folder, os.path.join(folder, "x.npy")):
        report = same(check, model, "quantized here", "quantize=auto", "calibration=" + given,
                      "cache=" + cache, tolerance=0.05)
        check.check(report["provider"]["parts"][0]["is_quantized_here"], "it is quantized")
    check.check(glob.glob(os.path.join(cache, "*part*")) != [], "the cache has the part")
    cpu, _ = check.outputs(model, False)
    npu, _ = check.outputs(model, True, "quantize=auto", "calibration=" + folder)
    check.check(cpu != npu, "integers are not floats")


def check_contexts(check):
    model = check.write("conv.onnx", onnx.conv(1))
    first, _ = check.outputs(model, True)
    for embed in "01":
        context = check.path(f"context{embed}.onnx")
        check.outputs(model, True, "ep.context_enable=1", "ep.context_embed_mode=" + embed,
                      "ep.context_file_path=" + context)
        npu, _ = check.outputs(context, True)
        check.check(npu == first, f"a context with embed_mode={embed} gives other bytes")
    part = check.path("context0_part_0.yarrow")
    with open(part, "rb") as file:
        good = file.read()
    for what, content, expected in (
            ("a changed byte", good[:len(good) // 2] + bytes([good[len(good) // 2] ^ 1]) +
             good[len(good) // 2 + 1:], "E0704"),
            ("the first half", good[:len(good) // 2], "E070"),
            ("something else", b"something else", "E0704"), ("nothing", None, "E0101")):
        if content is None:
            os.remove(part)
        else:
            check.write("context0_part_0.yarrow", content)
        printed = check.call(check.path("run"), check.path("context0.onnx"), "npu", check.options.library,
                             ok=False)
        check.check("error: " in printed and expected in printed, f"{what}: {printed}")
    chance = random.Random(7)
    for _ in range(8):
        broken = bytearray(good)
        broken[chance.randrange(len(good))] ^= 1 << chance.randrange(8)
        check.write("context0_part_0.yarrow", bytes(broken))
        printed = check.call(check.path("run"), check.path("context0.onnx"), "npu", check.options.library,
                             ok=False)
        check.check(re.search("error E070[14]: ", printed), f"a changed bit: {printed}")
    model = check.write("open.onnx", onnx.conv("N"))
    context = check.path("open_context.onnx")
    check.outputs(model, True, "ep.context_enable=1", "ep.context_embed_mode=1",
                  "ep.context_file_path=" + context)
    cpu, _ = check.outputs(model, False)
    npu, _ = check.outputs(context, True)
    check.check(distance(cpu[0], npu[0]) < 1e-4, "a context with open lengths")
    print("contexts: written, read, and refused where they are damaged")


def check_shapes(check):
    model = check.write("open.onnx", onnx.conv("N"))
    printed = check.host("shapes", model, 4, "max_shapes=3")
    good = [float(d) for d in re.findall(r"^\d: difference (\S+)$", printed, re.M)]
    check.check(len(good) == 4 and max(good) < 1e-4, "three shapes, and the first again: " + printed)
    check.check(re.search(r"^4: .*x\[4,2,6,6\] is another one; give the option max_shapes", printed, re.M),
                "the fourth one is refused: " + printed)
    print("open lengths: three shapes compiled, the fourth refused")


def check_profile(check):
    model = check.write("determinants.onnx", determinants())
    name = check.host("profile", model, "profile", "timed=1").split()[-1]
    with open(check.path(name), encoding="utf-8") as file:
        events = json.load(file)
    ours = [e for e in events if e["name"].startswith("part_") and "cycles" in e["args"]]
    check.check(len(ours) == 8, f"4 parts of 2 runs are {len(ours)} events")
    check.check(all(int(e["args"]["cycles"]) > 0 for e in ours), "events have cycles")
    print(f"profile: {len(ours)} events with cycles")


def check_threads(check):
    model = check.write("determinants.onnx", determinants())
    printed = check.host("threads", model, 8, 1000)
    found = re.findall(r"^difference (\S+), unloaded$", printed, re.M)
    check.check(len(found) == 2 and all(float(d) < 1e-4 for d in found), printed)
    print("8 threads, 1,000 runs, two sessions, twice: difference " + " ".join(found) + ", unloaded")


def check_options(check):
    model = check.write("conv.onnx", onnx.conv(1))
    for setting, expected in (
            ("tarrget=X2_1204", "has no option tarrget; did you mean target?"), ("target=X9", "E0505"),
            ("timed=maybe", 'the option timed of the Yarrow provider is "maybe", and must be 0 or 1'),
            ("min_nodes=few", "must be a whole number"), ("cache=/missing/folder", "a folder that exists"),
            ("quantize=auto", "needs the option calibration"),
            ("calibration=/missing.npy", "a file or a folder that exists")):
        printed = check.call(check.path("run"), model, "npu", check.options.library, setting, ok=False)
        check.check(expected in printed, f"{setting}: {printed}")
    model = check.write("overridable.onnx", overridable())
    same(check, model, "a constant that a run may replace", tolerance=0)
    printed = check.host("replace", model, "k", ok=False)
    check.check("gives k other values than the model has" in printed, printed)
    print("options: each wrong one is reported")


def check_models(check):
    """ONNX models of a folder; a table."""
    for model in sorted(glob.glob(os.path.join(check.options.models, "**/*.onnx"), recursive=True)):
        name = os.path.relpath(model, check.options.models)
        try:
            same(check, model, name, tolerance=check.options.tolerance)
        except (RuntimeError, subprocess.TimeoutExpired) as why:
            check.check(False, f"{name}: {str(why)[-600:]}")


CHECKS = {"floats": check_floats, "quantized": check_quantized, "partition": check_partition,
          "calibration": check_calibration, "contexts": check_contexts, "shapes": check_shapes,
          "profile": check_profile, "threads": check_threads, "options": check_options}


def main():
    parser = argparse.ArgumentParser(description="Check the provider of ONNX Runtime")
    parser.add_argument("--yarrow", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cache", default=packages.default_cache())
    parser.add_argument("--only", default="", help="checks, with commas between them")
    parser.add_argument("--models", help="a folder of ONNX models to run as well")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="of these")
    parser.add_argument("--timeout", type=float, default=600, help="seconds of a run")
    options = parser.parse_args()
    options.yarrow, options.library = os.path.abspath(options.yarrow), os.path.abspath(options.library)
    try:
        check = Check(options)
    except Unavailable as why:
        print(f"skipped: {why}")
        return SKIPPED
    try:
        for name, run in CHECKS.items():
            if not options.only or name in options.only.split(","):
                run(check)
        if options.models:
            check_models(check)
    finally:
        shutil.rmtree(check.folder, ignore_errors=True)
    print("ok" if not check.failures else f"{check.failures} failures")
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
