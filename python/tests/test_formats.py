"""Models that came in integers, executables of several shapes, reports by their schema."""
import json
import os
import sys
import unittest

import numpy as np
from common import ROOT, DigitsTest, program

import yarrow

sys.path.insert(0, os.path.join(ROOT, "test", "report"))


class Formats(DigitsTest):
    def model(self, name, *arguments):
        import onnx
        path = self.written(name + ".onnx")
        with open(path, "wb") as file:
            file.write(getattr(onnx, name)(*arguments))
        return path

    def test_integers_of_the_models_own(self):
        path = self.model("quantized", 1)
        model = yarrow.load(path)
        self.assertTrue(model.is_quantized)
        x = np.random.default_rng(3).standard_normal((7,) + model.inputs[0].shape[1:], np.float32)
        np.save(self.written("x.npy"), x)
        program("compile", path, "-o", self.written("q.bin"))
        program("run", self.written("q.bin"), "-i", self.written("x.npy"), "-o",
                self.written("y.npy"))
        exe = yarrow.compile(model)
        with open(self.written("q.bin"), "rb") as file:
            self.assertEqual(bytes(exe.data), file.read())
        found = yarrow.Session(exe).run(x, stored=True)
        self.assertEqual(found.tobytes(), np.load(self.written("y.npy")).tobytes())
        np.testing.assert_array_equal(model.run(x, stored=True), found)
        self.raised("E0402", yarrow.quantize, model, x)

    def test_reference_rounding(self):
        path = self.model("quantized", 1)
        self.assertTrue(yarrow.load(path, rounding="reference").is_quantized)

    def test_executable_of_several_shapes(self):
        path = self.model("conv", "N")
        yarrow.command("compile", path, output=self.written("v.bin"),
                       input_shape_range="x=1..4,2,6,6")
        session = yarrow.Session(self.written("v.bin"))
        generator = np.random.default_rng(4)
        for lines in (1, 2, 4):
            x = generator.standard_normal((lines, 2, 6, 6), np.float32)
            np.save(self.written("x.npy"), x)
            program("run", self.written("v.bin"), "-i", self.written("x.npy"), "-o",
                    self.written("y.npy"))
            np.testing.assert_array_equal(session.run(x), np.load(self.written("y.npy")))
        self.raised("E0105", session.run, np.zeros((1, 3, 6, 6), np.float32))

    def test_constants_in_another_file(self):
        yarrow.command("compile", "out/digits_o.txt", output=self.written("w.bin"),
                       weight_file="w.weights")
        exe = yarrow.open(self.written("w.bin"))
        np.testing.assert_array_equal(yarrow.Session(exe).run(self.images),
                                      yarrow.Session("out/aipu.bin").run(self.images))
        self.raised("E0507", exe.save, self.written("w2.bin"))

    def test_reports_are_of_the_schema(self):
        import schema
        with open(os.path.join(ROOT, "docs", "report.schema.json"), encoding="utf-8") as file:
            form = json.load(file)
        q = yarrow.quantize("digits.txt", self.calibration, winograd="auto")
        session = yarrow.Session(yarrow.compile(q))
        reports = [q.report]
        for timed in (False, True):
            session.run(self.images[:2], timed=timed)
            reports.append(session.report)
        reports.append(yarrow.command("diagnose", "digits.txt", calibration_data=self.calibration,
                                      time=1).report)
        for report in reports:
            self.assertEqual(list(schema.problems(report, form)), [])
        self.assertIsNotNone(q.report["winograd"])


if __name__ == "__main__":
    unittest.main()
