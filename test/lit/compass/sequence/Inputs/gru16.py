#!/usr/bin/env python3
"""Writes an integer GRU of 16 bits, entries of the batch apart and together.

    gru16.py GRUv1 H,Hn

both.txt has both entries; first.txt the first one alone; second.txt the second one
alone, and biases of 0: after the steps of the first one nothing of them is left.
x.npy, x0.npy and x1.npy are their inputs.
"""
import random
import struct
import sys

STEPS, INPUTS, CELLS = 6, 3, 4
SHIFTS = [16, 21, 23, 22, 14, 30]
SCALES = [17312, 16524, 23684, 23753, 18060, 31952]


def array(path, values, shape):
    header = repr({"descr": "<i2", "fortran_order": False, "shape": tuple(shape)})
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                   struct.pack(f"<{len(values)}h", *values))


def table(largest):
    return [max(-largest, min(largest, (i - 128) * 400)) for i in range(256)]


def network(name, operator, words, batch, biases, weights):
    constants = [("weights", "int8", [3 * CELLS, INPUTS + CELLS], "b", weights),
                 ("biases", "int32", [len(biases)], "i", biases)]
    constants += [(key, "int16", [256], "h", table(32767))
                  for key in ("lut_rt", "lut_zt", "lut_ht")]
    keys, data = [], b""
    for key, kind, shape, code, values in constants:
        size = struct.calcsize(code) * len(values)
        keys += [f"{key}_type={kind}", f"{key}_offset={len(data)}", f"{key}_size={size}",
                 f"{key}_shape=[{','.join(map(str, shape))}]"]
        data += struct.pack(f"<{len(values)}{code}", *values)
    shapes = {"H": f"[{batch},{STEPS},{CELLS}]", "Hn": f"[{batch},{CELLS}]"}
    tops = words.split(",")
    if operator == "GRUv1":
        keys += ["hidden_scale_value=16588", "hidden_scale_type=uint16",
                 "hidden_shift_value=22", "hidden_shift_type=int8"]
    each = lambda text: "[" + ",".join([text] * len(tops)) + "]"
    names = ",".join("out_" + w for w in tops)
    text = f"""model_name={name}
layer_number=2
precision=int
input_tensors=[x]
output_tensors=[{names}]

layer_id=0
layer_name=x
layer_type=Input
layer_bottom=[]
layer_bottom_shape=[]
layer_bottom_type=[]
layer_top=[x]
layer_top_shape=[[{batch},{STEPS},{INPUTS}]]
layer_top_type=[int16]
layer_top_scale=[10000.0]
layer_top_zp=[0]

layer_id=1
layer_name=gru
layer_type={operator}
layer_bottom=[x]
layer_bottom_shape=[[{batch},{STEPS},{INPUTS}]]
layer_bottom_type=[int16]
layer_top=[{names}]
layer_top_shape=[{",".join(shapes[w] for w in tops)}]
layer_top_type={each("int16")}
layer_top_scale={each("32767.0")}
layer_top_zp={each("0")}
time_steps={STEPS}
input_size={INPUTS}
cell_size={CELLS}
activations=[SIGMOID,TANH]
direction=forward
out_sequence=[{words}]
scale_value=[{",".join(map(str, SCALES))}]
scale_type=[{",".join(["uint16"] * 6)}]
shift_value=[{",".join(map(str, SHIFTS))}]
shift_type=[{",".join(["int8"] * 6)}]
""" + "\n".join(keys) + "\n"
    with open(name + ".txt", "w", encoding="utf-8") as file:
        file.write(text)
    with open(name + ".bin", "wb") as file:
        file.write(data)


def main():
    operator, words = sys.argv[1:]
    rng = random.Random(7)
    weights = [rng.randint(-127, 127) for _ in range(3 * CELLS * (INPUTS + CELLS))]
    count = (4 if operator == "GRUv1" else 3) * CELLS
    biases = [rng.randint(-2**26, 2**26) for _ in range(count)]
    network("both", operator, words, 2, biases, weights)
    network("first", operator, words, 1, biases, weights)
    network("second", operator, words, 1, [0] * count, weights)
    x = [rng.randint(-32000, 32000) for _ in range(2 * STEPS * INPUTS)]
    half = len(x) // 2
    array("x.npy", x, [2, STEPS, INPUTS])
    array("x0.npy", x[:half], [1, STEPS, INPUTS])
    array("x1.npy", x[half:], [1, STEPS, INPUTS])


main()
