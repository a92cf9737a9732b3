"""What prove-repeated-filters.test needs: a convolution whose filters repeat, with biases that do not.

Example:
    python3 repeated_filters.py net.onnx
"""
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import onnx

CHANNELS = 256


def main():
    chance = random.Random(1)
    half = [chance.gauss(0, 0.1) for _ in range(CHANNELS * CHANNELS)]
    biases = [chance.uniform(-1, 1) for _ in range(2 * CHANNELS)]
    graph = (onnx.node("Conv", ["x", "w", "b"], ["y"], "/conv/Conv") +
             onnx.floats("w", [2 * CHANNELS, CHANNELS, 1, 1], 2 * half) +
             onnx.floats("b", [2 * CHANNELS], biases))
    with open(sys.argv[1], "wb") as file:
        file.write(onnx.model(graph + onnx.value(11, "x", [1, CHANNELS, 8, 8]) +
                              onnx.value(12, "y", [1, 2 * CHANNELS, 8, 8])))


main()
