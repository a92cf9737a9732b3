"""What own-machine.test needs: a machine file, and a look into an executable.

A complete machine of 32 x 8 x 4 multipliers and two TECs that is like no
built-in target.

Example:
    python3 own_machine.py machine.json
    python3 own_machine.py aipu.bin --device-word
    python3 own_machine.py one.npy --sample heldout.npy
"""
import ast
import json
import struct
import sys

MACHINE = {
    "name": "K7-wide",
    "device": {"version": 7, "configuration": 1002},
    "cores": 1,
    "tecs": 2,
    "clockMhz": 700,
    "macArray": {"inputLanes": 32, "outputLanes": 8, "pixels": 4},
    "weightBufferBytes": 24576,
    "accumulatorBytes": 4096,
    "int16Passes": 3,
    "sramBytes": 393216,
    "sramBytesPerCycle": 200,
    "ddrBytesPerCycle": 12,
    "ddrBurstBytes": 128,
    "ddrLatencyCycles": 70,
    "dmaStartCycles": 11,
    "engineStartCycles": 17,
    "eventCycles": 5,
    "tec": {"vectorDatapathBits": 64, "gatherElementsPerCycle": 1,
            "sramLoadCycles": 3, "multiplyCycles": 2, "divideCycles": 20,
            "floatCycles": 5, "takenBranchCycles": 3},
    "dma": {"loadChannels": 3, "storeChannels": 2},
}


def device_word(path):
    """Word 2 of note compilermsg."""
    with open(path, "rb") as file:
        data = file.read()
    at = data.index(b"compilermsg\0")
    return struct.unpack_from("<I", data, at + 12 + 8)[0]


def first_sample(source, path):
    with open(source, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + size].decode())
    bytes_each = (len(data) - 10 - size) // header["shape"][0]
    header["shape"] = (1,) + header["shape"][1:]
    text = repr(header)
    text += " " * (-(11 + len(text)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(data[:8] + struct.pack("<H", len(text)) + text.encode() +
                   data[10 + size:10 + size + bytes_each])


def main():
    if "--device-word" in sys.argv:
        print("0x%08x" % device_word(sys.argv[1]))
    elif "--sample" in sys.argv:
        first_sample(sys.argv[3], sys.argv[1])
    else:
        with open(sys.argv[1], "w") as file:
            json.dump(MACHINE, file, indent=2)


if __name__ == "__main__":
    main()
