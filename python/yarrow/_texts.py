"""Texts of a language model: TextGenerator."""
import codecs
import json
import os

from yarrow._errors import diagnostics_of, tell, usage_error
from yarrow._executable import Executable
from yarrow._executable import open as open_executable
from yarrow._library import native
from yarrow._model import Model


class TextGenerator:
    """Makes texts with the vocabulary of a GGUF file, as `yarrow generate` does.

    network is the network that decodes, token by token: a Model (floats or integers, on the
    host), an Executable or its path (on the simulated machine, which counts cycles), or None
    for the file's own network in floats. cache is the longest text of that; without it, it is
    the model's.

        texts = yarrow.TextGenerator("story.gguf", "out/aipu.bin")
        for piece in texts.generate("Once upon a time", count=100):
            print(piece, end="", flush=True)
    """

    def __init__(self, path, network=None, *, cache=None, budget=None):
        if network is not None and not isinstance(network, (Model, Executable)):
            network = open_executable(network)
        self._native = native().TextGenerator(
            os.fspath(path), network._native if isinstance(network, Model) else None,
            network._native if isinstance(network, Executable) else None, cache or 0,
            native().DEFAULT_BUDGET if budget is None else budget)
        self._texts = 0

    def encode(self, text):
        """The tokens of a prompt, a list of int."""
        return self._native.encode(text)

    def decode(self, tokens):
        """The text of tokens, a str."""
        return b"".join(map(self._native.text_of, tokens)).decode("utf-8", "replace")

    def tokens(self, prompt="", *, count=200, temperature=0.0, top_k=0, seed=0):
        """Yields tokens one by one, at most `count`. The prompt is text or a list of tokens.

        The text also ends where the model ends it and where the cache is full (a warning).
        temperature and top_k draw tokens instead of the most likely one; the same seed draws
        the same ones. One text at a time: another one ends this one.
        """
        given = isinstance(prompt, str)
        self._texts += 1
        mine = self._texts
        self._native.begin(prompt if given else "", [] if given else list(map(int, prompt)),
                           not given, count, float(temperature), top_k, seed)
        return self._rest(mine)

    def _rest(self, mine):
        while True:
            if self._texts != mine:
                raise usage_error("another text has begun",
                                  "make one text at a time, or use a TextGenerator for each")
            token = self._native.next()
            if token is None:
                tell(diagnostics_of(self._native.diagnostics_json()))
                return
            yield token

    def generate(self, prompt="", **options):
        """Yields the text in pieces, as tokens() yields tokens, without the prompt."""
        return self._pieces(self.tokens(prompt, **options))

    def _pieces(self, tokens):
        letters = codecs.getincrementaldecoder("utf-8")("replace")
        for token in tokens:
            if piece := letters.decode(self._native.text_of(token)):
                yield piece
        if piece := letters.decode(b"", True):
            yield piece

    @property
    def costs(self):
        """What all tokens so far cost the machine: target, clock_mhz, tokens, cycles,
        bus_bytes_per_token. None on the host."""
        return json.loads(self._native.costs_json())
