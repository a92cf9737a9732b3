#!/usr/bin/env python3
"""Checks the transcribed examples of the Compass IR definition (README.md).

    check_examples.py                       # every file agrees with itself
    check_examples.py --catalog FILE        # and every section has its file
    check_examples.py --write-bins FOLDER   # zero-filled weights of each file

It reads the text in its own way, so that it stays independent of parser/compass.
"""
import argparse
import glob
import json
import math
import os
import re
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
BITS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32}
LAYER_KEYS = ("layer_id", "layer_name", "layer_type", "layer_bottom", "layer_bottom_shape",
              "layer_bottom_type", "layer_top", "layer_top_shape", "layer_top_type")
CONSTANT = ("_type", "_offset", "_size", "_shape")


def value_of(text):
    """A list, a number or a word. Words in lists are quoted to make JSON."""
    if text.startswith("["):
        return json.loads(re.sub(r"[^\[\],]+", lambda m: m[0] if is_number(m[0]) else json.dumps(m[0]),
                                 text))
    return json.loads(text) if is_number(text) else text


def is_number(text):
    return re.fullmatch(r"-?\d+(\.\d+)?", text) is not None


def sections(path):
    """The header and the layers, each a dictionary of its keys."""
    with open(path, encoding="ascii") as f:
        for block in f.read().rstrip("\n").split("\n\n"):
            section = {}
            for line in block.split("\n"):
                key, text = re.fullmatch(r"([a-z][a-z0-9_]*)=(\S+)", line).groups()
                assert key not in section, f"{key} is given twice"
                section[key] = value_of(text)
            yield section


def constants(layer):
    """(name, type, offset, size, shape) of the tensors in the weights file."""
    for key in layer:
        if key.endswith("_offset"):
            name = key[:-len("_offset")]
            yield (name, *(layer[name + suffix] for suffix in CONSTANT))


def fits(value, kind):
    low = 0 if kind.startswith("u") else -(1 << BITS[kind] - 1)
    return low <= value < low + (1 << BITS[kind])


def check_layer(layer, tensors):
    for key in LAYER_KEYS:
        assert key in layer, f"no {key}"
    for side in ("layer_bottom", "layer_top"):
        count = len(layer[side])
        for suffix in ("_shape", "_type", "_scale", "_zp", "_range", "_datalayout"):
            found = len(layer.get(side + suffix, layer[side]))
            assert found == count, f"{side}{suffix} has {found} entries for {count} tensors"
    for name, *facts in zip(layer["layer_bottom"], layer["layer_bottom_shape"],
                            layer["layer_bottom_type"]):
        assert tensors.get(name) == facts, f"no layer writes {name} with {facts}"
    for name, *facts in zip(layer["layer_top"], layer["layer_top_shape"], layer["layer_top_type"]):
        assert name not in tensors, f"{name} is written twice"
        assert min(facts[0]) > 0, f"{name} is empty"
        tensors[name] = facts
    end = 0
    for name, kind, offset, size, shape in sorted(constants(layer), key=lambda c: c[2]):
        elements = math.prod(shape)
        assert size == BITS[kind] // 8 * elements, f"{name}: {size} bytes for {elements} x {kind}"
        assert offset >= end, f"{name} begins at {offset}, inside another constant"
        end = offset + size
    for key, value in layer.items():
        if not key.endswith("_value"):
            continue
        kinds = layer.get(key[:-len("value")] + "type")
        if kinds is None:  # extrapolation_value and the like stand alone
            continue
        assert isinstance(value, list) == isinstance(kinds, list), f"{key} and its type differ in form"
        pairs = list(zip(value, kinds)) if isinstance(value, list) else [(value, kinds)]
        assert not isinstance(value, list) or len(value) == len(kinds), f"{key}: {len(kinds)} types"
        for number, kind in pairs:
            assert fits(number, kind), f"{key}: {number} does not fit {kind}"


def check_file(path, bins):
    header, *layers = sections(path)
    assert header["layer_number"] == len(layers), "layer_number does not count the layers"
    assert header["precision"] == "int", "the examples are integer IR"
    assert header["model_bin"] == "./" + os.path.basename(path).replace(".txt", ".bin")
    tensors = {}
    for layer in layers:
        check_layer(layer, tensors)
    ids = [layer["layer_id"] for layer in layers]
    assert ids == sorted(set(ids)), "layer_id does not rise"
    *inputs, example = layers
    assert all(layer["layer_type"] == "Input" for layer in inputs)
    assert header["input_tensors"] == example["layer_bottom"]
    assert header["output_tensors"] == example["layer_top"]
    if bins:
        end = max((offset + size for _, _, offset, size, _ in constants(example)), default=0)
        with open(os.path.join(bins, header["model_bin"]), "wb") as f:
            f.truncate(end)
    return header["model_name"], example


def file_name(section, layer_type):
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[A-Z][a-z]{2})",
                   "_", section).lower()
    return ("activation_" if layer_type == "Activation" else "") + words + ".txt"


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--catalog", help="compass_ops.json; left out if it is not there")
    options.add_argument("--write-bins", metavar="FOLDER")
    args = options.parse_args()
    if args.write_bins:
        os.makedirs(args.write_bins, exist_ok=True)
    problems, found = [], set()
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.txt"))):
        name = os.path.basename(path)
        try:
            section, example = check_file(path, args.write_bins)
            found.add(section)
            assert name == file_name(section, example["layer_type"]), "the file has another name"
        except (AssertionError, AttributeError, KeyError, ValueError) as problem:
            problems.append(f"{name}: {problem!r}")
    if args.catalog and os.path.exists(args.catalog):
        with open(args.catalog, encoding="utf-8") as f:
            wanted = {entry["name"] for entry in json.load(f)}
        problems += [f"no example of {name}" for name in sorted(wanted - found)]
        problems += [f"no section {name}" for name in sorted(found - wanted)]
    print("\n".join(problems + [f"{len(found)} examples, {len(problems)} problems"]))
    return 1 if problems or not found else 0


if __name__ == "__main__":
    sys.exit(main())
