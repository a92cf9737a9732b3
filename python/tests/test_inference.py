"""InferenceSession: the calls of ONNX Runtime's, on the host and on the simulated NPU."""
import os
import subprocess
import sys
import unittest
import warnings

import numpy as np
from common import DigitsTest, contents

import yarrow
import yarrow as onnxruntime  # what a script changes

# Where nothing can be written, whoever runs it.
NOWHERE = """
import sys, numpy as np, yarrow
folder = sys.argv[1]
text, weights = (open(folder + "/" + name, "rb").read() for name in ("digits.txt", "digits.bin"))
session = yarrow.InferenceSession(text, provider_options=[
    {"weights": weights, "recipe": "compass", "calibration": np.load(folder + "/calibration.npy")[:8]}])
scores, = session.run(None, {session.get_inputs()[0].name: np.load(folder + "/heldout.npy")[:1]})
print(scores.argmax(), session.get_providers()[0])
"""


class Host(DigitsTest):
    def test_same_as_the_model(self):
        session = onnxruntime.InferenceSession("digits.txt")
        self.assertEqual(session.get_providers(), ["CPUExecutionProvider"])
        self.assertIsNone(session.session)
        given, = session.get_inputs()
        self.assertEqual((given.shape, given.type), ([1, 8, 8, 1], "tensor(float)"))
        scores, = session.run(None, {given.name: self.images[:3]})
        self.assertEqual(scores.dtype, np.float32)
        self.assertTrue((scores == yarrow.load("digits.txt").run(self.images[:3])).all())

    def test_bytes(self):
        import onnx
        session = onnxruntime.InferenceSession(onnx.two_inputs(1), providers=["CPUExecutionProvider"])
        names = [each.name for each in session.get_inputs()]
        shapes = [each.shape for each in session.get_inputs()]
        self.assertEqual(len(names), 2)
        feed = {name: np.ones(shape, np.float32) for name, shape in zip(names, shapes)}
        path = self.written("two.onnx")
        with open(path, "wb") as file:
            file.write(onnx.two_inputs(1))
        expected = yarrow.load(path).run(feed)
        outputs = [each.name for each in session.get_outputs()]
        self.assertEqual(outputs, list(expected))
        for name, array in zip(outputs, session.run(outputs, feed)):
            self.assertTrue((array == expected[name]).all())


class TypesOfTheModel(DigitsTest):
    """64 bits of integers and of real numbers, and truth values, which the IR has not."""

    def model(self):
        import onnx
        table = onnx.floats("table", [6, 3], [float(7 * i % 11) for i in range(18)])
        return onnx.model(
            onnx.node("Gather", ["table", "ids"], ["rows"]) +
            onnx.node("ArgMax", ["rows"], ["best"], axis=-1, keepdims=0) +
            onnx.node("Equal", ["best", "ids"], ["same"]) +
            table +
            onnx.value(11, "ids", [1, 4], 7) + onnx.value(12, "rows", [1, 4, 3]) +
            onnx.value(12, "best", [1, 4], 7) + onnx.value(12, "same", [1, 4], 9))

    def check(self, session):
        self.assertEqual([each.type for each in session.get_inputs()], ["tensor(int64)"])
        self.assertEqual({each.name: each.type for each in session.get_outputs()},
                         {"rows": "tensor(float)", "best": "tensor(int64)", "same": "tensor(bool)"})
        ids = np.array([[5, 0, 3, 1]], np.int64)
        rows, best, same = session.run(["rows", "best", "same"], {"ids": ids})
        table = np.array([7 * i % 11 for i in range(18)], np.float32).reshape(6, 3)
        self.assertEqual((rows.dtype, best.dtype, same.dtype), (np.float32, np.int64, np.bool_))
        self.assertLess(np.abs(rows - table[ids]).max(), 0.1)
        self.assertTrue((best == table[ids].argmax(-1)).all())
        self.assertTrue((same == (best == ids)).all())
        again = session.run(["best"], {"ids": ids.astype(np.int32)})[0]
        self.assertTrue((again == best).all())

    def test_host(self):
        self.check(onnxruntime.InferenceSession(self.model()))

    def test_npu(self):
        samples = np.arange(24, dtype=np.int64).reshape(6, 4) % 6
        session = onnxruntime.InferenceSession(
            self.model(), provider_options=[{"calibration": samples, "recipe": "compass"}])
        self.assertEqual(session.get_providers()[0], "YarrowExecutionProvider")
        self.check(session)

    def test_other_types_are_refused(self):
        session = onnxruntime.InferenceSession(self.model())
        error = self.raised("E0507", session.run, None, {"ids": np.zeros((1, 4), np.float32)})
        self.assertIn("tensor(int64)", str(error))


class Npu(DigitsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.options = {"calibration": cls.calibration, "recipe": "compass", "target": "Z1_0701"}
        cls.session = onnxruntime.InferenceSession(cls.path("digits.txt"),
                                                   provider_options=[cls.options])

    def test_same_as_the_steps(self):
        self.assertEqual(self.session.get_providers()[0], "YarrowExecutionProvider")
        self.assertEqual(self.session.session.executable.target, "Z1_0701")
        quantized = yarrow.quantize("digits.txt", self.calibration, recipe="compass",
                                    target="Z1_0701")
        executable = yarrow.compile(quantized, "Z1_0701")
        self.assertEqual(bytes(executable.data), bytes(self.session.session.executable.data))
        scores, = self.session.run(None, {"input_0": self.images[:4]})
        self.assertTrue((scores == yarrow.Session(executable).run(self.images[:4])).all())
        self.assertEqual(self.session.get_outputs()[0].type, "tensor(float)")

    def test_quantized_already(self):
        session = onnxruntime.InferenceSession("out/digits_o.txt")
        self.assertEqual(session.get_providers()[0], "YarrowExecutionProvider")
        given, = session.get_inputs()
        self.assertEqual(given.type, "tensor(uint8)")
        stored = np.zeros((1, 8, 8, 1), np.uint8)
        scores, = session.run([session.get_outputs()[0].name], {given.name: stored})
        self.assertEqual(scores.dtype, np.int8)

    def test_wrong_arrays(self):
        for feed in ({}, {"input": self.images[:1]},
                     {"input_0": self.images[:1], "more": self.images[:1]},
                     {"input_0": self.images[:1].astype(np.float64)},
                     {"input_0": self.images[:1].reshape(1, 1, 8, 8)},
                     {"input_0": self.images[:0]}):
            self.raised("E0507", self.session.run, None, feed)
        error = self.raised("E0507", self.session.run, None, {"input_0": np.zeros((1, 8, 8, 3), np.float32)})
        self.assertIn("[1, 8, 8, 1]", str(error))
        self.raised("E0507", self.session.run, ["no"], {"input_0": self.images[:1]})
        self.raised("E0107", self.session.run, None,
                    {"input_0": np.full((1, 8, 8, 1), np.nan, np.float32)})

    def test_options(self):
        self.raised("E0507", onnxruntime.InferenceSession, "digits.txt",
                    provider_options=[dict(self.options, weight_bit=8)])
        self.raised("E0507", onnxruntime.InferenceSession, "digits.txt",
                    providers=["YarrowExecutionProvider"])
        self.raised("E0507", onnxruntime.InferenceSession, "digits.txt",
                    providers=["CPUExecutionProvider"], provider_options=[{}, {}])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            session = onnxruntime.InferenceSession(
                "digits.txt", onnxruntime.SessionOptions(),
                providers=["CUDAExecutionProvider", ("YarrowExecutionProvider", self.options)])
        self.assertTrue(any("CUDAExecutionProvider" in str(each.message) for each in told))
        self.assertEqual(session.get_provider_options()["YarrowExecutionProvider"]["target"], "Z1_0701")
        self.assertIn("YarrowExecutionProvider", onnxruntime.get_available_providers())

    def test_nothing_is_written(self):
        env = dict(os.environ, TMPDIR="/proc", HOME="/proc")
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", NOWHERE, self.folder], cwd="/proc",
                              env=env, capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.stdout, "3 YarrowExecutionProvider\n", done.stderr)

    def test_bytes_of_a_model(self):
        model = yarrow.load(contents(self.path("digits.txt")), contents(self.path("digits.bin")))
        self.assertEqual(model.name, "digits")
        self.raised("E0201", yarrow.load, b"no model")


if __name__ == "__main__":
    unittest.main()
