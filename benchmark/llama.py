#!/usr/bin/env python3
"""Decodes with a large language model of random weights, and tells what a token costs.

    benchmark/llama.py --yarrow build/bin/yarrow [--layers 12 --width 768 --hidden 2048]
                       [--heads 12 --tokens 32000 --cache 1024] [--weight-bits 8] [-t X2_1204]

A llama of these sizes is written as a GGUF file of Q8_0, quantized, compiled and run for a few
tokens. Prints times and memory of each step, and cycles of a token beside the bytes that must
come over the bus at least: the weights once and the whole cache. Needs NumPy.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "test", "lit"))
sys.dont_write_bytecode = True
import gguf


class Stored:
    """As gguf.Tensor, but without its values."""

    def __init__(self, shape, kind, array):
        self.shape, self.number = list(shape), gguf.TYPES[kind][0]
        self.data = array.tobytes()


def blocks(shape, rng, deviation):
    """Q8_0: 32 integers a block."""
    count = int(np.prod(shape)) // 32
    made = np.zeros(count, np.dtype([("scale", "<f2"), ("q", "i1", 32)]))
    made["scale"] = deviation / 40
    made["q"] = np.clip(np.rint(rng.normal(0, 40, (count, 32))), -128, 127)
    return Stored(shape, "Q8_0", made)


def write_model(path, options):
    """All norms are 1, as only sizes matter here."""
    width, hidden = options.width, options.hidden
    rng, model = np.random.default_rng(1), gguf.Model()
    sizes = {"context_length": options.cache, "embedding_length": width,
             "feed_forward_length": hidden, "block_count": options.layers,
             "attention.head_count": options.heads, "attention.head_count_kv": options.heads,
             "rope.dimension_count": width // options.heads}
    model.values["general.architecture"] = ("string", "llama")
    model.values["general.name"] = ("string", "large")
    model.values.update({"llama." + key: ("uint32", size) for key, size in sizes.items()})
    model.values["llama.attention.layer_norm_rms_epsilon"] = ("float32", 1e-5)

    def add(name, *shape):
        model.tensors[name + ".weight"] = blocks(shape, rng, shape[-1] ** -0.5)

    def norm(name):
        model.tensors[name + ".weight"] = Stored([width], "F32", np.ones(width, "<f4"))

    add("token_embd", options.tokens, width)
    for i in range(options.layers):
        block = f"blk.{i}."
        norm(block + "attn_norm")
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(block + part, width, width)
        norm(block + "ffn_norm")
        add(block + "ffn_gate", hidden, width)
        add(block + "ffn_up", hidden, width)
        add(block + "ffn_down", width, hidden)
    norm("output_norm")
    add("output", options.tokens, width)
    with open(path, "wb") as file:
        file.write(model.bytes())


def timed(*command):
    """Runs a command and prints its time and memory."""
    begin = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    memory = f"{most / 1024:,.0f} MB" if most > before else f"at most {before / 1024:,.0f} MB"
    print(f"{command[1]:9} {time.monotonic() - begin:6.1f} s, {memory}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--yarrow", default=os.path.join(ROOT, "build", "bin", "yarrow"))
    for name, size in (("layers", 12), ("width", 768), ("hidden", 2048), ("heads", 12),
                       ("tokens", 32000), ("cache", 1024)):
        parser.add_argument("--" + name, type=int, default=size)
    parser.add_argument("--weight-bits", default="8")
    parser.add_argument("-t", "--target", default="X2_1204")
    parser.add_argument("--folder", help="keep the files here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or scratch
        os.makedirs(folder, exist_ok=True)
        measure(options, folder)


def least_bytes(options):
    """A byte for each weight of a product and for each element of the cache; a step reads only
    one row of the embedding."""
    width = options.width
    layer = 4 * width * width + 3 * width * options.hidden + 2 * options.cache * width
    return options.tokens * width + options.layers * layer


def measure(options, folder):
    def path(name):
        return os.path.join(folder, name)
    write_model(path("large.gguf"), options)
    samples = np.random.default_rng(2).integers(0, options.tokens, (4, 1), dtype=np.int32)
    np.save(path("samples.npy"), samples)
    print(f"large.gguf {os.path.getsize(path('large.gguf')) / 1e6:9,.1f} MB")
    timed(options.yarrow, "quantize", path("large.gguf"), "-c", path("samples.npy"), "-o",
          path("int"), "--recipe", "compass", "--weight-bits", options.weight_bits, "--brief", "-q")
    timed(options.yarrow, "compile", path("int/large_o.txt"), "-t", options.target, "-o",
          path("aipu.bin"), "-q")
    timed(options.yarrow, "run", path("aipu.bin"), "-i", path("samples.npy"), "-o",
          path("y.npy"), "--timed", "--report", path("run.json"), "-q")
    with open(path("run.json"), encoding="utf-8") as file:
        performance = json.load(file)["performance"]
    print(f"{performance['cycles']:,} cycles a token, loads busy for "
          f"{performance['dma_load_busy_cycles']:,}; weights of the products and "
          f"the cache have {least_bytes(options):,} bytes")


if __name__ == "__main__":
    main()
