#!/usr/bin/env python3
"""Writes small GGUF models for tests: llamas with weights that are made up.

    gguf.py tiny -o tiny.gguf                        # of F32
    gguf.py tiny -o q8.gguf --type Q8_0              # weights in blocks
    gguf.py tiny -o half.gguf --truncate 400
    gguf.py tiny -o bad.gguf --set llama.block_count=2 --drop output_norm.weight
    gguf.py tiny -o bad.gguf --shape blk.0.attn_q.weight=4,8

Blocks are packed here from integers and scales, and valued by the formulas of
the format, so that a reader that unpacks them has a second opinion.
"""
import argparse
import random
import struct

VALUE_TYPES = {"uint32": (4, "I"), "int32": (5, "i"), "float32": (6, "f"), "bool": (7, "?"),
               "uint64": (10, "Q")}
STRING, ARRAY = 8, 9


def half(value):
    """The nearest float of 16 bits, and its bytes."""
    data = struct.pack("<e", value)
    return struct.unpack("<e", data)[0], data


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


#===--- Blocks: each writes values of about the given deviation, ---===#
#===--- and returns their bytes and what they mean.              ---===#

def block_f32(rng, deviation):
    value = single(rng.gauss(0, deviation))
    return struct.pack("<f", value), [value]


def block_f16(rng, deviation):
    value, data = half(rng.gauss(0, deviation))
    return data, [value]


def block_bf16(rng, deviation):
    data = struct.pack("<f", rng.gauss(0, deviation))[2:]
    return data, [struct.unpack("<f", b"\0\0" + data)[0]]


def block_q8_0(rng, deviation):
    scale, data = half(deviation / 40)
    q = [max(-128, min(127, round(rng.gauss(0, 40)))) for _ in range(32)]
    return data + struct.pack("<32b", *q), [scale * v for v in q]


def nibbles(q):
    """Two integers of 4 bits a byte: the first half of them is low."""
    n = len(q) // 2
    return bytes(q[i] | q[i + n] << 4 for i in range(n))


def block_q4_0(rng, deviation):
    scale, data = half(deviation / 3)
    q = [rng.randrange(16) for _ in range(32)]
    return data + nibbles(q), [scale * (v - 8) for v in q]


def block_q4_1(rng, deviation):
    scale, data = half(deviation / 4)
    least, more = half(-2 * deviation)
    q = [rng.randrange(16) for _ in range(32)]
    return data + more + nibbles(q), [scale * v + least for v in q]


def block_q4_k(rng, deviation):
    scale, data = half(deviation / 120)
    offset, more = half(deviation / 30)
    scales = [rng.randrange(64) for _ in range(8)]
    offsets = [rng.randrange(64) for _ in range(8)]
    q = [[rng.randrange(16) for _ in range(32)] for _ in range(8)]
    packed = [scales[i] | scales[i + 4] >> 4 << 6 for i in range(4)]
    packed += [offsets[i] | offsets[i + 4] >> 4 << 6 for i in range(4)]
    packed += [scales[i + 4] & 15 | (offsets[i + 4] & 15) << 4 for i in range(4)]
    pairs = b"".join(nibbles(q[i] + q[i + 1]) for i in range(0, 8, 2))
    return (data + more + bytes(packed) + pairs,
            [scale * scales[i] * v - offset * offsets[i] for i in range(8) for v in q[i]])


def block_q6_k(rng, deviation):
    scale, data = half(deviation / 800)
    scales = [rng.randrange(-128, 128) for _ in range(16)]
    q = [rng.randrange(64) for _ in range(256)]
    low, high = bytearray(128), bytearray(64)
    for i, v in enumerate(q):
        part, place = i % 128 // 32, i % 32
        low[i // 128 * 64 + part % 2 * 32 + place] |= (v & 15) << (part // 2 * 4)
        high[i // 128 * 32 + place] |= (v >> 4) << (2 * part)
    return (bytes(low) + bytes(high) + struct.pack("<16b", *scales) + data,
            [scale * scales[i // 16] * (v - 32) for i, v in enumerate(q)])


# The format's number, elements of a block, and the function that makes one.
TYPES = {"F32": (0, 1, block_f32), "F16": (1, 1, block_f16), "Q4_0": (2, 32, block_q4_0),
         "Q4_1": (3, 32, block_q4_1), "Q8_0": (8, 32, block_q8_0), "Q4_K": (12, 256, block_q4_k),
         "Q6_K": (14, 256, block_q6_k), "BF16": (30, 1, block_bf16)}


class Tensor:
    """Weights; `shape` has the axis of neighbouring elements last."""

    def __init__(self, shape, kind, rng, deviation, around=0):
        self.shape, self.number = list(shape), TYPES[kind][0]
        count = 1
        for length in shape:
            count *= length
        self.data, self.values = b"", []
        while len(self.values) < count:
            data, values = TYPES[kind][2](rng, deviation)
            if around:
                values = [single(around + v) for v in values]
                data = struct.pack("<%df" % len(values), *values)
            self.data += data
            self.values += values


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def value(kind, v):
    """The number of the type, then the value. A list has a type for all of it."""
    if isinstance(v, list):
        body = b"".join(value(kind, item)[4:] for item in v)
        number = STRING if kind == "string" else VALUE_TYPES[kind][0]
        return struct.pack("<IIQ", ARRAY, number, len(v)) + body
    if kind == "string":
        return struct.pack("<I", STRING) + text(v)
    number, form = VALUE_TYPES[kind]
    return struct.pack("<I" + form, number, v)


class Model:
    def __init__(self):
        self.values = {}   # key: (type, value)
        self.tensors = {}  # name: Tensor
        self.version, self.alignment = 3, 32

    def bytes(self):
        out = b"GGUF" + struct.pack("<IQQ", self.version, len(self.tensors), len(self.values))
        for key, (kind, v) in self.values.items():
            out += text(key) + value(kind, v)
        data = b""
        for name, tensor in self.tensors.items():
            data += bytes(-len(data) % self.alignment)
            out += text(name) + struct.pack("<I", len(tensor.shape))
            out += struct.pack("<%dQ" % len(tensor.shape), *reversed(tensor.shape))
            out += struct.pack("<IQ", tensor.number, len(data))
            data += tensor.data
        return out + bytes(-len(out) % self.alignment) + data


def vocabulary(count):
    """Texts, scores and types of tokens: three of control, 256 bytes, letters, pairs."""
    texts, kinds = ["<unk>", "<s>", "</s>"], [2, 3, 3]
    texts += ["<0x%02X>" % i for i in range(256)]
    kinds += [6] * 256
    pieces = ["\u2581"] + [chr(ord("a") + i) for i in range(26)]
    pieces += ["\u2581a", "th", "he", "the", "\u2581the", "an", "and", "\u2581and"]
    texts, kinds = texts + pieces, kinds + [1] * len(pieces)
    scores = [0.0] * 259 + [-float(i) for i in range(len(pieces))]
    return texts[:count], scores[:count], kinds[:count]


def llama(kind="F32", width=8, hidden=12, layers=2, heads=4, key_heads=2, tokens=16, context=32,
          rotated=None, tied=False, factors=False, seed=1):
    """A network of these sizes with weights of `kind`; norms have F32."""
    rng, m, size = random.Random(seed), Model(), width // heads
    integers = {"context_length": context, "embedding_length": width,
                "feed_forward_length": hidden, "block_count": layers,
                "attention.head_count": heads, "attention.head_count_kv": key_heads,
                "rope.dimension_count": rotated or size}
    m.values["general.architecture"] = ("string", "llama")
    m.values["general.name"] = ("string", "tiny")
    for key, v in integers.items():
        m.values["llama." + key] = ("uint32", v)
    m.values["llama.attention.layer_norm_rms_epsilon"] = ("float32", 1e-5)
    if tokens >= 270:
        texts, scores, kinds = vocabulary(tokens)
        m.values["tokenizer.ggml.model"] = ("string", "llama")
        m.values["tokenizer.ggml.tokens"] = ("string", texts)
        m.values["tokenizer.ggml.scores"] = ("float32", scores)
        m.values["tokenizer.ggml.token_type"] = ("int32", kinds)
        m.values["tokenizer.ggml.bos_token_id"] = ("uint32", 1)
        m.values["tokenizer.ggml.eos_token_id"] = ("uint32", 2)
        tokens = len(texts)

    def weights(name, shape):
        m.tensors[name] = Tensor(shape, kind, rng, shape[-1] ** -0.5)

    def norm(name):
        m.tensors[name] = Tensor([width], "F32", rng, 0.1, around=1)
    m.tensors["token_embd.weight"] = Tensor([tokens, width], kind, rng, 1)
    for i in range(layers):
        b = "blk.%d." % i
        norm(b + "attn_norm.weight")
        weights(b + "attn_q.weight", [heads * size, width])
        weights(b + "attn_k.weight", [key_heads * size, width])
        weights(b + "attn_v.weight", [key_heads * size, width])
        weights(b + "attn_output.weight", [width, heads * size])
        norm(b + "ffn_norm.weight")
        weights(b + "ffn_gate.weight", [hidden, width])
        weights(b + "ffn_up.weight", [hidden, width])
        weights(b + "ffn_down.weight", [width, hidden])
    norm("output_norm.weight")
    if not tied:
        weights("output.weight", [tokens, width])
    if factors:
        m.tensors["rope_freqs.weight"] = Tensor([(rotated or size) // 2], "F32", rng, 0.2,
                                                around=1.5)
    return m


MODELS = {"tiny": lambda kind: llama(kind),
          "story": lambda kind: llama(kind, width=64, hidden=64, layers=1, heads=8, key_heads=4,
                                      context=256),
          # Rows that all types of blocks divide.
          "wide": lambda kind: llama(kind, width=256, hidden=256, layers=1, tokens=20),
          "tied": lambda kind: llama(kind, tied=True, factors=True, rotated=2, heads=2,
                                     key_heads=1),
          "words": lambda kind: llama(kind, tokens=WORDS)}
WORDS = 294


def edit(model, args):
    for setting in args.set:
        key, _, v = setting.partition("=")
        kind = model.values.get(key, ("string" if not v.isdigit() else "uint32",))[0]
        model.values[key] = (kind, v if kind == "string" else
                             float(v) if kind == "float32" else int(v))
    for name in args.drop:
        model.values.pop(name, None)
        model.tensors.pop(name, None)
    for setting in args.shape:
        name, _, shape = setting.partition("=")
        lengths = [int(length) for length in shape.split(",")]
        if name in model.tensors:
            model.tensors[name].shape = lengths
        else:
            model.tensors[name] = Tensor(lengths, "F32", random.Random(1), 1)
    for setting in args.number:
        name, _, number = setting.partition("=")
        model.tensors[name].number = int(number)
    model.version = args.version


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", choices=sorted(MODELS))
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--type", default="F32", choices=sorted(TYPES))
    parser.add_argument("--truncate", type=int)
    parser.add_argument("--tokens", type=int)
    parser.add_argument("--version", type=int, default=3)
    for option, what in (("set", "KEY=VALUE"), ("drop", "KEY or tensor"),
                         ("shape", "TENSOR=LENGTHS"), ("number", "TENSOR=TYPE")):
        parser.add_argument("--" + option, action="append", default=[], help=what)
    args = parser.parse_args()
    model = MODELS[args.model](args.type) if args.tokens is None else \
        llama(args.type, tokens=args.tokens)
    edit(model, args)
    with open(args.output, "wb") as file:
        file.write(model.bytes()[:args.truncate])


if __name__ == "__main__":
    main()
