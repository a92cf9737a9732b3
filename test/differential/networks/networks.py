#!/usr/bin/env python3
"""Networks that nobody wrote: drawn by chance, checked, and made small where a check fails.

    networks.py --count 60                              # as ctest does
    networks.py --seed 1000 --count 10000 --keep DIR    # goes on where it was ended
    networks.py --seed 1234 --count 1 --keep DIR --runtime FOLDER

FOLDER has onnxruntime-node (npm install --ignore-scripts onnxruntime-node), which is the oracle
of floats; the variable YARROW_ONNX_RUNTIME names it, too. Without it floats are not compared.
DIR gets a folder for each failure: the model and its inputs, the network as text and the commands.
"""
import os
import sys
import threading

import driver
import generate
import oracle
from onnx_trial import OnnxTrial


class Oracles:
    """One process of ONNX Runtime for each thread."""

    def __init__(self, folder):
        self.runtime = oracle.find(folder)
        self.local = threading.local()
        self.started = []

    def mine(self):
        if self.runtime is None:
            return None
        if not hasattr(self.local, "oracle"):
            self.local.oracle = oracle.Oracle(self.runtime)
            self.started.append(self.local.oracle)
        return self.local.oracle

    def close(self):
        for process in self.started:
            process.close()


def main():
    parser = driver.options_of(__doc__, 60)
    parser.add_argument("--runtime", metavar="FOLDER", help="where onnxruntime-node is installed")
    options = parser.parse_args()
    options.count = options.count or (10000 if options.thorough else 60)
    oracles = Oracles(options.runtime)
    if oracles.runtime is None:
        print("skipped: floats beside ONNX Runtime, as there is no node or no onnxruntime-node")
    program = os.path.abspath(options.yarrow)
    code = driver.Driver(
        options, generate.network,
        lambda graph, seed, folder: OnnxTrial(graph, seed, folder, program, oracles.mine(),
                                              options.thorough),
        missing=generate.without_builder()).main()
    oracles.close()
    sys.exit(code)


if __name__ == "__main__":
    main()
