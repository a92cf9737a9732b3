#!/usr/bin/env python3
"""Runs the wrong and the right example of every diagnostic (support/diagnostics/*.def).

    test/docs/run_explain.py                       # all codes, build/bin
    test/docs/run_explain.py --show E0103 W0512    # these, with all that is printed
    test/docs/run_explain.py --stage Files         # those of one file
    test/docs/run_explain.py --keep /tmp/examples E0103

The wrong example must report its code, and fail if the code is an error. The right one must not report it,
and succeed. Each runs in a fresh copy of one folder (explain/sandbox.py). An example is a shell command,
unless the table of its stage (explain/files.py and so on) says what else it is (explain/kinds.py). A few
examples cannot run here: their table names another test instead, which must mention the code.

The text of `yarrow explain` must have at most twelve lines, too.
"""
import argparse
import concurrent.futures
import importlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import generate_docs
from explain import kinds, sandbox

MOST_LINES, MOST_COLUMNS = 12, 100
MOST_UNRUN = 20
TIMEOUT_SECONDS = 60


class Code:
    def __init__(self, record, stage, example):
        self.name, self.code, _, self.text, self.wrong, self.right = record
        self.stage, self.example = stage, example


def codes():
    generator = generate_docs.Generator("", "")
    stages = {}
    for stage in generator.STAGES.values():
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "explain", stage + ".py")
        stages[stage] = importlib.import_module("explain." + stage) if os.path.exists(path) else None
    found = []
    for record in generator.diagnostic_records():
        stage = generator.STAGES[record[1][1:3]]
        examples = getattr(stages[stage], "EXAMPLES", {})
        found.append(Code(record, stage, examples.get(record[1], kinds.Example())))
    unknown = {code for stage in stages.values() for code in getattr(stage, "EXAMPLES", {})} - \
        {code.code for code in found}
    return found, [getattr(stage, "SANDBOX", []) for stage in stages.values()], sorted(unknown)


def problems_of_text(code):
    lines = code.text.split("\n")
    if len(lines) > MOST_LINES:
        yield f"the explanation has {len(lines)} lines, at most {MOST_LINES} are allowed"
    for line in lines + code.wrong.split("\n") + code.right.split("\n"):
        if len(line) > MOST_COLUMNS:
            yield f"a line has {len(line)} columns, at most {MOST_COLUMNS} are allowed: {line}"
    if not code.wrong.strip() or not code.right.strip() or code.wrong == code.right:
        yield "there must be a wrong example and another one that is right"


def problem_of_test(code):
    path = os.path.join(ROOT, code.example.test)
    if not os.path.isfile(path):
        return f"there is no test {code.example.test}"
    with open(path, encoding="utf-8", errors="replace") as f:
        if not re.search(rf"\b({code.code}|{code.name})\b", f.read()):
            return f"{code.example.test} does not mention {code.code} or {code.name}"
    return None


class Runner:
    def __init__(self, base, scratch, variables, shows):
        self.base, self.scratch, self.variables, self.shows = base, scratch, variables, shows

    def shell(self, command, folder):
        try:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=self.variables,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=TIMEOUT_SECONDS)
            return done.returncode, done.stdout.decode("utf-8", "replace")
        except subprocess.TimeoutExpired as e:
            return -1, (e.stdout or b"").decode("utf-8", "replace") + "\n[timed out]\n"

    def run(self, code, side, text):
        """(exit code, what was printed) of one example."""
        example = code.example
        folder = os.path.join(self.scratch, code.code, side)
        shutil.copytree(self.base, folder, symlinks=True)
        try:
            files = {**example.also, **example.files(text)}
        except (AssertionError, AttributeError, SyntaxError, ValueError, StopIteration) as e:
            return -1, f"the example cannot be made into files: {e!r}\n"
        for name, content in files.items():
            with open(os.path.join(folder, name), "wb") as f:
                f.write(content if isinstance(content, bytes) else content.encode())
        if example.setup:
            exit_code, printed = self.shell(example.setup, folder)
            if exit_code:
                return exit_code, f"$ {example.setup}\n{printed}[the setup failed]\n"
        command = example.run or text
        exit_code, printed = self.shell(command, folder)
        return exit_code, f"$ {command}\n{printed}"

    def problem(self, code, side):
        """The problem of the example of a side, or None, and the seconds that it took."""
        begin = time.monotonic()
        exit_code, printed = self.run(code, side, code.wrong if side == "wrong" else code.right)
        reports = re.search(rf"\b(error|warning|note) {code.code}\b", printed) is not None
        example, problem = code.example, None
        if side == "wrong":
            if not reports:
                problem = "the wrong example does not report it"
            elif code.code[0] == "E" and exit_code == 0:
                problem = "the wrong example succeeds"
        elif reports and not example.right_says:
            problem = "the right example reports it"
        elif exit_code != example.right_exit:
            problem = f"the right example has the exit code {exit_code}, not {example.right_exit}"
        says = example.wrong_says if side == "wrong" else example.right_says
        if not problem and says and not re.search(says, printed):
            problem = f"the {side} example does not print {says}"
        if problem or self.shows:
            printed = "".join(f"    {line}\n" for line in printed.splitlines())
            end = f"    [exit code {exit_code}]\n"
            if not problem:
                print(f"{code.code}, {side} example:\n{printed}{end}", end="")
            else:
                problem += f"\n{printed}{end}".rstrip("\n")
        return problem, time.monotonic() - begin


def python_with(module):
    """A Python that has the module; None if there is none."""
    for python in (sys.executable, "python3", "/usr/bin/python3"):
        command = [python, "-c", f"import sys, {module}; print(sys.executable)"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if done.returncode == 0:
            return done.stdout.strip()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", default=os.path.join(ROOT, "build/bin"), help="folder of the program")
    parser.add_argument("--show", action="store_true", help="print every command and its output")
    parser.add_argument("--stage", help="only codes of this file of support/diagnostics")
    parser.add_argument("--keep", metavar="FOLDER", help="keep the files of examples here")
    parser.add_argument("--slow", action="store_true", help="print how long each code takes")
    parser.add_argument("-j", type=int, default=2, help="examples at a time")
    parser.add_argument("codes", nargs="*", help="only these")
    args = parser.parse_args()
    if args.keep and os.path.exists(args.keep):
        parser.error(f"{args.keep} exists")
    begin = time.monotonic()
    table, more, unknown = codes()
    failures = [(code, "is in a table of test/docs/explain, but not in support/diagnostics")
                for code in unknown]
    for code in table:
        failures += [(code.code, problem) for problem in problems_of_text(code)]
    unrun = [code for code in table if code.example.test]
    failures += [(code.code, problem_of_test(code)) for code in unrun if problem_of_test(code)]
    if len(unrun) > MOST_UNRUN:
        failures.append(("all", f"{len(unrun)} codes have no example that runs, at most "
                                f"{MOST_UNRUN} are allowed"))
    chosen = [code for code in table if not code.example.test and
              (not args.codes or code.code in args.codes) and
              (not args.stage or code.stage == args.stage.lower())]
    numpy_python = python_with("numpy")
    if not numpy_python:
        skipped = [code.code for code in chosen if code.example.needs_numpy]
        chosen = [code for code in chosen if not code.example.needs_numpy]
        print(f"docs_explain: numpy is not installed, not run: {', '.join(skipped)}")
    with tempfile.TemporaryDirectory(prefix="yarrow-explain-") as temporary:
        base, scratch = os.path.join(temporary, "base"), args.keep or temporary
        home = os.path.join(temporary, "home")
        os.mkdir(base)
        os.mkdir(home)
        variables = sandbox.environment(home, args.bin, numpy_python or "python3")
        sandbox.prepare(base, variables, more)
        runner = Runner(base, scratch, variables, args.show)
        tasks = [(code, side) for code in chosen for side in ("wrong", "right")]
        with concurrent.futures.ThreadPoolExecutor(args.j) as pool:
            results = list(pool.map(lambda task: runner.problem(*task), tasks))
    for (code, side), (problem, seconds) in zip(tasks, results):
        if problem:
            failures.append((code.code, problem))
        if args.slow and seconds > 0.5:
            print(f"{code.code}, {side}: {seconds:.1f} s")
    for code, problem in failures:
        print(f"{code}: {problem}")
    print(f"docs_explain: {len(chosen)} codes run, {len(unrun)} tested otherwise, "
          f"{len(failures)} problems, {time.monotonic() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
