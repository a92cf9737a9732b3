#!/usr/bin/env python3
"""Runs small stored models beside TFLite's formulas, on evaluator and NPU: every byte.

    tflite_rounding.py requantize    # QUANTIZE between all types, at edge scales
    tflite_rounding.py sums          # ADD and SUB of 8 bits, where sums are exact halves
    tflite_rounding.py floats        # QUANTIZE of floats, exact halves between them
"""
import array
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
sys.dont_write_bytecode = True
import common
import tflite

CODES = {"float32": "f", "int8": "b", "uint8": "B", "int16": "h", "int32": "i"}
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767),
          "int32": (-2**31, 2**31 - 1)}


def single(value):
    """As float32."""
    return array.array("f", [value])[0]


def clip(value, least, most):
    return min(max(value, least), most)


def multiplier(ratio):
    """31 bits and a power of two, as TFLite has them."""
    fraction, exponent = math.frexp(ratio)
    scale = math.floor(fraction * 2**31 + 0.5)
    return (scale // 2, exponent + 1) if scale == 2**31 else (scale, exponent)


def multiplied(x, ratio):
    """x * ratio in two roundings; beyond int32 x saturates."""
    scale, exponent = multiplier(ratio)
    x = clip(x, *RANGES["int32"])
    x = clip(x << max(exponent, 0), *RANGES["int32"])
    y = (x * scale + 2**30) >> 31
    right = max(-exponent, 0)
    rest = y & ((1 << right) - 1)
    threshold = ((1 << right) - 1 >> 1) + (y < 0)
    return (y >> right) + (rest > threshold)


def xnnpack_sum(a, b, ratios, sign):
    """What is added to the zero point: 21 bits, ties upwards."""
    shift = 20 - (math.frexp(max(ratios))[1] - 1)
    ma, mb = (round(math.ldexp(r, shift)) for r in ratios)
    return (ma * a + sign * mb * b + (1 << shift - 1)) >> shift


def run(name, model, inputs, expected, isCompiled):
    """expected: for each output a list of integers."""
    with open(name + ".tflite", "wb") as f:
        f.write(model.bytes())
    files = []
    for i, (element, values) in enumerate(inputs):
        files.append(f"{name}_x{i}.npy")
        common.write_npy(files[-1], [1, len(values)], array.array(CODES[element], values))
    outputs = [f"y{i}.npy" for i in range(len(expected))]
    commands = [("eval", name + ".tflite")]
    if isCompiled:
        subprocess.run(["yarrow", "compile", name + ".tflite", "-o", name + ".aipu"], check=True,
                       capture_output=True)
        commands.append(("run", name + ".aipu"))
    for command in commands:
        subprocess.run(["yarrow", *command, "-i", ",".join(files), "-o", ",".join(outputs)],
                       check=True, capture_output=True)
        for i, (output, wanted) in enumerate(zip(outputs, expected)):
            found = list(common.read_npy(output)[2])
            wrong = [(at, a, b) for at, (a, b) in enumerate(zip(found, wanted)) if a != b]
            if wrong or len(found) != len(wanted):
                sys.exit(f"{name}, {command[0]}, output {i}: {len(wrong)} differ, first at "
                         f"{wrong[:1]}")


def edges(element):
    least, most = RANGES[element]
    if most < 2**8:
        return list(range(least, most + 1))
    # TFLite leaves open what exceeds int32 on the way.
    near = [s * (1 << k) + d for k in range(0, 31, 2) for s in (1, -1) for d in (-1, 0, 1)]
    return sorted({clip(v, max(least, -2**30), min(most, 2**30 - 1)) for v in near + [0, 3, -3, 5, 1234567, -7654321]})


# Ratios that leave exact halves, that round twice to something else, and ends.
RATIOS = [1.0, 0.5, 0.25, 0.125, 1.5, 2.0, 100.0, 1 / 3, 0.0123456, 1.6e-4, 2.0**-20]


def requantize():
    for source in RANGES:
        from_type(source, RATIOS, isCompiled=False)
        from_type(source, [0.25, 1.6e-4], isCompiled=True)


def from_type(source, ratios, isCompiled):
    m = tflite.Model()
    g = m.main
    zero = {"int8": -3, "uint8": 128}.get(source, 0)
    values, step = edges(source), single(0.03)
    x = g.input("x", [1, len(values)], source, scale=step, zero=zero)
    expected = []
    for target, (least, most) in RANGES.items():
        for i, ratio in enumerate(ratios):
            to_step = single(step / ratio)
            to_zero = {"int8": 7, "uint8": 121}.get(target, 0)
            y = g.tensor(f"{target}_{i}", [1, len(values)], target, scale=to_step, zero=to_zero)
            g.outputs.append(g.op("QUANTIZE", [x], y))
            expected.append([clip(multiplied(v - zero, step / to_step) + to_zero, least, most)
                             for v in values])
    run("from_" + source, m, [(source, values)], expected, isCompiled)


def floats():
    """With odd zero points, before which halves are rounded: to even, of 16 bits away from 0."""
    m = tflite.Model()
    g = m.main
    values = [k / 8 for k in range(-400, 401)]
    x = g.input("x", [1, len(values)])
    expected = []
    for target, zero in ("int8", 5), ("int8", -4), ("uint8", 127), ("int16", 0):
        name = f"{target}_{zero}"
        y = g.tensor(name, [1, len(values)], target, scale=0.25, zero=zero)
        g.outputs.append(g.op("QUANTIZE", [x], y))
        expected.append([
            clip((math.floor(abs(v) * 4 + 0.5) * (-1 if v < 0 else 1) if target == "int16"
                  else round(v * 4)) + zero, *RANGES[target]) for v in values])
    run("floats", m, [("float32", values)], expected, isCompiled=True)


def sums():
    for element in "int8", "uint8":
        least, most = RANGES[element]
        a = [v for v in range(least, most + 1, 5) for _ in range(least, most + 1, 7)]
        b = [v for _ in range(least, most + 1, 5) for v in range(least, most + 1, 7)]
        zero = (least + most + 1) // 2
        m = tflite.Model()
        g = m.main
        expected = []
        # A step for each operand, and one for the result: halves, sixths, and plain ones.
        for i, (sa, sb, sy) in enumerate([(1.0, 0.5, 1.0), (1.0, 1.0, 2.0), (1.0, 1.0, 6.0),
                                          (0.3, 0.7, 0.9), (0.013, 0.4, 0.31), (0.5, 0.5, 0.25)]):
            sa, sb, sy = single(sa), single(sb), single(sy)
            numbers = [g.input(f"{n}{i}", [1, len(a)], element, scale=s, zero=zero + z)
                       for n, s, z in (("a", sa, 3), ("b", sb, -2))]
            ratios = single(sa / sy), single(sb / sy)
            for name, sign in ("ADD", 1), ("SUB", -1):
                y = g.tensor(f"{name}{i}", [1, len(a)], element, scale=sy, zero=zero)
                g.outputs.append(g.op(name, numbers, y))
                expected.append([clip(xnnpack_sum(p - zero - 3, q - zero + 2, ratios, sign) + zero,
                                      least, most) for p, q in zip(a, b)])
        run("sums_" + element, m, [(element, a), (element, b)] * 6, expected, element == "uint8")


if __name__ == "__main__":
    {"requantize": requantize, "sums": sums, "floats": floats}[sys.argv[1]]()
