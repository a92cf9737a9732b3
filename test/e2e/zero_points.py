"""Zero points anywhere that real = (q + zp) / scale allows.

A tensor whose range lies above zero has a zero point beyond its type (uint8 with
zp 22 behind a CLIP). Convolutions, products, pools and sums with such inputs and
outputs, and with a zero point of the weights, are computed here from the
definition, in whole numbers; evaluator and NPU must give the same bytes. Then
networks of one operator, a part of the reference packs, get such zero points
throughout: evaluator = NPU, whatever they compute.
"""
import array
import glob
import os
import random
import re

import common

RANGES = {"uint8": (0, 255), "int8": (-128, 127), "uint16": (0, 65535), "int16": (-32768, 32767)}
CODES = {"uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "int32": "i"}


class Tensor:
    def __init__(self, name, shape, kind, zp, scale=10.0):
        self.name, self.shape, self.kind, self.zp, self.scale = name, shape, kind, zp, scale

    def size(self):
        return product(self.shape)

    def keys(self):
        text = "[" + ",".join(map(str, self.shape)) + "]"
        low, high = RANGES[self.kind]
        return [f"layer_top=[{self.name}]", f"layer_top_shape=[{text}]",
                f"layer_top_type=[{self.kind}]", f"layer_top_range=[[{low},{high}]]",
                f"layer_top_scale=[{self.scale}]", f"layer_top_zp=[{self.zp}]"]


def product(numbers):
    result = 1
    for n in numbers:
        result *= n
    return result


class Network:
    """Inputs and one layer."""

    def __init__(self, kind, inputs, output, keys, constants=()):
        self.kind, self.inputs, self.output, self.keys = kind, inputs, output, list(keys)
        self.weights = b""
        for name, code, shape, values in constants:
            raw = array.array(code, values).tobytes()
            dtype = next(d for d, c in CODES.items() if c == code)
            text = "[" + ",".join(map(str, shape)) + "]"
            self.keys += [f"{name}_type={dtype}", f"{name}_offset={len(self.weights)}",
                          f"{name}_size={len(raw)}", f"{name}_shape={text}"]
            self.weights += raw

    def write(self, path):
        def column(values):
            return "[" + ",".join(values) + "]"
        layers = []
        for number, tensor in enumerate(self.inputs):
            layers.append([f"layer_id={number}", f"layer_name=in{number}", "layer_type=Input",
                           "layer_bottom=[]", "layer_bottom_shape=[]", "layer_bottom_type=[]",
                           *tensor.keys()])
        shapes = ["[" + ",".join(map(str, t.shape)) + "]" for t in self.inputs]
        layers.append([f"layer_id={len(self.inputs)}", "layer_name=op",
                       f"layer_type={self.kind}",
                       "layer_bottom=" + column([t.name for t in self.inputs]),
                       "layer_bottom_shape=" + column(shapes),
                       "layer_bottom_type=" + column([t.kind for t in self.inputs]),
                       *self.output.keys(), *self.keys])
        header = ["model_name=net", f"layer_number={len(layers)}",
                  "input_tensors=" + column([t.name for t in self.inputs]),
                  f"output_tensors=[{self.output.name}]"]
        with open(path + ".txt", "w", encoding="utf-8") as f:
            f.write("\n\n".join("\n".join(part) for part in [header, *layers]) + "\n\n")
        with open(path + ".bin", "wb") as f:
            f.write(self.weights)


def requantize(acc, multiplier, shift, output):
    """clip(round half to even(acc * m / 2^s) - zp)."""
    exact = acc * multiplier
    half, unit = 1 << (shift - 1), 1 << shift
    value = (exact + half) >> shift
    if (exact + half) % unit == 0 and value % 2:
        value -= 1
    low, high = RANGES[output.kind]
    return min(max(value - output.zp, low), high)


def windows(shape, kernel, stride, pad, out_shape):
    """For each output pixel the input positions of its window; None: padding."""
    for y in range(out_shape[1]):
        for x in range(out_shape[2]):
            cells = []
            for ky in range(kernel):
                for kx in range(kernel):
                    sy, sx = y * stride - pad + ky, x * stride - pad + kx
                    inside = 0 <= sy < shape[1] and 0 <= sx < shape[2]
                    cells.append((sy * shape[2] + sx) * shape[3] if inside else None)
            yield cells


WINDOW = ["kernel_x=3", "kernel_y=3", "stride_x=1", "stride_y=1", "dilation_x=1", "dilation_y=1",
          "pad_left=1", "pad_right=1", "pad_top=1", "pad_bottom=1"]


def requant_keys(multiplier, shift):
    return [f"scale_value={multiplier}", f"shift_value={shift}", "scale_type=uint8",
            "shift_type=int8"]


def convolution(rng, depthwise, source, output, weights_zp):
    """The network, and a function from inputs to what it must give. Real values:
    padding is a real 0, so every cell is q + zp or 0."""
    channels, filters = source.shape[3], output.shape[3]
    depth = 1 if depthwise else channels
    weights = [rng.randint(-9, 9) for _ in range(filters * 9 * depth)]
    biases = [rng.randint(-500, 500) for _ in range(filters)]
    row = 9 * depth
    absorbed = [b + source.zp * sum(w + weights_zp for w in weights[o * row:(o + 1) * row])
                for o, b in enumerate(biases)]
    shape = [filters, 3, 3, depth]
    keys = [f"num_output={filters}", *WINDOW, f"group={channels if depthwise else 1}",
            "with_activation=NONE", f"weights_zp={weights_zp}"]
    constants = [("weights", "b", shape, weights), ("biases", "i", [filters], absorbed)]
    if depthwise:
        keys.append("multiplier=1")
        constants += [("scale", "H", [filters], [181] * filters),
                      ("shift", "b", [filters], [10] * filters)]
    else:
        keys += requant_keys(181, 10)
    network = Network("DepthwiseConv" if depthwise else "Convolution", [source], output, keys,
                      constants)

    def expected(x):
        result = []
        for cells in windows(source.shape, 3, 1, 1, output.shape):
            for o in range(filters):
                acc = biases[o]
                for tap, cell in enumerate(cells):
                    if cell is None:
                        continue
                    for c in range(depth):
                        real = x[cell + (o if depthwise else c)] + source.zp
                        acc += real * (weights[o * row + tap * depth + c] + weights_zp)
                result.append(requantize(acc, 181, 10, output))
        return result
    return network, expected


def fully_connected(rng, source, output, weights_zp):
    features, outputs = source.shape[1], output.shape[1]
    weights = [rng.randint(-9, 9) for _ in range(features * outputs)]
    rows = [weights[o * features:(o + 1) * features] for o in range(outputs)]
    biases = [source.zp * sum(w + weights_zp for w in row) for row in rows]
    network = Network("FullyConnected", [source], output,
                      [f"num_output={outputs}", "with_activation=NONE", *requant_keys(203, 11),
                       f"weights_zp={weights_zp}"],
                      [("weights", "b", [outputs, features], weights),
                       ("biases", "i", [outputs], biases)])
    return network, lambda x: [
        requantize(sum((q + source.zp) * (w + weights_zp) for q, w in zip(x, row)), 203, 11,
                   output) for row in rows]


def pool(method, source, output):
    network = Network("Pooling", [source], output,
                      [f"method={method}", *WINDOW, "ceil_mode=false", "count_include_pad=true"])
    channels = source.shape[3]

    def expected(x):
        result = []
        for cells in windows(source.shape, 3, 1, 1, output.shape):
            for c in range(channels):
                values = [x[cell + c] for cell in cells if cell is not None]
                if method == "MAX":
                    result.append(max(values))
                else:  # 1/9 as the definition has it: 228 / 2^11
                    result.append(requantize(sum(v + source.zp for v in values), 228, 11, output))
        return result
    return network, expected


def add(a, b, output):
    network = Network("Eltwise", [a, b], output,
                      ["method=ADD", "with_activation=NONE", "scale_value=[171,3,5]",
                       "scale_type=[uint16,uint16,uint16]", "shift_value=10", "shift_type=int8"])
    return network, lambda x, y: [
        requantize((p + a.zp) * 3 + (q + b.zp) * 5, 171, 10, output) for p, q in zip(x, y)]


def cases(rng):
    image = [1, 6, 7, 5]
    for kind, zp in [("uint8", 22), ("uint8", -255), ("uint8", 255), ("int8", 200), ("int8", -190),
                     ("uint16", 300), ("int16", -40000)]:
        source = Tensor("x", image, kind, zp)
        output = Tensor("y", image, "uint8", 22)
        wide = Tensor("y", image, kind, zp)
        for weights_zp in (0, 3):
            for depthwise in (False, True):
                yield (f"conv {kind} zp {zp} weights_zp {weights_zp} depthwise {depthwise}",
                       *convolution(rng, depthwise, source, output, weights_zp))
            yield (f"fc {kind} zp {zp} weights_zp {weights_zp}",
                   *fully_connected(rng, Tensor("x", [1, 40], kind, zp),
                                    Tensor("y", [1, 9], "int8", -180), weights_zp))
        for method in ("MAX", "AVG"):
            yield f"{method} pool {kind} zp {zp}", *pool(method, source, wide)
        yield f"add {kind} zp {zp}", *add(source, Tensor("z", image, "uint8", 57), output)


def check_case(tools, rng, name, network, expected):
    path = tools.path("net")
    network.write(path)
    files, inputs = [], []
    for number, tensor in enumerate(network.inputs):
        values = [rng.randint(*RANGES[tensor.kind]) for _ in range(tensor.size())]
        inputs.append(values)
        files.append(tools.path(f"in{number}.npy"))
        common.write_npy(files[-1], tensor.shape, array.array(CODES[tensor.kind], values))
    tools.yarrow("check", path + ".txt", "-w", path + ".bin")
    tools.yarrow("compile", path + ".txt", "-w", path + ".bin", "-o", tools.path("aipu.bin"))
    tools.yarrow("run", tools.path("aipu.bin"), "-i", ",".join(files), "-o",
                 tools.path("out.npy"))
    found = list(common.read_npy(tools.path("out.npy"))[2])
    tools.check(found == expected(*inputs), f"{name}: the NPU gives what the definition says")
    tools.yarrow("eval", "--int", f"{path}.txt,{path}.bin", "--exe", tools.path("aipu.bin"),
                 "--data", ",".join(files))  # exits with 3 if they differ


def shift_zero_points(text, rng):
    """Zero points of small tensors beyond their types."""
    def one(match):
        kinds = match.group(1).split(",")
        zps = [str(rng.choice([22, 97, 255, -160, 200])) if kind in ("int8", "uint8") else zp
               for kind, zp in zip(kinds, match.group(3).split(","))]
        return f"layer_top_type=[{match.group(1)}]{match.group(2)}layer_top_zp=[{','.join(zps)}]"
    return re.sub(r"layer_top_type=\[([^\]]*)\](\n(?:layer_top_(?:range|scale)=.*\n)*)"
                  r"layer_top_zp=\[([^\]]*)\]", one, text)


def check_pack(tools, rng, base):
    """None if the network cannot be compiled anyway, else whether both agree."""
    with open(base + ".txt", encoding="utf-8") as f:
        text = shift_zero_points(f.read(), rng)
    path = tools.path("op.txt")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    said = tools.yarrow("compile", path, "-w", base + ".bin", "-o", tools.path("aipu.bin"),
                        ok=(0, 1))
    if "wrote" not in said:
        return None
    data = []
    for number, (shape, kind) in enumerate(re.findall(
            r"layer_type=Input\n(?:.*\n)*?layer_top_shape=\[\[([\d,]*)\]\]\nlayer_top_type=\[(\w+)\]",
            text)):
        if kind not in RANGES:
            return None
        data.append(tools.path(f"op{number}.npy"))
        size = [int(n) for n in shape.split(",")]
        common.write_npy(data[-1], size, array.array(
            CODES[kind], [rng.randint(*RANGES[kind]) for _ in range(product(size))]))
    tools.yarrow("eval", "--int", f"{path},{base}.bin", "--exe", tools.path("aipu.bin"), "--data",
                 ",".join(data))
    return True


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    rng = random.Random(8)
    for case in cases(rng):
        check_case(tools, rng, *case)
    packs = sorted(glob.glob(tools.pack("opzoo", "*", "c0__a8", "int.txt")))
    packs += sorted(glob.glob(tools.pack("ops", "*a8", "int.txt")))
    packs = [p for i, p in enumerate(packs) if i % 4 == 0 or "clip" in p or "relu6" in p]
    agreed = [os.path.basename(os.path.dirname(os.path.dirname(p))) for p in packs
              if check_pack(tools, rng, p[:-4])]
    print(f"{len(agreed)} of {len(packs)} packs with such zero points: evaluator = NPU")
    tools.check(not packs or len(agreed) > 20, "most operators have such a form")
    tools.finish()


if __name__ == "__main__":
    main()
