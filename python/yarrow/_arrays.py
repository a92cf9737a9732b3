"""Converts data from users to the form of the native library."""
import os
from collections.abc import Mapping

import numpy as np

from yarrow._errors import usage_error


def array_of(value):
    """An array in C order, aligned, of this machine's byte order: `value` itself
    if it is one already, else a copy."""
    array = np.asarray(value)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.flags.c_contiguous and array.flags.aligned:
        return array
    return np.require(array, requirements=["C", "ALIGNED"])


def _one(value):
    return os.fspath(value) if isinstance(value, (str, os.PathLike)) else array_of(value)


def named(data):
    """[(name or "", array or path)]."""
    if isinstance(data, Mapping):
        return [(str(name), _one(value)) for name, value in data.items()]
    if isinstance(data, (tuple, list)) and data and all(
            isinstance(each, (np.ndarray, os.PathLike)) for each in data):
        return [("", _one(each)) for each in data]
    return [("", _one(data))]


def as_given(data, names, arrays):
    """Arrays by name for data by name, else the one array if there is one."""
    if len(arrays) == 1 and not isinstance(data, Mapping):
        return arrays[0]
    return dict(zip(names, arrays))


def chosen(names, known):
    """The outputs that `names` asks for; None: all."""
    if names is None:
        return known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise usage_error(f"there is no output {unknown[0]!r}", f"outputs are {', '.join(known)}")
    return list(names)
