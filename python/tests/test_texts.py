"""Texts of a language model: the tokens of `yarrow generate`, piece by piece."""
import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import common

import yarrow

GGUF = os.path.join(common.ROOT, "test", "lit", "gguf.py")


class Texts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="yarrow-python-")
        cls.path = os.path.join(cls.holder.name, "words.gguf")
        subprocess.run([sys.executable, GGUF, "words", "-o", cls.path], check=True)
        cls.texts = yarrow.TextGenerator(cls.path)
        cls.model = yarrow.load(cls.path, input_shapes={"cache": (16,)})

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def printed(self, *options):
        """The tokens that the program makes."""
        text = common.program("-q", "generate", self.path, "-p", "the and", "-n", "8", "--tokens",
                              *options)
        return list(map(int, text.split()))

    def test_tokens_are_those_of_the_program(self):
        self.assertEqual(list(self.texts.tokens("the and", count=8)), self.printed())
        self.assertIsNone(self.texts.costs)

    def test_the_prompt_may_be_tokens(self):
        prompt = self.texts.encode("the and")
        self.assertEqual(list(self.texts.tokens(prompt, count=8)), self.printed())

    def test_drawn_tokens(self):
        drawn = list(self.texts.tokens("the and", count=8, temperature=1, top_k=20, seed=5))
        self.assertEqual(drawn, self.printed("--temperature", "1", "--top-k", "20", "--seed", "5"))

    def test_text_is_that_of_the_tokens(self):
        text = "".join(self.texts.generate("the and", count=8))
        self.assertEqual(text, self.texts.decode(self.printed()))

    def test_machine_and_host_make_the_same(self):
        machine = yarrow.TextGenerator(self.path, yarrow.compile(self.model))
        host = yarrow.TextGenerator(self.path, self.model)
        self.assertEqual(list(machine.tokens("the and", count=8)), self.printed())
        self.assertEqual(list(host.tokens("the and", count=8)), self.printed())
        costs = machine.costs
        self.assertEqual(costs["target"], "X2_1204")
        # The last token is not read any more.
        self.assertEqual(costs["tokens"], len(machine.encode("the and")) + 7)
        self.assertGreater(costs["cycles"], 0)
        self.assertGreater(costs["bus_bytes_per_token"], 0)

    def test_each_text_begins_anew(self):
        first = list(self.texts.tokens("the and", count=4))
        self.assertEqual(list(self.texts.tokens("the and", count=4)), first)

    def test_one_text_at_a_time(self):
        first = self.texts.tokens("the", count=4)
        next(first)
        self.assertEqual(len(list(self.texts.tokens("and", count=4))), 4)
        with self.assertRaisesRegex(yarrow.Error, "another text has begun"):
            next(first)

    def test_a_full_cache_ends_the_text_and_warns(self):
        texts = yarrow.TextGenerator(self.path, self.model)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = list(texts.tokens("the and", count=100))
        self.assertEqual(len(made), 12)
        self.assertIn("W1304", str(caught[0].message))

    def test_mistakes(self):
        for call in (lambda: self.texts.tokens([]), lambda: self.texts.tokens([1, 294]),
                     lambda: self.texts.decode([294]),
                     lambda: yarrow.TextGenerator(__file__),
                     lambda: yarrow.TextGenerator(self.path, yarrow.load(
                         os.path.join(common.ROOT, "examples", "digits", "digits.txt")))):
            with self.assertRaises(yarrow.Error):
                call()
        self.assertEqual(len(list(self.texts.tokens("the and", count=4))), 4)


if __name__ == "__main__":
    unittest.main()
