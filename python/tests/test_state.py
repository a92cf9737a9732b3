"""State of a session: it goes on from run to run, is read, set and reset."""
import os
import tempfile
import unittest

import numpy as np
import common  # finds onnx
import onnx

import yarrow


class States(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="yarrow-python-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "delays.onnx")
        with open(self.path, "wb") as file:
            file.write(onnx.delays(1))
        self.model = yarrow.load(self.path)
        self.session = yarrow.Session(yarrow.compile(self.model))
        self.x = np.arange(20, dtype=np.float32).reshape(5, 4)

    def expected(self, x):
        padded = np.concatenate([np.zeros((2, 4), np.float32), x])
        return padded[2:] + padded[1:-1] + padded[:-2]

    def test_goes_on(self):
        whole = self.expected(self.x)
        np.testing.assert_array_equal(self.model.run(self.x), whole)
        np.testing.assert_array_equal(self.session.run(self.x[:2]), whole[:2])
        np.testing.assert_array_equal(self.session.run(self.x[2:]), whole[2:])

    def test_names(self):
        self.assertEqual([t.name for t in self.session.executable.states], ["a", "b"])
        self.assertEqual([t.name for t in self.session.inputs], ["x"])
        self.assertEqual([t.name for t in self.model.outputs], ["y"])

    def test_state_is_read_set_and_reset(self):
        self.session.run(self.x[:3])
        np.testing.assert_array_equal(self.session.state["a"], self.x[2:3])
        np.testing.assert_array_equal(self.session.state["b"], self.x[1:2])
        self.session.set_state({"b": np.full((1, 4), 100, np.float32)})
        np.testing.assert_array_equal(self.session.run(self.x[:1]), self.x[:1] + self.x[2:3] + 100)
        self.session.reset_state()
        np.testing.assert_array_equal(self.session.run(self.x), self.expected(self.x))

    def test_sequences(self):
        x = np.concatenate([self.x, self.x])
        y = self.session.run(x, reset_every=5, timed=True)
        np.testing.assert_array_equal(y, np.concatenate([self.expected(self.x)] * 2))

    def test_mistakes_change_nothing(self):
        self.session.run(self.x[:1])
        with self.assertRaises(yarrow.Error):
            self.session.set_state({"a": np.zeros((1, 5), np.float32)})
        with self.assertRaises(yarrow.Error):
            self.session.set_state({"c": np.zeros((1, 4), np.float32)})
        np.testing.assert_array_equal(self.session.state["a"], self.x[:1])

    def test_states_may_stay_inputs(self):
        model = yarrow.load(self.path, states=["none"])
        self.assertEqual((len(model.inputs), len(model.outputs)), (3, 3))


if __name__ == "__main__":
    unittest.main()
