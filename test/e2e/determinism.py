"""The same input gives the same bytes, run twice and on any number of threads.

Quantizes, compiles and simulates examples/digits, and ResNet-20 if the
reference packs are there, and compares every file that is written.

Example:
    python3 determinism.py --yarrow build/bin/yarrow
"""
import hashlib
import os

import common


def digest(path, folder):
    """Of a file, whatever folder it lies in."""
    with open(path, "rb") as file:
        return hashlib.sha256(
            file.read().replace(folder.encode(), b"")).hexdigest()


def work(tools, folder, threads, graph, weights, calibration, inputs):
    """All steps from float IR to results; the digests of what they write."""
    def run(*arguments):
        return tools.yarrow(*arguments, threads=threads)
    here = os.path.dirname(tools.path(folder, "x"))
    printed = run("quantize", "--recipe", "compass", graph, "-w", weights, "-c", calibration,
                  "--model-name", "net", "-o", here)
    files = {name: os.path.join(here, name) for name in (
        "net_o.txt", "net_o.bin", "aipu.bin", "out.npy", "timed.npy",
        "report.json", "trace.json", "figures.json")}
    run("compile", files["net_o.txt"], "-w", files["net_o.bin"],
        "-o", files["aipu.bin"])
    run("run", files["aipu.bin"], "-i", inputs, "-o", files["out.npy"])
    run("run", files["aipu.bin"], "-i", inputs, "-o", files["timed.npy"],
        "--timed", "--report", files["report.json"],
        "--trace", files["trace.json"])
    run("eval", "--int", files["net_o.txt"] + "," + files["net_o.bin"],
        "--float", graph + "," + weights, "--exe", files["aipu.bin"],
        "--data", inputs, "--samples", 16, "--json", files["figures.json"])
    # Reports name their files, which are in another folder each time.
    digests = {name: digest(path, here) for name, path in files.items()}
    digests["printed table"] = hashlib.sha256(
        printed.replace(here, "").encode()).hexdigest()
    return digests


def check_network(tools, name, *paths):
    first = None
    for repeat, threads in enumerate((1, 2, 2)):
        digests = work(tools, "%s-%d" % (name, repeat), threads, *paths)
        first = first or digests
        for what, value in digests.items():
            tools.check(value == first[what], "%s: %s differs with %d threads"
                        % (name, what, threads))
    tools.check(first["out.npy"] == first["timed.npy"],
                name + ": timed and functional results differ")
    print("%s: %d kinds of output, 1 and 2 threads, twice" % (name, len(first)),
          flush=True)


def main():
    tools = common.arguments(__doc__.splitlines()[0])
    digits = os.path.join(tools.root, "examples", "digits")
    check_network(tools, "digits", *(os.path.join(digits, file) for file in (
        "digits.txt", "digits.bin", "calibration.npy", "heldout.npy")))
    if not os.path.isdir(tools.packs):
        print("ResNet-20 skipped: no reference packs")
        tools.finish()
    images = [common.read_npy(tools.pack("cifar10", part))[::2] for part in (
        "calib256_f32_nhwc.npy", "eval1000_f32_nhwc.npy")]
    few = []
    for k, (shape, values) in enumerate(images):
        few.append(tools.path("images%d.npy" % k))
        common.write_npy(few[k], (32,) + shape[1:],
                         values[:32 * len(values) // shape[0]])
    check_network(tools, "resnet20",
                  tools.pack("float_ir", "resnet20_nhwc.txt"),
                  tools.pack("float_ir", "resnet20_nhwc.bin"), *few)
    tools.finish()


if __name__ == "__main__":
    main()
