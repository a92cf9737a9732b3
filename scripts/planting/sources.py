"""Parses a source of the tree and finds its parts through libclang
(python3-clang-22). Offsets count bytes."""
import dataclasses
import pathlib
import subprocess

from clang import cindex
from clang.cindex import CursorKind

# Bodies that a statement can be chosen in.
FUNCTIONS = {
    CursorKind.FUNCTION_DECL, CursorKind.CXX_METHOD, CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CONSTRUCTOR, CursorKind.DESTRUCTOR, CursorKind.LAMBDA_EXPR,
    CursorKind.CONVERSION_FUNCTION}


def compiler_flags(root, build):
    """Flags of any file of the tree: one set, as only the syntax is looked at."""
    llvm = subprocess.run(["llvm-config-22", "--includedir"], capture_output=True,
                          text=True, check=True).stdout.strip()
    resources = subprocess.run(["clang++-22", "-print-resource-dir"],
                               capture_output=True, text=True, check=True).stdout.strip()
    return ["-std=c++20", f"-I{root}", f"-isystem{build}", f"-isystem{llvm}",
            f"-isystem{resources}/include", "-Wno-invalid-constexpr", "-w",
            '-DYARROW_VERSION="0"', "-DYARROW_VERSION_MAJOR=0", "-DYARROW_VERSION_MINOR=0",
            "-DYARROW_VERSION_PATCH=0", "-DYARROW_TEC_VECTOR_GROUP=4"]


def read_mlir_once(root, flags, file):
    """MLIR's headers as a precompiled header: half of what a file takes."""
    unit = cindex.Index.create().parse(
        str(pathlib.Path(root) / "cmake/MlirHeaders.h"), args=["-xc++-header", *flags],
        options=cindex.TranslationUnit.PARSE_INCOMPLETE)
    unit.save(str(file))


@dataclasses.dataclass(frozen=True)
class Node:
    kind: CursorKind
    start: int
    end: int
    parent: CursorKind


class Source:
    """One file, parsed. `text` is bytes, as libclang counts them."""

    def __init__(self, root, path, flags):
        self.path = path  # from the root of the tree
        self.file = str(pathlib.Path(root) / path)
        self.text = pathlib.Path(self.file).read_bytes()
        self.unit = cindex.Index.create().parse(self.file, args=["-xc++", *flags])
        self.parses = not self.errors()
        # Plain data: cursors are those of the text that was parsed last.
        self.nodes = [Node(cursor.kind, *self.span(cursor), ancestors[-1].kind)
                      for cursor, ancestors in self.in_functions()]
        self.bodies = self.bodies_of_functions()

    def errors(self):
        # libclang says this of every precompiled header.
        return [d for d in self.unit.diagnostics if d.severity >= cindex.Diagnostic.Error and
                "__va_list_tag" not in d.spelling]

    def compiles(self, text):
        """Whether the file has no errors with other text."""
        # libclang takes what is not saved as text.
        self.unit.reparse([(self.file, text.decode())])
        return not self.errors()

    def is_here(self, cursor):
        place = cursor.extent.start
        return place.file is not None and place.file.name == self.file

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def slice(self, cursor):
        start, end = self.span(cursor)
        return self.text[start:end]

    def line(self, offset):
        return self.text.count(b"\n", 0, offset) + 1

    def in_functions(self):
        """(cursor, ancestors) of everything in the bodies of functions in this file."""
        found = []

        def visit(cursor, ancestors, inside):
            for child in cursor.get_children():
                if not ancestors and not self.is_here(child):
                    continue
                here = inside and self.is_here(child)
                if here:
                    found.append((child, [*ancestors, cursor]))
                # `try` may stand for the body, and members are made before it.
                body = cursor.kind in FUNCTIONS and (
                    child.kind in (CursorKind.COMPOUND_STMT, CursorKind.CXX_TRY_STMT) or
                    (cursor.kind == CursorKind.CONSTRUCTOR and child.kind.is_expression()))
                if body and child.kind.is_expression():
                    found.append((child, [*ancestors, cursor]))
                visit(child, [*ancestors, cursor], inside or body)

        visit(self.unit.cursor, [], False)
        return found

    def bodies_of_functions(self):
        """(start, end) of every function's body in this file."""
        found = set()

        def visit(cursor):
            for child in cursor.get_children():
                if not self.is_here(child):
                    continue
                if child.kind == CursorKind.COMPOUND_STMT and cursor.kind in FUNCTIONS:
                    found.add(self.span(child))
                visit(child)

        visit(self.unit.cursor)
        return sorted(found)
