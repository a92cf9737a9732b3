"""Programs around ONNX Runtime for the checks of the provider, and what they print.

    check = Check(options)                    # Unavailable without npm, network or a C compiler
    cpu, _ = check.outputs(model, False)
    npu, report = check.report(model)

Where the provider was built with a sanitizer (presets asan and tsan), the programs have it, too,
so that its runtime comes first. ONNX Runtime and LLVM have none: environment() and own_reports()
say what is left out for that reason, and nothing else is.
"""
import array
import collections
import glob
import json
import math
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "../..")
sys.path[:0] = [os.path.join(ROOT, "examples/vision"), os.path.join(ROOT, "test/report")]
import packages
import schema

PACKAGE = "onnxruntime-node@1.30.0"
SOURCES = (os.path.join(ROOT, "examples/onnxruntime/run.c"), os.path.join(HERE, "host.c"),
           os.path.join(HERE, "compare.c"))
SANITIZERS = {b"__tsan_init": "thread", b"__asan_init": "address,undefined"}

# The number of its type is ONNX's.
Output = collections.namedtuple("Output", "name element bytes")


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


def sanitizer_of(library):
    """What the library was built with, as -fsanitize= has it; None."""
    with open(library, "rb") as file:
        content = file.read()
    return next((name for symbol, name in SANITIZERS.items() if symbol in content), None)


def environment(sanitizer):
    """That of programs with a sanitizer; the preset's own options stay."""
    own = {}
    if sanitizer == "thread":
        own["TSAN_OPTIONS"] = "exitcode=0:second_deadlock_stack=1"
    elif sanitizer:
        # As in CMakePresets.json, for the sake of LLVM.
        own["ASAN_OPTIONS"] = "detect_container_overflow=0:handle_sigbus=0:allow_user_poisoning=0"
        own["LSAN_OPTIONS"] = "exitcode=0"
        own["UBSAN_OPTIONS"] = "halt_on_error=1:print_stacktrace=1"
    return {**os.environ, **{key: ":".join(filter(None, [os.environ.get(key), value]))
                             for key, value in own.items()}}


LEAKS = re.compile(r"^=+\n==\d+==ERROR: LeakSanitizer: .*?^SUMMARY: [^\n]*leaked[^\n]*\n", re.S | re.M)
RACES = re.compile(r"^=+\nWARNING: ThreadSanitizer: .*?^SUMMARY: ThreadSanitizer: [^\n]*\n=+\n", re.S | re.M)
ACCESS = re.compile(r"^  [^\n]* of size [^\n]*:\n((?:    #[^\n]*\n)+)", re.M)


def is_foreign_leak(leak):
    """ONNX Runtime's code asked for the memory. Frames without a module are those of a library that was
    unloaded: Yarrow's."""
    return "libonnxruntime.so" in leak and "libyarrow" not in leak and "<unknown module>" not in leak


def is_foreign_race(report):
    """Both accesses are ONNX Runtime's own, by itself or through the C library: it orders its threads by
    atomics, which TSan does not see in code that it did not compile. Locks are seen everywhere."""
    if ": data race" not in report:
        return "libonnxruntime.so" in report and "libyarrow" not in report
    for frames in ACCESS.findall(report):
        # Those of the sanitizer's runtime are in the program, without a line of its source.
        callers = [frame for frame in frames.splitlines() if not re.search(r"<null> \((?:host|run)\+", frame)]
        if not callers or "libonnxruntime.so" not in callers[0]:
            return False
    return True


def own_reports(printed):
    """What was printed, without reports on ONNX Runtime itself."""
    def without_leaks(report):
        leaks = re.split(r"^(?=(?:Direct|Indirect) leak)", report[0], flags=re.M)[1:]
        return "" if leaks and all(map(is_foreign_leak, leaks)) else report[0]
    printed = RACES.sub(lambda report: "" if is_foreign_race(report[0]) else report[0], printed)
    if "WARNING: ThreadSanitizer" not in printed:
        printed = re.sub(r"^ThreadSanitizer: reported \d+ warnings\n", "", printed, flags=re.M)
    return LEAKS.sub(without_leaks, printed)


def build(source, program, runtime, sanitizer):
    """A program of one file of C. That of a sanitizer is linked as C++ is: Yarrow is."""
    compiler = shutil.which("clang-22") or (None if sanitizer else shutil.which("cc"))
    if not compiler:
        raise Unavailable("there is no C compiler" + (" with the sanitizer" if sanitizer else ""))
    flags = ["-fsanitize=" + sanitizer, "-g"] if sanitizer else []
    linker = compiler.replace("clang-22", "clang++-22") if sanitizer else compiler
    subprocess.run([compiler, "-std=gnu99", "-O1", *flags, "-I" + ROOT, "-c", source, "-o",
                    program + ".o"], check=True)
    subprocess.run([linker, *flags, program + ".o", "-o", program, runtime,
                    "-Wl,-rpath," + os.path.dirname(runtime), "-lm", "-lpthread"], check=True)


class Check:
    def __init__(self, options):
        self.options = options
        self.sanitizer = sanitizer_of(options.library)
        self.runtime = fetch_runtime(options.cache)
        self.folder = tempfile.mkdtemp(prefix="yarrow-ort-")
        self.failures = 0
        with open(os.path.join(ROOT, "docs/report.schema.json"), encoding="utf-8") as file:
            self.schema = json.load(file)
        self.environment = environment(self.sanitizer)
        for source in SOURCES:
            build(source, self.path(os.path.splitext(os.path.basename(source))[0]), self.runtime,
                  self.sanitizer)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

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
                              text=True, cwd=self.folder, timeout=self.options.timeout,
                              env=self.environment, errors="replace")
        printed = own_reports(done.stdout) if self.sanitizer else done.stdout
        has_report = re.search(r"(?:Address|Leak|Thread)Sanitizer: |: runtime error: ", printed)
        if done.returncode < 0 or has_report or (ok and done.returncode):
            raise RuntimeError("%s: exit code %d\n%s" % (" ".join(map(str, command)), done.returncode,
                                                         printed[:4000] + "\n...\n" + printed[-4000:]))
        return printed

    def outputs(self, model, npu, *settings):
        """Outputs, and the text that was printed."""
        prefix = "npu" if npu else "cpu"
        for old in glob.glob(self.path(prefix + "[0-9]*")):
            os.remove(old)
        library = [self.options.library] if npu else []
        printed = self.call(self.path("run"), model, prefix, *library, *settings)
        found = []
        for name, element in re.findall(r"^(.*): \d+ bytes of type (\d+)$", printed, re.M):
            with open(self.path(f"{prefix}{len(found)}"), "rb") as file:
                found.append(Output(name, int(element), file.read()))
        return found, printed

    def report(self, model, *settings):
        """Outputs on the NPU and the report of the session."""
        path = self.path("report.json")
        if os.path.exists(path):
            os.remove(path)
        found, _ = self.outputs(model, True, "report=" + path, *settings)
        return found, self.read_report(path, model)

    def read_report(self, path, model):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for problem in schema.problems(report, self.schema):
            self.check(False, f"the report of {model}: {problem}")
        return report

    def host(self, mode, model, *arguments, ok=True):
        return self.call(self.path("host"), mode, model, self.options.library, *arguments, ok=ok)

    def partition(self, model):
        """The partition that `yarrow check --provider` prints."""
        printed = self.call(self.options.yarrow, "check", "--provider", "cpu+npu", "--format", "json", model)
        return json.loads(printed)["provider"]


#===-- Comparing -------------------------------------------------------------===#

FLOATS, HALVES, BFLOATS, DOUBLES = 1, 10, 16, 11
CODES = {FLOATS: "f", 2: "B", 3: "b", 4: "H", 5: "h", 6: "i", 7: "q", 9: "B", DOUBLES: "d", 12: "I",
         13: "Q"}


def numbers(output):
    """The elements of an output; None of a type that Python does not have."""
    if output.element == HALVES:
        return struct.unpack(f"<{len(output.bytes) // 2}e", output.bytes)
    if output.element == BFLOATS:
        wide = b"".join(b"\0\0" + output.bytes[i:i + 2] for i in range(0, len(output.bytes), 2))
        return array.array("f", wide)
    code = CODES.get(output.element)
    return array.array(code, output.bytes) if code else None


def distance(a, b):
    """The largest difference of two outputs, by the largest value; infinite where one is not a number
    and the other is not the same."""
    if a.bytes == b.bytes:
        return 0
    x, y = numbers(a), numbers(b)
    if x is None or a.element != b.element or len(x) != len(y):
        return math.inf
    top = max((abs(v) for v in x if math.isfinite(v)), default=0)
    most = 0
    for p, q in zip(x, y):
        if p == q or (p != p and q != q):
            continue
        if not (math.isfinite(p) and math.isfinite(q)):
            return math.inf
        most = max(most, abs(p - q))
    return most / max(top, 1)


def farthest(a, b):
    """The same of all outputs of two runs."""
    if len(a) != len(b):
        return math.inf
    return max((distance(p, q) for p, q in zip(a, b)), default=0)
