#!/usr/bin/env python3
"""Checks the rules that keep the folders apart (docs/architecture.md).

    scripts/check_layering.py            # this repository
    scripts/check_layering.py --rules    # the rules as a table

It reads the #include and include lines of .h, .cpp, .td, .def and .inc files:
a folder includes only the folders below it, some folders know nothing of LLVM,
includes of ours are written from the root of the repository, a header's guard
is its path, and no source file has more than 1000 lines. Prints every violation
as file:line.
"""
import os
import re
import sys

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
    "compiler": "support isa kernels dialects parser quantizer passes codegen"
    " simulator runtime",
}
WITHOUT_LLVM = {"support", "isa", "kernels", "simulator", "runtime"}
# yarrow-tblgen is a tool of the build, not part of the library beside it.
LLVM_ANYWAY = ("isa/tblgen/",)
LLVM_FOLDERS = {"llvm", "llvm-c", "mlir", "mlir-c", "lld", "clang"}

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
    """What is wrong with `path` including `target`, or None."""
    layer = path.split("/")[0]
    used = target.split("/")[0]
    if used in LLVM_FOLDERS:
        if layer in WITHOUT_LLVM and not path.startswith(LLVM_ANYWAY):
            return f"{layer}/ must build without LLVM, but includes {target}"
        return None
    if used in ALLOWED and "/" in target:
        allowed = [layer] + ALLOWED.get(layer, "").split()
        if layer in ALLOWED and used not in allowed:
            return (f"{layer}/ may not include {target}"
                    f" (only {', '.join(sorted(allowed))})")
        return None
    beside = os.path.join(root, os.path.dirname(path), target)
    if quote == '"' and os.path.isfile(beside) and not os.path.exists(os.path.join(root, target)):
        full = os.path.normpath(os.path.join(os.path.dirname(path), target))
        return f"write \"{full}\": includes start at the repository's root"
    return None


def guard_problem(path, text):
    """What is wrong with the include guard of the header `path`, or None."""
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
            problem = match and include_problem(root, path, *match.groups())
            if problem:
                problems.append(f"{path}:{number}: {problem}")
    return problems


def main():
    if "--rules" in sys.argv[1:]:
        for layer, allowed in ALLOWED.items():
            llvm = "no" if layer in WITHOUT_LLVM else "yes"
            print(f"{layer:10}  LLVM: {llvm:3}  uses: {allowed or '-'}")
        return 0
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    checked = [p for p in sources(root) if p.endswith(LENGTH_SUFFIXES)]
    problems = [p for path in checked for p in check_file(root, path)]
    for problem in problems:
        print(problem)
    print(f"check_layering: {len(checked)} files, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
