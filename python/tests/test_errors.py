"""Wrong input raises yarrow.Error with a code, and never ends the interpreter."""
import copy
import os
import pickle
import random
import unittest
import warnings

import numpy as np
from common import DigitsTest, contents

import yarrow


class Files(DigitsTest):
    def test_missing_file(self):
        error = self.raised("E0101", yarrow.load, "no.txt")
        self.assertEqual(error.file, "no.txt")

    def test_place_and_hint(self):
        text = contents("digits.txt").decode().replace("stride_x=", "stide_x=", 1)
        with open(self.written("wrong.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        error = self.raised("E0213", yarrow.load, self.written("wrong.txt"), "digits.bin")
        self.assertEqual(error.file, self.written("wrong.txt"))
        line = text.splitlines()[error.line - 1]
        self.assertIn("stide_x", line)
        self.assertIn("stride_x", error.hint)
        self.assertTrue(error.layer)
        self.assertIn(line, str(error))

    def test_all_problems_at_once(self):
        text = contents("digits.txt").decode().replace("kernel_x=3", "kernel_x=0")
        with open(self.written("many.txt"), "w", encoding="utf-8") as file:
            file.write(text)
        with self.assertRaises(yarrow.Error) as caught:
            yarrow.load(self.written("many.txt"), "digits.bin")
        errors = [d for d in caught.exception.diagnostics if d.severity == "error"]
        self.assertGreater(len(errors), 1)
        self.assertEqual(caught.exception.code, errors[0].code)

    def test_damaged_executables(self):
        whole = contents("out/aipu.bin")
        generator = random.Random(7)
        for i in range(60):
            data = bytearray(whole)
            at = generator.randrange(len(data))
            data[at] ^= 1 << generator.randrange(8)
            if i % 3 == 0:
                data = data[:at]
            with self.assertRaises(yarrow.Error):
                yarrow.Executable.from_bytes(bytes(data))

    def test_unwritable(self):
        exe = yarrow.open("out/aipu.bin")
        self.raised("E0102", exe.save, self.written("no", "folder", "aipu.bin"))
        self.raised("E0102", yarrow.load("digits.txt").save, "/proc/none/net.txt")

    def test_not_over_what_is_read(self):
        model = yarrow.load("digits.txt")
        before = contents("digits.txt")
        with self.assertRaises(yarrow.Error):
            model.save("digits.txt")
        self.assertEqual(contents("digits.txt"), before)


class Arrays(DigitsTest):
    def setUp(self):
        super().setUp()
        self.model = yarrow.load("digits.txt")
        self.session = yarrow.Session("out/aipu.bin")

    def both(self, code, data):
        for run in (self.model.run, self.session.run, self.model.tensors):
            self.raised(code, run, data)

    def test_shapes(self):
        for shape in ((1, 8, 8), (1, 8, 9, 1), (0, 8, 8, 1), (), (1, 1, 8, 8, 1), (3, 0)):
            self.both("E0105", np.zeros(shape, np.float32))

    def test_transposed(self):
        error = self.raised("E0105", self.model.run, np.zeros((2, 1, 8, 8), np.float32))
        self.assertIn("transpose", str(error))

    def test_not_finite(self):
        for value in (np.nan, np.inf, -np.inf):
            wrong = self.images[:3].astype(np.float32)
            wrong[1, 2, 3, 0] = value
            with self.assertRaises(yarrow.Error) as caught:
                self.session.run(wrong)
            self.assertEqual(caught.exception.code, "E0107")
            self.assertIn("[1,2,3,0]", caught.exception.found)
            self.both("E0107", wrong)
            self.raised("E0107", yarrow.quantize, self.model, wrong)

    def test_types(self):
        for wrong in (np.zeros((1, 8, 8, 1), np.complex64), np.array(["a"]),
                      np.array([object()]), np.zeros((1, 8, 8, 1), "datetime64[s]"), None):
            self.both("E0104", wrong)

    def test_integers_out_of_range(self):
        self.raised("E0105", self.session.run, np.full((1, 8, 8, 1), 1000, np.int64))

    def test_names(self):
        name = self.model.inputs[0].name
        error = self.raised("E0105", self.model.run, {name + "s": self.images})
        self.assertIn(name, error.hint)
        self.raised("E0105", self.model.run, {})
        self.raised("E0105", self.model.run, {name: self.images, "more": self.images})
        self.both("E0105", [np.zeros((1, 8, 8, 1)), np.zeros((1, 8, 8, 1))])

    def test_paths(self):
        self.both("E0101", "no.npy")
        self.both("E0103", "digits.txt")


class Settings(DigitsTest):
    def test_keywords(self):
        error = self.raised("E0507", yarrow.quantize, "digits.txt", self.calibration,
                            weight_bit=8)
        self.assertIn("weight_bits", error.hint)
        self.raised("E0507", yarrow.quantize, "digits.txt", self.calibration, recipe="autos")
        self.raised("E0502", yarrow.quantize, "digits.txt", self.calibration, weight_bits=99)
        self.raised("E0507", yarrow.quantize, "digits.txt", self.calibration, winograd="maybe")
        with self.assertRaises(yarrow.Error):
            yarrow.quantize("digits.txt", self.calibration, target="X9_9999")

    def test_no_samples(self):
        self.raised("E0503", yarrow.quantize, "digits.txt")
        self.raised("E0101", yarrow.quantize, "digits.txt", "no.npy")

    def test_quantized_already(self):
        with self.assertRaises(yarrow.Error) as caught:
            yarrow.quantize("out/digits_o.txt", self.calibration)
        self.assertIn("already", str(caught.exception))

    def test_targets(self):
        q = yarrow.load("out/digits_o.txt")
        error = self.raised("E0505", yarrow.compile, q, target="X2_1205")
        self.assertIn("X2_1204", error.hint)
        for wrong in ({"winograd": "some"}, {"tiling": "x"}, {"batch": 0}, {"batch": 65}):
            self.raised("E0507", yarrow.compile, q, **wrong)
        with self.assertRaises(yarrow.Error):
            yarrow.compile(q, disabled_passes=["fusions"])
        self.raised("E0507", yarrow.load, "digits.txt", rounding="twice")

    def test_budget(self):
        with self.assertRaises(yarrow.Error):
            yarrow.Session("out/aipu.bin", budget=1).run(self.images[:1])

    def test_handmade(self):
        self.raised("E0507", yarrow.Model, None)
        self.raised("E0507", yarrow.Executable, None)

    def test_types_of_python(self):
        for wrong in (3, None, b"\xff", [1]):
            with self.assertRaises((TypeError, yarrow.Error)):
                yarrow.load(wrong)


class Builtins(DigitsTest):
    """Errors are also those that Python has for the same."""

    def test_kinds(self):
        model = yarrow.load("digits.txt")
        for kind, call in ((FileNotFoundError, lambda: yarrow.load("no.txt")),
                           (OSError, lambda: yarrow.load("digits.txt").save("/proc/no/net.txt")),
                           (TypeError, lambda: yarrow.quantize(model, self.images, weight_bit=8)),
                           (ValueError, lambda: model.run(np.zeros((1, 2), np.float32))),
                           (ValueError, lambda: yarrow.load("calibration.npy"))):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIsInstance(caught.exception, yarrow.Error)
            self.assertIn(caught.exception.code, str(caught.exception))


class Objects(DigitsTest):
    def test_errors_travel(self):
        error = self.raised("E0101", yarrow.load, "no.txt")
        for other in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
            self.assertEqual((other.code, other.file, str(other)),
                             (error.code, error.file, str(error)))
            self.assertEqual(other.diagnostics, error.diagnostics)

    def test_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            exe = yarrow.compile("digits.txt")  # in floats
        told = [w for w in caught if issubclass(w.category, yarrow.Warning)]
        self.assertEqual(len(told), len([d for d in exe.diagnostics if d.severity == "warning"]))
        self.assertGreater(len(told), 0)
        self.assertIn(exe.diagnostics[0].code, str(told[0].message))
        self.assertEqual(os.path.basename(told[0].filename), "test_errors.py")

    def test_explanations(self):
        error = self.raised("E0101", yarrow.load, "no.txt")
        self.assertEqual(yarrow.explain(error.code)["severity"], "error")
        self.raised("E0507", yarrow.explain, "E9999")


if __name__ == "__main__":
    unittest.main()
