#!/usr/bin/env python3
"""Checks the rules that keep the folders apart (docs/architecture.md).

    scripts/check_layering.py            # this repository
    scripts/check_layering.py --rules    # the rules as a table

It reads the #include and include lines of .h, .cpp, .td, .def and .inc files:
a folder includes only the folders below it, some folders do not use LLVM, our
includes start at the root of the repository, a header's guard is its path, and
no source file has more than 1000 lines. Neither files (a header and its .cpp
count as one) nor folders include one another in a circle, nor do two files define
types of one name in one namespace (one_definition.py). The program's commands
and other clients of compiler/session neither include nor call the steps that it
is made of. Prints every violation as file:line.
"""
import os
import re
import sys

sys.dont_write_bytecode = True
from one_definition import definition_problems

# What a folder may include besides itself.
ALLOWED = {
    "support": "",
    "isa": "support",
    "kernels": "support",
    # The npu dialect is made from the records of isa/.
    "dialects": "support isa kernels",
    # The four stages never include one another.
    "parser": "support dialects",
    "quantizer": "support kernels dialects",
    "passes": "support isa kernels dialects",
    "codegen": "support isa kernels dialects",
    # The machine's software: nothing of the compiler.
    "simulator": "support isa",
    "runtime": "support isa simulator",
    # Shows what holds of executables: shares nothing with what makes them.
    "prove": "support isa simulator runtime",
    "compiler": "support isa kernels dialects parser quantizer passes codegen"
    " simulator runtime prove",
    # Further libraries, on top of everything.
    "api": "support isa kernels dialects parser quantizer passes codegen"
    " simulator runtime prove compiler",
    "python": "support isa kernels dialects parser quantizer passes codegen"
    " simulator runtime prove compiler",
}
WITHOUT_LLVM = {"support", "isa", "kernels", "simulator", "runtime", "prove"}
# yarrow-tblgen is a tool of the build, not part of the library beside it.
LLVM_ANYWAY = ("isa/tblgen/",)
LLVM_FOLDERS = {"llvm", "llvm-c", "mlir", "mlir-c", "lld", "clang"}

# Clients of compiler/session...
CLIENTS = ("api/", "python/") + tuple(
    f"compiler/{folder}/" for folder in (
        "bisect", "commands", "compare", "debug", "driver", "eval", "page", "report", "sweep"))
# ...include none of what it pairs, and call nothing of it.
STEP_HEADERS = {
    f"compiler/{header}.h" for header in (
        "forms/ChooseForms", "forms/CycleCount", "model/PartialModels", "pipeline/Compile",
        "pipeline/Quantize", "quantize/CompareStep", "quantize/FormOptions",
        "quantize/PrecisionStep", "quantize/QuantizeStep", "run/NpuAccuracy", "run/NpuRunner",
        "run/Profile")}
STEPS = re.compile(
    r"(?<!session::)(?<![.>])\b(?:(?:chooseExactForms|compileInMemory|compileNetwork|compileToRun|"
    r"compileUntil|compileVariants|countCycles|emitExecutable|exactForms|executableInMemory|"
    r"measureAccuracy|planPrecision|profileSamples|profileZeros|quantizeInForms|quantizeModule|"
    r"quantizeNetwork|quantizeStep|quantizeUntil|readModel|readToQuantize|readVariants|"
    r"searchPrecision)\(|(?:NpuDevice|NpuRunner|QuantizeSession)\b)")

INCLUDE_SUFFIXES = (".h", ".cpp", ".td", ".def", ".inc", ".c")
LENGTH_SUFFIXES = INCLUDE_SUFFIXES + (
    ".py", ".sh", ".cmake", ".md", ".mlir", "CMakeLists.txt")
MAX_LINES = 1000
INCLUDE = re.compile(r'^\s*#?\s*include\s+(["<])([^">]+)[">]')


def sources(root):
    """Relative paths of all files, without build folders and hidden ones."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names
                          if n != "build" and not n.startswith((".", "build-")))
        for name in sorted(files):
            yield os.path.relpath(os.path.join(folder, name), root)


def include_problem(root, path, quote, target):
    """The problem of `path` including `target`, or None."""
    layer = path.split("/")[0]
    used = target.split("/")[0]
    if used in LLVM_FOLDERS:
        if layer in WITHOUT_LLVM and not path.startswith(LLVM_ANYWAY):
            return f"{layer}/ must build without LLVM, but includes {target}"
        return None
    if target in STEP_HEADERS and path.startswith(CLIENTS):
        return f"{target} is a step of compiler/session: include what that offers"
    if used in ALLOWED and "/" in target:
        allowed = [layer] + ALLOWED.get(layer, "").split()
        if layer in ALLOWED and used not in allowed:
            return (f"{layer}/ must not include {target}"
                    f" (only {', '.join(sorted(allowed))})")
        return None
    beside = os.path.join(root, os.path.dirname(path), target)
    if quote == '"' and os.path.isfile(beside) and not os.path.exists(os.path.join(root, target)):
        full = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return f"write \"{full}\": includes start at the repository's root"
    return None


def step_problem(path, line):
    """The problem of a client that calls a step of the library, or None."""
    step = STEPS.search(line) if path.startswith(CLIENTS) else None
    return step and f"{step.group().rstrip('(')} is a step of compiler/session: call that"


def guard_problem(path, text):
    """The problem of the include guard of the header `path`, or None."""
    name = path.split("include/yarrow/")[-1]  # the public header, installed
    guard = "YARROW_" + re.sub(r"[^A-Z0-9]", "_", name.upper())
    if f"#ifndef {guard}\n#define {guard}\n" in text:
        return None
    return f"the include guard is not {guard}"


def check_file(root, path):
    problems = []
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        lines = f.read().splitlines()
    if len(lines) > MAX_LINES:
        problems.append(f"{path}:{MAX_LINES + 1}: the file has {len(lines)}"
                        f" lines; one idea per file, at most {MAX_LINES} lines")
    if path.endswith(".h"):
        problem = guard_problem(path, "\n".join(lines) + "\n")
        if problem:
            problems.append(f"{path}:1: {problem}")
    if path.endswith(INCLUDE_SUFFIXES):
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            problem = (include_problem(root, path, *match.groups()) if match
                       else step_problem(path, line))
            if problem:
                problems.append(f"{path}:{number}: {problem}")
    return problems


def node_of(path):
    """A header and its .cpp are one."""
    return re.sub(r"\.(h|cpp|c)$", "", path)


def include_graph(root, paths):
    """{node: {node that it includes: (path, line number)}}."""
    graph, known = {}, set(paths)
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
            for number, line in enumerate(f, 1):
                match = INCLUDE.match(line)
                target = match and match.group(2)
                if target in known and node_of(target) != node_of(path):
                    graph.setdefault(node_of(path), {}).setdefault(
                        node_of(target), (path, number))
    return graph


def folder_graph(graph):
    """The same between the folders that the nodes are in."""
    folders = {}
    for node, used in graph.items():
        for other, place in used.items():
            a, b = os.path.dirname(node), os.path.dirname(other)
            if a != b:
                folders.setdefault(a, {}).setdefault(b, place)
    return folders


def circles(graph):
    """Sorted groups of nodes that reach one another (Tarjan, without recursion)."""
    index, low, stack, groups = {}, {}, [], []
    for start in sorted(graph):
        work = [] if start in index else [(start, None)]
        while work:
            node, rest = work.pop()
            if rest is None:
                index[node] = low[node] = len(index)
                stack.append(node)
                rest = iter(sorted(graph.get(node, {})))
            for other in rest:
                if other not in index:
                    work += [(node, rest), (other, None)]
                    break
                if low[other] is not None:
                    low[node] = min(low[node], low[other])
            else:
                if low[node] == index[node]:
                    group = []
                    while not group or group[-1] != node:
                        group.append(stack.pop())
                    for member in group:
                        low[member] = None
                    if len(group) > 1:
                        groups.append(tuple(sorted(group)))
                if work and low[node] is not None:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return sorted(groups)


def first_place(graph, group):
    """Where the first of the group includes another one."""
    path, number = next(graph[group[0]][n] for n in sorted(graph[group[0]]) if n in group)
    return f"{path}:{number}"


def circle_problems(root, paths):
    files = include_graph(root, paths)
    return [f"{first_place(graph, group)}: {what} include one another: {', '.join(group)}"
            for what, graph in (("files", files), ("folders", folder_graph(files)))
            for group in circles(graph)]


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def main():
    if "--rules" in sys.argv[1:]:
        for layer, allowed in ALLOWED.items():
            llvm = "no" if layer in WITHOUT_LLVM else "yes"
            print(f"{layer:10}  LLVM: {llvm:3}  uses: {allowed or '-'}")
        return 0
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checked = [p for p in sources(root) if p.endswith(LENGTH_SUFFIXES)]
    problems = [p for path in checked for p in check_file(root, path)]
    problems += circle_problems(root, [p for p in checked if p.endswith(INCLUDE_SUFFIXES)])
    problems += definition_problems({p: read(root, p) for p in checked
                                     if p.endswith((".h", ".cpp"))})
    for problem in problems:
        print(problem)
    print(f"check_layering: {len(checked)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
