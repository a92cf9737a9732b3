"""Several processes of mpirun: the result of one, bit for bit.

Evaluates and quantizes examples/digits with 1, 2 and 3 processes and compares
what is printed and written with what a process without mpirun gives; then lets
one process fail alone. Skipped where there is no mpirun, or a program without
MPI.

Example:
    python3 ranks.py --yarrow build/bin/yarrow --packs ../shared/packs
"""
import os
import shutil
import subprocess

import common

PROCESSES = 1, 2, 3
# In containers tests are root's, and have fewer cores than processes.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
MPIRUN = "mpirun", "--oversubscribe", "--bind-to", "none"
DIGITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "digits")


class Ranks:
    def __init__(self, tools):
        self.tools = tools
        # A metric that depends on every output, and tells how often it ran.
        self.metric, self.log = tools.path("metric.sh"), tools.path("log.txt")
        with open(self.metric, "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\necho "$1" >> ' + self.log +
                       '\ncat "$1"/output_0.npy "$1"/label_0.npy | cksum | cut -d " " -f 1\n')
        os.chmod(self.metric, 0o700)

    def digits(self, name):
        return os.path.join(DIGITS, name)

    def run(self, processes, *arguments):
        """Exit code, standard output and error; 0 processes: without mpirun."""
        launcher = [*MPIRUN, "-n", str(processes)] if processes else []
        done = subprocess.run(
            [*launcher, self.tools.program, "-j", "2", *map(str, arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT,
            timeout=300)
        return done.returncode, done.stdout, done.stderr

    def is_available(self):
        if not shutil.which(MPIRUN[0]):
            return "no mpirun"
        _, _, errors = self.run(2, "ops")
        return "built without MPI" if "without MPI" in errors else ""

    def quantized(self, processes, batch):
        folder = self.tools.path(f"q{processes}-{batch}", "x")
        folder = os.path.dirname(folder)
        report = os.path.join(folder, "report.json")
        code, output, errors = self.run(
            processes, "quantize", "--recipe", "compass", self.digits("digits.txt"), "-w", self.digits("digits.bin"), "-c",
            self.digits("calibration.npy"), "-o", folder, "--report", report,
            "--calibration-batch-size", batch, "--calibration-strategy-for-activation", "kld")
        self.tools.check(code == 0, f"quantize in {processes} processes: {errors}")
        files = {}
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), "rb") as file:
                files[name] = file.read().replace(folder.encode(), b"FOLDER")
        return output.replace(folder, "FOLDER"), files

    def evaluated(self, processes, folder):
        path = self.tools.path(f"eval{processes}.json")
        float_ir = self.digits("digits.txt") + "," + self.digits("digits.bin")
        int_ir = os.path.join(folder, "digits_o.txt") + "," + os.path.join(folder, "digits_o.bin")
        code, output, errors = self.run(
            processes, "eval", "--float", float_ir, "--int", int_ir, "--data",
            self.digits("heldout.npy"), "--label", self.digits("heldout_label.npy"), "--metric",
            f"top1,top3,TopKMetric(2),program({self.metric})", "--json", path)
        self.tools.check(code == 0, f"eval in {processes} processes: {errors}")
        with open(self.log, encoding="utf-8") as file:
            self.tools.check(len(file.readlines()) == 2, "the metric runs once for each network")
        os.remove(self.log)
        with open(path, encoding="utf-8") as file:
            return output, file.read()

    def check(self):
        for batch in 1, 32:
            alone = self.quantized(0, batch)
            for processes in PROCESSES:
                self.tools.check(self.quantized(processes, batch) == alone,
                                 f"{processes} processes quantize alike, batch {batch}")
        folder = self.tools.path("q0-1")
        alone = self.evaluated(0, folder)
        print(alone[0])
        for processes in PROCESSES:
            self.tools.check(self.evaluated(processes, folder) == alone,
                             f"{processes} processes evaluate alike")

    def check_failures(self):
        """The first process tells what all of them find, once."""
        code, output, errors = self.run(3, "eval", "--int", "none.txt", "--data", "none.npy")
        self.tools.check(code == 1 and not output, f"exit code 1, not {code}: {output}")
        self.tools.check(errors.count("error E0101: ") == 2, "each file is told of once: " + errors)
        code, _, errors = self.run(2, "check", self.digits("digits.txt"))
        self.tools.check(code == 2 and "E0507" in errors, "other commands are refused: " + errors)
        # A program that gives each process other arguments.
        done = subprocess.run(
            [*MPIRUN, "-n", "1", self.tools.program, "eval", "--float",
             self.digits("digits.txt"), "--data", self.digits("heldout.npy"), ":", "-n", "1",
             self.tools.program, "eval", "--float", self.digits("digits.txt"), "--data", "none.npy"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, timeout=300)
        self.tools.check(done.returncode == 1, f"exit code {done.returncode}: {done.stderr}")
        self.tools.check("none.npy: error E0101" in done.stderr and "error E0901" in done.stderr,
                         "the one that fails alone tells why: " + done.stderr)


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    ranks = Ranks(tools)
    why = ranks.is_available()
    if why:
        print("skipped: " + why)
        tools.clean()
        return common.SKIPPED
    ranks.check()
    ranks.check_failures()
    return tools.finish()


if __name__ == "__main__":
    raise SystemExit(main())
