"""The steps from a network to a run, against the program's files, byte for byte."""
import os
import unittest

import numpy as np
from common import DigitsTest, contents, program

import yarrow


class Networks(DigitsTest):
    def test_float_network(self):
        model = yarrow.load("digits.txt")
        self.assertEqual((model.name, model.is_quantized), ("digits", False))
        self.assertEqual(model.inputs[0].shape, (1, 8, 8, 1))
        self.assertEqual(model.inputs[0].dtype, "float32")
        self.assertEqual(model.outputs[0].shape, (1, 10))
        self.assertIn("compass.convolution", model.mlir())
        self.assertIsNone(model.report)

    def test_float_outputs_are_the_programs(self):
        program("eval", "digits.txt", "-i", "heldout.npy", "-o", self.written("float.npy"))
        expected = np.load(self.written("float.npy"))
        found = yarrow.load("digits.txt").run(self.images)
        self.assertEqual(found.dtype, np.float32)
        self.assertEqual(found.tobytes(), expected.tobytes())
        self.assertEqual(found.shape, expected.shape)

    def test_float_outputs_are_the_trained_networks(self):
        logits = np.load("heldout_logits.npy")  # of another program
        np.testing.assert_allclose(yarrow.load("digits.txt").run(self.images), logits, atol=1e-3)

    def test_layers_are_the_programs(self):
        for graph in ("digits.txt", "out/digits_o.txt"):
            folder = self.written(os.path.basename(graph) + ".layers")
            program("eval", graph, "-i", "heldout.npy", "--layers", folder)
            model = yarrow.load(graph)
            found = model.tensors(self.images, stored=True)
            files = sorted(name for name in os.listdir(folder) if name.endswith(".npy"))
            self.assertEqual(len(files), len(found))
            for name, file in zip(found, files):
                expected = np.load(os.path.join(folder, file))
                self.assertEqual(found[name].dtype, expected.dtype, name)
                self.assertEqual(found[name].tobytes(), expected.tobytes(), name)

    def test_real_values_of_stored_ones(self):
        model = yarrow.load("out/digits_o.txt")
        stored = model.tensors(self.images[:3], stored=True)
        real = model.tensors(self.images[:3])
        for name, info in model.tensor_info.items():
            np.testing.assert_array_equal(info.real(stored[name]), real[name], err_msg=name)

    def test_save_is_what_was_read(self):
        text, weights = yarrow.load("out/digits_o.txt").save(self.written("again"))
        self.assertEqual(os.path.basename(text), "digits_o.txt")
        self.assertEqual(contents(text), contents("out/digits_o.txt"))
        self.assertEqual(contents(weights), contents("out/digits_o.bin"))

    def test_onnx(self):
        import onnx
        with open(self.written("conv.onnx"), "wb") as file:
            file.write(onnx.conv(1))
        model = yarrow.load(self.written("conv.onnx"))
        x = np.random.default_rng(1).standard_normal(model.inputs[0].shape, dtype=np.float32)
        np.save(self.written("x.npy"), x)
        program("eval", self.written("conv.onnx"), "-i", self.written("x.npy"), "-o",
                self.written("y.npy"))
        self.assertEqual(model.run(x).tobytes(), np.load(self.written("y.npy")).tobytes())

    def test_several_inputs(self):
        import onnx
        path = self.written("two.onnx")
        with open(path, "wb") as file:
            file.write(onnx.two_inputs(1))
        model = yarrow.load(path)
        generator = np.random.default_rng(2)
        x, w = (generator.standard_normal((5,) + t.shape[1:], np.float32) for t in model.inputs)
        for name, array in (("x", x), ("w", w)):
            np.save(self.written(name + ".npy"), array)
        files = self.written("x.npy") + "," + self.written("w.npy")
        program("eval", path, "-i", files, "-o", self.written("y.npy"))
        expected = np.load(self.written("y.npy"))
        np.testing.assert_array_equal(model.run((x, w)), expected)
        np.testing.assert_array_equal(model.run(files), expected)
        by_name = model.run({"w": w, "x": x})
        self.assertEqual(list(by_name), [model.outputs[0].name])
        np.testing.assert_array_equal(by_name[model.outputs[0].name], expected)
        q = yarrow.quantize(model, {"w": w, "x": x})
        session = yarrow.Session(yarrow.compile(q))
        names = [t.name for t in session.executable.inputs]
        on_npu = session.run(dict(zip(names, (x, w))), stored=True)
        np.testing.assert_array_equal(list(on_npu.values())[0], q.run((x, w), stored=True))

    def test_several_shapes(self):
        import onnx
        path = self.written("range.onnx")
        with open(path, "wb") as file:
            file.write(onnx.conv("N"))
        program("compile", path, "--input-shape-range", "x=1:2:4,2,6,6", "-o",
                self.written("range.bin"))
        exe = yarrow.compile(path, shape_ranges={"x": ([1, 2, 4], 2, 6, 6)})
        self.assertEqual(bytes(exe.data), contents(self.written("range.bin")))
        model = yarrow.load(contents(path), shape_ranges={"x": ((1, 2), 2, 6, 6)})
        x = np.random.default_rng(3).standard_normal((8, 2, 6, 6), dtype=np.float32)
        q = yarrow.quantize(model, x)
        session = yarrow.Session(yarrow.compile(q))
        self.assertEqual(session.inputs[0].shape, (2, 2, 6, 6))
        two = session.run(x[:2], stored=True)
        np.testing.assert_array_equal(session.run(x[:1], stored=True), two[:1])
        self.raised("E0507", yarrow.compile, model, shape_ranges={"x": ([1, 2], 2, 6, 6)})
        self.raised("E0507", yarrow.compile, model, batch=2)
        self.raised("E1010", yarrow.load, "digits.txt", shape_ranges={"input_0": ((1, 2), 8, 8, 1)})

    def test_inputs_of_any_length(self):
        import onnx
        for name, batch in (("one", 1), ("open", "N")):
            with open(self.written(name + ".onnx"), "wb") as file:
                file.write(onnx.conv(batch))
        shape = yarrow.load(self.written("one.onnx")).inputs[0].shape
        model = yarrow.load(self.written("open.onnx"), input_shapes={"x": (3,) + shape[1:]})
        self.assertEqual(model.inputs[0].shape, (3,) + shape[1:])
        self.raised("E1010", yarrow.load, self.written("open.onnx"),
                    input_shapes={"x": (1,) + shape})


class Quantization(DigitsTest):
    def test_files_are_the_programs(self):
        q = yarrow.quantize(yarrow.load("digits.txt"), self.calibration)
        text, weights = q.save(self.written("q"))
        self.assertEqual(contents(weights), contents("out/digits_o.bin"))
        self.assertEqual(contents(text), contents("out/digits_o.txt"))

    def test_data_as_path_or_dict(self):
        model = yarrow.load("digits.txt")
        by_path = yarrow.quantize(model, "calibration.npy", recipe="compass")
        by_name = yarrow.quantize(model, {model.inputs[0].name: self.calibration},
                                  recipe="compass")
        np.testing.assert_array_equal(by_path.run(self.images), by_name.run(self.images))

    def test_settings_are_the_programs(self):
        rule = "8 & <[Convolution]:16>"
        program("quantize", "digits.txt", "-c", "calibration.npy", "-o", self.written("rule"),
                "--recipe", "compass", "--activation-bits", rule)
        q = yarrow.quantize("digits.txt", self.calibration, recipe="compass", activation_bits=rule)
        text, _ = q.save(self.written("rule2"))
        self.assertEqual(contents(text), contents(self.written("rule", "digits_o.txt")))
        self.assertEqual(q.report["quantization"]["rules"][0]["rule"], "<[Convolution]:16>")

    def test_report_is_the_programs(self):
        import json
        program("quantize", "digits.txt", "-c", "calibration.npy", "-o", self.written("r"),
                "--report", self.written("r.json"))
        with open(self.written("r.json"), encoding="utf-8") as file:
            expected = json.load(file)
        found = yarrow.quantize("digits.txt", "calibration.npy").report
        for key in ("quantization", "schema", "schema_version", "model", "yarrow_version"):
            self.assertEqual(found[key], expected[key], key)

    def test_nothing_is_written(self):
        before = sorted(os.listdir("."))
        yarrow.quantize("digits.txt", self.calibration, recipe="compass")
        self.assertEqual(sorted(os.listdir(".")), before)

    def test_the_network_stays_as_it_is(self):
        model = yarrow.load("digits.txt")
        before = model.mlir(weights=True)
        yarrow.quantize(model, self.calibration, recipe="compass")
        self.assertEqual(model.mlir(weights=True), before)

    def test_result_outlives_its_origin(self):
        import gc
        model = yarrow.load("digits.txt")
        q = yarrow.quantize(model, self.calibration, recipe="compass")
        expected = q.run(self.images, stored=True)
        del model
        gc.collect()
        np.testing.assert_array_equal(q.run(self.images, stored=True), expected)


class Executables(DigitsTest):
    def test_executable_is_the_programs(self):
        exe = yarrow.compile(yarrow.load("out/digits_o.txt"), target="X2_1204")
        self.assertEqual(bytes(exe.data), contents("out/aipu.bin"))
        exe.save(self.written("aipu.bin"))
        self.assertEqual(contents(self.written("aipu.bin")), contents("out/aipu.bin"))
        self.assertEqual((exe.model, exe.target), ("digits", "X2_1204"))
        self.assertEqual(exe.layers[0]["file"], "digits_o.txt")
        self.assertGreater(exe.summary["commands"], 0)

    def test_options_are_the_programs(self):
        program("compile", "out/digits_o.txt", "-o", self.written("o.bin"), "--no-optimize",
                "-t", "Z1_0701", "--batch", "2", "--tiling", "footprint")
        exe = yarrow.compile("out/digits_o.txt", "Z1_0701", optimize=False, batch=2,
                             tiling="footprint")
        self.assertEqual(bytes(exe.data), contents(self.written("o.bin")))

    def test_winograd(self):
        program("compile", "out/digits_o.txt", "-o", self.written("w.bin"), "--winograd=all")
        exe = yarrow.compile("out/digits_o.txt", winograd="all")
        self.assertEqual(bytes(exe.data), contents(self.written("w.bin")))

    def test_from_bytes(self):
        exe = yarrow.Executable.from_bytes(contents("out/aipu.bin"))
        self.assertEqual(exe.outputs, yarrow.open("out/aipu.bin").outputs)
        self.raised("E0701", yarrow.Executable.from_bytes, b"no executable")

    def test_outputs_are_the_programs(self):
        program("run", "out/aipu.bin", "-i", "heldout.npy", "--stored", "-o", self.written("y.npy"))
        program("run", "out/aipu.bin", "-i", "heldout.npy", "-o", self.written("real.npy"))
        session = yarrow.Session(yarrow.open("out/aipu.bin"))
        stored = session.run(self.images, stored=True)
        self.assertEqual(stored.tobytes(), np.load(self.written("y.npy")).tobytes())
        self.assertEqual(stored.dtype, np.load(self.written("y.npy")).dtype)
        real = session.run(self.images)
        self.assertEqual(real.dtype, np.float32)
        self.assertEqual(real.tobytes(), np.load(self.written("real.npy")).tobytes())
        by_path = session.run("heldout.npy")
        self.assertEqual(by_path.tobytes(), real.tobytes())

    def test_host_and_npu_agree(self):
        q = yarrow.quantize("digits.txt", self.calibration)
        session = yarrow.Session(yarrow.compile(q))
        np.testing.assert_array_equal(session.run(self.images, stored=True),
                                      q.run(self.images, stored=True))
        labels = np.load("heldout_label.npy").reshape(-1)
        right = (session.run(self.images).argmax(axis=1) == labels).mean()
        self.assertGreater(right, 0.95)

    def test_stored_inputs(self):
        session = yarrow.Session("out/aipu.bin")
        info = session.executable.inputs[0]
        stored = np.clip(np.rint(self.images * np.float32(info.scale)) - info.zero_point, 0, 255)
        np.testing.assert_array_equal(session.run(stored.astype(info.dtype)),
                                      session.run(self.images))

    def test_report_is_the_programs(self):
        import json
        program("run", "out/aipu.bin", "-i", "heldout.npy", "--stored", "-o",
                self.written("y.npy"), "--report",
                self.written("run.json"))
        with open(self.written("run.json"), encoding="utf-8") as file:
            expected = json.load(file)
        session = yarrow.Session("out/aipu.bin")
        self.assertIsNone(session.report)
        session.run(self.images)
        self.assertIsNone(session.report["performance"])
        timed = session.run(self.images, stored=True, timed=True)
        self.assertEqual(timed.tobytes(), np.load(self.written("y.npy")).tobytes())
        self.assertEqual(session.report["performance"], expected["performance"])
        self.assertEqual(session.report["target"], "X2_1204")

    def test_another_machine(self):
        slower = self.written("slow.json")
        with open(slower, "w", encoding="utf-8") as file:
            file.write('{"name": "slow", "base": "X2_1204", "ddrBytesPerCycle": 4}')
        sessions = [yarrow.Session("out/aipu.bin"), yarrow.Session("out/aipu.bin", machine=slower)]
        outputs = [s.run(self.images[:1], timed=True) for s in sessions]
        np.testing.assert_array_equal(*outputs)
        fast, slow = (s.report["performance"]["cycles"] for s in sessions)
        self.assertLess(fast, slow)

    def test_threads_do_not_change_results(self):
        session = yarrow.Session("out/aipu.bin")
        expected = session.run(self.images, stored=True)
        try:
            yarrow.set_threads(1)
            np.testing.assert_array_equal(session.run(self.images, stored=True), expected)
        finally:
            yarrow.set_threads(0)


if __name__ == "__main__":
    unittest.main()
