#!/usr/bin/env python3
"""Fills the generated parts of docs/ from the records that they describe.

    scripts/generate_docs.py            # rewrites parts that are out of date
    scripts/generate_docs.py --check    # only reports them, and fails if there are any

A generated part is between two comments; the text around it is written by
hand and stays:

    <!-- begin generated: diagnostics -->
    <!-- end generated -->

Descriptors come from TableGen records through yarrow-tblgen (build/bin/yarrow-tblgen,
or --tblgen PATH), operators and commands from the `yarrow` next to it.
"""
import argparse
import difflib
import functools
import glob
import json
import os
import re
import subprocess
import sys
import textwrap

sys.dont_write_bytecode = True
import check_words
import manual_pages

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"(<!-- begin generated: ([\w-]+) -->\n).*?(<!-- end generated -->)",
                   re.DOTALL)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def table(header, rows):
    """A Markdown table; a cell's own bars are escaped."""
    def cells(row):
        return "| " + " | ".join(str(c).replace("|", "\\|") for c in row) + " |\n"
    return cells(header) + "|" + "---|" * len(header) + "\n" + "".join(map(cells, rows))


class Generator:
    def __init__(self, tblgen, llvm_include):
        self.tblgen_path, self.llvm_include = tblgen, llvm_include

    def tblgen(self, action, path):
        command = [self.tblgen_path, action, "-I", ROOT, "-I", self.llvm_include,
                   os.path.join(ROOT, path)]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    #===--- docs/isa.md, docs/tec_instructions.md ---===#

    def descriptors(self):
        """The records' own words; TableGen keeps the indentation of code blocks."""
        text = self.tblgen("-gen-descriptor-doc", "isa/Descriptors.td")
        text = re.sub(r"^ +$", "", text, flags=re.MULTILINE)
        paragraphs = re.split(r"\n{2,}", text)
        plain = [textwrap.dedent(p) if p.startswith("    ") else p for p in paragraphs]
        return re.sub(r"^## ", "### ", "\n\n".join(p.strip() for p in plain),
                      flags=re.MULTILINE).strip() + "\n"

    def tec(self, action):
        """From .def records, which are compiled into yarrow-tblgen."""
        return self.tblgen(action, "isa/Descriptors.td")

    def riscv_instructions(self):
        text = self.tec("-gen-tec-inst-doc")
        return f"{text.count(chr(10)) - 2} instructions:\n\n{text}"

    #===--- docs/operators.md ---===#

    @functools.cached_property
    def operators(self):
        """The records and the lowering of their kernels, as `yarrow ops` prints them."""
        yarrow = os.path.join(os.path.dirname(self.tblgen_path), "yarrow")
        command = [yarrow, "ops", "--format=json"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def families(self):
        return sorted({op["family"] for op in self.operators})

    def operator_table(self):
        """A row per operator: a layer_type, or one method of it."""
        rows = []
        for op in self.operators:
            link = f"[`{op['layer_type']}`](operators/{op['family']}.md#{op['layer_type'].lower()})"
            for method in op["methods"] or [op]:
                rows.append((link, method.get("name", ""), method["float"], method["int"],
                             op["summary"]))
        return f"{len(self.operators)} layer types, {len(rows)} operators:\n\n" + \
            table(("`layer_type`", "method", "float", "integer", "what it computes"), rows)

    def engine_kernels(self):
        """A row per kernel that an engine has commands for, and whose layers call it."""
        rows = {}
        for op in self.operators:
            for kernel in op["kernels"]:
                for engine in kernel["engines"]:
                    key = engine["name"], kernel["name"], engine["takes"]
                    ir = "" if kernel["float"] and kernel["int"] else \
                        "integer " if kernel["int"] else "float "
                    rows.setdefault(key, []).append(f"{ir}`{op['layer_type']}`")
        # The tensor engine first.
        return table(("unit", "kernel", "of", "takes"),
                     [(unit, f"`{kernel}`", ", ".join(layers), takes)
                      for (unit, kernel, takes), layers in
                      sorted(rows.items(), key=lambda row: row[0][0], reverse=True)])

    def operator_pages(self):
        return "".join(f"- [{f}](operators/{f}.md): " +
                       ", ".join(op["layer_type"] for op in self.operators if op["family"] == f) +
                       "\n" for f in self.families())

    def operator_sections(self, family):
        return "\n".join(self.operator_section(op) for op in self.operators
                         if op["family"] == family)

    def operator_section(self, op):
        text = f"## {op['layer_type']}\n\n{op['summary'][0].upper()}{op['summary'][1:]}.\n"
        if op["formula"]:
            text += f"\n    {op['formula']}\n"
        if op["description"]:
            text += f"\n{op['description']}\n"
        text += f"\nFloat IR: {op['float']}. Integer IR: {op['int']}. " \
                f"Quantization: {op['rule_meaning']}."
        if op["kernels"]:
            text += " Kernels: " + ", ".join(
                f"`{k['name']}`" + ("" if k["float"] and k["int"] else
                                    " (integer)" if k["int"] else " (float)")
                for k in op["kernels"]) + "."
        if op["source"]:
            text += f" Source: {op['source']}."
        if op["spellings"]:
            text += " Also read as " + ", ".join(f"`{s}`" for s in op["spellings"]) + "."
        text += "\n"
        tensors = []
        for side in "inputs", "outputs":
            for t in op[side]:
                name = f"`{t['name']}`" + (" (optional)" if t["optional"] else "") + \
                    (" ..." if t["variadic"] else "")
                tensors.append((side[:-1], name, f"[{t['shape']}]", t["type"], t["meaning"]))
        if tensors:
            text += "\n" + table(("", "tensor", "shape", "type", "meaning"), tensors)
        if op["methods"]:
            text += "\n" + table((f"`{op['method_key']}`", "float", "integer", "formula"),
                                 [(f"`{m['name']}`", m["float"], m["int"], m["formula"])
                                  for m in op["methods"]])
        if op["keys"]:
            text += "\n" + table(("key", "kind", "need", "default", "values", "meaning"),
                                 [(f"`{k['name']}`", k["kind"], k["need"], k["default"],
                                   k["values"], k["meaning"]) for k in op["keys"]])
        if op["key_variants"]:
            text += "\nKeys also read as: " + ", ".join(
                f"`{v['printed']}` for `{v['meant']}`" for v in op["key_variants"]) + ".\n"
        if op["resolved"]:
            text += "\nWhere the definition is unclear, Yarrow reads it as follows:\n\n" + "".join(
                f"- {q['question']}: {q['reading']}\n" for q in op["resolved"])
        return text

    def write_missing_pages(self):
        """Writes a page for a family or stage without one; its text can be edited by hand."""
        for family in self.families():
            self.write_page(f"operators/{family}.md", f"Operators: {family}",
                            f"On this page you find the tensors, keys and formulas of these "
                            f"operators. It is generated from the records in\n"
                            f"[dialects/compass/{family}](../../dialects/compass/{family}); "
                            f"[operators.md](../operators.md) explains how to read them.",
                            f"operators-{family}")
        for digits, stage in self.STAGES.items():
            self.write_page(f"diagnostics/{stage}.md", f"Diagnostics {digits}: {stage}",
                            f"From the records in [support/diagnostics](../../support/diagnostics); "
                            f"[diagnostics.md](../diagnostics.md) lists all codes.",
                            f"diagnostics-{stage}")

    @staticmethod
    def write_page(page, title, introduction, block):
        path = os.path.join(ROOT, "docs", page)
        if os.path.exists(path):
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"# {title}\n\n{introduction}\n\n<!-- begin generated: {block} -->\n"
                    f"<!-- end generated -->\n")
        print(f"generate_docs: new page docs/{page}")

    #===--- the others ---===#

    def commands(self):
        return manual_pages.markdown(os.path.join(os.path.dirname(self.tblgen_path), "yarrow"))

    def diagnostic_records(self):
        """(identifier, code, summary, explanation, wrong, right), by code."""
        files = re.findall(r'^#include "(support/diagnostics/\w+\.def)"',
                           read("support/Diagnostics.def"), re.MULTILINE)
        raw = r',\s*R"\((.*?)\)"'
        records = re.findall(r'^DIAG\((\w+), "([ENW]\d+)",\s*"(.*?)"' + 3 * raw + r"\)$",
                             "".join(map(read, files)), re.MULTILINE | re.DOTALL)
        return sorted(records, key=lambda r: r[1][1:])

    STAGES = {"01": "files", "02": "ir", "03": "operators", "04": "quantizer", "05": "settings",
              "06": "compiler", "07": "executables", "08": "simulator",
              "09": "measuring", "10": "import", "11": "plugins", "12": "proofs", "13": "generate"}

    def diagnostics(self):
        severity = {"E": "error", "W": "warning", "N": "note"}
        return table(("code", "severity", "meaning"),
                     [(f"[`{code}`](diagnostics/{self.STAGES[code[1:3]]}.md#{code.lower()})",
                       severity[code[0]], summary)
                      for _, code, summary, *_ in self.diagnostic_records()])

    def diagnostic_texts(self, stage):
        def block(text):
            return "```text\n" + text + "\n```\n"
        return "\n".join(
            f"## {code}\n\n**{summary[0].upper()}{summary[1:]}.** In the sources: `diag::{name}`.\n\n"
            f"{explanation}\n\nWrong:\n\n{block(wrong)}\nRight:\n\n{block(right)}"
            for name, code, summary, explanation, wrong, right in self.diagnostic_records()
            if self.STAGES[code[1:3]] == stage)

    def targets(self):
        def flatten(value, prefix=""):
            for key, v in value.items():
                if isinstance(v, dict):
                    yield from flatten(v, f"{prefix}{key}.")
                else:
                    yield prefix + key, v
        files = {os.path.basename(p)[:-len(".json")]:
                 dict(flatten(json.loads(read(os.path.relpath(p, ROOT)))))
                 for p in glob.glob(os.path.join(ROOT, "targets", "*.json"))}
        def complete(name):
            machine = dict(files[name])
            base = machine.pop("base", None)
            return {**complete(base), **machine} if base else machine
        machines = [complete(name) for name in sorted(files)]
        # The largest array first, as the documentation speaks of them.
        size = "macArray.inputLanes", "macArray.outputLanes", "macArray.pixels", "cores", "sramBytes"
        machines.sort(key=lambda m: ([-m[k] for k in size[:3]], m.get("tensorEngines", 1), m["cores"],
                                     -m["sramBytes"]))
        keys = [k for k in machines[0] if k != "name"]
        keys += sorted({k for m in machines for k in m} - {*keys, "name"})
        return table(["key"] + [f"`{m['name']}`" for m in machines],
                     [[f"`{k}`"] + [m.get(k, "") for m in machines] for k in keys])

    def config_keys(self):
        """Keys that have an effect: USED(section, key, kind, default, member, text)."""
        # The kind is an expression with commas of its own, within parentheses.
        records = re.findall(r'^USED\((\w+), (\w+), (\w+\([^)]*\)), "(.*?)", \w+, "(.*)"\)$',
                             read("compiler/config/ConfigKeys.def"), re.MULTILINE)
        text = ""
        for section in ("Common", "Parser", "Optimizer", "GBuilder"):
            rows = [(f"`{key}`", f"`{default}`" if default else "",
                     "yes" if kind.startswith("per") else "", doc.replace("<", "\\<"))
                    for where, key, kind, default, doc in records if where == section]
            text += f"### [{section}]\n\n" + table(("key", "default", "per layer", "meaning"), rows) + "\n"
        return text

    def unused_keys(self):
        """Keys without influence on results: KNOWN(section, key, default, text)."""
        records = re.findall(r'^KNOWN\((\w+), (\w+),', read("compiler/config/ConfigKeys.def"),
                             re.MULTILINE)
        sections = {}
        for section, key in records:
            sections.setdefault(section, []).append(f"`{key}`")
        return "\n".join(f"* [{s}]: {', '.join(keys)}" for s, keys in sections.items())

    def owned_keys(self):
        """The same with what decides it here: OWNED(section, key, default, text, owner)."""
        records = re.findall(r'^OWNED\((\w+), (\w+), "(.*?)", "(.*?)", "(.*)"\)$',
                             read("compiler/config/ConfigKeys.def"), re.MULTILINE)
        return table(("key", "asks for", "decided by"),
                     [(f"`{key}`", doc, owner) for _, key, _, doc, owner in records])

    def onnx_operators(self):
        """What is imported: OPERATOR(name, inputs, outputs, order, function, layers)."""
        records = re.findall(r'^(OPERATOR|CONTRIB)\((\w+),.*?, "(.*)"\)$',
                             read("parser/graph/Operators.def"), re.MULTILINE)
        rows = sorted((f"`{'com.microsoft.' if kind == 'CONTRIB' else ''}{name}`", layers)
                      for kind, name, layers in records)
        return f"{len(rows)} operators:\n\n" + table(("operator", "becomes"), rows)

    def tflite_operators(self):
        """BUILTIN(number, name, options, function, node, becomes)."""
        records = re.findall(r'^BUILTIN\((\d+), (\w+), .*, "(.*)"\)$',
                             read("parser/tflite/Operators.def"), re.MULTILINE)
        rows = sorted((f"`{name}`", number, becomes) for number, name, becomes in records)
        custom = re.findall(r'^CUSTOM\((\w+), .*, "(.*)"\)$',
                            read("parser/tflite/Operators.def"), re.MULTILINE)
        rows += sorted((f"`{name}`", "custom", becomes) for name, becomes in custom)
        return f"{len(rows)} operators:\n\n" + table(("operator", "number", "becomes"), rows)

    def tflite_refusals(self):
        """REFUSED(number, name, why); those of StableHLO are one row."""
        records = re.findall(r'^REFUSED\((\d+), (\w+), "(.*)"\)$',
                             read("parser/tflite/Operators.def"), re.MULTILINE)
        rows = {}
        for _, name, why in records:
            rows.setdefault(why, []).append(
                "`STABLEHLO_*`" if name.startswith("STABLEHLO_") else f"`{name}`")
        return table(("operators", "why"),
                     [(", ".join(dict.fromkeys(names)), why) for why, names in rows.items()])

    #===--- docs/nnapi.md ---===#

    @functools.cached_property
    def nnapi(self):
        yarrow = os.path.join(os.path.dirname(self.tblgen_path), "yarrow")
        command = [yarrow, "ops", "--nnapi", "--format=json"]
        return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)

    def nnapi_operations(self):
        def types(op):
            return ", ".join(t["name"].removeprefix("TENSOR_") +
                             (f" ({t['level']})" if t["level"] > op["level"] else "")
                             for t in op["types"])
        rows = [(f"`{op['name']}`", op["code"], op["level"], types(op), op["becomes"], op["means"])
                for op in self.nnapi["operations"]]
        return f"{len(rows)} operations:\n\n" + table(
            ("operation", "number", "level", "types", "becomes", "what it computes"), rows)

    def nnapi_types(self):
        return table(("type", "number", "level", "bytes of an element", "real numbers"),
                     [(f"`{t['name']}`", t["code"], t["level"], t["bytes"], t["storage"])
                      for t in self.nnapi["types"]])

    def nnapi_hal(self):
        """Forms of the first definition: inputs, and outputs where they differ."""
        def names(rows):
            return ", ".join(f"`{row['name']}`" + ("..." if row["kind"] == "list" else "")
                             for row in rows)
        return table(("operation", "inputs", "outputs"),
                     [(f"`{op['name']}`", names(form["inputs"]), names(form["outputs"]))
                      for op in self.nnapi["operations"] for form in op["forms"]
                      if form["name"] == "HAL 1.0"])

    def nnapi_classes(self):
        """CLASS(name, text)."""
        records = re.findall(r'^CLASS\((\w+), "(.*)"\)$',
                             read("parser/nnapi/OperandClasses.def"), re.MULTILINE)
        return table(("class", "is"), [(f"`{name}`", text) for name, text in records])

    #===--- docs/qnn.md ---===#

    def qnn_operators(self):
        """OP(name, function, node, becomes), REFUSED(name, why) or NOT_YET(name), with MEANS."""
        files = re.findall(r'^#include "(parser/qnn/ops/\w+\.def)"', read("parser/qnn/QnnOps.def"),
                           re.MULTILINE)
        rows = []
        for kind, rest, means in re.findall(
                r'^(OP|REFUSED|NOT_YET)\((.*?)\)\n\s+MEANS\("(.*?)"\)$',
                "".join(map(read, files)), re.MULTILINE | re.DOTALL):
            name = rest.split(",")[0]
            text = "".join(re.findall(r'"([^"]*)"', rest.split(",", 3 if kind == "OP" else 1)[-1]))
            becomes = {"OP": text, "REFUSED": "refused: " + text, "NOT_YET": "not yet"}[kind]
            rows.append((f"`{name}`", becomes, means))
        return f"{len(rows)} operators:\n\n" + table(
            ("operator", "becomes", "what it computes"),
            sorted(rows, key=lambda row: row[0].strip("`")))

    def qnn_spellings(self):
        """SPELLING(type, operator, word)."""
        records = re.findall(r"^SPELLING\((\w+), (\w+), (\w+)\)$", read("parser/qnn/Spellings.def"),
                             re.MULTILINE)
        return table(("converters write", "with `operation`", "otherwise the operator named by"),
                     [(f"`{name}`", "-" if own == "ANOTHER" else f"`{own}`", f"`{word}`")
                      for name, own, word in records])

    def exports(self, path):
        """What is exported: EXPORT(layer type, function, nodes)."""
        records = re.findall(r'^EXPORT\("(\w+)", \w+, "(.*)"\)$', read(path), re.MULTILINE)
        return f"{len(records)} layer types:\n\n" + table(
            ("layer", "becomes"), [(f"`{name}`", nodes) for name, nodes in records])

    def onnx_fusions(self):
        """Formulas that become one layer: FUSION(name, operator of the last node, function)."""
        records = re.findall(r'^FUSION\("(.*?)", (\w+),', read("parser/graph/FuseRules.def"),
                             re.MULTILINE)
        names = {}
        for name, last in records:
            names.setdefault(name, []).append(f"`{last}`")
        return table(("formula", "ends in"), [(n, ", ".join(ops)) for n, ops in names.items()])

    def layer_attributes(self):
        """SETTING(attribute, key) and LAYER(attribute, key, type)."""
        records = re.findall(r'^(?:SETTING|LAYER)\((\w+), (\w+)(?:, "(\w+)")?\)$',
                             read("compiler/config/LayerAttributes.def"), re.MULTILINE)
        return table(("attribute", "key", "layers"),
                     [(f"`{name}`", f"`{key}`", kind or "all") for name, key, kind in records])

    def other_keys(self, kind):
        """MISSING or REFUSED(section, key, default, text, what instead)."""
        records = re.findall(rf'^{kind}\((\w+), (\w+), "(.*?)", "(.*?)", "(.*)"\)$',
                             read("compiler/config/ConfigKeys.def"), re.MULTILINE)
        return table(("key", "accepted", "asks for", "instead"),
                     [(f"`{section}.{key}`", f"`{default}`" if default else "", doc, instead)
                      for section, key, default, doc, instead in records])

    def strategies(self):
        """STRATEGY(KIND, form, default, bounds, meaning, needs, range, text)."""
        records = re.findall(r'^STRATEGY\(\w+, "(.*?)", ([\w.]+), .*, "(.*)"\)$',
                             read("quantizer/observe/Strategies.def"), re.MULTILINE)
        return table(("strategy", "default of N or R", "range"),
                     [(f"`{form}`", default if form.startswith("[") else "", text)
                      for form, default, text in records])

    def methods(self):
        """Methods of global_calibration; each record has one line."""
        rows = re.findall(r'^METHOD\(\w+, "(.*?)", (\w+), "(.*?)", "(.*)"\)$',
                          read("quantizer/options/GlobalMethods.def"), re.MULTILINE)
        return table(["method", "changes", "parameters and their defaults", "what it does"],
                     [["`%s`" % name, stage.lower(), "`%s`" % parameters, text]
                      for name, stage, parameters, text in rows])

    def recipes(self):
        text = read("compiler/config/Recipes.def")
        rows = []
        for name, doc in re.findall(r'^RECIPE\("(\w+)", "(.*)"\)$', text, re.MULTILINE):
            settings = re.findall(r'^SETTING\("%s", "(.*?)", "(.*?)"\)$' % name, text,
                                  re.MULTILINE)
            rows.append(["`%s`" % name, doc,
                         ", ".join("`%s = %s`" % setting for setting in settings)])
        return table(["recipe", "what it does", "settings"], rows)

    def debug_commands(self):
        """DEBUG_COMMAND(ID, "name other ...", "arguments", "text")."""
        records = re.findall(r'^DEBUG_COMMAND\(\w+, "(.*?)", "(.*?)", "(.*)"\)$',
                             read("compiler/debug/DebugCommands.def"), re.MULTILINE)
        rows = []
        for names, arguments, text in records:
            name, *others = names.split()
            rows.append((f"`{name}{' ' if arguments else ''}{arguments}`",
                         ", ".join(f"`{other}`" for other in others), text))
        return table(("command", "also", "what it does"), rows)

    def scores(self):
        """SCORE or LABEL_FREE(name, function, arguments, text)."""
        records = re.findall(r'^(?:SCORE|LABEL_FREE)\((\w+), \w+, "(.*?)", "(.*)"\)$',
                             read("quantizer/scores/Scores.def"), re.MULTILINE)
        return table(("metric", "arguments", "measures"),
                     [(f"`{name}`", f"`{arguments}`" if arguments else "", text)
                      for name, arguments, text in records])

    def data_sets(self):
        """DATA_SET(name, form, layout, text)."""
        records = re.findall(r'^DATA_SET\((\w+), \w+, \w+, "(.*)"\)$',
                             read("compiler/data/DataSets.def"), re.MULTILINE)
        return table(("data set", "samples"), [(f"`{name}`", text) for name, text in records])

    @staticmethod
    def names(kind, path):
        return ", ".join(f"`{name}`" for name in
                         re.findall(rf"^{kind}\((\w+)\)$", read(path), re.MULTILINE)) + "."

    # Of `yarrow quantize` and `yarrow compile`.
    STOPS = {"None": "", "Quantize": "quantize", "Compile": "compile", "Both": "both"}

    def phases(self):
        text = re.sub(r'"\s*\n\s*"', "", read("compiler/pipeline/Phases.def"))
        records = re.findall(r'^PHASE\("(.*?)",\s*Stop::(\w+),\s*\w+,\s*"(.*?)",\s*"(.*?)"\)', text,
                             re.MULTILINE)
        return table(("phase", "`--stop-after`", "what it does", "what holds afterwards"),
                     [(f"`{name}`", self.STOPS[stop], does, holds)
                      for name, stop, does, holds in records])

    def nnapi_functions(self):
        groups = {}
        for group, name, level in re.findall(r"^FUNCTION\((\w+), (\w+), (\d+)\)",
                                             read("api/nnapi/Functions.def"), re.MULTILINE):
            levels = groups.setdefault(group, {})
            levels.setdefault(int(level), []).append(name.removeprefix("ANeuralNetworks"))
        return table(("of a", "level", "functions, each beginning with `ANeuralNetworks`"),
                     [(group, level, ", ".join(f"`{name}`" for name in names))
                      for group, levels in groups.items()
                      for level, names in sorted(levels.items())])

    def layering(self):
        script = os.path.join(ROOT, "scripts/check_layering.py")
        rules = subprocess.run([sys.executable, script, "--rules"], check=True,
                               stdout=subprocess.PIPE, text=True).stdout
        rows = re.findall(r"^(\w+)\s+LLVM: (\w+)\s+uses: (.*)$", rules, re.MULTILINE)
        return table(("folder", "may include", "LLVM and MLIR"),
                     [(f"`{folder}/`", "nothing" if used == "-" else
                       ", ".join(f"`{u}`" for u in used.split()), llvm)
                      for folder, llvm, used in rows])

    def block(self, name):
        method = {"descriptors": self.descriptors,
                  "custom-instructions": lambda: self.tec("-gen-tec-custom-doc"),
                  "riscv-instructions": self.riscv_instructions,
                  "tec-csrs": lambda: self.tec("-gen-tec-csr-doc"),
                  "strategies": self.strategies,
                  "operator-table": self.operator_table,
                  "operator-pages": self.operator_pages,
                  "engine-kernels": self.engine_kernels,
                  "diagnostics": self.diagnostics,
                  "targets": self.targets,
                  "config-keys": self.config_keys,
                  "unused-keys": self.unused_keys,
                  "owned-keys": self.owned_keys,
                  "layer-attributes": self.layer_attributes,
                  "missing-keys": lambda: self.other_keys("MISSING"),
                  "refused-keys": lambda: self.other_keys("REFUSED"),
                  "methods": self.methods,
                  "recipes": self.recipes,
                  "debug-commands": self.debug_commands,
                  "scores": self.scores,
                  "task-metrics": lambda: "Metrics of one task, by name: " +
                  self.names("TASK", "quantizer/scores/Scores.def"),
                  "data-sets": self.data_sets,
                  "domain-data-sets": lambda: self.names("DOMAIN",
                                                         "compiler/data/DataSets.def"),
                  "phases": self.phases,
                  "words": check_words.table,
                  "nnapi-functions": self.nnapi_functions,
                  "onnx-operators": self.onnx_operators,
                  "onnx-fusions": self.onnx_fusions,
                  "tflite-operators": self.tflite_operators,
                  "tflite-refusals": self.tflite_refusals,
                  "nnapi-operations": self.nnapi_operations,
                  "qnn-operators": self.qnn_operators,
                  "qnn-spellings": self.qnn_spellings,
                  "nnapi-types": self.nnapi_types,
                  "nnapi-hal": self.nnapi_hal,
                  "nnapi-classes": self.nnapi_classes,
                  "onnx-exports": lambda: self.exports("parser/onnx/export/Exports.def"),
                  "qnn-exports": lambda: self.exports("parser/qnn/export/Exports.def"),
                  "commands": self.commands,
                  "layering": self.layering}.get(name)
        if name.startswith("diagnostics-"):
            return "\n" + self.diagnostic_texts(name[len("diagnostics-"):]).strip() + "\n\n"
        if name.startswith("operators-"):
            return "\n" + self.operator_sections(name[len("operators-"):]).strip() + "\n\n"
        if not method:
            sys.exit(f"generate_docs: no generator for '{name}'")
        return "\n" + method().strip() + "\n\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="only check; fail if out of date")
    parser.add_argument("--page", help="only look at this page, such as docs/qnn.md")
    parser.add_argument("--tblgen", default=os.path.join(ROOT, "build/bin/yarrow-tblgen"))
    parser.add_argument("--llvm-include", default="/usr/lib/llvm-22/include")
    args = parser.parse_args()
    generator = Generator(args.tblgen, args.llvm_include)
    stale = 0
    if not args.check and not args.page:
        generator.write_missing_pages()
    pages = glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)
    all_pages = ["README.md"] + sorted(os.path.relpath(p, ROOT) for p in pages)
    for path in [args.page] if args.page else all_pages:
        old = read(path)
        new = BLOCK.sub(lambda m: m.group(1) + generator.block(m.group(2)) + m.group(3), old)
        if new == old:
            continue
        stale += 1
        if args.check:
            sys.stdout.writelines(difflib.unified_diff(
                old.splitlines(True), new.splitlines(True), path, "from the records"))
        else:
            with open(os.path.join(ROOT, path), "w", encoding="utf-8") as f:
                f.write(new)
            print(f"generate_docs: wrote {path}")
    if args.check and stale:
        print(f"generate_docs: {stale} files are out of date; run scripts/generate_docs.py")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
