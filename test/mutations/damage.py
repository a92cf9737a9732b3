"""Ways to damage bytes, arrays, configurations and command lines.

Every function takes what is sound and a random.Random, and gives
(what was done, the damaged thing). What an array is after the change (its shape,
whether its values are finite) is known here, so that a test can tell whether it
had to be refused without asking the program.
"""
import array
import math
import struct


def damage_bytes(data, rng):
    """Anything that disks, copies and people do to a file."""
    data = bytearray(data)
    kind = rng.choice(["bit", "byte", "bytes", "cut", "extend", "swap", "zero", "insert", "remove"])
    at = rng.randrange(len(data)) if data else 0
    size = min(rng.choice([1, 2, 4, 16, 64, 256]), len(data) - at)
    if kind == "bit":
        data[at] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        data[at] = rng.choice([0, 1, 0x7f, 0x80, 0xff])
    elif kind == "bytes":
        data[at:at + size] = bytes(rng.randrange(256) for _ in range(size))
    elif kind == "cut":
        del data[at:]
    elif kind == "extend":
        data += bytes(rng.randrange(256) for _ in range(size or 1))
    elif kind == "swap":
        other = rng.randrange(len(data) - size + 1)
        data[at:at + size], data[other:other + size] = (data[other:other + size],
                                                        data[at:at + size])
    elif kind == "zero":
        data[at:at + size] = bytes(size)
    elif kind == "insert":
        data[at:at] = bytes(rng.randrange(256) for _ in range(size or 1))
    else:
        del data[at:at + size]
    return f"{kind} at {at}", bytes(data)


def damage_floats(data, rng):
    """A weights file with one element, if it is float32, that is no number."""
    if len(data) < 4:
        return damage_bytes(data, rng)
    word = rng.choice([math.nan, math.inf, -math.inf, 3e38, -3e38, 1e-45, 0.0])
    at = 4 * rng.randrange(len(data) // 4)
    return f"{word} at {at}", data[:at] + struct.pack("<f", word) + data[at + 4:]


class Samples:
    """An array for a network's input of `shape`, as .npy bytes."""

    def __init__(self, shape, values, descr="<f4"):
        self.shape, self.values, self.descr = list(shape), values, descr

    def npy(self):
        header = "{'descr': %r, 'fortran_order': False, 'shape': (%s), }" % (
            self.descr, "".join(f"{size}, " for size in self.shape))
        header += " " * (-(11 + len(header)) % 64) + "\n"
        return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                header.encode("ascii") + self.values.tobytes())

    def fits(self, shape):
        """Whether the array is samples of an input of `shape`: whole batches,
        the input itself, or flat rows; and every value finite."""
        count = math.prod(shape[1:])
        good = (self.shape == list(shape) or
                (len(self.shape) == len(shape) and self.shape[1:] == list(shape[1:]) and
                 self.shape[0] % shape[0] == 0) or
                (len(self.shape) == 2 and self.shape[1] == count and
                 self.shape[0] % shape[0] == 0))
        return good and self.shape[0] > 0 and all(map(math.isfinite, self.values))


def random_samples(shape, count, rng, low=-1.0, high=1.0):
    """`count` batches of an input of `shape`."""
    values = array.array("f", (rng.uniform(low, high) for _ in range(count * math.prod(shape))))
    return Samples([count * shape[0], *shape[1:]], values)


def damage_samples(shape, count, rng):
    """(what, Samples) of another shape or with other values."""
    samples = random_samples(shape, count, rng)
    kind = rng.choice(["nan", "inf", "minus inf", "transposed", "flat", "one axis", "merged",
                       "batch", "spatial", "extra axis", "as it is", "empty"])
    axes = samples.shape
    if kind in ("nan", "inf", "minus inf"):
        value = {"nan": math.nan, "inf": math.inf, "minus inf": -math.inf}[kind]
        samples.values[rng.randrange(len(samples.values))] = value
    elif kind == "transposed":
        order = axes[1:]
        rng.shuffle(order)
        samples.shape = [axes[0], *order]
    elif kind == "flat":
        samples.shape = [axes[0], math.prod(axes[1:])]
    elif kind == "one axis":
        samples.shape = [math.prod(axes)]
    elif kind == "merged":
        cut = rng.randrange(1, len(axes))
        samples.shape = [axes[0] * math.prod(axes[1:cut + 1]), *axes[cut + 1:]]
    elif kind == "batch":
        more = rng.randrange(1, 5)
        samples = random_samples(shape, more, rng)
        samples.shape[0] += rng.choice([0, 0, 1]) if shape[0] > 1 else 0
        wanted = math.prod(samples.shape)
        samples.values.extend([0.5] * (wanted - len(samples.values)))
    elif kind == "spatial":
        axis = rng.randrange(1, len(axes))
        samples.shape[axis] *= 2
        samples.values.extend(samples.values)
    elif kind == "extra axis":
        samples.shape.insert(rng.randrange(len(axes) + 1), 1)
    elif kind == "empty":
        samples.shape[rng.randrange(len(axes))] = 0
        del samples.values[:]
    return f"{kind}, shape {samples.shape}", samples


def damage_name(name, rng):
    """A slip of the finger in a word of at least two letters."""
    at = rng.randrange(1, len(name))
    return rng.choice([name[:at] + name[at + 1:], name[:at] + "x" + name[at:],
                       name[:at - 1] + name[at] + name[at - 1] + name[at + 1:]])
