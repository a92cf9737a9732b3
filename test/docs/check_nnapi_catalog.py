#!/usr/bin/env python3
"""Compares `yarrow ops --nnapi` with the catalog of NNAPI's definition.

    test/docs/check_nnapi_catalog.py --bin build/bin --spec ../shared/spec

Every operation of the catalog (nnapi_ops.json) has a record with its name,
number and feature level, its types with theirs, its forms with operands of the
same names in the same order, optional where they are there; every type of
nnapi_types.json has one, too. Where records are meant to differ, and why, is in
DIFFERENCES: one that is not needed any more is a problem as well.
"""
import argparse
import json
import os
import re
import subprocess
import sys

# What a record's class of types is called in the catalog.
CLASSES = {
    "WEIGHTS": {"T", "TENSOR_QUANT8_SYMM_PER_CHANNEL"},
    "BIAS": {"TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_INT32"},
    "BOXES": {"T", "TENSOR_QUANT16_ASYMM"},
    "ANCHORS": {"T", "TENSOR_QUANT16_SYMM"},
    "SIZES": {"T", "TENSOR_QUANT16_SYMM"},
    "DELTAS": {"T", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"},
    "NUMBER": {"FLOAT16", "FLOAT32"},
    "REAL": {"FLOAT32"},
    "VALUE": {"FLOAT16", "FLOAT32", "INT32"},
    "FUSE": {"INT32"},
    "PADDING": {"INT32"},
    "FLOATS": {"TENSOR_FLOAT16", "TENSOR_FLOAT32"},
    "QUANT8": {"TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED"},
}

# Where a record differs from the catalog: the beginning of a problem, and why.
DIFFERENCES = {
    "EMBEDDING_LOOKUP: lookups: type": "indices are int32, T is of the values alone",
    "HASHTABLE_LOOKUP: lookups: type": "indices are int32, T is of the values alone",
    "LSH_PROJECTION: input: type": "'any' there; the types that it supports are the input's",
    "RESHAPE: types": "int32 came with feature level 6, behind the text",
    "RSQRT: types": "8 bits came with feature level 7, behind the text",
    "BIDIRECTIONAL_SEQUENCE_LSTM output: bw_output: optional": "not there with merge_outputs",
    "BIDIRECTIONAL_SEQUENCE_RNN output: bw_output: optional": "not there with merge_outputs",
    "CAST: types": "'any' there; the text lists them",
    "CAST output: output: type": "T there; another type is what CAST is for",
    "QUANTIZE: input: type": "the types are T",
    "QUANTIZED_16BIT_LSTM: level": "the text tells none; its neighbours have 29",
    "QUANTIZED_16BIT_LSTM: types": "each operand says its own",
    "QUANTIZED_LSTM: types": "each operand says its own",
    "IF: types": "operands may be of any type",
    "IF: inputs: type": "each may be of another type",
    "IF output: outputs: type": "each may be of another type",
    "WHILE: types": "operands may be of any type",
    "WHILE: init_io: type": "each may be of another type",
    "WHILE: init_state: type": "each may be of another type",
    "WHILE: input_only: type": "each may be of another type",
    "WHILE output: outputs: type": "each may be of another type",
    "BATCH_MATMUL": "the text is one sentence; operands and types are those of recorded cases",
    "MIRROR_PAD": "came with feature level 7, behind the text",
    "PACK": "came with feature level 6, behind the text",
    "REVERSE": "came with feature level 7, behind the text",
    "None": "no operation, but the end of an enumeration",
    "OEM_OPERATION": "of vendors",
    "type OEM": "of vendors",
    "type TENSOR_OEM_BYTE": "of vendors",
}
# The text says of these outputs when they came, which the catalog leaves out.
LATER_OUTPUTS = re.compile(
    r"(BI|UNI)DIRECTIONAL_SEQUENCE_(LSTM|RNN) output: (\w+_state|\w*hidden_out|cell_out): level: 30")

FORMS = {"explicit_padding": "explicit padding", "implicit_padding": "implicit padding",
         "by_size": "by size", "by_scale": "by scale"}


def types_of(texts):
    """The catalog's words for types without its remarks, as names."""
    names = set()
    for text in texts:
        if text.startswith("as input") or text.startswith("same as input"):
            return {"as another"}
        plain = re.sub(r"\(.*?\)|\bwhen .*|scalar|used as bool|0/1", " ", text)
        for word in re.split(r"[,\s]+|\bor\b", plain):
            if word == "TENSOR_FLOAT32/16":
                names |= {"TENSOR_FLOAT32", "TENSOR_FLOAT16"}
            elif word == "_SIGNED":  # behind TENSOR_QUANT8_ASYMM
                names.add("TENSOR_QUANT8_ASYMM_SIGNED")
            elif word:
                names.add(word)
    return names


def supported(texts, level):
    """The types of T with their levels. Convolutions list combinations: the lowest level counts;
    where inputs and outputs are told apart T is the input's."""
    types = {}
    for text in texts:
        if text.startswith("out:"):
            continue
        name = text.removeprefix("in:").split()[0].split(",")[0]
        name = name if name.startswith("TENSOR_") or name in ("any", "identity") else "TENSOR_" + name
        types[name] = min(types.get(name, since(text, level)), since(text, level))
    return sorted(types.items())


def since(text, level):
    found = re.search(r"since (\d+)", text)
    return int(found.group(1)) if found else level


class Comparison:
    def __init__(self):
        self.problems = []

    def say(self, text):
        self.problems.append(text)

    def same(self, what, here, there):
        if here != there:
            self.say(f"{what}: {here} here, {there} in the catalog")

    def operands(self, where, here, there, level):
        """\\p there: the catalog's operands of a form."""
        self.same(f"{where}: operands", [o["name"] for o in here],
                  [o["name"].split("[")[0] for o in there])
        for ours, theirs in zip(here, there):
            name = f"{where}: {ours['name']}"
            self.same(f"{name}: optional", ours["kind"] == "optional",
                      bool(theirs.get("optional")))
            self.same(f"{name}: list", ours["kind"] == "list", "[" in theirs["name"])
            if ours["kind"] == "optional":
                self.same(f"{name}: level", ours["level"], theirs.get("since", level))
            kind, types = ours["type"], types_of(theirs["types"])
            if types != {"as another"}:
                self.same(f"{name}: type", sorted(CLASSES.get(kind, {kind})), sorted(types))

    def operation(self, ours, theirs):
        name = theirs["name"]
        self.same(f"{name}: number", ours["code"], theirs["code"])
        self.same(f"{name}: level", ours["level"], theirs["since"])
        level = theirs["since"] or ours["level"]
        self.same(f"{name}: types", sorted((t["name"], t["level"]) for t in ours["types"]),
                  supported(theirs["supported_types"], level))
        forms = theirs["inputs"]
        if isinstance(forms, list):
            forms = {"": forms}
        own = {f["name"]: f for f in ours["forms"] if f["name"] != "HAL 1.0"}
        self.same(f"{name}: forms", sorted(own), sorted(FORMS.get(f, f) for f in forms))
        for form, operands in forms.items():
            mine = own.get(FORMS.get(form, form))
            if not mine:
                continue
            where = f"{name} {mine['name']}".strip()
            self.operands(where, mine["inputs"], operands, mine["level"])
            self.operands(f"{name} output", mine["outputs"], theirs["outputs"], level)
        for operand in theirs["outputs"]:
            self.quantization(ours, name, operand)

    def quantization(self, ours, name, operand):
        """What the catalog says of an output's scale is one of the rules."""
        text, out = operand.get("quant", ""), operand["name"].split("[")[0]
        out = out if out.startswith("output") else f"output {out}"
        rules = "; ".join(ours["rules"])
        if "same as the input" in text and f"{out} has the scale and the zero" not in rules:
            self.say(f"{name}: {out}: the scale of the input is no rule")
        if "before level 29" in text and not re.search(rf"scale of {out} is above.*below feature level 29", rules):
            self.say(f"{name}: {out}: the scale below level 29 is no rule")
        for kind, scale, zero in re.findall(r"(\w+) scale (1 / \d+), zeroPoint (-?\d+)", text):
            kind = "QUANT8_ASYMM_SIGNED" if kind == "SIGNED" else kind
            rule = f"{out} of TENSOR_{kind} has scale {scale.replace(' ', '')} and zero point {zero}"
            if rule not in rules:
                self.say(f"{name}: {out}: no rule '{rule}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="folder of the built programs")
    parser.add_argument("--spec", required=True, help="folder of the definition")
    args = parser.parse_args()
    folder = os.path.join(args.spec, "catalog")
    if not os.path.exists(os.path.join(folder, "nnapi_ops.json")):
        print("skipped: no reference packs")
        return 0

    def catalog(name):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            return json.load(f)
    text = subprocess.run([os.path.join(args.bin, "yarrow"), "ops", "--nnapi", "--format=json"],
                          check=True, stdout=subprocess.PIPE, text=True).stdout
    records = json.loads(text)
    operations = {op["name"]: op for op in records["operations"]}
    types = {t["name"]: t for t in records["types"]}
    found = Comparison()
    listed = catalog("nnapi_ops.json")
    for theirs in listed:
        if theirs["name"] not in operations:
            found.say(f"{theirs['name']}: no record")
        else:
            found.operation(operations[theirs["name"]], theirs)
    known = {op["name"] for op in listed}
    for name in sorted(set(operations) - known):
        found.say(f"{name}: not in the catalog")
    kinds = catalog("nnapi_types.json")["operand_types"]
    for theirs in kinds:
        ours = types.get(theirs["name"])
        if not ours:
            found.say(f"type {theirs['name']}: no record")
            continue
        if theirs.get("code") is not None:
            found.same(f"type {theirs['name']}: number", ours["code"], theirs["code"])
        found.same(f"type {theirs['name']}: tensor", ours["tensor"], theirs["kind"] == "tensor")
    needed, problems = set(), []
    for problem in found.problems:
        if LATER_OUTPUTS.match(problem):
            continue
        reasons = [start for start in DIFFERENCES if problem.startswith(start)]
        needed |= set(reasons)
        if not reasons:
            problems.append(problem)
    problems += [f"no difference any more: {start}" for start in DIFFERENCES if start not in needed]
    for problem in problems:
        print("check_nnapi_catalog: " + problem)
    print(f"check_nnapi_catalog: {len(listed)} entries, {len(operations)} records, "
          f"{len(kinds)} types, {len(needed)} known differences, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
