"""Where data are copied and where not, by address."""
import gc
import unittest

import numpy as np
from common import DigitsTest

import yarrow
from yarrow import _arrays


def address(array):
    return array.__array_interface__["data"][0]


class Inputs(DigitsTest):
    def setUp(self):
        super().setUp()
        self.model = yarrow.load("digits.txt")

    def seen(self, data):
        """Where the library reads the input; 0: it is converted."""
        return self.model._native.addresses_of(_arrays.named(data))[0]

    def test_in_place(self):
        images = np.ascontiguousarray(self.images, dtype=np.float32)
        self.assertEqual(self.seen(images), address(images))
        self.assertEqual(self.seen(images[5:9]), address(images[5:9]))
        name = self.model.inputs[0].name
        self.assertEqual(self.seen({name: images}), address(images))
        integers = yarrow.load("out/digits_o.txt")
        stored = np.zeros((1, 8, 8, 1), integers.inputs[0].dtype)
        self.assertEqual(integers._native.addresses_of(_arrays.named(stored)), [address(stored)])

    def test_buffers_of_others(self):
        """Objects with the buffer protocol are read in place."""
        raw = bytearray(self.images[:1].astype(np.float32).tobytes())
        view = memoryview(raw).cast("f", (1, 8, 8, 1))
        self.assertEqual(self.seen(view), address(np.frombuffer(raw, np.uint8)))
        np.testing.assert_array_equal(self.model.run(view), self.model.run(self.images[:1]))

    def test_copies(self):
        images = np.ascontiguousarray(self.images, dtype=np.float32)
        self.assertEqual(self.seen(images.astype(np.float64)), 0)
        turned = np.asfortranarray(images[:4].reshape(4, 8, 8, 1))
        turned = np.ascontiguousarray(turned.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
        self.assertNotEqual(self.seen(turned), address(turned))

    def test_any_layout_gives_the_same(self):
        expected = self.model.run(self.images)
        for given in (self.images.astype(np.float64), self.images.astype(">f4"),
                      np.asfortranarray(self.images), np.repeat(self.images, 2, axis=0)[::2]):
            np.testing.assert_array_equal(self.model.run(given), expected)
        np.testing.assert_array_equal(self.model.run(self.images[:2].tolist()), expected[:2])
        misplaced = np.frombuffer(b"x" + self.images.astype(np.float32).tobytes(), np.uint8)[1:]
        misplaced = misplaced.view(np.float32).reshape(self.images.shape)
        self.assertFalse(misplaced.flags.aligned)
        np.testing.assert_array_equal(self.model.run(misplaced), expected)


class Outputs(DigitsTest):
    def test_arrays_own_their_memory(self):
        session = yarrow.Session("out/aipu.bin")
        first = session.run(self.images[:1], stored=True)
        kept = first.copy()
        session.run(self.images[1:2], stored=True)
        np.testing.assert_array_equal(first, kept)
        self.assertTrue(first.flags.owndata and first.flags.writeable)

    def test_views_of_the_device(self):
        session = yarrow.Session("out/aipu.bin")
        view = session.run(self.images[:1], stored=True, copy=False)
        self.assertFalse(view.flags.owndata or view.flags.writeable)
        at = address(view)
        expected = session.run(self.images[:1], stored=True)
        # The device is taken: another run does not change what is looked at.
        other = session.run(self.images[1:2], stored=True, copy=False)
        self.assertNotEqual(address(other), at)
        np.testing.assert_array_equal(view, expected)
        # Once nobody looks, it runs again.
        del view, other
        gc.collect()
        again = [session.run(self.images[:1], stored=True, copy=False) for _ in range(2)]
        self.assertIn(at, [address(each) for each in again])

    def test_views_outlive_their_session(self):
        session = yarrow.Session("out/aipu.bin")
        expected = session.run(self.images[:1], stored=True)
        view = session.run(self.images[:1], stored=True, copy=False)
        del session
        gc.collect()
        np.testing.assert_array_equal(view, expected)

    def test_real_numbers_are_no_views(self):
        session = yarrow.Session("out/aipu.bin")
        real = session.run(self.images[:1], copy=False)
        self.assertTrue(real.flags.owndata)
        np.testing.assert_array_equal(real, session.run(self.images[:1]))

    def test_executables_bytes(self):
        exe = yarrow.open("out/aipu.bin")
        views = [np.frombuffer(exe.data, np.uint8) for _ in range(2)]
        self.assertEqual(address(views[0]), address(views[1]))
        self.assertTrue(exe.data.readonly)
        expected = views[0].tobytes()
        del exe
        gc.collect()
        self.assertEqual(views[0].tobytes(), expected)


if __name__ == "__main__":
    unittest.main()
