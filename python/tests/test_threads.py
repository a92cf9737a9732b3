"""Calls from several threads, and other threads while one computes."""
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from common import DigitsTest

import yarrow


class Threads(DigitsTest):
    def test_one_session(self):
        session = yarrow.Session("out/aipu.bin")
        expected = session.run(self.images, stored=True)

        def run(i):
            part = slice(i * 7, i * 7 + 9)
            return np.array_equal(session.run(self.images[part], stored=True), expected[part])

        with ThreadPoolExecutor(8) as threads:
            self.assertTrue(all(threads.map(run, range(40))))

    def test_one_network(self):
        """Computing, quantizing, compiling and saving one network at a time."""
        model = yarrow.load("digits.txt")
        expected = model.run(self.images[:20])
        q = yarrow.quantize(model, self.calibration, recipe="compass")
        stored = q.run(self.images[:20], stored=True)
        exe = bytes(yarrow.compile(q).data)

        def step(i):
            if i % 4 == 0:
                return np.array_equal(model.run(self.images[:20]), expected)
            if i % 4 == 1:
                other = yarrow.quantize(model, self.calibration, recipe="compass")
                return np.array_equal(other.run(self.images[:20], stored=True), stored)
            if i % 4 == 2:
                return bytes(yarrow.compile(q).data) == exe
            q.save(self.written(f"thread{i}"))
            return len(model.tensors(self.images[:2])) == len(model.tensor_info)

        with ThreadPoolExecutor(6) as threads:
            self.assertTrue(all(threads.map(step, range(24))))

    def test_commands(self):
        def run(i):
            return yarrow.command("eval", "digits.txt", inputs=self.images[i:i + 2],
                                  output=self.written(f"c{i}.npy")).passed

        with ThreadPoolExecutor(4) as threads:
            self.assertTrue(all(threads.map(run, range(8))))

    def test_the_lock_of_the_interpreter_is_free(self):
        """Another thread goes on while this one computes."""
        session = yarrow.Session("out/aipu.bin")
        ticks, done = [], threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(time.perf_counter())
                time.sleep(0.001)

        other = threading.Thread(target=tick)
        other.start()
        begin = time.perf_counter()
        session.run(np.repeat(self.images, 4, axis=0))
        end = time.perf_counter()
        done.set()
        other.join()
        between = [t for t in ticks if begin < t < end]
        self.assertGreater(len(between), 1)

    def test_errors_of_threads(self):
        session = yarrow.Session("out/aipu.bin")

        def run(_):
            try:
                session.run(np.zeros((1, 3, 3, 1), np.float32))
            except yarrow.Error as error:
                return error.code
            return None

        with ThreadPoolExecutor(8) as threads:
            self.assertEqual(set(threads.map(run, range(40))), {"E0105"})


if __name__ == "__main__":
    unittest.main()
