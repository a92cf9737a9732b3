"""The folder in which the examples of diagnostics run: each gets a copy.

net.txt, net.bin        the example network (examples/digits) as float IR; its input is [1,8,8,1], read
net_o.txt, net_o.bin    the same as integer IR
net.cfg                 a configuration that builds it into out/
aipu.bin                the executable of net_o.txt for X2_1204
samples.npy             128 samples for calibration
heldout.npy, x.npy      360 others, and ten of them; heldout_label.npy and x_label.npy have their classes
scans/                  the samples of x.npy as gray pictures
photo.png, photo.jpg    pictures in colour
model.onnx              the network as an ONNX model; model.tflite: a small integer network

A stage's table can have more (SANDBOX), for its own examples: commands with the same variables.
"""
import concurrent.futures
import os
import subprocess
import sys

from explain import kinds

# Of the shell: $DIGITS is examples/digits, $LIT is test/lit, and $TEST is test. Commands of one list run one
# after the other.
NETWORK = [
    "sed -e 's/^model_name=.*/model_name=net/' -e 's/digits.bin/net.bin/' $DIGITS/digits.txt > net.txt",
    "cp $DIGITS/digits.bin net.bin && cp $DIGITS/calibration.npy samples.npy",
    "cp $DIGITS/heldout.npy $DIGITS/heldout_label.npy .",
    "python3 $TEST/docs/explain/arrays.py",
    "yarrow quantize net.txt -c samples.npy -o . --brief",
    "yarrow compile net_o.txt --target X2_1204 -o aipu.bin",
    "yarrow export net.txt --onnx -o model.onnx",
]
OTHERS = [
    "python3 $DIGITS/pngs.py x.npy scans",
    "cp $TEST/fuzz/corpus/picture/rgb.jpg photo.jpg",
    "python3 $LIT/tflite.py conv -o model.tflite",
]
LLVM = "/usr/lib/llvm-22/bin"  # llvm-objcopy


def environment(folder, bin_folder, numpy_python):
    """folder: for what programs keep, such as compiled plugins; it is not copied."""
    return dict(os.environ, NO_COLOR="1", LC_ALL="C.UTF-8", HOME=folder, PYTHONDONTWRITEBYTECODE="1",
                XDG_CACHE_HOME=folder,
                PATH=os.pathsep.join((os.path.abspath(bin_folder), os.environ["PATH"], LLVM)),
                NUMPY_PYTHON=numpy_python, DIGITS=os.path.join(kinds.ROOT, "examples/digits"),
                TEST=os.path.join(kinds.ROOT, "test"), LIT=os.path.join(kinds.ROOT, "test/lit"))


def run_all(commands, folder, variables):
    for command in commands:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=variables, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            sys.exit(f"docs_explain: {command}: exit code {done.returncode}\n{done.stdout}")


def prepare(folder, variables, more):
    """Fills the folder; more: the lists of the stages, which need the network."""
    with open(os.path.join(folder, "net.cfg"), "w", encoding="utf-8") as f:
        f.write(kinds.BASE_CONFIG)
    run_all(NETWORK, folder, variables)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda commands: run_all(commands, folder, variables), [OTHERS] + more))
