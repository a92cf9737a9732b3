#!/usr/bin/env python3
"""Networks that nobody wrote: drawn by chance, checked, and made small where a check fails.

    networks.py --count 60                              # as ctest does
    networks.py --seed 1000 --count 10000 --keep DIR    # goes on where it was ended
    networks.py --seed 1234 --count 1 --keep DIR --runtime FOLDER

FOLDER has onnxruntime-node (npm install --ignore-scripts onnxruntime-node), which is the oracle
of floats; the variable YARROW_ONNX_RUNTIME names it, too. Without it floats are not compared.
DIR gets a folder for each failure: the model and its inputs, the network as text and the commands.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import sys
import tempfile
import threading
import time

import generate
import oracle
import reduce
from trial import LIMITS, Trial

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")


class Driver:
    def __init__(self, options):
        self.options = options
        self.folder = tempfile.mkdtemp(prefix="yarrow-networks-")
        self.runtime = oracle.find(options.runtime)
        self.local = threading.local()
        self.oracles = []
        self.results = {}  # seed: [[check, kind, code, text]]
        self.log = None

    def oracle(self):
        """One process of the oracle for each thread."""
        if self.runtime is None:
            return None
        if not hasattr(self.local, "oracle"):
            self.local.oracle = oracle.Oracle(self.runtime)
            self.oracles.append(self.local.oracle)
        return self.local.oracle

    def trial(self, graph, seed, folder):
        shutil.rmtree(folder, ignore_errors=True)
        return Trial(graph, seed, folder, os.path.abspath(self.options.yarrow), self.oracle(),
                     self.options.thorough)

    def check(self, seed):
        """All outcomes of a network; of each failure a small network is kept."""
        graph = generate.network(seed)
        folder = os.path.join(self.folder, str(seed))
        outcomes = self.trial(graph, seed, folder).run()
        for outcome in outcomes:
            if outcome.is_failure and self.options.keep:
                self.shrink(graph, seed, outcome)
        shutil.rmtree(folder, ignore_errors=True)
        return [[o.check, o.kind, o.code, o.text] for o in outcomes]

    def shrink(self, graph, seed, outcome):
        folder = os.path.join(self.folder, "%d-small" % seed)

        def fails(smaller):
            found = self.trial(smaller, seed, folder).run(outcome.check)
            return any(o.signature() == outcome.signature() for o in found)

        if not self.options.whole:
            graph = reduce.reduced(graph, fails)
        kept = os.path.join(os.path.abspath(self.options.keep), "%d_%s" % (
            seed, outcome.check.replace(" ", "_")))
        trial = self.trial(graph, seed, kept)
        last = trial.run(outcome.check)
        with open(os.path.join(kept, "README.txt"), "w", encoding="utf-8") as file:
            file.write("networks.py --seed %d --count 1: %s %s %s\n%s\n\n%s\n\nIn this folder:\n%s\n" % (
                seed, outcome.check, outcome.kind, outcome.code, last[0].text if last else "",
                reduce.text(graph), "\n".join(trial.commands)))
        shutil.rmtree(folder, ignore_errors=True)

    def resume(self):
        """Results of an earlier run in the same folder."""
        if not self.options.keep:
            return
        os.makedirs(self.options.keep, exist_ok=True)
        path = os.path.join(self.options.keep, "results.jsonl")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if line.endswith("\n"):
                        seed, outcomes = json.loads(line)
                        self.results[seed] = outcomes
        self.log = open(path, "a", encoding="utf-8")

    def run(self):
        first, count = self.options.seed, self.options.count
        self.resume()
        seeds = [s for s in range(first, first + count) if s not in self.results]
        with concurrent.futures.ThreadPoolExecutor(self.options.threads) as pool:
            for seed, outcomes in zip(seeds, pool.map(self.check, seeds)):
                self.results[seed] = outcomes
                for check, kind, code, text in outcomes:
                    if kind in ("crash", "hang", "differs", "error"):
                        print("FAILED: seed %d, %s: %s %s %s" % (seed, check, kind, code, text[:400]),
                              flush=True)
                if self.log:
                    self.log.write(json.dumps([seed, outcomes]) + "\n")
                    self.log.flush()
        for process in self.oracles:
            process.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return {s: r for s, r in self.results.items() if first <= s < first + count}


def table(results):
    """Counts by check and outcome, then refusals by code: lines of text."""
    kinds = ("ok", "refused", "skipped", "differs", "error", "crash", "hang")
    counts = collections.Counter((o[0], o[1]) for outcomes in results.values() for o in outcomes)
    lines = ["%-14s" % "check" + "".join("%9s" % k for k in kinds)]
    for check in sorted({check for check, _ in counts}):
        lines.append("%-14s" % check + "".join("%9d" % counts[check, k] for k in kinds))
    codes = collections.Counter(o[2] for outcomes in results.values() for o in outcomes
                                if o[1] == "refused")
    lines += ["refused %5d times by %s: %s" % (n, code, LIMITS.get(code, ""))
              for code, n in codes.most_common()]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--yarrow", default=os.path.join(ROOT, "build/bin/yarrow"),
                        help="the program to check")
    parser.add_argument("--seed", type=int, default=1, help="of the first network")
    parser.add_argument("--count", type=int, help="networks to draw (60; thorough: 10,000)")
    parser.add_argument("--keep", metavar="DIR", help="folder for small networks that fail, and for "
                        "results, which are not computed again")
    parser.add_argument("--whole", action="store_true", help="keep failing networks as drawn")
    parser.add_argument("--runtime", metavar="FOLDER", help="where onnxruntime-node is installed")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--thorough", action="store_true", help="every check on each network")
    options = parser.parse_args()
    options.count = options.count or (10000 if options.thorough else 60)
    begin = time.monotonic()
    driver = Driver(options)
    if driver.runtime is None:
        print("skipped: floats beside ONNX Runtime, as there is no node or no onnxruntime-node")
    missing = generate.without_builder()
    results = driver.run()
    print("\n".join(table(results)))
    failed = sum(o[1] in ("crash", "hang", "differs", "error") for r in results.values() for o in r)
    if missing:
        print("FAILED: operators without a builder: " + ", ".join(missing))
    print("%d networks, %d failures (%.0f s)" % (len(results), failed, time.monotonic() - begin))
    sys.exit(1 if failed or missing else 0)


if __name__ == "__main__":
    main()
