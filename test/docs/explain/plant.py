"""Plants what an example of support/diagnostics/Proofs.def shows into proved.bin, as bad.bin.

    plant.py tensor 5        # fields of the tensor engine's command 5: conv ... input=100000 ...
    plant.py load 2          # of the DMA's load 2; store: of its stores
    plant.py word            # an instruction as inspect --disassemble prints it: 60: 00000000 ...
    plant.py bias OFFSET     # a bias in the constants: bias[0] = 3032
    plant.py order           # the order of the provenance: "order":"0111..."

The example is in example.txt. If it has what the executable has, bad.bin is the same.
"""
import re
import shutil
import struct
import subprocess
import sys

WAITS = {"wait.te": "wait0", "wait.load": "wait1", "wait.store": "wait2", "wait.signal": "wait3"}
QUEUES = {"tensor": "; tensor engine", "load": "; DMA load", "store": "; DMA store"}


def edit(*words):
    subprocess.run(["edit_executable", "bad.bin", "next.bin"] + [str(w) for w in words], check=True)
    shutil.move("next.bin", "bad.bin")


def disassembly():
    return subprocess.run(["yarrow", "inspect", "proved.bin", "--disassemble"], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def fields_of(line):
    return dict(re.findall(r"([\w.]+)=([\w-]+)", line))


def plant_command(example, queue, number):
    found, inside = [], False
    for line in disassembly().split("\nTEC program")[0].splitlines():
        if line.startswith("; "):
            inside = line.startswith(QUEUES[queue])
        elif inside and re.match(r" *[0-9a-f]+: ", line):
            found.append(line)
    offset, _, line = found[int(number)].strip().partition(": ")
    assert line.split()[0] == example.split()[0], f"{line} is not what the example shows"
    now = fields_of(line)
    for name, text in fields_of(example).items():
        if now.get(name, "0") != text:
            edit("descriptor", "0x" + offset, WAITS.get(name, name), int(text))


def plant_word(example):
    offset, word = re.match(r"([0-9a-f]+): ([0-9a-f]{8})", example).groups()
    now = re.search(rf"^ *{offset}: ([0-9a-f]{{8}})", disassembly().split("\nTEC program")[1], re.MULTILINE)
    if now[1] != word:
        edit("text", "0x" + offset, "0x" + word)


def plant_bias(example, offset):
    index, number = (int(n) for n in re.match(r"bias\[(\d+)\] = (-?\d+)", example).groups())
    with open("proved.bin", "rb") as f:
        stated = re.search(rb'"biases":\[([-\d,]*)\]', f.read())
    now = int(stated[1].split(b",")[index])
    for i, (old, new) in enumerate(zip(struct.pack("<i", now), struct.pack("<i", number))):
        if old != new:
            edit("constant", int(offset) + 4 * index + i, new - old)


def plant_order(example):
    first = re.match(r'"order":"(\d+)', example)[1].encode()
    with open("proved.bin", "rb") as f:
        data = f.read()
    at = data.index(b'"order":"') + len(b'"order":"')
    order = data[at:data.index(b'"', at)]
    # The other commands follow as before.
    rest = list(order)
    for digit in first:
        rest.remove(digit)
    with open("order.bin", "wb") as f:
        f.write(data[:at] + first + bytes(rest) + data[at + len(order):])
    subprocess.run(["seal_executable", "order.bin", "bad.bin"], check=True)


def main():
    shutil.copy("proved.bin", "bad.bin")
    with open("example.txt", encoding="utf-8") as f:
        example = f.read().strip()
    kind, *where = sys.argv[1:]
    {"word": plant_word, "bias": plant_bias, "order": plant_order}.get(
        kind, lambda *numbers: plant_command(example, kind, *numbers[1:]))(example, *where)


if __name__ == "__main__":
    main()
