"""Holds a JSON value to a JSON schema: the part of the language that
docs/report.schema.json uses. A keyword that is not known here is an error, so
that no part of the schema is skipped.

    for problem in schema.problems(value, json.load(open("report.schema.json"))):
        print(problem)    # "performance.layers[3].cycles: ..."
"""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
KNOWN = {"$schema", "title", "$defs", "$ref", "type", "const", "enum", "anyOf", "properties",
         "patternProperties", "additionalProperties", "required", "items", "minimum", "maximum",
         "pattern"}


def is_type(value, name):
    if name in ("integer", "number"):
        kinds = int if name == "integer" else (int, float)
        return isinstance(value, kinds) and not isinstance(value, bool)
    return isinstance(value, TYPES[name])


def problems(value, rules, root=None, where=""):
    root = root or rules
    unknown = set(rules) - KNOWN
    if unknown:
        raise ValueError(f"keywords that schema.py does not know: {sorted(unknown)}")
    if "$ref" in rules:
        target = root
        for part in rules["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        return problems(value, target, root, where)
    if "anyOf" in rules:
        tries = [problems(value, each, root, where) for each in rules["anyOf"]]
        return [] if any(not each for each in tries) else tries[-1]
    place = where or "(root)"
    names = rules.get("type", [])
    names = [names] if isinstance(names, str) else names
    if names and not any(is_type(value, name) for name in names):
        return [f"{place}: {value!r:.60} is not {' or '.join(names)}"]
    found = []
    if "const" in rules and value != rules["const"]:
        found.append(f"{place}: {value!r:.60} is not {rules['const']!r}")
    if "enum" in rules and value not in rules["enum"]:
        found.append(f"{place}: {value!r:.60} is not one of {rules['enum']}")
    if is_type(value, "number"):
        if not rules.get("minimum", value) <= value <= rules.get("maximum", value):
            found.append(f"{place}: {value} is out of range")
    if isinstance(value, str) and not re.search(rules.get("pattern", ""), value):
        found.append(f"{place}: {value!r} does not match {rules['pattern']}")
    if isinstance(value, list) and "items" in rules:
        for i, item in enumerate(value):
            found += problems(item, rules["items"], root, f"{where}[{i}]")
    if isinstance(value, dict):
        found += object_problems(value, rules, root, where)
    return found


def object_problems(value, rules, root, where):
    found = [f"{where or '(root)'}: there is no {name}"
             for name in rules.get("required", []) if name not in value]
    for name, member in value.items():
        place = f"{where}.{name}" if where else name
        rule = rules.get("properties", {}).get(name)
        for pattern, each in rules.get("patternProperties", {}).items():
            if rule is None and re.search(pattern, name):
                rule = each
        if rule is None:
            rule = rules.get("additionalProperties", {})
        if rule is False:
            found.append(f"{place}: the schema does not know it")
        else:
            found += problems(member, rule, root, place)
    return found
