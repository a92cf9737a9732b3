#!/usr/bin/env python3
"""Breaks good IRs in ways that people and tools break them, and looks at what
`yarrow check` says.

    test/mutations/mutate.py --bin build/bin --count 200 IR.txt [IR.txt ...]

Each mutation changes one thing of one IR: a key removed, renamed or written
twice; a number changed; a tensor renamed in one place; an offset moved; the
text cut off. It must give a coded diagnostic at the right line, or the network
must be the same: `yarrow compile --stop-after read` prints the same MLIR
without locations. The seeds are fixed, so a failure can be looked at again with
--only N --keep FOLDER.

Numbers that state a fact only once, such as the value of a multiplier, are left
alone: any other value makes another network that is as valid.
"""
import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

# Keys whose numbers other keys repeat or bound.
REDUNDANT = re.compile(
    r"^(layer_number|layer_id|layer_(top|bottom)_shape|(?!max_output)\w+_size|\w+_shape|num_output|"
    r"kernel_[xyz]|stride_[xyz]|group|perm|splits)$")
# Keys that decide nothing; without one, or with another, the network is the same.
INFORMATION = re.compile(r"^(is_perf_mode|unquantifiable|float_reason|activation_quantization_axis|"
                         r"(weights|biases)_(scale|zp|range)\w*|model_name|model_domain|precision|"
                         r"D_\w+)$")

# What begins a layer, is seen by the layers that read its tensor, or says what
# all scales mean.
SEEN_ELSEWHERE = ("layer_id", "layer_type", "layer_bottom", "layer_top", "input_tensors",
                  "compat_quantized_model")


class Ir:
    """Lines of an IR, and which of them belong to which layer."""

    def __init__(self, text):
        self.lines = text.split("\n")
        self.entries = []  # (line index, layer index or -1, key, value)
        layer = -1
        for i, line in enumerate(self.lines):
            if "=" not in line:
                continue
            key, value = line.split("=", 1)
            if key == "layer_id":
                layer += 1
            self.entries.append((i, layer, key, value))

    def lines_of_layer(self, layer):
        return {i + 1 for i, l, _, _ in self.entries if l == layer}

    def lines_of_name(self, name):
        """Lines that name a tensor."""
        pattern = re.compile(r"[\[,=]" + re.escape(name) + r"(?=[\],]|$)")
        return {i + 1 for i, line in enumerate(self.lines) if pattern.search(line)}


# A mutation: the new text, and the lines at which a diagnostic is right (None:
# any line of the file). Of some numbers every value is a valid network, if the
# shapes come out as declared.
Mutation = collections.namedtuple("Mutation", "what lines right may_be_valid", defaults=[False])


def with_line(ir, index, *new):
    return ir.lines[:index] + list(new) + ir.lines[index + 1:]


def remove_key(ir, rng):
    i, layer, key, _ = rng.choice(ir.entries)
    right = ir.lines_of_layer(layer)
    if key in SEEN_ELSEWHERE:
        right = None
    return Mutation(f"remove {key} at line {i + 1}", with_line(ir, i), right)


def rename_key(ir, rng):
    i, layer, key, value = rng.choice([e for e in ir.entries if len(e[2]) > 1])
    at = rng.randrange(1, len(key))
    new = rng.choice([key[:at] + key[at + 1:], key[:at] + "x" + key[at:],
                      key[:at - 1] + key[at] + key[at - 1] + key[at + 1:], "other_" + key])
    if new == key:
        return None
    right = ir.lines_of_layer(layer)
    if key in SEEN_ELSEWHERE:
        right = None
    return Mutation(f"rename {key} to {new} at line {i + 1}", with_line(ir, i, f"{new}={value}"),
                    right)


def duplicate_key(ir, rng):
    i, layer, key, value = rng.choice(ir.entries)
    if key == "layer_id":
        return None
    other = rng.choice([value, value + "1" if value and value[-1].isalnum() else "[7]"])
    return Mutation(f"write {key} twice, {other[:30]}, at line {i + 2}",
                    with_line(ir, i, ir.lines[i], f"{key}={other}"), {i + 1, i + 2})


def change_number(ir, rng):
    choices = [e for e in ir.entries if REDUNDANT.match(e[2]) and re.search(r"\d", e[3])
               and not INFORMATION.match(e[2])]
    i, layer, key, value = rng.choice(choices)
    numbers = list(re.finditer(r"\d+", value))
    m = rng.choice(numbers)
    new = str(rng.choice([int(m.group()) + 1, int(m.group()) * 2 + 3, 0, 10 ** 12]))
    if new == m.group():
        return None
    right = ir.lines_of_layer(layer)
    if key.startswith(("layer_top", "layer_bottom")):
        right = None  # its readers and its producer see it
    return Mutation(f"change {m.group()} of {key} to {new} at line {i + 1}",
                    with_line(ir, i, f"{key}={value[:m.start()]}{new}{value[m.end():]}"), right,
                    re.match("(kernel|stride)_[xyz]$", key) is not None)


def rename_tensor(ir, rng):
    choices = [e for e in ir.entries if e[2] in ("layer_top", "layer_bottom", "input_tensors",
                                                 "output_tensors") and e[3].strip("[]")]
    i, _, key, value = rng.choice(choices)
    names = value.strip("[]").split(",")
    k = rng.randrange(len(names))
    old = names[k]
    names[k] = old + rng.choice(["_", "0", "x"])
    right = ir.lines_of_name(old) | {i + 1}
    return Mutation(f"rename tensor {old} in {key} at line {i + 1}",
                    with_line(ir, i, f"{key}=[{','.join(names)}]"), right)


def move_offset(ir, rng):
    choices = [e for e in ir.entries if e[2].endswith("_offset") and e[3].isdigit()]
    if not choices:
        return None
    i, layer, key, value = rng.choice(choices)
    new = int(value) + rng.choice([-1, 1, 3, 10 ** 9, -7])
    # An overlap is as well reported at the other constant.
    return Mutation(f"move {key} from {value} to {new} at line {i + 1}",
                    with_line(ir, i, f"{key}={new}"), None if new >= 0 else {i + 1})


def cut_text(ir, rng):
    text = "\n".join(ir.lines)
    at = rng.randrange(len(text) // 10, len(text.rstrip()) - 1)
    return Mutation(f"cut after {at} of {len(text)} characters", text[:at].split("\n"), None)


KINDS = [remove_key, rename_key, duplicate_key, change_number, rename_tensor, move_offset,
         cut_text]


# A good IR: its MLIR text, and what is said of it anyway, such as notes.
Original = collections.namedtuple("Original", "network diagnostics")


def identity(diagnostic):
    """What tells a diagnostic of a broken IR from those of the good one."""
    return tuple(diagnostic[part] for part in ("code", "layer", "message", "found"))


class Checker:
    def __init__(self, folder):
        self.yarrow = os.path.join(folder, "yarrow")

    def diagnostics(self, txt, bin_path):
        run = subprocess.run([self.yarrow, "check", txt, "-w", bin_path, "--format=json"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if run.returncode not in (0, 1):
            raise RuntimeError(f"yarrow check ended with {run.returncode}: {run.stderr[-500:]}")
        return json.loads(run.stdout)["diagnostics"]

    def network(self, txt, bin_path):
        """The MLIR text; without lines, so that a moved line makes no difference."""
        run = subprocess.run([self.yarrow, "compile", txt, "-w", bin_path, "--stop-after", "read",
                              "--without-weights"],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        text = re.sub(r'\["(is_perf_mode|unquantifiable|float_reason|activation_quantization_axis|model_name|'
                      r'(?:weights|biases)_(?:scale|zp|range)\w*|layer_number|precision|'
                      r'model_domain|model_bin|compat_quantized_model|layer_top_range)", "[^"]*"\],? ?',
                      "", run.stdout)
        text = re.sub(r"compass\.extra = \[\],? ?", "", text.replace(", ]", "]"))
        # What is recorded and computes nothing: the constants and the result's
        # type say the same, and other values of these keys are refused.
        text = re.sub(r"(compass\.batch_norm.*?), epsilon = [^,}]*", r"\1", text)
        text = re.sub(r'(compass\.cast.*?), to_dtype = "\w*"', r"\1", text)
        for key in ("group", "multiplier"):
            text = re.sub(rf"(compass\.depthwise_conv.*?), {key} = \d+ : i64", r"\1", text)
        return text if run.returncode == 0 else None

    def original(self, txt, bin_path):
        said = {identity(d) for d in self.diagnostics(txt, bin_path)}
        return Original(self.network(txt, bin_path), said)

    def judge(self, mutation, txt, bin_path, original):
        """(verdict, what was said): diagnosed, same, or a failure."""
        found = [d for d in self.diagnostics(txt, bin_path)
                 if identity(d) not in original.diagnostics]
        said = "; ".join(f"{d['code']} at {d['line']}: {d['message'][:80]}" for d in found)
        if found:
            lines = {d["line"] for d in found}
            if mutation.right is None or lines & mutation.right:
                return "diagnosed", said
            return "WRONG LINE", f"{said}; right were {sorted(mutation.right)[:12]}"
        if self.network(txt, bin_path) == original.network:
            return "same network", ""
        if mutation.may_be_valid:
            return "another valid network", ""
        return "SILENT", "another network without a diagnostic"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", required=True, help="folder of the built programs")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--only", type=int, help="this mutation alone")
    parser.add_argument("--keep", help="write the broken IR to this folder")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--packs", default="", help="folder of the reference packs")
    parser.add_argument("--pack", action="append", default=[], help="IR in a pack, without .txt")
    parser.add_argument("irs", nargs="+", help="IR text, its weights beside it")
    args = parser.parse_args()
    irs = list(args.irs)
    if os.path.isdir(args.packs):
        irs += [os.path.join(args.packs, name + ".txt") for name in args.pack]
    else:
        print("skipped: no reference packs")
    checker = Checker(args.bin)
    verdicts = collections.Counter()
    failures = 0
    originals = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or scratch
        for n in range(args.count):
            rng = random.Random(n)
            path = irs[n % len(irs)]
            kind = KINDS[n // len(irs) % len(KINDS)]
            with open(path, encoding="utf-8") as f:
                ir = Ir(f.read())
            mutation = None
            while mutation is None:
                mutation = kind(ir, rng)
                if mutation is None and kind is move_offset:
                    kind = change_number
            if args.only is not None and n != args.only:
                continue
            bin_path = path[:-4] + ".bin"
            if path not in originals:
                originals[path] = checker.original(path, bin_path)
                if originals[path].network is None:
                    print(f"{path} itself is refused")
                    return 1
            broken = os.path.join(folder, f"m{n}.txt")
            with open(broken, "w", encoding="utf-8") as f:
                f.write("\n".join(mutation.lines))
            verdict, said = checker.judge(mutation, broken, bin_path, originals[path])
            verdicts[kind.__name__, verdict] += 1
            failed = verdict.isupper()
            failures += failed
            if failed or args.verbose or args.only is not None:
                print(f"{n}: {mutation.what} of {path}: {verdict}: {said}")
    for kind in KINDS:
        print(f"{kind.__name__:14}" + "".join(
            f"  {count} {verdict}" for (name, verdict), count in sorted(verdicts.items())
            if name == kind.__name__))
    print(f"{sum(verdicts.values())} mutations, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
