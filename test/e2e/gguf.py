"""GGUF models against their definition, and a small language model that tells a story.

The network of a llama is computed here from its definition, from the values that its
blocks stand for (test/lit/gguf.py packs them), for every type of weights. The
evaluator must give the same logits for a sequence and, with keys and values as state,
token by token; the NPU must give the evaluator's bytes. Where the reference data have
stories260K, its logits, its perplexity and its text are checked as well.
"""
import array
import json
import math
import operator
import os
import random
import sys

import common

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lit"))
sys.dont_write_bytecode = True
import gguf

STORIES = "../zoo/stories260K"
STEPS = 12


class Llama:
    """The definition, in double precision."""

    def __init__(self, model):
        def size(key):
            return model.values["llama." + key][1]
        self.weights = {name: tensor.values for name, tensor in model.tensors.items()}
        self.heads, self.key_heads = size("attention.head_count"), size("attention.head_count_kv")
        self.layers, self.width = size("block_count"), size("embedding_length")
        self.rotated, self.size = size("rope.dimension_count"), self.width // self.heads
        self.epsilon = gguf.single(size("attention.layer_norm_rms_epsilon"))
        self.cache = [([], []) for _ in range(self.layers)]
        self.position = 0

    def product(self, name, x):
        rows = self.weights[name + ".weight"]
        n = len(x)
        return [sum(map(operator.mul, rows[i:i + n], x)) for i in range(0, len(rows), n)]

    def norm(self, name, x):
        root = math.sqrt(math.fsum(v * v for v in x) / len(x) + self.epsilon)
        return [v / root * w for v, w in zip(x, self.weights[name + ".weight"])]

    def turned(self, x):
        """Neighbours in a head turn by an angle that grows with the position."""
        y, factors = list(x), self.weights.get("rope_freqs.weight")
        for head in range(0, len(x), self.size):
            for i in range(self.rotated // 2):
                angle = self.position * 10000 ** (-2 * i / self.rotated)
                angle /= factors[i] if factors else 1
                a, b = x[head + 2 * i:head + 2 * i + 2]
                y[head + 2 * i] = a * math.cos(angle) - b * math.sin(angle)
                y[head + 2 * i + 1] = a * math.sin(angle) + b * math.cos(angle)
        return y

    def attention(self, layer, name, x):
        q = self.turned(self.product(name + "_q", x))
        keys, values = self.cache[layer]
        keys.append(self.turned(self.product(name + "_k", x)))
        values.append(self.product(name + "_v", x))
        out = []
        for head in range(self.heads):
            mine = q[head * self.size:(head + 1) * self.size]
            first = head // (self.heads // self.key_heads) * self.size
            scores = [math.fsum(a * b for a, b in zip(mine, k[first:])) / math.sqrt(self.size)
                      for k in keys]
            powers = [math.exp(s - max(scores)) for s in scores]
            for i in range(self.size):
                out.append(math.fsum(p * v[first + i] for p, v in zip(powers, values)) /
                           math.fsum(powers))
        return self.product(name + "_output", out)

    def step(self, token):
        """Logits of the token after this one."""
        rows = self.weights["token_embd.weight"]
        x = rows[token * self.width:(token + 1) * self.width]
        for layer in range(self.layers):
            b = "blk.%d." % layer
            y = self.attention(layer, b + "attn", self.norm(b + "attn_norm", x))
            x = [v + w for v, w in zip(x, y)]
            y = self.norm(b + "ffn_norm", x)
            gate, up = self.product(b + "ffn_gate", y), self.product(b + "ffn_up", y)
            y = self.product(b + "ffn_down", [g / (1 + math.exp(-g)) * u
                                              for g, u in zip(gate, up)])
            x = [v + w for v, w in zip(x, y)]
        self.position += 1
        output = "output" if "output.weight" in self.weights else "token_embd"
        return self.product(output, self.norm("output_norm", x))


def write_tokens(tools, name, shape, tokens):
    common.write_npy(tools.path(name), shape, array.array("i", tokens))
    return tools.path(name)


def largest_difference(a, b):
    return max(abs(x - y) for x, y in zip(a, b))


def check_model(tools, name, model, steps):
    """Both forms in floats, against the definition."""
    path = tools.path(name + ".gguf")
    with open(path, "wb") as file:
        file.write(model.bytes())
    count = model.tensors["token_embd.weight"].shape[0]
    rng = random.Random(len(name))
    tokens = [rng.randrange(count) for _ in range(steps)]
    llama = Llama(model)
    expected = [v for token in tokens for v in llama.step(token)]
    sequence = write_tokens(tools, "sequence.npy", [1, steps], tokens)
    each = write_tokens(tools, "steps.npy", [steps, 1], tokens)
    out = tools.path("logits.npy")
    for form, shapes, data in (("sequence", ["tokens=1,%d" % steps], sequence),
                               ("decode", ["cache=%d" % steps], each)):
        options = [word for shape in shapes for word in ("--input-shape", shape)]
        tools.yarrow("eval", path, *options, "-i", data, "-o", out)
        found = common.read_npy(out)[2]
        off = largest_difference(found, expected) if len(found) == len(expected) else math.inf
        tools.check(off < 2e-5, f"{name}, {form}: logits differ by {off}")
    return path, each


def check_beyond(tools, path):
    """A sequence that is longer than the cache ends with an error."""
    tokens = write_tokens(tools, "long.npy", [5, 1], [1, 2, 3, 4, 5])
    tools.yarrow("eval", path, "--input-shape", "cache=4", "-i", tokens, "-o",
                 tools.path("logits.npy"), ok=(1,))
    tools.yarrow("eval", path, "--input-shape", "cache=4", "-i", tokens, "-o",
                 tools.path("logits.npy"), "--reset-every", 4)


def check_integers(tools, path, data):
    """Quantized and compiled: the evaluator's bytes, step by step."""
    tools.yarrow("quantize", path, "--input-shape", "cache=%d" % STEPS, "-c", data, "-o",
                 tools.path("int"), "--brief")
    ir = tools.path("int", "tiny_o.txt")
    for machine in ("X2_1204", "Z1_0701"):
        exe = tools.path("aipu.bin")
        tools.yarrow("compile", ir, "-t", machine, "-o", exe)
        found = tools.yarrow("eval", "--int", ir, "--exe", exe, "--data", data)
        tools.check("0 of" in found, f"{machine}: eval --int --exe says {found}")


def loss(logits, tokens, size):
    """Mean negative log likelihood of each token after the one before."""
    total = 0
    for i, token in enumerate(tokens):
        row = logits[i * size:(i + 1) * size]
        most = max(row)
        total += math.log(math.fsum(math.exp(v - most) for v in row)) + most - row[token]
    return total / len(tokens)


def check_stories(tools, folder):
    path = os.path.join(folder, "stories260K.gguf")
    shape, _, reference = common.read_npy(os.path.join(folder, "logits4.npy"))
    _, _, tokens = common.read_npy(os.path.join(folder, "tokens.npy"))
    texts, steps, size = shape
    data = write_tokens(tools, "texts.npy", [texts, steps], tokens[:texts * steps])
    out = tools.path("logits.npy")
    tools.yarrow("eval", path, "--input-shape", "tokens=1,%d" % steps, "-i", data, "-o", out)
    off = largest_difference(common.read_npy(out)[2], reference)
    tools.check(off < 1e-4, f"stories260K, sequence: logits differ by {off}")
    data = write_tokens(tools, "texts.npy", [texts * steps, 1], tokens[:texts * steps])
    tools.yarrow("eval", path, "-i", data, "-o", out, "--reset-every", steps)
    logits = common.read_npy(out)[2]
    off = largest_difference(logits, reference)
    tools.check(off < 1e-4, f"stories260K, decode: logits differ by {off}")
    print(f"stories260K: logits within {off:.1e}")
    check_perplexity(tools, path, folder, steps, size)
    check_text(tools, path, folder)


def check_perplexity(tools, path, folder, steps, size):
    """Over ten of the texts; the figure for all of them is 3.63."""
    _, _, tokens = common.read_npy(os.path.join(folder, "tokens.npy"))
    texts, out = 80 if tools.options.thorough else 10, tools.path("logits.npy")
    data = write_tokens(tools, "texts.npy", [texts, steps], tokens[:texts * steps])
    tools.yarrow("eval", path, "--input-shape", "tokens=1,%d" % steps, "-i", data, "-o", out)
    logits, total = common.read_npy(out)[2], 0
    for i in range(texts):
        rows = logits[i * steps * size:((i + 1) * steps - 1) * size]
        total += loss(rows, tokens[i * steps + 1:(i + 1) * steps], size)
    perplexity = math.exp(total / texts)
    print(f"stories260K: perplexity {perplexity:.3f}")
    tools.check(abs(perplexity - 3.63) < (0.005 if texts == 80 else 0.3),
                f"stories260K: perplexity {perplexity}")
    report = tools.path("report.json")
    tools.yarrow("eval", "--float", path, "--input-shape", "cache=%d" % steps, "--tokens", data,
                 "--report", report)
    with open(report, encoding="utf-8") as file:
        networks = json.load(file)["accuracy"]["networks"]
    told = networks["float"]["metrics"]["perplexity"]["value"]
    tools.check(abs(told - perplexity) < 1e-4, f"stories260K: eval --tokens says {told}")


def check_text(tools, path, folder):
    """The most likely text; its letters become its tokens again."""
    with open(os.path.join(folder, "greedy.txt"), encoding="utf-8") as file:
        expected = file.read()
    _, _, tokens = common.read_npy(os.path.join(folder, "greedy.npy"))
    text = tools.yarrow("-q", "generate", path, "-n", len(tokens) - 1)
    tools.check(text.rstrip("\n") == expected.rstrip("\n"),
                f"stories260K tells another story: {text}")
    some = 100
    begin = tools.yarrow("-q", "generate", path, "-n", some).rstrip("\n")
    rest = tools.yarrow("-q", "generate", path, "-p", begin.lstrip(), "-n", 20, "--tokens")
    tools.check(rest.split() == [str(token) for token in tokens[some + 1:some + 21]],
                "stories260K goes on otherwise after its own text as a prompt")


def main():
    tools = common.arguments("GGUF models against their definition")
    for kind in gguf.TYPES:
        check_model(tools, kind, gguf.MODELS["wide"](kind), 3)
    check_model(tools, "tied", gguf.MODELS["tied"]("F32"), STEPS)
    path, data = check_model(tools, "tiny", gguf.MODELS["tiny"]("F32"), STEPS)
    check_beyond(tools, path)
    check_integers(tools, path, data)
    stories = os.path.join(tools.packs, STORIES)
    if os.path.isdir(stories):
        check_stories(tools, stories)
    else:
        print("stories260K is not there")
    tools.finish()


if __name__ == "__main__":
    main()
