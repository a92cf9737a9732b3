"""__init__.pyi says what the package has: names, parameters, which have defaults."""
import ast
import inspect
import os
import subprocess
import sys
import unittest

import yarrow

STUBS = os.path.join(os.path.dirname(yarrow.__file__), "__init__.pyi")


def tree():
    with open(STUBS, encoding="utf-8") as file:
        return ast.parse(file.read())


def parameters(function):
    """As inspect.signature has them: (kind, name, has a default)."""
    arguments = function.args
    plain = arguments.posonlyargs + arguments.args
    without = len(plain) - len(arguments.defaults)
    found = [("POSITIONAL_OR_KEYWORD", a.arg, i >= without) for i, a in enumerate(plain)]
    if arguments.vararg:
        found.append(("VAR_POSITIONAL", arguments.vararg.arg, False))
    found += [("KEYWORD_ONLY", a.arg, default is not None)
              for a, default in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        found.append(("VAR_KEYWORD", arguments.kwarg.arg, False))
    return found


def real_parameters(function):
    function = getattr(function, "__func__", function)
    return [(p.kind.name, p.name, p.default is not p.empty)
            for p in inspect.signature(function).parameters.values()]


class Stubs(unittest.TestCase):
    def check(self, function, real, name):
        self.assertEqual(parameters(function), real_parameters(real), name)

    def test_names(self):
        declared = {node.name for node in tree().body if hasattr(node, "name")} | {"__version__"}
        self.assertEqual(declared, set(yarrow.__all__))

    def test_functions(self):
        for node in tree().body:
            if isinstance(node, ast.FunctionDef):
                self.check(node, getattr(yarrow, node.name), node.name)

    def test_classes(self):
        for node in tree().body:
            if not isinstance(node, ast.ClassDef):
                continue
            real = getattr(yarrow, node.name)
            declared = set()
            for member in node.body:
                if not isinstance(member, ast.FunctionDef):
                    continue
                declared.add(member.name)
                found = inspect.getattr_static(real, member.name)
                is_property = any(isinstance(d, ast.Name) and d.id == "property"
                                  for d in member.decorator_list)
                if not is_property:
                    self.check(member, getattr(found, "__func__", found),
                               f"{node.name}.{member.name}")
            public = {n for n, v in vars(real).items() if not n.startswith("_") and
                      (inspect.isfunction(v) or isinstance(v, (property, classmethod)) or
                       hasattr(v, "func"))}
            self.assertLessEqual(public, declared, node.name)

    def test_typed(self):
        self.assertTrue(os.path.exists(os.path.join(os.path.dirname(STUBS), "py.typed")))


class Import(unittest.TestCase):
    def test_nothing_heavy_is_loaded(self):
        """Neither NumPy nor the native library, before they are needed."""
        code = ("import sys, yarrow; yarrow.__version__; "
                "print([m for m in ('numpy', 'yarrow._native') if m in sys.modules])")
        printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                                 check=True, timeout=60).stdout
        self.assertEqual(printed.strip(), "[]")


if __name__ == "__main__":
    unittest.main()
