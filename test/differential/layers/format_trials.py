"""The trials of each format.

Example:
    outcomes = QnnTrial(network, seed, "folder", program="yarrow").run()
"""
import random
import re

import compass_form
import numpy
import qnn_form
import tflite_form
from layer_trial import LayerTrial
from trial import Stop


class CompassTrial(LayerTrial):
    OTHERS = ("renamed", "batch", "written", "onnx", "qnn")

    def arguments(self, name):
        return [name + ".txt", "-w", name + ".bin"]

    def write(self, graph, name):
        compass_form.write(graph, self.folder, name, random.Random(self.seed))

    def draw_settings(self):
        rng = self.rng
        if rng.random() < 0.3:
            return ["--recipe", "auto"]
        settings = ["--recipe", "compass"]

        def maybe(option, *words, share=0.5):
            if rng.random() < share:
                settings.extend((option, rng.choice(words)))
        maybe("--quantize-method-for-weight", "per_tensor_symmetric_restricted_range",
              "per_tensor_symmetric_full_range", "per_channel_symmetric_restricted_range",
              "per_channel_symmetric_full_range")
        maybe("--quantize-method-for-activation", "per_tensor_symmetric_full_range",
              "per_tensor_symmetric_restricted_range", "per_tensor_asymmetric")
        maybe("--activation-bits", "16", share=0.3)
        maybe("--weight-bits", "16", "4", share=0.2)
        maybe("--bias-bits", "48", share=0.1)
        maybe("--bias-effective-bits", "16", share=0.15)
        maybe("--lut-items-in-bits", "10", "12", share=0.2)
        maybe("--calibration-strategy-for-activation", "extrema", "mean", "2std", "kld",
              "0.99percentile")
        maybe("--winograd", "all", "auto", share=0.3)
        maybe("--unify-shifts-for-aiff", "False", share=0.3)
        maybe("--force-dtype-int", "True", share=0.15)
        maybe("--force-shift-positive", "True", share=0.1)
        maybe("--adapt-to-functions", "True", share=0.2)
        maybe("--enable-pass-tune-op-softmax", "[1]", "[2]", share=0.2)
        maybe("--unify-scales-for-concat", "True", share=0.15)
        maybe("--trigger-float-op", "float32_preferred", "float16_preferred", share=0.1)
        maybe("--global-calibration", "equalize", "bias_correction", "adaround[1,10]", "mvn_correction",
              share=0.15)
        return settings



class CompassIntTrial(CompassTrial):
    """Integers as they are written: the formulas give every byte."""
    FIRST = ("check", "exact", "npu", "passes")

    def draw_settings(self):
        return []

    def float_results(self):
        def make():
            self.model()
            return self.evaluated(self.arguments("m"), "float.npz", "--stored")
        return self.once("float", make)

    def quantize(self, name):
        return self.arguments(name)

    def check_exact(self):
        found = self.float_results()
        exact, _ = self.expected()
        for value, (_, shape, have) in zip(self.graph.outputs, found):
            want = numpy.concatenate([numpy.ravel(v) for v in exact[value.name]]).astype(int)
            wrong = want != have
            if len(want) != len(have) or wrong.any():
                at = int(wrong.argmax()) if len(want) == len(have) else 0
                raise Stop("differs", "output %s: %d of %d values differ, [%d] is %d and not %d" % (
                    value.name, numpy.sum(wrong), len(want), at, have[at], want[at]))

    def check_onnx(self):
        """A drawn table is not the function whose operator ONNX has in its place."""
        self.float_results()
        if any("lut" in layer.attributes for layer in self.graph.nodes):
            self.exported(self.arguments("m"), "onnx", "f.onnx")
        else:
            super().check_onnx()

    def check_qnn(self):
        """Multipliers that are drawn do not follow from scales, which is all that QNN has."""
        self.exported(self.arguments("m"), "qnn", "i_net.json")


class ImportedTrial(LayerTrial):
    OTHERS = ("renamed", "batch", "ir", "written", "onnx", "qnn")

    def float_network(self):
        return self.once("imported", self.imported)

    def ir_name(self, value):
        """As the IR that `import` writes lists its outputs."""
        with open(self.path("f/f.txt"), encoding="utf-8") as file:
            names = re.search(r"^output_tensors=\[(.*)\]", file.read(), re.MULTILINE).group(1)
        return names.split(",")[self.graph.outputs.index(value)]

    def imported(self):
        self.model()
        self.yarrow("import", *self.arguments("m"), "-o", "f", "--model-name", "f")
        return ["f/f.txt", "-w", "f/f.bin"]

    def check_ir(self):
        """The IR that import writes: the same bytes as the model."""
        expected = self.float_results()
        network = self.float_network()
        self.must("check", *network)
        self.must("eval", *network, "-i", self.inputs, "-o", "ir.npz",
                  *(["--stored"] if self.is_stored else []))
        self.same(expected, self.read("ir.npz"))


class TfliteTrial(ImportedTrial):
    def arguments(self, name):
        return [name + ".tflite"]

    def write(self, graph, name):
        tflite_form.write(graph, self.path(name + ".tflite"))


class QnnTrial(ImportedTrial):
    def arguments(self, name):
        return [name + ".json"]

    def write(self, graph, name):
        rng = random.Random(self.seed) if name == "r" and self.can_reorder() else None
        qnn_form.write(graph, self.path(name + ".json"), rng)
