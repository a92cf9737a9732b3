"""Steps of LSTMs in one kernel and in many give the same bytes.

One kernel computes a step where the tables of the gates have the same length. Two
layers differ in that alone: the forget gate's table has 256 entries, or 128 of which it
is the interpolation. The second one is computed kernel by kernel.
"""
import array
import os

import common

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../conformance/packs/opzoo/BasicLSTM")
KINDS = {"int8": "b", "int16": "h"}


def keys_of(text):
    return dict(line.split("=", 1) for line in text.splitlines() if "=" in line)


def variants(pack):
    """The layer with a long table and with a short one: text and weights of both."""
    with open(os.path.join(pack, "int.txt"), encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(pack, "int.bin"), "rb") as f:
        weights = f.read()
    keys = keys_of(text)
    kind = KINDS[keys["lut_ft_type"]]
    begin, size = int(keys["lut_ft_offset"]), int(keys["lut_ft_size"])
    table = array.array(kind, weights[begin:begin + size])
    # Even entries have differences whose half is between them.
    short = array.array(kind, (v & ~1 for v in table[::2]))
    after = short[1:] + short[-1:]
    table = array.array(kind, (v for a, b in zip(short, after) for v in (a, (a + b) // 2)))
    parts = [weights[:begin], b"", weights[begin + size:]]
    long_weights = parts[0] + table.tobytes() + parts[2]
    short_bytes = short.tobytes()
    # The short table goes to the end, so that no other offset changes.
    short_weights = long_weights + short_bytes
    for key, value in (("offset", len(long_weights)), ("size", len(short_bytes)),
                       ("shape", f"[{len(short)}]")):
        line = f"lut_ft_{key}={keys['lut_ft_' + key]}\n"
        assert line in text
        short_text = (text if key == "offset" else short_text).replace(
            line, f"lut_ft_{key}={value}\n")
    return {"one": (text, long_weights), "parts": (short_text, short_weights)}


def main():
    tools = common.arguments(__doc__.split("\n")[0])
    for pack in ("c0__a8", "c0__s16t"):
        folder = os.path.join(FOLDER, pack)
        data = ",".join(os.path.join(folder, f"qin{i}.npy") for i in range(3))
        outputs = {}
        for name, (text, weights) in variants(folder).items():
            ir, binary, exe = (tools.path(pack, name + end) for end in (".txt", ".bin", ".aipu"))
            with open(ir, "w", encoding="utf-8") as f:
                f.write(text)
            with open(binary, "wb") as f:
                f.write(weights)
            lowered = tools.yarrow("compile", ir, "-w", binary, "--stop-after", "lower",
                                   "--without-weights")
            tools.check(("yk_lstm_cell" in lowered) == (name == "one"),
                        f"{pack}: the form of {name}")
            tools.yarrow("compile", ir, "-w", binary, "-o", exe)
            same = tools.yarrow("eval", "--int", f"{ir},{binary}", "--exe", exe, "--data", data)
            tools.check("int and npu: 0 of" in same, f"{pack}: {name}: {same}")
            out = tools.path(pack, name + ".npz")
            tools.yarrow("run", exe, "-i", data, "-o", out, "--stored")
            with open(out, "rb") as f:
                outputs[name] = f.read()
        tools.check(outputs["one"] == outputs["parts"], f"{pack}: the bytes differ")
    tools.finish()


if __name__ == "__main__":
    main()
