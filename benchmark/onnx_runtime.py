#!/usr/bin/env python3
"""Compares exported networks in ONNX Runtime with the integers that the IR defines.

    npm install --ignore-scripts onnxruntime-node      # in some folder, once
    benchmark/onnx_runtime.py --runtime FOLDER --packs ../shared/packs/models
    benchmark/onnx_runtime.py ... --layers resnet20_pt_sym     # every tensor of a pack
    benchmark/onnx_runtime.py ... --update docs/export.md      # write the table there

Every reference pack of the folder is written by `yarrow export --onnx` and run on its samples; the
results are quantized and compared with the recorded integers, which the evaluator gives too
(test/conformance): of the whole network, and of each layer alone, which is given the recorded
integers of the layers before it. Needs node and the package onnxruntime-node; not part of the tests.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MARKS = {exact: (f"<!-- begin measured: onnx-runtime{'-exact' * exact} -->", "<!-- end measured -->")
         for exact in (False, True)}
HEAD = ("| network | each layer alone: elements that differ | by at most | the whole: outputs that differ "
        "| by at most |\n|---|---|---|---|---|\n")


def layers_of(path):
    """A dictionary for each layer of an IR, the header first."""
    with open(path, encoding="utf-8") as file:
        for layer in re.split(r"\n\s*\n", file.read()):
            yield dict(line.split("=", 1) for line in layer.splitlines() if "=" in line)


def words(text):
    return [word for word in text.strip("[]").split(",") if word]


def tensors_of(path):
    """{name: (scale, zero point, least, most)} of the tensors of an IR."""
    limits = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767),
              "uint16": (0, 65535)}
    found = {}
    for layer in layers_of(path):
        names, types = words(layer.get("layer_top", "")), words(layer.get("layer_top_type", ""))
        scales, zps = words(layer.get("layer_top_scale", "")), words(layer.get("layer_top_zp", ""))
        for name, kind, scale, zp in zip(names, types, scales or ["1.0"] * 9, zps or ["0"] * 9):
            found[name] = (float(scale), int(zp), *limits.get(kind, (-2**31, 2**31 - 1)), kind)
    return found


def records_of(pack):
    """The recorded tensors of each sample of a pack."""
    if not os.path.exists(os.path.join(pack, "tensors.json")):
        header = next(layers_of(os.path.join(pack, "int.txt")))
        return [[{"tensor": name, "file": f"q{side[:-3]}{i}.npy", "io": side}
                 for side in ("input", "output")
                 for i, name in enumerate(words(header[side + "_tensors"]))]]
    with open(os.path.join(pack, "tensors.json"), encoding="utf-8") as file:
        samples = json.load(file)["samples"]
    return [[dict(tensor, file=os.path.join(f"sample{i}", tensor["file"])) for tensor in sample]
            for i, sample in enumerate(samples)]


def jobs_of(pack, model):
    """A job for the runtime's script: inputs and expected tensors, sample by sample."""
    tensors = tensors_of(os.path.join(pack, "int.txt"))
    samples = []
    for i, record in enumerate(records_of(pack)):
        sample = {"inputs": [], "outputs": []}
        for tensor in record:
            path = os.path.join(pack, tensor["file"])
            if tensor["tensor"] not in tensors or not os.path.exists(path):
                continue
            scale, zp, least, most, kind = tensors[tensor["tensor"]]
            entry = {"name": tensor["tensor"], "file": path, "scale": scale, "zp": zp,
                     "least": least, "most": most, "isFloat": kind.startswith("float"), "type": kind}
            if tensor["io"] == "input":
                sample["inputs"].append(entry)
            else:
                sample["outputs"].append(dict(entry, isInner=tensor["io"] != "output"))
        if sample["inputs"] and sample["outputs"]:
            samples.append(sample)
    return {"model": model, "samples": samples}


def run(args, pack, folder):
    name = os.path.basename(pack)
    model = os.path.join(folder, name + ".onnx")
    command = [args.yarrow, "export", os.path.join(pack, "int.txt"), "--onnx", "-o", model,
               *["--exact"] * args.exact]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        first = next(line for line in done.stderr.splitlines() if "error" in line)
        reason = re.sub(r".*?(E\d{4}: ).*?(layer '[^']*': )?(\w.*)", r"\1\3", first)
        return None, f"{len(re.findall('error E', done.stderr))} layers refused: {reason}"
    jobs = os.path.join(folder, "jobs.json")
    with open(jobs, "w", encoding="utf-8") as file:
        json.dump(jobs_of(pack, model), file)
    command = ["node", os.path.join(HERE, "onnx_runtime.js"), args.runtime, jobs,
               args.optimization] + ["layers"] * bool(args.layers)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        return None, "not run: " + (done.stderr.strip().splitlines() or ["?"])[-1][:150]
    return json.loads(done.stdout), None


def share(part, whole):
    if part and part / whole < 0.00005:
        return "<0.01%"
    return f"{part / whole:.2%}" if part else "none"


def steps(tensors):
    most = max(t["most"] for t in tensors)
    return "-" if not most else f"{most:g} step" + "s" * (most != 1)


def cells(tensors):
    if not tensors:
        return " | "
    elements, differ = (sum(t[key] for t in tensors) for key in ("elements", "differ"))
    return f"{share(differ, elements)} of {elements:,} | {steps(tensors)}"


def print_layers(result):
    alone = {t["name"]: t for t in result["alone"]}
    print(f"{'tensor':50} {'elements':>9} {'alone':>16} {'in the network':>16}")
    for t in result["whole"]:
        both = [alone[t["name"]]] if t["name"] in alone else []
        texts = [f"{share(r['differ'], r['elements']):>8} {r['most']:7g}" for r in [*both, t]]
        print(f"{t['name'][-50:]:50} {t['elements']:9} {texts[0] if both else '-':>16} {texts[-1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--yarrow", default="build/bin/yarrow")
    parser.add_argument("--packs", required=True, help="folder of packs, each with an int.txt")
    parser.add_argument("--runtime", required=True,
                        help="folder where onnxruntime-node is installed")
    parser.add_argument("--optimization", default="disabled",
                        choices=("disabled", "basic", "extended", "all"),
                        help="optimisations that the runtime can apply (default: none)")
    parser.add_argument("--exact", action="store_true", help="use yarrow export --exact")
    parser.add_argument("--layers", metavar="PACK", help="compare every tensor of this pack")
    parser.add_argument("--only", default="", help="only packs whose names contain this")
    parser.add_argument("--update", help="replace the table of this page")
    args = parser.parse_args()
    packs = sorted(os.path.dirname(p) for p in glob.glob(os.path.join(args.packs, "*", "int.txt")))
    rows, refused = [], []
    with tempfile.TemporaryDirectory() as folder:
        for pack in packs:
            name = os.path.basename(pack)
            if args.only not in name or (args.layers and args.layers != name):
                continue
            result, problem = run(args, pack, folder)
            if problem:
                refused.append((name, problem))
                rows.append(f"| {name} | {problem} | | | |")
                print(rows[-1], flush=True)
                continue
            if args.layers:
                print_layers(result)
                return
            outputs = [t for t in result["whole"] if t["isOutput"]]
            rows.append(f"| {name} | {cells(result['alone'])} | {cells(outputs)} |")
            print(rows[-1], flush=True)
    if args.update:
        with open(args.update, encoding="utf-8") as file:
            page = file.read()
        first, last = MARKS[args.exact]
        begin = page.index(first) + len(first)
        end = page.index(last, begin)
        page = page[:begin] + "\n" + HEAD + "\n".join(rows) + "\n" + page[end:]
        with open(args.update, "w", encoding="utf-8") as file:
            file.write(page)


if __name__ == "__main__":
    main()
