#!/usr/bin/env python3
"""Compares `yarrow ops --qnn` with the catalog of the QNN definitions.

    test/docs/check_qnn_catalog.py --bin build/bin --spec ../shared/spec

Every operator of the catalog (qnn_ops.json) has a record with its inputs,
parameters and outputs: the same names in the same order, mandatory where they
are there, with the same types, lengths, defaults, named values and constraints,
and a machine's bound wherever the words are one. Where records are meant to
differ, and why, is in DIFFERENCES: one that is not needed any more is a problem
as well.
"""
import argparse
import json
import os
import re
import subprocess
import sys

# Lengths that are the definition's in fewer words: as a rule where the catalog
# has cut them off, or where they are sentences.
FEWER_WORDS = """
Batchnorm: in[0]; Col2Im: in[0]; CollectRpnProposals: out[0]; CombinedNms: out[0]
CombinedNms: out[1]; CombinedNms: out[2]; CreateSparse: in[0]; DistributeFpnProposals: in[0]
DistributeFpnProposals: out[1]; DistributeFpnProposals: out[2..4]; FullyConnected: out[0]
GetSparseIndices: out[0]; GroupNorm: in[0]; Gru: in[0]; Gru: out[0]; HeatMapMaxKeyPoint: in[0]
HeatMapMaxKeyPoint: in[1]; HeatMapMaxKeyPoint: out[1]; Im2Col: out[0]
ImageProjectionTransform: in[1]; InstanceNorm: in[0]; Lstm: in[0]; Lstm: in[16]; Lstm: in[17]
Lstm: out[0]; Moments: axes; Moments: out[0]; Moments: out[1]; MultiClassNms: in[2..m]
MultiClassNms: out[4..M]; NonMaxSuppression: out[0]; OneHot: out[0]; Pack: in[0..m]
ReduceMax: out[0]; ReduceSumSquare: out[0]; Resize: in[0]; RmsNorm: in[0]; Stft: out[0]
StridedSlice: ranges; StridedSlice: out[0]; UnPack: out[0..m]
"""

# Where a record differs from the catalog: the beginning of a problem, and why.
DIFFERENCES = {f"{name.strip()}: lengths": "in fewer words"
               for name in re.split("[;\n]", FEWER_WORDS.strip())} | {
    "BboxTransform: out[0]: constraints": "the shape is meant",
    "Buffer: out[0]: constraints": "the rank is meant",
    "ElementWiseNeuron: beta: bound": "of SOFTPLUS alone: the function checks it",
    "OneHot: in[0]: constraints": "the interface's name of the parameter",
    "OneHot: off_value: constraints": "the interface's name of the parameter",
    "OneHot: out[0]: constraints": "the interface's name of the parameter",
}


def plain(text):
    """What a text says, without spelling: * was lost in the catalog, with the
    words before some constraints of what they are."""
    text = (text or "").replace("None", "").replace("\u2026", "..").replace(".. .", "..")
    text = text.replace("([", "[").replace("])", "]")
    text = re.sub(r"(^|; )(Value|Shape|Number|Datatype): ", r"\1", text)
    text = re.sub(r"\.(?=;|$)|of shape", "", text)
    return re.sub(r"[\s*\u201c\u201d]", "", text.replace(" parameter MUST", " must")).lower()


def numbers(text):
    """A default as numbers; None if it is words."""
    try:
        return [float(n) for n in re.sub(r"[\[\]\s]", "", text or "").split(",")]
    except ValueError:
        return None


# Words of constraints on parameters, and the bounds that say it.
BOUNDS = [
    (r"(each|must be) ?(> ?0|>= ?1)$", {("at least", 1), ("above", 0)}),
    (r"must be > 0$", {("at least", 1), ("above", 0)}),
    (r"range \[0, ?n ?- ?1\]$|range \[0, ?n\)$|range \[0, rank\(in\[0\]\) - 1\]$",
     {("axis of in[0]", 0)}),
    (r"in range \[0, n\]$|<= \(rank\(in\[0\]\)\)$", {("axis of in[0], or its end", 0)}),
    (r"range \[0, ?m\)$", {("axis of out[0]", 0), ("axis of in[0], or its end", 0)}),
    (r"range \[(\d+), ?(\d+)\]$", {("range", None)}),
]


class Comparison:
    def __init__(self):
        self.problems = []
        self.fields = 0

    def same_lengths(self, what, here, there):
        here, there = plain(here), plain(there)
        if there.endswith("..") and here.startswith(there.removesuffix("..")):
            there = here  # It was cut off.
        self.same(f"{what}: lengths", here, there)

    def same(self, what, here, there):
        self.fields += 1
        if here != there:
            self.problems.append(f"{what}: {here!r} here, {there!r} in the catalog")

    def tensors(self, where, here, there):
        self.same(f"{where}: tensors", [t["name"] for t in here], [t["name"] for t in there])
        for ours, theirs in zip(here, there):
            name = f"{where}: {ours['name']}"
            self.same(f"{name}: mandatory", ours["mandatory"], theirs["mandatory"])
            types = ours["types"] + ["BACKEND_SPECIFIC"] * ours["other_types"]
            self.same(f"{name}: types", types, theirs["types"])
            self.same_lengths(name, ours["shape"], theirs["shape"])
            self.same(f"{name}: default", plain(ours["default"]), plain(theirs.get("default")))
            self.same(f"{name}: constraints", plain(ours["constraints"]),
                      plain(theirs.get("constraints")))
            if theirs.get("role"):
                self.same(f"{name}: role", ours["role"], theirs["role"])
            many = re.search(r"\[(\d+)\.\.(\w+)\]", theirs["name"])
            self.same(f"{name}: list", ours["list"], bool(many and many.group(2) in "mM"))
            if many and not ours["list"]:
                self.same(f"{name}: count", ours["count"],
                          int(many.group(2)) - int(many.group(1)) + 1)

    def lengths(self, name, dims, shape):
        """The machine's lengths say what the words say."""
        self.same(f"{name}: scalar", not dims, shape == "scalar")
        counted = re.match(r"\[(\d+)(?:, ?(\d+))?\]", shape)
        if counted:
            self.same(f"{name}: dims", dims, [int(n) for n in counted.groups() if n])

    def bound(self, name, bound, constraints):
        for words in (constraints or "").lower().split("; "):
            words = words.rstrip(".")
            for pattern, fits in BOUNDS:
                found = re.search(pattern, words)
                if not found:
                    continue
                kinds = {kind for kind, _ in fits}
                lows = {low for kind, low in fits if kind == bound["kind"]}
                limits = [float(n) for n in found.groups()] if lows == {None} else None
                is_there = bound["kind"] in kinds and (
                    [bound["low"], bound["high"]] == limits if limits else bound["low"] in lows)
                self.same(f"{name}: bound of '{words}'", is_there, True)
                break
            if words == "unique":
                self.same(f"{name}: unique", bound["unique"], True)

    def params(self, where, here, there):
        self.same(f"{where}: parameters", [p["name"] for p in here], [p["name"] for p in there])
        for ours, theirs in zip(here, there):
            name = f"{where}: {ours['name']}"
            self.same(f"{name}: mandatory", ours["mandatory"], theirs["mandatory"])
            self.same(f"{name}: type", ours["type"] or "BACKEND_SPECIFIC", theirs["type"])
            self.same_lengths(name, ours["shape"], theirs["shape"])
            self.lengths(name, ours["dims"], theirs["shape"])
            default = numbers(theirs.get("default"))
            self.same(f"{name}: default", ours["default"], default or [])
            self.same(f"{name}: default", plain(ours["default_text"]),
                      "" if default else plain(theirs.get("default")))
            self.same(f"{name}: values", ours["values"], theirs.get("values") or {})
            if ours["values"]:
                self.same(f"{name}: bound", ours["bound"]["kind"], "one of")
            self.same(f"{name}: constraints", plain(ours["constraints"]),
                      plain(theirs.get("constraints")))
            self.bound(name, ours["bound"], theirs.get("constraints"))

    def operator(self, ours, theirs):
        name = theirs["name"]
        self.same(f"{name}: deprecated", ours["deprecated"], theirs["deprecated"])
        self.same(f"{name}: replacement", ours["replacement"], theirs.get("replacement") or "")
        # There the inputs' own are listed again.
        inputs = [f"{t['name']}: {t['constraints']}" for t in theirs["inputs"]
                  if t.get("constraints")]
        own = "; ".join([ours["constraints"]] * bool(ours["constraints"]) + inputs)
        self.same(f"{name}: constraints", plain(own), plain(theirs["constraints"]))
        self.tensors(name, ours["inputs"], theirs["inputs"])
        self.params(name, ours["params"], theirs["params"])
        self.tensors(name, ours["outputs"], theirs["outputs"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="folder of the built programs")
    parser.add_argument("--spec", required=True, help="folder of the definition")
    args = parser.parse_args()
    path = os.path.join(args.spec, "catalog/qnn_ops.json")
    if not os.path.exists(path):
        print("skipped: no reference packs")
        return 0
    with open(path, encoding="utf-8") as f:
        catalog = {op["name"]: op for op in json.load(f)}
    text = subprocess.run([os.path.join(args.bin, "yarrow"), "ops", "--qnn", "--format=json"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    records = {op["name"]: op for op in json.loads(text)}
    found = Comparison()
    found.same("operators", sorted(records), sorted(catalog))
    for name in sorted(set(records) & set(catalog)):
        found.operator(records[name], catalog[name])
    needed, problems = set(), []
    for problem in found.problems:
        reasons = [start for start in DIFFERENCES if problem.startswith(start)]
        needed |= set(reasons)
        if not reasons:
            problems.append(problem)
    problems += [f"no difference any more: {start}" for start in DIFFERENCES if start not in needed]
    for problem in problems:
        print("check_qnn_catalog: " + problem)
    print(f"check_qnn_catalog: {len(catalog)} operators, {found.fields} fields, "
          f"{len(needed)} known differences, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
