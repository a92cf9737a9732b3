"""run and eval stream their samples: memory does not grow with their number.

A network of one layer runs over few and over many samples, of .npy files and
raw ones. What is compared is the largest resident set of the process, pages of
the mapped files included, as the kernel counts it (ru_maxrss). Results are the
same on one thread and on several, and those of a file in parts are those of
the whole.

Example:
    python3 stream.py --yarrow build/bin/yarrow
    python3 stream.py --samples 100000 --rows 16
"""
import os
import random
import subprocess

import big
import common

# The input is [1,ROWS,64,1]: 4 KB a sample by default.
COLUMNS = 64
# Enough for every thread to get some: with 100 the first one may be done before another
# has begun, which then lacks in the peak.
FEW = 1000
FEW_RUNS = 3
# The samples of the default are 40 MB on each side.
LARGEST_GROWTH_BYTES = 8 * 1000 * 1000


def run_measured(tools, *arguments):
    """The largest resident set of a command, in bytes."""
    command = [tools.program, "-j", str(tools.threads), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        tools.check(False, "%s: code %d" % (" ".join(command), process.returncode))
    return usage.ru_maxrss * 1024


def write_samples(path, rows, count):
    """count samples, that repeat after FEW: the file is made fast."""
    source = random.Random(count)
    few = source.randbytes(FEW * rows * COLUMNS)
    with open(path, "wb") as file:
        file.write(common.npy_header("|i1", (count, rows, COLUMNS, 1)))
        for _ in range(count // FEW):
            file.write(few)


def main():
    def add_options(parser):
        parser.add_argument("--samples", type=int, default=10000)
        parser.add_argument("--rows", type=int, default=64)
    tools = common.arguments(__doc__.split("\n")[0], add_options)
    rows, many = tools.options.rows, tools.options.samples
    network = big.Network("act", "Activation", [(1, rows, COLUMNS, 1)],
                          (1, rows, COLUMNS, 1)).keys(
        method="RELU", scale_value=1, scale_type="uint8", shift_value=0,
        shift_type="int8")
    text, weights, _ = network.write(tools)
    executable = tools.path("aipu.bin")
    tools.yarrow("compile", text, "-w", weights, "-o", executable)

    data = {count: tools.path("%d.npy" % count) for count in (FEW, many)}
    for count, path in data.items():
        write_samples(path, rows, count)
    raw = tools.path("many.bin")
    with open(data[many], "rb") as source, open(raw, "wb") as target:
        source.seek(len(common.npy_header("|i1", (many, rows, COLUMNS, 1))))
        while block := source.read(1 << 20):
            target.write(block)

    def outputs(count):
        return tools.path("out%d.npy" % count)
    commands = {
        "run": lambda n: ("run", executable, "-i", data[n], "-o", outputs(n)),
        "eval --exe": lambda n: ("eval", "--exe", executable, "-d", data[n]),
        "eval --int --exe": lambda n: (
            "eval", "--int", text + "," + weights, "--exe", executable,
            "-d", data[n]),
    }
    print("%-18s %10s %10s" % ("peak of", FEW, many))
    for name, command in commands.items():
        few = max(run_measured(tools, *command(FEW)) for _ in range(FEW_RUNS))
        grown = run_measured(tools, *command(many))
        print("%-18s %7.1f MB %7.1f MB" % (name, few / 1e6, grown / 1e6), flush=True)
        tools.check(grown < few + LARGEST_GROWTH_BYTES,
                    "%s: %d samples take %d bytes more than %d" % (
                        name, many, grown - few, FEW))
    tools.check(os.path.getsize(outputs(many)) > many * rows * COLUMNS,
                "run: an output of every sample")

    # One thread, and raw files: the same bytes.
    single = tools.path("single.npy")
    tools.yarrow("run", executable, "-i", data[many], "-o", single, threads=1)
    with open(outputs(many), "rb") as a, open(single, "rb") as b:
        several, one = a.read(), b.read()
    tools.check(several == one, "run: one thread gives other bytes")
    out = tools.path("out.bin")
    grown = run_measured(tools, "run", executable, "-i", raw, "-o", out)
    few = run_measured(tools, "run", executable, "-i", data[FEW], "-o", outputs(FEW))
    tools.check(grown < few + LARGEST_GROWTH_BYTES, "run of a raw file grows")
    with open(out, "rb") as file:
        tools.check(file.read() == one[-many * rows * COLUMNS:],
                    "run: a raw file gives other bytes")
    tools.finish()


if __name__ == "__main__":
    main()
