#!/usr/bin/env python3
"""Runs `yarrow check` on networks of one layer each, given in short.

A test file holds cases. Each begins with `//--- NAME`; lines that begin with
`//` are for FileCheck. The first other line is the layer, the rest its keys:

    //--- gather
    // CHECK: gather: clean
    Gather x:float32[5,4] i:int32[2]=0,-5 -> y:float32[2,4]
    axis=0
    batch_dims=0
    weights:int8[4,3,3,2]

A tensor is NAME:TYPE[SHAPE], an input of the network, or a Constant layer if
`=VALUES` follow; of an output, `@SCALE` makes it quantized, and an input gets
scale 1 if an output has one. A key with a type and a shape is a constant of the
layer in the weights file, of zeros or of its `=VALUES`.

Prints `NAME: clean`, `accepted` (with remarks) or `refused`, then what check said.
"""
import pathlib
import re
import subprocess
import sys

import struct

FORMATS = {"bool": "B", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H",
           "int32": "i", "uint32": "I", "int64": "q", "float16": "e",
           "float32": "f"}
TENSOR = re.compile(r"(\w+):(\w+)\[([\d,]*)\](?:@([\d.]+))?(?:=([\d.,-]+))?$")


class Weights:
    def __init__(self):
        self.data = b""

    def add(self, name, dtype, shape, values):
        """The keys of a constant."""
        count = 1
        for length in shape:
            count *= length
        convert = float if dtype.startswith("float") else int
        numbers = [convert(v) for v in values.split(",")] if values else [0] * count
        assert len(numbers) == count, f"{name}: {len(numbers)} values for {count}"
        raw = struct.pack(f"<{count}{FORMATS[dtype]}", *numbers)
        text = shape_text(shape)
        keys = [f"{name}_type={dtype}", f"{name}_offset={len(self.data)}",
                f"{name}_size={len(raw)}", f"{name}_shape={text}"]
        self.data += raw
        return keys


def shape_text(shape):
    return "[" + ",".join(map(str, shape)) + "]"


def parse_tensor(text):
    match = TENSOR.match(text)
    assert match, f"not a tensor: {text}"
    name, dtype, shape, scale, values = match.groups()
    return name, dtype, [int(v) for v in shape.split(",") if v], scale, values


def layer(number, name, kind, bottoms, tops, quantized, keys):
    def column(tensors, i):
        return "[" + ",".join(t[i] if i != 2 else shape_text(t[2]) for t in tensors) + "]"
    lines = [f"layer_id={number}", f"layer_name={name}", f"layer_type={kind}"]
    for side, tensors in (("bottom", bottoms), ("top", tops)):
        lines += [f"layer_{side}={column(tensors, 0)}",
                  f"layer_{side}_shape={column(tensors, 2)}",
                  f"layer_{side}_type={column(tensors, 1)}"]
    if quantized:
        lines += ["layer_top_scale=[" + ",".join(t[3] or "1.0" for t in tops) + "]",
                  "layer_top_zp=[" + ",".join("0" for _ in tops) + "]"]
    return "\n".join(lines + keys)


def network(case, folder):
    """Writes the network of a case; returns its path."""
    name, lines = case
    kind, *words = lines[0].split()
    arrow = words.index("->")
    bottoms = [parse_tensor(w) for w in words[:arrow]]
    tops = [parse_tensor(w) for w in words[arrow + 1:]]
    quantized = any(t[3] for t in tops)
    weights = Weights()
    keys, layers = [], []
    for line in lines[1:]:
        constant = TENSOR.match(line)
        keys += weights.add(*parse_tensor(line)[:3], constant.group(5)) if constant else [line]
    for tensor in bottoms:
        extra = weights.add("weights", tensor[1], tensor[2], tensor[4]) if tensor[4] else []
        layers.append(layer(len(layers), "in_" + tensor[0], "Constant" if extra else "Input",
                            [], [tensor], quantized, extra))
    layers.append(layer(len(layers), "op", kind, bottoms, tops, quantized, keys))
    inputs = ",".join(t[0] for t in bottoms if not t[4])
    outputs = ",".join(t[0] for t in tops)
    header = [f"model_name={name}", f"layer_number={len(layers)}",
              "precision=" + ("int8" if quantized else "float32"), f"model_bin=./{name}.bin",
              f"input_tensors=[{inputs}]", f"output_tensors=[{outputs}]"]
    path = folder / f"{name}.txt"
    path.write_text("\n\n".join(["\n".join(header), *layers]) + "\n\n")
    (folder / f"{name}.bin").write_bytes(weights.data)
    return path


def cases_of(path):
    cases = []
    for line in path.read_text().splitlines():
        if line.startswith("//--- "):
            cases.append((line[6:].strip(), []))
        elif cases and line.strip() and not line.startswith("//"):
            cases[-1][1].append(line.strip())
    return cases


def main():
    test, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases_of(test):
        path = network(case, folder)
        run = subprocess.run(["yarrow", "check", path, "-w", path.with_suffix(".bin")],
                             capture_output=True, text=True, check=False)
        said = run.stdout + run.stderr
        remarks = re.search(r"\b(warning|error)\b [EW]\d", said)
        state = "refused" if run.returncode else "accepted" if remarks else "clean"
        print(f"{case[0]}: {state}\n{said}", flush=True)


if __name__ == "__main__":
    main()
