"""Pictures as data of quantize() and of every run."""
import os
import sys
import unittest

import numpy as np

from common import ROOT, DigitsTest, yarrow

sys.path.insert(0, os.path.join(ROOT, "examples", "digits"))
from pngs import png

GRAY = {"channels": "gray", "scale": "1/255"}


class Pictures(DigitsTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.pixels = np.round(255 * cls.images[:5]).astype(np.uint8)
        cls.pictures = os.path.join(cls.scratch.name, "scans")
        os.makedirs(cls.pictures)
        for i, image in enumerate(cls.pixels):
            with open(os.path.join(cls.pictures, f"{i}.png"), "wb") as file:
                file.write(png(8, 8, 1, image.tobytes()))
        cls.arrays = cls.pixels.astype(np.float32) * np.float32(1 / 255)
        cls.one = os.path.join(cls.pictures, "3.png")

    def test_session(self):
        session = yarrow.Session("out/aipu.bin")
        expected = session.run(self.arrays)
        np.testing.assert_array_equal(session.run(self.pictures, **GRAY), expected)
        np.testing.assert_array_equal(session.run(self.one, **GRAY), expected[3:4])
        self.assertEqual(session.report["pictures"]["channels"], "gray")
        name, output = session.inputs[0].name, session.outputs[0].name
        by_name = session.run({name: self.one}, copy=False, **GRAY)
        np.testing.assert_array_equal(by_name[output], expected[3:4])
        listed, = session.run(None, {name: self.pictures}, **GRAY)
        np.testing.assert_array_equal(listed, expected)
        session.run(self.arrays)
        self.assertIsNone(session.report["pictures"])

    def test_model(self):
        model = yarrow.load("digits.txt")
        np.testing.assert_array_equal(model.run(self.pictures, **GRAY), model.run(self.arrays))
        seen = model.tensors(self.one, channels="gray", mean=[127.5], scale=1 / 127.5)
        wanted = (self.pixels[3:4].astype(np.float32) - np.float32(127.5)) * np.float32(1 / 127.5)
        np.testing.assert_array_equal(seen[model.inputs[0].name], wanted)

    def test_quantize(self):
        name = yarrow.load("digits.txt").inputs[0].name
        for data in (self.pictures, {name: self.pictures}):
            q = yarrow.quantize("digits.txt", data, recipe="compass", **GRAY)
            self.assertEqual(q.report["quantization"]["calibration_samples"], 5)
            np.testing.assert_array_equal(
                q.run(self.images),
                yarrow.quantize("digits.txt", self.arrays, recipe="compass").run(self.images))

    def test_archives(self):
        session = yarrow.Session("out/aipu.bin")
        path = self.written("two.npz")
        np.savez(path, **{session.inputs[0].name: self.arrays})
        np.testing.assert_array_equal(session.run(path), session.run(self.arrays))

    def test_what_is_wrong(self):
        session = yarrow.Session("out/aipu.bin")
        self.raised("E0507", session.run, self.arrays, channels="gray")
        self.raised("E0507", session.run, self.one, chanels="gray")
        self.raised("E0507", session.run, self.one, fold_preprocessing=True)
        self.raised("E0502", session.run, self.one, channels="grey")
        self.raised("E0502", session.run, self.one, channels="gray", mean="half")
        self.raised("E0101", session.run, self.written("no.png"), channels="gray")


if __name__ == "__main__":
    unittest.main()
