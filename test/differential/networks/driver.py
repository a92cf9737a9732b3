"""Draws networks, checks each, and makes those small that fail: for every format.

Example:
    driver = Driver(options, draw=generate.network, trial=lambda graph, seed, folder: ...)
    sys.exit(driver.main())
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import tempfile
import time

import reduce
from trial import LIMITS

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
FAILURES = ("crash", "hang", "differs", "error")


def options_of(description, count):
    """A parser of the options that all formats have."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--yarrow", default=os.path.join(ROOT, "build/bin/yarrow"),
                        help="the program to check")
    parser.add_argument("--seed", type=int, default=1, help="of the first network")
    parser.add_argument("--count", type=int, help="networks to draw (%d; thorough: 10,000)" % count)
    parser.add_argument("--seconds", type=float, help="draw no more networks after this time")
    parser.add_argument("--keep", metavar="DIR", help="folder for small networks that fail, and for "
                        "results, which are not computed again")
    parser.add_argument("--whole", action="store_true", help="keep failing networks as drawn")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--thorough", action="store_true", help="every check on each network")
    return parser


class Driver:
    """\p draw is a function of the seed; \p trial of network, seed and folder; \p open_faults
    says why (seed, check) fails until somebody mends that."""

    def __init__(self, options, draw, trial, missing=(), limits=LIMITS, open_faults=None):
        self.options, self.draw, self.trial_of = options, draw, trial
        self.missing = missing  # operators that have no builder
        self.limits = limits
        self.open_faults = open_faults or {}
        self.folder = tempfile.mkdtemp(prefix="yarrow-networks-")
        self.results = {}  # seed: [[check, kind, code, text]]
        self.log = None
        self.begin = time.monotonic()

    def trial(self, graph, seed, folder):
        shutil.rmtree(folder, ignore_errors=True)
        return self.trial_of(graph, seed, folder)

    def check(self, seed):
        """All outcomes of a network; of each failure a small network is kept."""
        seconds = self.options.seconds
        if seconds and time.monotonic() - self.begin > seconds:
            return None
        graph = self.draw(seed)
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
            file.write("--seed %d --count 1: %s %s %s\n%s\n\n%s\n\nIn this folder:\n%s\n" % (
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
                if outcomes is None:
                    continue
                self.results[seed] = outcomes
                for check, kind, code, text in outcomes:
                    if kind in FAILURES:
                        print("%s: seed %d, %s: %s %s %s" % (
                            "open fault" if (seed, check) in self.open_faults else "FAILED",
                            seed, check, kind, code, text[:400]), flush=True)
                if self.log:
                    self.log.write(json.dumps([seed, outcomes]) + "\n")
                    self.log.flush()
        shutil.rmtree(self.folder, ignore_errors=True)
        return {s: r for s, r in self.results.items() if first <= s < first + count}

    def main(self):
        """Draws, checks and reports; the exit code."""
        results = self.run()
        print("\n".join(self.table(results)))
        wrong = {(seed, o[0]) for seed, r in results.items() for o in r if o[1] in FAILURES}
        mended = {(seed, check) for seed, check in self.open_faults
                  if any(o[0] == check for o in results.get(seed, ()))} - wrong
        for seed, check in sorted(mended):
            print("FAILED: seed %d, %s is not an open fault any more" % (seed, check))
        failed = len(wrong - set(self.open_faults)) + len(mended)
        if self.missing:
            print("FAILED: operators without a builder: " + ", ".join(self.missing))
        print("%d networks, %d failures (%.0f s)" % (len(results), failed,
                                                     time.monotonic() - self.begin))
        return 1 if failed or self.missing else 0

    def table(self, results):
        """Counts by check and outcome, then refusals by code: lines of text."""
        kinds = ("ok", "refused", "skipped", *FAILURES[2:], *FAILURES[:2])
        counts = collections.Counter((o[0], o[1]) for outcomes in results.values()
                                     for o in outcomes)
        lines = ["%-14s" % "check" + "".join("%9s" % k for k in kinds)]
        for check in sorted({check for check, _ in counts}):
            lines.append("%-14s" % check + "".join("%9d" % counts[check, k] for k in kinds))
        codes = collections.Counter(o[2] for outcomes in results.values() for o in outcomes
                                    if o[1] == "refused")
        lines += ["refused %5d times by %s: %s" % (n, code, self.limits.get(code, ""))
                  for code, n in codes.most_common()]
        return lines
