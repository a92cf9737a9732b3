#!/usr/bin/env python3
"""Compares `yarrow ops` with the catalog of the definition.

    test/docs/check_catalog.py --bin build/bin --spec ../shared/spec

Every operator section of the catalog (compass_ops.json) has a record: its
layer_type, its method, each of its attributes and stored constants as a key,
and at least as many readings as the catalog lists ambiguities. Every layer type
that the reference parser emits (ir_in_practice.md in the same folder) has one too.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys

# Keys that stand in every layer's own lines.
COMMON = re.compile(r"^layer_(bottom|top|id|name|type)")


def members(attribute):
    """The keys of an attribute of the catalog, as IR text spells them."""
    name, kind = attribute["name"], attribute["kind"]
    if kind == "value-group":
        return attribute.get("members") or [name + "_type", name + "_value"]
    return attribute.get("members") or [name]


def printed(variants):
    """Spellings without the catalog's remarks, and without errors of its text
    recognition, which no file has."""
    return [v.split(" (")[0] for v in variants or [] if "(OCR" not in v]


def known_keys(op):
    keys = set()
    for key in op["keys"]:
        keys.add(key["name"])
        if key["kind"] == "constant":
            keys |= {key["name"] + end for end in ("_type", "_shape", "_offset", "_size")}
        if key["name"].endswith("_value"):
            keys.add(key["name"][:-len("_value")] + "_type")
    return keys | {v["printed"] for v in op["key_variants"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="folder of the built programs")
    parser.add_argument("--spec", required=True, help="folder of the definition")
    args = parser.parse_args()
    path = os.path.join(args.spec, "catalog", "compass_ops.json")
    if not os.path.exists(path):
        print("skipped: no reference packs")
        return 0
    with open(path, encoding="utf-8") as f:
        catalog = json.load(f)
    text = subprocess.run([os.path.join(args.bin, "yarrow"), "ops", "--format=json"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    ops = {}
    for op in json.loads(text):
        for name in [op["layer_type"]] + op["spellings"]:
            ops[name.lower()] = op
    problems = []
    # What several sections of one layer_type repeat is one ambiguity.
    ambiguities = collections.defaultdict(set)
    for section in catalog:
        where = f"{section['name']} ({section['layer_type']})"
        op = ops.get(section["layer_type"].lower())
        if not op:
            problems.append(f"{where}: no record")
            continue
        ambiguities[op["layer_type"]] |= set(section["ambiguities"])
        methods = section["method"]
        for method in methods if isinstance(methods, list) else [methods] if methods else []:
            if not any(m["name"].upper() == method.upper() for m in op["methods"]):
                problems.append(f"{where}: no method {method}")
        keys = known_keys(op)
        for attribute in section["attributes"]:
            for key in members(attribute):
                if key not in keys and not COMMON.match(key):
                    problems.append(f"{where}: no key {key}")
        for spelling in printed(section.get("layer_type_variants")):
            if spelling.lower() not in ops:
                problems.append(f"{where}: layer_type {spelling} is not read")
        for meant, spellings in (section.get("key_variants") or {}).items():
            for spelling in printed(spellings):
                # A spelling of a group, such as scales, is one of its keys.
                if not any(key.startswith(spelling) for key in keys) and " " not in meant:
                    problems.append(f"{where}: {spelling} is not read as {meant}")
    for name, texts in ambiguities.items():
        readings = len(ops[name.lower()]["resolved"])
        if readings < len(texts):
            problems.append(f"{name}: {len(texts)} ambiguities, {readings} readings")
    with open(os.path.join(args.spec, "ir_in_practice.md"), encoding="utf-8") as f:
        emitted = re.search(r"can emit \(\d+ [^)]*\)\*\*: (.*)", f.read()).group(1).split()
    problems += [f"{name}: the reference parser emits it, no record"
                 for name in emitted if name.lower() not in ops]
    for problem in problems:
        print("check_catalog: " + problem)
    print(f"check_catalog: {len(catalog)} sections, {len(emitted)} emitted layer types, "
          f"{len(set(o['layer_type'] for o in ops.values()))} records, "
          f"{sum(map(len, ambiguities.values()))} ambiguities, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
