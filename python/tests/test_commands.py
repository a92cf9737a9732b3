"""The program's commands in this process, against the program."""
import json
import os
import unittest

import numpy as np
from common import DigitsTest, contents, program

import yarrow


class Commands(DigitsTest):
    def test_output_is_the_programs(self):
        for words in (["targets"], ["ops"], ["phases"], ["explain", "E0213"],
                      ["inspect", "out/aipu.bin"], ["check", "digits.txt"], ["--version"],
                      ["sweep", "--help"], ["complete", "--", "comp"]):
            found = yarrow.command(*words)
            expected = program(*words)
            if words == ["--version"]:  # no MPI in an interpreter
                expected = expected.replace(" mpi", "")
            self.assertEqual(found.output, expected, words)

    def test_every_command_is_there(self):
        names = program("complete", "--", "").split()
        for name in names:
            if not name.startswith("-"):
                self.assertIn("Usage", yarrow.command(name, "--help").output, name)

    def test_report(self):
        program("sweep", "out/digits_o.txt", "--vary", "sramBytes=256K,1M", "--vary",
                "ddrBytesPerCycle=8,32", "--report", self.written("sweep.json"))
        with open(self.written("sweep.json"), encoding="utf-8") as file:
            expected = json.load(file)
        found = yarrow.command("sweep", "out/digits_o.txt",
                               vary=["sramBytes=256K,1M", "ddrBytesPerCycle=8,32"])
        self.assertEqual(found.report["sweep"], expected["sweep"])
        self.assertTrue(found.passed)

    def test_arrays_become_files(self):
        labels = np.load("heldout_label.npy")
        result = yarrow.command("eval", int="out/digits_o.txt", exe="out/aipu.bin",
                                data=self.images, label=labels)
        accuracy = result.report["accuracy"]
        self.assertEqual(accuracy["differing_bytes"], 0)
        self.assertGreater(accuracy["networks"]["int"]["top1"], 95)

    def test_report_where_the_user_says(self):
        path = self.written("mine.json")
        result = yarrow.command("run", "out/aipu.bin", inputs=self.images,
                                output=self.written("y.npy"), report=path)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file), result.report)

    def test_flags(self):
        result = yarrow.command("compile", "out/digits_o.txt", output=self.written("a.bin"),
                                no_optimize=True, timing=False, cache=None)
        self.assertTrue(result.passed)
        program("compile", "out/digits_o.txt", "-o", self.written("b.bin"), "-O0")
        self.assertEqual(contents(self.written("a.bin")), contents(self.written("b.bin")))

    def test_comparison_that_fails(self):
        result = yarrow.command("eval", float="digits.txt", data=self.images,
                                label="heldout_label.npy", min_top1=100)
        self.assertEqual((result.code, result.passed), (3, False))
        self.assertIn("top1", result.output)
        other = yarrow.command("diff", "digits.txt", "out/digits_o.txt")
        self.assertEqual(other.code, 3)

    def test_errors(self):
        error = self.raised("E0101", yarrow.command, "check", "no.txt")
        self.assertEqual(error.file, "no.txt")
        error = self.raised("E0507", yarrow.command, "chek", "digits.txt")
        self.assertIn("check", error.hint)
        self.raised("E0507", yarrow.command, "check", "digits.txt", no_such_option=1)
        self.raised("E0507", yarrow.command, "compile")
        self.raised("E0507", yarrow.command, "")

    def test_nothing_is_printed(self):
        """Output of commands is captured, also from file descriptors."""
        read, write = os.pipe()
        saved = os.dup(1), os.dup(2)
        try:
            os.dup2(write, 1)
            os.dup2(write, 2)
            yarrow.command("targets")
            with self.assertRaises(yarrow.Error):
                yarrow.command("check", "no.txt")
            yarrow.quantize("digits.txt", "calibration.npy")
        finally:
            for number, old in zip((1, 2), saved):
                os.dup2(old, number)
                os.close(old)
            os.close(write)
        with os.fdopen(read, "rb") as pipe:
            self.assertEqual(pipe.read(), b"")

    def test_one_after_the_other(self):
        """A command can replace what the previous one has read, but not its own input."""
        folder = self.written("turns")
        for _ in range(2):
            yarrow.command("quantize", "digits.txt", calibration_data="calibration.npy",
                           output_dir=folder, recipe="compass")
            graph = os.path.join(folder, "digits_o.txt")
            q = yarrow.load(graph)
            yarrow.command("compile", graph, output=os.path.join(folder, "aipu.bin"))
            exe = yarrow.open(os.path.join(folder, "aipu.bin"))
            self.raised("E0108", yarrow.command, "compile", graph, output=graph)
        q.save(self.written("other"))
        yarrow.load("digits.txt").save(folder)
        yarrow.quantize("digits.txt", "calibration.npy", recipe="compass").save(folder)
        exe.save(os.path.join(folder, "aipu.bin"))

    def test_threads_option_is_not_kept(self):
        yarrow.command("eval", "digits.txt", inputs=self.images[:2], threads=1,
                       output=self.written("t.npy"))
        self.assertTrue(yarrow.command("check", "digits.txt").passed)


class Records(DigitsTest):
    def test_targets(self):
        names = [line.split()[0] for line in program("targets").splitlines()[2:] if line[:1] != "("]
        self.assertEqual(list(yarrow.targets()), names)
        self.assertEqual(json.loads(program("targets", "Z2_1104")), yarrow.targets()["Z2_1104"])

    def test_operators(self):
        self.assertEqual(yarrow.operators(), json.loads(program("ops", "--format", "json")))
        self.assertEqual(len(yarrow.operators("Convolution")), 1)
        self.raised("E0507", yarrow.operators, "Convolutions")

    def test_explain(self):
        page = yarrow.explain("e0213")
        self.assertEqual(page["code"], "E0213")
        self.assertEqual(str(page), program("explain", "E0213"))

    def test_version(self):
        self.assertEqual("yarrow " + yarrow.__version__, program("--version").splitlines()[0])


if __name__ == "__main__":
    unittest.main()
