#!/usr/bin/env python3
"""Breaks what all commands read, and looks at what they do.

    test/mutations/commands.py --yarrow build/bin/yarrow --count 20000 [--jobs 2]

Each mutant is one change of one thing: an IR's text, its weights, samples, an
executable, a configuration, a command line. All commands that read it are run.
Whatever they are given,

* none ends by a signal, takes over 20 s or over 1 GiB, or fails without a code;
* they agree: what `check` accepts, quantize and compile accept, and the reverse;
* what is accepted means the same: the network is the one that was changed or a
  diagnostic tells, samples have the input's shape and are finite, and an
  executable gives the outputs that it gave;
* evaluator and NPU give the same bytes for every network that compiles.

Mutant N is always the same: --only N --keep FOLDER runs one again and keeps its
files.
"""
import argparse
import collections
import concurrent.futures
import glob
import os
import random
import re
import shutil
import sys
import tempfile

import damage
import mutate
import sandbox

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
SEPARATOR = b"====\n"
TARGETS = ("X2_1204", "Z2_1104", "Z1_0701")
# Codes of problems that only the data of a run show, not the network.
DATA_CODES = {"E0105", "E0107", "E0401", "E0403"}


def first_shape(text):
    """The shape of the network's only input."""
    shape = re.search(r"^layer_top_shape=\[\[([\d,]+)\]\]", text, re.MULTILINE)
    return [int(size) for size in shape.group(1).split(",")]


def input_values(text):
    """(lowest, highest) real number worth giving to the input."""
    scale = re.search(r"^layer_top_scale=\[([\d.e+-]+)\]", text, re.MULTILINE)
    return (0.0, 100.0 / float(scale.group(1))) if scale else (-1.0, 1.0)


class Network:
    """A sound IR with samples; an integer one also with an executable."""

    def __init__(self, name, text, weights):
        # Mutants' files have one name, wherever the network came from.
        self.text = re.sub(r"^model_bin=.*$", "model_bin=./net.bin", text, flags=re.MULTILINE)
        self.name, self.weights = name, weights
        self.shape = first_shape(text)
        self.is_float = "float32" in re.search(r"^layer_top_type=(.*)$", text, re.MULTILINE).group(1)
        self.target = TARGETS[len(name) % len(TARGETS)]
        self.said = self.mlir = None  # what check says, and the network, of the sound IR
        self.executable = self.outputs = None

    def samples(self, count=3):
        low, high = input_values(self.text)
        return damage.random_samples(self.shape, count, random.Random(self.name), low, high)


class Failure(Exception):
    """What a mutant showed to be wrong."""


class Bench:
    """The program, the sound networks, and what is checked of every command."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.checker = mutate.Checker(os.path.dirname(program))
        self.networks = []

    def yarrow(self, *arguments):
        outcome = sandbox.run([self.program, *map(str, arguments)])
        if wrong := sandbox.problem(outcome):
            raise Failure(f"{wrong}: {self.shown(outcome)}")
        return outcome

    @staticmethod
    def shown(outcome):
        said = (outcome.err or outcome.out).strip().split("\n")[-4:]
        return " ".join(outcome.command[1:]) + ": " + " / ".join(said)[:400]

    def prepare(self):
        """Networks of the fuzzers' corpus and of the example, and their integer forms."""
        sources = []
        for name in ("conv_float", "dense_float", "movement", "conv_int", "conv_winograd",
                     "dense_int", "movement_int"):
            with open(os.path.join(ROOT, "test/fuzz/corpus/irmodel", name), "rb") as f:
                text, _, weights = f.read().partition(SEPARATOR)
            sources.append(Network(name, text.decode("ascii"), weights))
        example = os.path.join(ROOT, "examples/digits/digits")
        with open(example + ".txt", encoding="ascii") as f, open(example + ".bin", "rb") as g:
            sources.append(Network("digits", f.read(), g.read()))
        for network in sources:
            self.add(network)
            if network.is_float:
                self.add(self.quantized(network))

    def add(self, network):
        """With what is needed to judge its mutants; a network that the program
        refuses is a mistake of this script."""
        folder = os.path.join(self.folder, network.name)
        txt, weights = write_ir(folder, network.text, network.weights)
        network.said = self.checker.original(txt, weights)
        assert network.said.network is not None, network.name
        if not network.is_float:
            network.executable = self.compiled(network, txt, weights, folder)
            network.outputs = self.outputs(network, network.executable, folder)
            assert network.outputs, network.name
        self.networks.append(network)

    def quantized(self, network):
        folder = os.path.join(self.folder, network.name)
        out = os.path.join(folder, "out")
        data = write(folder, "samples.npy", network.samples().npy())
        outcome = self.yarrow("quantize", "--recipe", "compass", os.path.join(folder, "net.txt"), "-c", data, "-o", out,
                              "--brief")
        assert outcome.accepted, self.shown(outcome)
        txt, weights = written_ir(out)
        with open(txt, encoding="ascii") as f, open(weights, "rb") as g:
            return Network(network.name + "_o", f.read(), g.read())

    def compiled(self, network, txt, weights, folder):
        path = os.path.join(folder, "aipu.bin")
        outcome = self.yarrow("compile", txt, "-w", weights, "--target", network.target, "-o", path)
        assert outcome.accepted, self.shown(outcome)
        with open(path, "rb") as f:
            return f.read()

    def outputs(self, network, executable, folder):
        """Bytes of all outputs, or None where the executable is refused."""
        path = write(folder, "run.bin", executable)
        data = write(folder, "samples.npy", network.samples().npy())
        for old in glob.glob(os.path.join(folder, "result*.npy")):
            os.remove(old)
        outcome = self.yarrow("run", path, "-i", data, "-o", os.path.join(folder, "result.npy"))
        if not outcome.accepted:
            return None
        found = []
        for name in sorted(glob.glob(os.path.join(folder, "result*.npy"))):
            with open(name, "rb") as f:
                found.append(f.read())
        return found


def write(folder, name, data):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    with open(path, "wb") as f:
        f.write(data)
    return path


def write_ir(folder, text, weights):
    return (write(folder, "net.txt", text.encode("utf-8", "surrogateescape")),
            write(folder, "net.bin", weights))


def written_ir(folder):
    """(text, weights) that quantize wrote."""
    return glob.glob(folder + "/*_o.txt")[0], glob.glob(folder + "/*_o.bin")[0]


def expect_agreement(first, second, ignored=frozenset()):
    """Both commands accept, or both refuse; data may be at fault as well."""
    if first.accepted == second.accepted:
        return
    refusing = second if first.accepted else first
    codes = refusing.codes()
    if codes and codes <= ignored:
        return
    raise Failure(f"disagreement: [{Bench.shown(first)}] exits {first.code}, "
                  f"[{Bench.shown(second)}] exits {second.code}")


def use_network(bench, network, txt, weights, folder):
    """Runs an IR through every command that reads it; whether it was accepted."""
    check = bench.yarrow("check", txt, "-w", weights, "--target", network.target)
    data = write(folder, "samples.npy", network.samples().npy())
    integer = (txt, weights)
    if network.is_float:
        out = os.path.join(folder, "out")
        quantize = bench.yarrow("quantize", "--recipe", "compass", txt, "-w", weights, "-c", data, "-o", out, "--brief")
        expect_agreement(check, quantize, DATA_CODES)
        if not quantize.accepted:
            return check.accepted
        integer = written_ir(out)
    executable = os.path.join(folder, "aipu.bin")
    compile_ = bench.yarrow("compile", integer[0], "-w", integer[1], "--target", network.target,
                            "-o", executable)
    expect_agreement(check, compile_)
    if compile_.accepted:
        evaluate = bench.yarrow("eval", "--int", ",".join(integer), "--exe", executable, "-d", data)
        if not (evaluate.accepted or evaluate.codes() & DATA_CODES):
            raise Failure("evaluator and NPU: " + Bench.shown(evaluate))
    return check.accepted


def mutate_text(bench, rng, folder):
    """An IR's text: what people and tools break, or any bytes."""
    network = rng.choice(bench.networks)
    if rng.random() < 0.7:
        mutation = None
        while mutation is None:
            try:
                mutation = rng.choice(mutate.KINDS)(mutate.Ir(network.text), rng)
            except IndexError:  # a kind that finds nothing to change
                pass
        what, text = mutation.what, "\n".join(mutation.lines)
    else:
        mutation = None
        what, data = damage.damage_bytes(network.text.encode(), rng)
        text = data.decode("utf-8", "surrogateescape")
    txt, weights = write_ir(folder, text, network.weights)
    accepted = use_network(bench, network, txt, weights, folder)
    if accepted and mutation:
        verdict, said = bench.checker.judge(mutation, txt, weights, network.said)
        if verdict.isupper():
            raise Failure(f"{verdict}: {said}")
    return network, what, "accepted" if accepted else "refused"


def mutate_weights(bench, rng, folder):
    """The weights: damage, and numbers that are none."""
    network = rng.choice(bench.networks)
    how = damage.damage_floats if network.is_float and rng.random() < 0.5 else damage.damage_bytes
    what, weights = how(network.weights, rng)
    txt, path = write_ir(folder, network.text, weights)
    accepted = use_network(bench, network, txt, path, folder)
    if accepted and "weights_digest=" in network.text and weights != network.weights:
        raise Failure("weights that are not those of the text's digest")
    return network, what, "accepted" if accepted else "refused"


def mutate_samples(bench, rng, folder):
    """Samples of another shape or with values that are none: one rule for all."""
    network = rng.choice(bench.networks)
    what, samples = damage.damage_samples(network.shape, rng.randrange(1, 4), rng)
    data = samples.npy()
    fits = samples.fits(network.shape)
    if rng.random() < 0.2:
        more, data = damage.damage_bytes(data, rng)
        what, fits = what + ", " + more, None  # who knows what it is now
    path = write(folder, "samples.npy", data)
    txt, weights = write_ir(folder, network.text, network.weights)
    if network.is_float:
        outcomes = [bench.yarrow("quantize", "--recipe", "compass", txt, "-c", path, "-o", os.path.join(folder, "out"),
                                 "--brief"),
                    bench.yarrow("eval", "--float", f"{txt},{weights}", "-d", path)]
    else:
        executable = write(folder, "aipu.bin", network.executable)
        outcomes = [bench.yarrow("run", executable, "-i", path,
                                 "-o", os.path.join(folder, "o.npy")),
                    bench.yarrow("eval", "--exe", executable, "-d", path),
                    bench.yarrow("eval", "--int", f"{txt},{weights}", "--exe", executable,
                                 "-d", path)]
    for outcome in outcomes[1:]:
        expect_agreement(outcomes[0], outcome)
    if fits is not None and outcomes[0].accepted != fits:
        raise Failure(("refused" if fits else "accepted") + ": " + Bench.shown(outcomes[0]))
    return network, what, "accepted" if outcomes[0].accepted else "refused"


def mutate_executable(bench, rng, folder):
    """An executable: refused, or the outputs are those that it gave."""
    network = rng.choice([n for n in bench.networks if n.executable])
    what, data = damage.damage_bytes(network.executable, rng)
    outputs = bench.outputs(network, data, folder)
    if outputs is not None and outputs != network.outputs:
        raise Failure("other outputs")
    inspect = bench.yarrow("inspect", os.path.join(folder, "run.bin"), "--layers", "--memory",
                           "--disassemble")
    if outputs is not None and not inspect.accepted:
        raise Failure("runs, but cannot be inspected: " + Bench.shown(inspect))
    return network, what, "refused" if outputs is None else "accepted"


CONFIG = """[Common]
mode = run
[Optimizer]
graph = net.txt
bin = net.bin
model_name = net
calibration_data = samples.npy
calibration_batch_size = 2
calibration_strategy_for_activation = extrema & <[Convolution]:mean>
quantize_method_for_weight = per_channel_symmetric_restricted_range
quantize_method_for_activation = per_tensor_asymmetric
weight_bits = 8
activation_bits = 8
bias_bits = 32
data = samples.npy
output_dir = out
[GBuilder]
target = X2_1204
inputs = samples.npy
outputs = out/o.npy
profile = False
"""


def mutate_config(bench, rng, folder):
    """A configuration: a key that is misspelt is never passed over."""
    network = rng.choice([n for n in bench.networks if n.name in ("conv_float", "digits")])
    lines = CONFIG.rstrip().split("\n")
    at = rng.choice([i for i, line in enumerate(lines) if " = " in line])
    key, value = lines[at].split(" = ")
    must_tell = False
    if (kind := rng.choice(["key", "value", "twice", "bytes", "drop"])) == "key":
        lines[at] = f"{damage.damage_name(key, rng)} = {value}"
        must_tell = lines[at] != f"{key} = {value}"
    elif kind == "value":
        lines[at] = f"{key} = " + rng.choice(["", "-1", "0", "99999999999", "nan", "bogus", "[]",
                                              "8 & <[Convolutin]:16>", value + " & <", "../esc"])
    elif kind == "twice":
        lines.insert(at, f"{key} = {rng.choice([value, 'bogus'])}")
        must_tell = True
    elif kind == "drop":
        del lines[at]
    data = ("\n".join(lines) + "\n").encode()
    what = f"{kind} of {key}"
    if kind == "bytes":
        what, data = damage.damage_bytes(data, rng)
    write_ir(folder, network.text, network.weights)
    write(folder, "samples.npy", network.samples().npy())
    build = bench.yarrow("build", write(folder, "net.cfg", data), "--brief")
    if must_tell and build.accepted and not build.codes("EWN"):
        raise Failure("passed over in silence: " + Bench.shown(build))
    # Folders and files of outputs may lie anywhere; a name may not be a path.
    escaped = glob.glob(os.path.join(os.path.dirname(folder), "esc*"))
    if escaped and key not in ("output_dir", "outputs"):
        raise Failure(f"wrote {escaped} outside of its folder")
    return network, what, "accepted" if build.accepted else "refused"


def mutate_options(bench, rng, folder):
    """A command line with a slip: a usage error that names the option."""
    network = rng.choice([n for n in bench.networks if n.executable])
    executable = write(folder, "aipu.bin", network.executable)
    data = write(folder, "samples.npy", network.samples().npy())
    txt, weights = write_ir(folder, network.text, network.weights)
    commands = [["run", executable, "--inputs", data, "--output", os.path.join(folder, "o.npy"),
                 "--timed"],
                ["eval", "--exe", executable, "--data", data, "--samples", "2"],
                ["compile", txt, "--weights", weights, "--target", network.target,
                 "--output", os.path.join(folder, "c.bin")],
                ["check", txt, "--weights", weights, "--format", "json"],
                ["inspect", executable, "--layers"]]
    command = rng.choice(commands)
    at = rng.choice([i for i, word in enumerate(command) if word.startswith("--")])
    old = command[at]
    command[at] = "--" + damage.damage_name(old[2:], rng)
    outcome = bench.yarrow(*command)
    if command[at] != old and outcome.code != 2:
        raise Failure(f"{command[at]} for {old} exits {outcome.code}")
    return network, f"{command[at]} for {old}", "accepted" if outcome.accepted else "refused"


# What is broken, and how often among ten.
KINDS = [(mutate_text, 3), (mutate_weights, 2), (mutate_samples, 2), (mutate_executable, 1),
         (mutate_config, 1), (mutate_options, 1)]
TURNS = [kind for kind, share in KINDS for _ in range(share)]


def run_mutant(bench, number, keep):
    """(kind, network, what, verdict, problem) of mutant `number`."""
    kind = TURNS[number % len(TURNS)]
    rng = random.Random(number)
    folder = os.path.join(keep or bench.folder, f"m{number}", "work")
    os.makedirs(folder, exist_ok=True)
    name, what = "", ""
    try:
        network, what, verdict = kind(bench, rng, folder)
        return kind.__name__, network.name, what, verdict, ""
    except Failure as failure:
        return kind.__name__, name, what, "FAILED", str(failure)
    finally:
        if not keep:
            shutil.rmtree(os.path.dirname(folder), ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--yarrow", required=True, help="the program")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0, help="number of the first mutant")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", type=int, help="this mutant alone")
    parser.add_argument("--keep", help="keep the mutants' files in this folder")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    numbers = range(args.first, args.first + args.count)
    if args.only is not None:
        numbers = [args.only]
    counts = collections.Counter()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="yarrow-mutants-") as folder:
        bench = Bench(os.path.abspath(args.yarrow), folder)
        bench.prepare()
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            results = pool.map(lambda n: (n, run_mutant(bench, n, args.keep)), numbers)
            for number, (kind, network, what, verdict, problem) in results:
                counts[kind, verdict] += 1
                failures += bool(problem)
                if problem or args.verbose or args.only is not None:
                    print(f"{number}: {kind} {network} {what}: {verdict} {problem}", flush=True)
    for kind, _ in KINDS:
        print(f"{kind.__name__:18}" + "".join(
            f"  {count} {verdict}" for (name, verdict), count in sorted(counts.items())
            if name == kind.__name__))
    print(f"{sum(counts.values())} mutants, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
