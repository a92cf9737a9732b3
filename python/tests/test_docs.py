"""The examples of docstrings and of docs/python.md do what they say."""
import doctest
import importlib
import os
import pkgutil
import re
import shutil
import tempfile
import unittest
import warnings

import numpy as np
from common import ROOT, shared_folder

import yarrow

FENCED = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples_of(path):
    """The document's sessions as one, with the lines where they are."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lines = [""] * (text.count("\n") + 1)
    for match in FENCED.finditer(text):
        first = text.count("\n", 0, match.start(1))
        for i, line in enumerate(match.group(1).splitlines()):
            lines[first + i] = line
    return "\n".join(lines)


class Examples(unittest.TestCase):
    def setUp(self):
        self.before = os.getcwd()
        self.holder = tempfile.TemporaryDirectory(prefix="yarrow-python-")
        folder = os.path.join(self.holder.name, "digits")
        shutil.copytree(shared_folder(), folder)
        os.chdir(folder)
        warnings.simplefilter("ignore", yarrow.Warning)

    def tearDown(self):
        os.chdir(self.before)
        self.holder.cleanup()

    def run_examples(self, tests):
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        report, count = [], 0
        for test in tests:
            count += len(test.examples)
            runner.run(test, out=report.append)
        self.assertGreater(count, 0)
        self.assertEqual(runner.failures, 0, "".join(report))

    def test_docstrings(self):
        finder, tests = doctest.DocTestFinder(), []
        names = [m.name for m in pkgutil.iter_modules(yarrow.__path__) if m.name != "_native"]
        for module in [yarrow] + [importlib.import_module("yarrow." + n) for n in names]:
            tests += finder.find(module, module.__name__, module,
                                 extraglobs={"yarrow": yarrow, "np": np})
        self.run_examples([t for t in tests if t.examples])

    def test_document(self):
        path = os.path.join(ROOT, "docs", "python.md")
        text = examples_of(path)
        test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", path, 0)
        self.run_examples([test])

    def test_everything_has_a_docstring(self):
        for name in yarrow.__all__:
            each = getattr(yarrow, name)
            if callable(each):
                self.assertTrue(each.__doc__, name)


if __name__ == "__main__":
    unittest.main()
