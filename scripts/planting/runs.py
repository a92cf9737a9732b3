"""Runs the tests of the planted build: once without faults, to measure the time of each test
and the faults that it reaches, then with one fault after the other."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from . import tree

# Tests that look at the tree rather than at what programs compute, take long for what
# they add, or measure time.
LEFT_OUT = ("docs_", "operators_catalog", "nnapi_catalog", "qnn_catalog", "example_vision",
            "install_", "kernel_speed", "tec_differential", "e2e_page_in_browser",
            "e2e_build_page_in_browser", "lit",
            "tec_library_has_no_undefined_symbols", "e2e_big", "e2e_stream", "e2e_limits",
            "e2e_kill", "python")
# They test more where the reference packs are; others that need them say so by SKIPPED.
MORE_WITH_PACKS = ("e2e_winograd", "e2e_determinism", "test_quantizer", "config_test",
                   "parser_text_test", "qnn_json_test", "nnapi_packs_test")
SKIPPED = 77
# The number of the fault has an address, which code at another base computes otherwise.
LEFT_OUT_CASES = "TecLinker.SameBytesAtEveryBase"


def run(command, folder, environment, timeout):
    """(exit code or None where it took too long, seconds)."""
    begin = time.monotonic()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        code = process.wait(timeout)
    except subprocess.TimeoutExpired:
        code = None
        os.killpg(process.pid, 9)
        process.wait()
    return code, time.monotonic() - begin


class Test:
    def __init__(self, name, command, folder, environment, seconds=None, reached=(),
                 isUnit=False):
        self.name, self.command, self.folder = name, command, folder
        self.environment, self.isUnit = environment, isUnit
        self.seconds, self.reached = seconds, set(reached)


def ctest_tests(build):
    """Tests that others need come first."""
    text = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                          capture_output=True, text=True, check=True).stdout
    tests = [(entry, {p["name"]: p["value"] for p in entry.get("properties", [])})
             for entry in json.loads(text)["tests"]]
    for entry, properties in sorted(tests, key=lambda t: "FIXTURES_SETUP" not in t[1]):
        name = entry["name"]
        if name.startswith(LEFT_OUT) or "thorough" in properties.get("LABELS", []):
            continue
        if "command" not in entry:  # its program is not among the targets that were built
            continue
        command = entry["command"]
        # A script that has the label is not a program with suites.
        isUnit = "unit" in properties.get("LABELS", []) and command[0].startswith(str(build))
        environment = dict(e.split("=", 1) for e in properties.get("ENVIRONMENT", []))
        folder = properties.get("WORKING_DIRECTORY", str(build))
        if not isUnit:
            yield Test(name, command, folder, environment)
            continue
        for suite in suites_of(command, folder, environment):
            yield Test(f"{name} {suite}", [*command, "--gtest_fail_fast", "--gtest_brief=1",
                                           f"--gtest_filter={suite}.*:-{LEFT_OUT_CASES}"],
                       folder, environment, isUnit=True)


def suites_of(command, folder, environment):
    """The suites of a program of unit tests. Each is a test of its own here: a fault is
    reached by few of them, while the whole program may take minutes."""
    text = subprocess.run([*command, "--gtest_list_tests"], cwd=folder, check=True,
                          env={**os.environ, **environment}, capture_output=True, text=True).stdout
    return [line.split()[0].rstrip(".") for line in text.splitlines()
            if line and not line.startswith(" ") and line.split()[0].endswith(".")]


def lit_tests(source, build):
    root = source / "test/lit"
    for suffix in (".test", ".mlir", ".S"):
        for path in sorted(root.rglob("*" + suffix)):
            if "Inputs" in path.parts:
                continue
            name = str(path.relative_to(root))
            yield Test("lit " + name, ["lit-22", "-q", str(build / "test/lit" / name)],
                       str(build), {})


def part_of_test(tests, expected):
    """The test that `expected` names, as "lit passes/a.mlir" or "kernels_test Ties.Tables":
    of a program of unit tests only those cases."""
    program, _, cases = expected.partition(" ")
    for test in tests:
        if test.name == expected:
            return test
        if test.isUnit and test.name.startswith(program + " ") and cases:
            # The last filter counts.
            return Test(expected, [*test.command, f"--gtest_filter={cases}"], test.folder,
                        test.environment, 0, test.reached, isUnit=True)
    return None


class Runner:
    def __init__(self, planted, worker=0):
        self.planted = planted
        self.worker = worker
        self.scratch = planted.folder / f"scratch-{worker}"

    def environment(self, test, number, reached=None):
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir(parents=True)
        added = {"YARROW_PLANTED": str(number), "YARROW_PLANTED_WORKER": str(self.worker),
                 "TMPDIR": str(self.scratch), "XDG_CACHE_HOME": str(self.scratch / "cache"),
                 "PYTHONDONTWRITEBYTECODE": "1"}
        if reached:
            added["YARROW_PLANTED_REACHED"] = str(reached)
        return {**os.environ, **test.environment, **added}

    def baseline(self, test, timeout):
        """Its exit code without a fault; sets what it takes and reaches."""
        with tempfile.NamedTemporaryFile(dir=self.planted.folder) as file:
            file.write(bytes(tree.MOST_FAULTS))
            file.flush()
            code, test.seconds = run(test.command, test.folder,
                                     self.environment(test, -1, file.name), timeout)
            test.reached = {i for i, hit in enumerate(pathlib.Path(file.name).read_bytes()) if hit}
        return code

    def catches(self, test, number):
        code, _ = run(test.command, test.folder, self.environment(test, number),
                      60 + 8 * test.seconds)
        return code not in (0, SKIPPED)

    def first_to_catch(self, number, expected, tests, most_seconds):
        """The name of the test that fails with the fault, or None; after the one that is
        expected to, those that reach it are tried: unit tests, which say most about a fault,
        then the others for at most so many seconds of their time. Short ones are first, and
        those that reach few faults: they look at little else."""
        reaching = sorted((t for t in tests if number in t.reached),
                          key=lambda t: (not t.isUnit, (t.seconds + 0.1) * len(t.reached)))
        if first := part_of_test(tests, expected):
            reaching = [first, *(t for t in reaching if t is not first)]
        spent = 0
        for test in reaching:
            spent += 0 if test.isUnit or test is reaching[0] else test.seconds
            if spent > most_seconds:
                return None
            if self.catches(test, number):
                return test.name
        return None


def say(text):
    print(text, flush=True, file=sys.stderr)
