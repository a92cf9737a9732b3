"""Yarrow from Python: read, quantize, compile and simulate neural networks.

    >>> import yarrow, numpy as np
    >>> model = yarrow.load("digits.txt")
    >>> q = yarrow.quantize(model, np.load("calibration.npy"))
    >>> exe = yarrow.compile(q, target="X2_1204")
    >>> session = yarrow.Session(exe)
    >>> image = np.load("heldout.npy")[:1]
    >>> int(session.run(image).argmax())
    3

Problems raise `yarrow.Error`, which has a code, a place and a hint.
docs/python.md shows the rest.
"""
from yarrow._version import __version__

# Loaded when they are first used: a script that imports the package and then only
# prints its version should not wait for NumPy and MLIR.
_HOMES = {
    "_commands": ("Result", "command", "explain", "operators", "set_threads", "targets"),
    "_errors": ("Diagnostic", "Error", "Warning"),
    "_executable": ("Executable", "Session", "compile", "open"),
    "_inference": ("InferenceSession", "NodeArg", "SessionOptions", "get_available_providers"),
    "_model": ("Model", "load", "quantize"),
    "_tensors": ("Tensor",),
    "_texts": ("TextGenerator",),
}
__all__ = ["__version__"] + [name for names in _HOMES.values() for name in names]


def __getattr__(name):
    import importlib
    for home, names in _HOMES.items():
        if name in names:
            value = getattr(importlib.import_module("yarrow." + home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'yarrow' has no attribute '{name}'")


def __dir__():
    return sorted(__all__)
