"""Float networks as ONNX models and back: what is imported computes the same.

Every float network of the packs that is exported, and examples/digits, is imported again;
both are evaluated on the same samples. What is not exported is refused with a code, and
the list of what that is may only become shorter.
"""
import array
import glob
import json
import os
import random
import re

import common

TOLERANCE = 1e-5
# Of the packs of single layers these have forms of their own that the others lack.
LAYERS = ("Cast/c0", "Cast/c8", "GRUv1/c0", "GRUv1/c3", "GRUv3/c0", "GRUv3/c3")


def inputs_of(text):
    """Shapes and element types of the network's inputs, in order."""
    names = re.search(r"^input_tensors=\[(.*)\]", text, re.MULTILINE).group(1).split(",")
    found = {}
    for layer in re.split(r"\n\s*\n", text):
        if "layer_type=Input" in layer:
            keys = dict(line.split("=", 1) for line in layer.splitlines() if "=" in line)
            shape = json.loads(keys["layer_top_shape"])[0]
            found[keys["layer_top"].strip("[]")] = shape, keys["layer_top_type"].strip("[]")
    return [found[name] for name in names]


def samples(tools, network, text):
    """Two samples of every input, as files."""
    rng = random.Random(network)
    files = []
    for shape, kind in inputs_of(text):
        count = 2
        for length in shape[1:]:
            count *= length
        count *= shape[0]
        # Logarithms and roots are of positive numbers.
        values = [rng.gauss(0, 1) for _ in range(count)]
        if network.startswith("pos_") or kind != "float32":
            values = [abs(v) + 0.1 for v in values]
        path = tools.path(network, f"x{len(files)}.npy")
        common.write_npy(path, [2 * shape[0], *shape[1:]], array.array("f", values))
        files.append(path)
    return ",".join(files)


def round_trip(tools, network, txt, weights):
    """Whether the network was exported."""
    model = tools.path(network, "net.onnx")
    said = tools.yarrow("export", txt, "-w", weights, "--onnx", "-o", model, ok=(0, 1))
    if not said.startswith("wrote"):
        return False
    tools.yarrow("import", model, "-o", tools.path(network, "back", ""))
    with open(txt, encoding="utf-8") as file:
        data = samples(tools, network, file.read())
    report = tools.path(network, "report.json")
    back = tools.path(network, "back", "net.txt")
    tools.yarrow("eval", "--float", f"{txt},{weights}", "--other", back, "--data", data,
                 "--report", report)
    with open(report, encoding="utf-8") as file:
        figures = json.load(file)["accuracy"]["networks"]["other"]["to_float"]
    tools.check(figures["max_error"] <= TOLERANCE and figures["cosine"] > 1 - 1e-9,
                f"{network}: {figures}")
    print(f"{network:28} max error {figures['max_error']:.2e}")
    return True


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
    digits = os.path.join(root, "examples/digits/digits")
    tools.check(round_trip(tools, "digits", digits + ".txt", digits + ".bin"), "digits is refused")
    if not os.path.isdir(tools.packs):
        tools.finish()
    networks = {os.path.basename(path)[:-4]: (path, path[:-4] + ".bin")
                for path in sorted(glob.glob(tools.pack("float_ir", "*.txt")))}
    refused = {name for name, (txt, weights) in networks.items()
               if os.path.exists(weights) and not round_trip(tools, name, txt, weights)}
    tools.check(not refused, f"networks are refused: {sorted(refused)}")
    layers = {}
    for txt in sorted(glob.glob(tools.pack("ops", "*", "float.txt"))):
        layers.setdefault(os.path.basename(os.path.dirname(txt)).split("__")[0], txt)
    refused = {name for name, txt in layers.items()
               if not round_trip(tools, name, txt, txt[:-4] + ".bin")}
    for name in LAYERS:
        txt = glob.glob(tools.pack("opzoo", name + "__*", "float.txt"))[0]
        if not round_trip(tools, name.replace("/", "_"), txt, txt[:-4] + ".bin"):
            refused.add(name)
    tools.check(not refused, f"layers are refused: {sorted(refused)}")
    tools.finish()


if __name__ == "__main__":
    main()
