"""Encodings files for tests, after AIMET's published format, and what an integer IR has of one.

A file holds (q + offset) * scale for every tensor that a statistics file has a range of,
a little wider than that range, so that nobody else finds the same scales, and for the
weights of convolutions and fully connected layers, by channel.

Example:
    python3 encodings_file.py make net.txt net_statistic_info.json -o net.encodings
    python3 encodings_file.py make net.txt net_statistic_info.json -o net.encodings \\
        --version 1.0.0 --without /fc/Gemm_0
    python3 encodings_file.py check net_o.txt net.encodings
"""
import argparse
import array
import json
import random
import struct
import sys

import common

WITH_WEIGHTS = ("Convolution", "DepthwiseConv", "FullyConnected")


def float32(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def unmoved(name):
    """Clean-up moves layers past a Transpose, to which they leave the name of their result."""
    while name.endswith("_before_transpose"):
        name = name[:-len("_before_transpose")]
    return name


def floats_of(layer, key, path):
    """A constant of the IR, from its weights file."""
    with open(path, "rb") as file:
        file.seek(int(layer[key + "_offset"]))
        values = array.array("f")
        values.frombytes(file.read(int(layer[key + "_size"])))
        return values


def weights_path(text):
    return text[:-len(".txt")] + ".bin"


def activation(low, high, bits):
    """Of a range that contains 0: what is never below 0 has no offset."""
    low, high = min(low, 0.0), max(high, 0.0)
    steps = 2 ** bits - 1
    if bits >= 16 and low < 0:
        scale = float32(max(-low, high) / 2 ** (bits - 1))
        return {"scale": scale, "offset": -2 ** (bits - 1), "symmetric": True}
    scale = float32((high - low) / steps)
    return {"scale": scale, "offset": round(low / scale), "symmetric": False}


def channels_of(layer, path, bits, per_channel):
    """Symmetric, of each filter: strictly so of every other layer."""
    values = floats_of(layer, "weights", path)
    count = json.loads(layer["weights_shape"])[0] if per_channel else 1
    size = len(values) // count
    strict = int(layer["layer_id"]) % 2
    most = 2 ** (bits - 1) - 1
    return [{"scale": float32(max(max(map(abs, values[c * size:(c + 1) * size])) / most, 1e-6)),
             "offset": -most - (0 if strict else 1), "symmetric": True}
            for c in range(count)]


class Encodings:
    """By name: the bits, and one or more channels."""

    def __init__(self, text, statistics, bits=8, weight_bits=8, per_channel=True, seed=1):
        _, *layers = common.read_layers(text)
        with open(statistics) as file:
            ranges = {unmoved(name): state["extrema"]
                      for layer in json.load(file)["layers"].values()
                      for name, state in layer.get("tensors", {}).items()}
        random_numbers = random.Random(seed)
        self.activations, self.parameters = {}, {}
        for layer in layers:
            for name in layer["layer_top"].strip("[]").split(","):
                if name in ranges and not passes(layer):
                    low, high = (x * random_numbers.uniform(1.001, 1.02) for x in ranges[name])
                    self.activations[name] = bits, [activation(low, high, bits)]
            if layer["layer_type"] in WITH_WEIGHTS:
                self.parameters[layer["layer_name"] + ".weights"] = weight_bits, channels_of(
                    layer, weights_path(text), weight_bits, per_channel)

    def write(self, path, version):
        def legacy(bits, channel):
            low = channel["offset"]
            high = low + 2 ** bits - 1 - (low == -(2 ** (bits - 1)) + 1 and channel["symmetric"])
            return {"bitwidth": bits, "dtype": "int", "is_symmetric": str(channel["symmetric"]),
                    "max": high * channel["scale"], "min": low * channel["scale"],
                    "offset": low, "scale": channel["scale"]}

        def listed(name, bits, channels):
            return {"name": name, "enc_type": "PER_CHANNEL" if len(channels) > 1 else "PER_TENSOR",
                    "dtype": "INT", "bw": bits, "is_sym": channels[0]["symmetric"],
                    "scale": [c["scale"] for c in channels],
                    "offset": [c["offset"] for c in channels]}

        def section(entries):
            if version == "1.0.0":
                return [listed(name, bits, channels)
                        for name, (bits, channels) in entries.items()]
            return {name: [legacy(bits, c) for c in channels]
                    for name, (bits, channels) in entries.items()}

        with open(path, "w") as file:
            json.dump({"version": version, "activation_encodings": section(self.activations),
                       "param_encodings": section(self.parameters),
                       "quantizer_args": {"quant_scheme": "post_training_tf"}}, file, indent=1)


def passes(layer):
    """Whether the layer has its input's scale."""
    return layer["layer_type"] in ("Reshape", "Transpose", "Pad", "Slice", "Pooling")


def read(path):
    """(activations, parameters) of a file of either version: name to bits, scales, offsets."""
    with open(path) as file:
        root = json.load(file)
    found = []
    for key in ("activation_encodings", "param_encodings"):
        section = root[key]
        if isinstance(section, list):
            found.append({e["name"]: (e["bw"], e["scale"], e["offset"]) for e in section})
        else:
            found.append({name: (e[0]["bitwidth"], [c["scale"] for c in e],
                                 [c["offset"] for c in e]) for name, e in section.items()})
    return found


def lowest_of(kind):
    """The least integer of a type of IR text."""
    bits = {"8": 8, "6": 16, "4": 4, "2": 12}[kind[-1]]
    return 0 if kind.startswith(("uint", "aligned_uint")) else -2 ** (bits - 1), bits


def differences(text, activations, parameters, tensor_of=lambda name: name,
                layer_of=lambda name: name[:-len(".weights")]):
    """What an integer IR does not have as the file says it."""
    _, *layers = common.read_layers(text)
    tops, by_name = {}, {}
    for layer in layers:
        by_name[layer["layer_name"]] = layer
        keys = [layer[k].strip("[]").split(",")
                for k in ("layer_top", "layer_top_scale", "layer_top_zp", "layer_top_type")]
        tops.update({unmoved(name): (float(scale), int(zero), kind)
                     for name, scale, zero, kind in zip(*keys)})
    wrong = []
    for name, (bits, (scale,), (offset,)) in activations.items():
        found, zero, kind = tops[tensor_of(name)]
        least, width = lowest_of(kind)
        strict = offset == -(2 ** (bits - 1)) + 1 and zero == 0
        if (float32(found), width, least + strict + zero) != (float32(1 / scale), bits, offset):
            wrong.append("%s: scale %r, zero point %d of %s; the file has %r, offset %d" % (
                name, found, zero, kind, 1 / scale, offset))
    for name, (_, scales, _) in parameters.items():
        layer = by_name[layer_of(name)]
        found = ([float(layer["weights_scale"])] if "weights_scale" in layer
                 else list(floats_of(layer, "weights_scale", weights_path(text))))
        count = max(len(found), len(scales))
        for c in range(count):
            one, other = found[c % len(found)], scales[c % len(scales)]
            if float32(one) != float32(1 / other):
                wrong.append("%s[%d]: scale %r, the file has %r" % (name, c, one, 1 / other))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["make", "check"])
    parser.add_argument("network")
    parser.add_argument("file", help="make: the statistics; check: the encodings")
    parser.add_argument("-o", "--output")
    parser.add_argument("--version", default="0.6.1")
    parser.add_argument("--bits", type=int, default=8)
    parser.add_argument("--weight-bits", type=int, default=8)
    parser.add_argument("--per-tensor", action="store_true", help="one scale of weights")
    parser.add_argument("--without", action="append", default=[])
    args = parser.parse_args()
    if args.what == "check":
        wrong = differences(args.network, *read(args.file))
        print("\n".join(wrong) or "every scale is the file's")
        return 1 if wrong else 0
    encodings = Encodings(args.network, args.file, args.bits, args.weight_bits,
                          not args.per_tensor)
    for name in args.without:
        for section in (encodings.activations, encodings.parameters):
            section.pop(name, None)
    encodings.write(args.output, args.version)
    return 0


if __name__ == "__main__":
    sys.exit(main())
