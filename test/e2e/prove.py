"""Faults planted in executables, each found by `yarrow prove` alone.

Compiles the example network and one with a step on the TECs; proves that both hold; then changes one number of a descriptor, one
byte of the constants or one instruction, gives the file new checksums, and expects the code of the fault. Nothing is run. Where
there are packs, some of their networks are proved for several machines, too.

Example:
    test/e2e/prove.py --yarrow build/bin/yarrow --edit build/bin/edit_executable
"""
import os
import re
import subprocess

import common

TARGETS = ("X2_1204", "Z1_0701", "X2_1204MP3", "X3P_1304")
NETWORKS = ("resnet20_nhwc_pc_sym", "kws_dscnn_pt_sym", "mnist_lstm_pt_sym", "resnet20_nhwc_pc_sym_wino",
            "ad01_pt_sym")
COMMAND = re.compile(r"^\s*([0-9a-f]+): (conv|matmul|pool|copy) (.*)$")
NOP = 0x13

# Of the example network: what is wrong, the queue, the command of it, the field, its new number, the
# code. Queues: 0 tensor engine, 1 loads, 2 stores. Commands of the tensor engine: 0 /stem, 1 /res1, 2
# /res2 + /Add, 3 MaxPool, 4 /dw, 5 /pw, 6 GlobalAveragePool, 7 /fc.
DESCRIPTORS = (
    ("a convolution does not wait for its weights", 0, 1, "wait1", 0, "E1202"),
    ("a convolution waits for one load less", 0, 4, "wait1", 4, "E1202"),
    ("a store does not wait for the result", 2, 0, "wait0", 0, "E1202"),
    ("a store waits for one command less", 2, 0, "wait0", 7, "E1202"),
    ("a wait for a load that never comes", 0, 1, "wait1", 20, "E1203"),
    ("a load and a convolution wait for each other", 1, 0, "wait0", 1, "E1203"),
    ("a wait for a signal that nobody gives", 1, 3, "wait3", 1, "E1203"),
    ("a result lies over weights that are being loaded", 0, 0, "output", 4416, "E1202"),
    ("a load over an operand that is still read", 1, 3, "dst", 0, "E1202"),
    ("an operand is another layer's result", 0, 5, "input", 1024, "E1205"),
    ("an operand lies where nobody writes", 0, 5, "input", 100000, "E1201"),
    ("an operand begins one row too late", 0, 1, "input", 128, "E1205"),
    ("rows of a result lie too far apart", 0, 0, "outRowStride", 256, "E1201"),
    ("a result has a column less", 0, 0, "outWidth", 7, "E1201"),
    ("a result has a row less", 0, 0, "outHeight", 7, "E1201"),
    ("a load has too few bytes", 1, 0, "size0", 200, "E1201"),
    ("a load brings constants from a byte further", 1, 4, "src", 4737, "E1213"),
    ("a load brings them to a byte further", 1, 4, "dst", 6785, "E1201"),
    ("a stream is cut off", 1, 2, "streamBytes", 2000, "E1206"),
    ("a stream is too long", 1, 2, "streamBytes", 2200, "E1206"),
    ("the output is stored to the constants", 2, 0, "dstRegion", 1, "E1204"),
    ("the output is stored beyond its end", 2, 0, "dst", 1, "E1204"),
    ("a byte of the output is not stored", 2, 0, "size0", 9, "E1201"),
    ("more of the input is loaded than there is", 1, 1, "size0", 65, "E1204"),
    ("a result lies in the stacks of the TECs", 0, 4, "output", 4194304 - 512, "E1204"),
    ("a multiplier is one too large", 0, 0, "scale", 229, "E1213"),
    ("a shift is one too large", 0, 0, "shift", 16, "E1213"),
    ("a saturation is one too low", 0, 0, "outMax", 254, "E1213"),
    ("a saturation is one too high at the low end", 0, 7, "outMin", -127, "E1213"),
    ("a zero point is off by one", 0, 7, "outZeroPoint", 1, "E1213"),
    ("the multiplier of a sum is off by one", 0, 2, "sumScale", 154, "E1213"),
    ("the multiplier of a second operand is off by one", 0, 2, "residualScale", 7290, "E1213"),
    ("the shift of a sum is off by one", 0, 2, "sumShift", 20, "E1213"),
    ("the saturation of a sum is one too low", 0, 2, "sumMax", 254, "E1213"),
    ("a clip is none of its type", 0, 0, "outMin", 300, "E1207"),
    ("another layer's multipliers by channel", 0, 4, "scales", 6928, "E1213"),
)
# Of the constants: the load that brings them, the byte, what is added.
CONSTANTS = (
    ("a weight is off by one", 0, 0, 1, "E1213"),
    ("a bias is off by one", 0, 144, 1, "E1213"),
    ("a bias makes a sum overflow", 0, 147, -128, "E1211"),
    ("the multiplier of one channel is off by one", 4, 208 + 2 * 5, 1, "E1213"),
    ("the shift of one channel is off by one", 4, 240 + 9, -1, "E1213"),
)


class Executable:
    """An executable, and what its disassembly says."""

    def __init__(self, tools, path):
        self.tools, self.path = tools, path
        self.queues = ([], [], [])
        self.text = tools.yarrow("inspect", path, "--disassemble")
        queue = 0
        for line in self.text.splitlines():
            if line.startswith("; "):
                queue = {"tensor": 0, "DMA load": 1, "DMA stor": 2}[
                    line[2:8] if line[2:8] == "tensor" else line[2:10]]
            command = COMMAND.match(line)
            if command:
                fields = dict(field.split("=") for field in command[3].split())
                self.queues[queue].append((int(command[1], 16), fields))
            if line.startswith("TEC program"):
                break

    def with_fault(self, *change):
        """The codes that a proof of the changed file gives, and what it prints."""
        bad = self.tools.path("bad.bin")
        subprocess.run([self.tools.options.edit, self.path, bad] + [str(word) for word in change],
                       check=True)
        done = subprocess.run([self.tools.program, "prove", bad], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        codes = set(re.findall(r"error (E\d+)", done.stderr))
        return (codes if done.returncode == 3 else {"exit code %d" % done.returncode}), done.stderr

    def plant(self, what, code, *change):
        codes, text = self.with_fault(*change)
        self.tools.check(code in codes, "%s: %s instead of %s\n%s" % (what, sorted(codes), code, text))


def example_faults(tools):
    digits = os.path.join(tools.root, "examples", "digits")
    tools.yarrow("quantize", "--recipe", "compass", os.path.join(digits, "digits.txt"), "-c",
                 os.path.join(digits, "calibration.npy"), "-o", tools.path("out"))
    tools.yarrow("compile", tools.path("out", "digits_o.txt"), "-o", tools.path("aipu.bin"))
    tools.yarrow("prove", tools.path("aipu.bin"))
    executable = Executable(tools, tools.path("aipu.bin"))
    for what, queue, number, field, value, code in DESCRIPTORS:
        offset = executable.queues[queue][number][0]
        executable.plant(what, code, "descriptor", offset, field, value)
    for what, load, byte, added, code in CONSTANTS:
        offset = int(executable.queues[1][load][1].get("src", 0)) + byte
        executable.plant(what, code, "constant", offset, added)
    return len(DESCRIPTORS) + len(CONSTANTS)


def tec_faults(tools):
    """Instructions of a program with a step on four TECs."""
    pack = os.path.join(tools.root, "test", "conformance", "packs", "models", "resnet8_tiny_pc_asym")
    path = tools.path("tec.bin")
    tools.yarrow("compile", os.path.join(pack, "int.txt"), "-w", os.path.join(pack, "int.bin"), "-o", path)
    tools.yarrow("prove", path)
    executable = Executable(tools, path)
    program = executable.text[executable.text.index("TEC program"):]

    def offset_of(function, pattern):
        body = program[program.index("\n%s:" % function):]
        return int(re.search(r"^\s*([0-9a-f]+): [0-9a-f]+\s+%s" % pattern, body, re.MULTILINE)[1], 16)

    for what, function, pattern, code in (
            ("no TEC waits for the tensor engine", "wait.te", r"npu\.wait", "E1202"),
            ("no TEC waits for the stores at the end", "wait.store", r"npu\.wait", "E1202"),
            ("no TEC signals", "signal", r"npu\.signal", "E1203"),
            ("no list is submitted", "yarrow_main", r"npu\.submit", "E1203")):
        executable.plant(what, code, "text", offset_of(function, pattern), NOP)
    return 4


def networks(tools):
    """Those of the packs hold on every machine."""
    count = 0
    for number, name in enumerate(NETWORKS):
        for target in tools.in_turn(TARGETS, number):
            path = tools.path("%s-%s.bin" % (name, target))
            pack = tools.pack("models", name)
            tools.yarrow("compile", os.path.join(pack, "int.txt"), "-w", os.path.join(pack, "int.bin"),
                         "--target", target, "-o", path)
            tools.yarrow("prove", path)
            count += 1
    return count


def main():
    tools = common.arguments(__doc__.splitlines()[0],
                             lambda parser: parser.add_argument("--edit", required=True))
    faults, proved = example_faults(tools) + tec_faults(tools), 2
    if os.path.isdir(tools.packs):
        proved += networks(tools)
    print("%d faults, %d networks" % (faults, proved))
    tools.finish()


if __name__ == "__main__":
    main()
