"""Operators that the reference packs do not have, from float IR to the NPU.

Each is quantized in both ways that activations can be, compiled and run, and its
results compared with the definition, computed here: integers and places exactly,
real numbers within steps of their scale.
"""
import array
import itertools
import math
import random

import common

METHODS = ("per_tensor_symmetric_full_range", "per_tensor_asymmetric")
WINDOW = """kernel_x={kx}\nkernel_y={ky}\nstride_x={sx}\nstride_y={sy}\npad_left={p}\npad_right={p}
pad_top={p}\npad_bottom={p}\ndilation_x=1\ndilation_y=1\ngroup=1\nwith_activation=NONE"""
DTYPES = {"f": "float32", "b": "int8", "B": "uint8", "i": "int32"}


class Case:
    """inputs, constants and results: (shape, array); steps: how far a result may be
    from what is expected, in steps of its scale; None: equal."""

    def __init__(self, layer_type, keys, inputs, results, steps, constants=()):
        self.layer_type, self.keys, self.inputs = layer_type, keys, inputs
        self.results, self.steps, self.constants = results, steps, constants


def text(items):
    return "[" + ",".join(str(i) for i in items) + "]"


def places(shape):
    return itertools.product(*(range(n) for n in shape))


def flat(shape, place):
    index = 0
    for n, i in zip(shape, place):
        index = index * n + i
    return index


def integers(rng, kind, count):
    low, high = (-128, 127) if kind == "b" else (0, 255)
    return array.array(kind, (rng.randint(low, high) for _ in range(count)))


def floats(rng, count):
    return array.array("f", (rng.gauss(0.3, 1) for _ in range(count)))


def conv_integer(rng):
    shape, filters, (kx, ky, sx, sy, p) = [1, 7, 6, 5], 6, (3, 2, 1, 2, 1)
    x, w = integers(rng, "B", math.prod(shape)), integers(rng, "b", filters * ky * kx * shape[3])
    x_zero, w_zero = 12, 3
    out = [1, (shape[1] + 2 * p - ky) // sy + 1, (shape[2] + 2 * p - kx) // sx + 1, filters]
    y = array.array("i")
    for _, row, column, f in places(out):
        total = 0
        for i, j, c in places((ky, kx, shape[3])):
            r, s = row * sy + i - p, column * sx + j - p
            if 0 <= r < shape[1] and 0 <= s < shape[2]:
                total += ((x[flat(shape, (0, r, s, c))] - x_zero) *
                          (w[flat((filters, ky, kx, shape[3]), (f, i, j, c))] - w_zero))
        y.append(total)
    keys = WINDOW.format(kx=kx, ky=ky, sx=sx, sy=sy, p=p)
    keys += f"\nnum_output={filters}\nx_zero_point={x_zero}\nw_zero_point={w_zero}"
    zeros = array.array("i", [0] * filters)
    return Case("ConvInteger", keys, [(shape, x)], [(out, y)], None,
                [("weights", [filters, ky, kx, shape[3]], w), ("biases", [filters], zeros)])


def matmul_integer(rng):
    rows, inner, columns = 5, 37, 9
    a, b = integers(rng, "B", rows * inner), integers(rng, "b", inner * columns)
    y = array.array("i", (sum((a[r * inner + k] - 100) * (b[k * columns + c] - 7)
                              for k in range(inner))
                          for r in range(rows) for c in range(columns)))
    return Case("MatMulInteger", "a_zero_point=100\nb_zero_point=7",
                [([rows, inner], a), ([inner, columns], b)], [([rows, columns], y)], None)


def adaptive_pool(rng, method):
    shape, size = [1, 7, 9, 5], (3, 4)
    x = floats(rng, math.prod(shape))
    out, y = [1, *size, shape[3]], array.array("f")
    for _, row, column, c in places(out):
        spans = [range(i * n // m, -(-(i + 1) * n // m))
                 for i, n, m in zip((row, column), shape[1:3], size)]
        cells = [x[flat(shape, (0, r, s, c))] for r, s in itertools.product(*spans)]
        y.append(max(cells) if method == "MAX" else sum(cells) / len(cells))
    return Case("AdaptivePool", f"method={method}\noutput_size={text(size)}", [(shape, x)],
                [(out, y)], [1.01])


def slot_update(rng):
    cameras, slots, channels = 2, 6, 8
    x = floats(rng, cameras * slots * channels)
    indices = [rng.sample(range(slots), k) for k in (3, 5)]
    y = array.array("f", [0] * slots * channels)
    for camera, places_of in enumerate(indices):
        for k, slot in enumerate(places_of):
            for c in range(channels):
                y[slot * channels + c] += x[(camera * slots + k) * channels + c]
    # Each of two terms is half a step off, their scale may be the finer one.
    return Case("SlotUpdate", "", [([1, cameras, slots, channels], x)] +
                [([len(i)], array.array("i", i)) for i in indices],
                [([1, slots, channels], y)], [2.01])


def non_zero(rng):
    shape, capacity = [5, 7], 35
    x = array.array("f", (rng.choice([0, 0, 1, -1]) * rng.uniform(0.5, 2) for _ in range(35)))
    found = [place for place in places(shape) if x[flat(shape, place)] != 0]
    rows = array.array("i")
    for axis in range(2):
        rows.extend([place[axis] for place in found] + [0] * (capacity - len(found)))
    return Case("NonZero", "", [(shape, x)],
                [([2, capacity], rows), ([1], array.array("i", [len(found)]))], [None, None])


def unique(rng, is_sorted):
    # As far apart that no two become one integer.
    values = [k * 0.5 - 2 for k in range(9)]
    x = array.array("f", rng.choices(values, k=24))
    distinct = sorted(set(x)) if is_sorted else list(dict.fromkeys(x))
    fill = [0] * (len(x) - len(distinct))
    results = [[*distinct, *fill], [*(x.index(v) for v in distinct), *fill],
               [distinct.index(v) for v in x], [*(x.count(v) for v in distinct), *fill]]
    kinds = "fiii"
    return Case("Unique", "sorted=" + str(is_sorted).lower(), [([4, 6], x)],
                [([24], array.array(k, r)) for k, r in zip(kinds, results)],
                [0.51, None, None, None])


def write(case, folder):
    """float.txt, float.bin and the files of the inputs."""
    names = [f"in{i}" for i in range(len(case.inputs))]
    tops = [f"out{i}" for i in range(len(case.results))]
    lines = ["model_name=net", f"layer_number={len(names) + 1}", "precision=float32",
             "model_bin=./float.bin", "input_tensors=" + text(names),
             "output_tensors=" + text(tops)]
    for i, (shape, values) in enumerate(case.inputs):
        lines += ["", f"layer_id={i}", f"layer_name=in{i}", "layer_type=Input", "layer_bottom=[]",
                  "layer_bottom_shape=[]", "layer_bottom_type=[]", f"layer_top=[in{i}]",
                  f"layer_top_shape=[{text(shape)}]",
                  f"layer_top_type=[{DTYPES[values.typecode]}]"]
        common.write_npy(folder + f"in{i}.npy", shape, values)
    lines += ["", f"layer_id={len(names)}", "layer_name=op", "layer_type=" + case.layer_type,
              "layer_bottom=" + text(names),
              "layer_bottom_shape=" + text(text(s) for s, _ in case.inputs),
              "layer_bottom_type=" + text(DTYPES[v.typecode] for _, v in case.inputs),
              "layer_top=" + text(tops),
              "layer_top_shape=" + text(text(s) for s, _ in case.results),
              "layer_top_type=" + text(DTYPES[v.typecode] for _, v in case.results)]
    lines += case.keys.split("\n") if case.keys else []
    offset, data = 0, b""
    for key, shape, values in case.constants:
        size = len(values) * values.itemsize
        lines += [f"{key}_type={DTYPES[values.typecode]}", f"{key}_offset={offset}",
                  f"{key}_size={size}", f"{key}_shape={text(shape)}"]
        offset, data = offset + size, data + values.tobytes()
    with open(folder + "float.txt", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n\n")
    with open(folder + "float.bin", "wb") as f:
        f.write(data)


def results_of(network, folder, count):
    """Scale and real numbers of each result."""
    header, *layers = common.read_layers(network)
    for i, name in enumerate(header["output_tensors"].strip("[]").split(",")):
        layer = next(l for l in layers if name in l["layer_top"].strip("[]").split(","))
        which = layer["layer_top"].strip("[]").split(",").index(name)
        scale, zero = (float(layer[key].strip("[]").split(",")[which])
                       for key in ("layer_top_scale", "layer_top_zp"))
        path = folder + (f"out_{i}.npy" if count > 1 else "out.npy")
        yield scale, [(q + zero) / scale for q in common.read_npy(path)[2]]


def check(tools, case, method):
    name = f"{case.layer_type} {method}"
    folder = tools.path(case.layer_type, "")
    write(case, folder)
    inputs = ",".join(folder + f"in{i}.npy" for i in range(len(case.inputs)))
    tools.yarrow("quantize", "--recipe", "compass", folder + "float.txt", "-w", folder + "float.bin", "-c", inputs, "-o",
                 folder, "--brief", "--quantize-method-for-activation", method)
    tools.yarrow("compile", folder + "net_o.txt", "--target", "X2_1204", "-o",
                 folder + "aipu.bin")
    outputs = ",".join(folder + (f"out_{i}.npy" if len(case.results) > 1 else "out.npy")
                       for i in range(len(case.results)))
    tools.yarrow("run", folder + "aipu.bin", "-i", inputs, "-o", outputs, "--stored")
    found = results_of(folder + "net_o.txt", folder, len(case.results))
    for i, ((scale, values), (_, wanted)) in enumerate(zip(found, case.results)):
        most = max(abs(v - w) for v, w in zip(values, wanted))
        bound = case.steps[i] / scale if case.steps and case.steps[i] else 0
        tools.check(len(values) == len(wanted) and most <= bound,
                    f"{name}: result {i} is {most} off, {bound} allowed")


def main():
    tools = common.arguments("Check operators that no pack has")
    for seed in range(3):
        rng = random.Random(seed)
        for case in (conv_integer(rng), matmul_integer(rng), adaptive_pool(rng, "AVG"),
                     adaptive_pool(rng, "MAX"), slot_update(rng), non_zero(rng),
                     unique(rng, True), unique(rng, False)):
            for method in METHODS if case.steps else METHODS[:1]:
                check(tools, case, method)
    tools.finish()


if __name__ == "__main__":
    main()
