"""Plants faults in executables and networks, one at a time, and asks `yarrow
bisect` where they are: each must be found in its layer and command, and the layer
that it saves must show the difference when it is run again.

Of an executable one descriptor field, constant or instruction is changed
(test/EditExecutable.cpp); of an IR a key or a byte of the weights.

    test/e2e/first_difference.py --yarrow build/bin/yarrow --edit build/bin/edit_executable
"""
import collections
import json
import os
import re
import subprocess
import sys
import zipfile

import common

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIGITS = os.path.join(ROOT, "examples", "digits")
MODELS = os.path.join(ROOT, "test", "conformance", "packs", "models")
KWS = os.path.join(MODELS, "kws_dscnn_pt_sym")
RESNET = os.path.join(MODELS, "resnet8_tiny_pc_asym")

# The command by its queue ("te", "load", "store", "tec") and number in it; None:
# there is none to find. `of` is the command's layer, if it is not the layer that
# differs first.
Fault = collections.namedtuple("Fault", "what network edit layer unit index of",
                               defaults=(None,))
KINDS = {"te": "tensor engine", "load": "DMA load", "store": "DMA store", "tec": "TEC"}


class Network:
    """An integer network with its executable, and what is where in it."""

    def __init__(self, tools, name, text, inputs, target, options=()):
        self.name, self.text, self.inputs, self.target = name, text, inputs, target
        self.executable = tools.path(name + ".aipu")
        tools.yarrow("compile", text, "-t", target, "-o", self.executable, *options)
        listing = tools.yarrow("--wide", "inspect", self.executable, "--disassemble")
        # By queue: offset, layer and fields of each command.
        self.commands = {unit: [] for unit in KINDS}
        unit = layer = self.function = None
        self.text_words = []
        for line in listing.splitlines():
            head = re.match(r"; (tensor engine|DMA load|DMA store): layer \d+ (.*?)( \([^()]*\))?$",
                            line)
            if head:
                unit = {v: k for k, v in KINDS.items()}[head[1]]
                layer = head[2]
            command = re.match(r" *([0-9a-f]+): (\w+)((?: [\w.]+=\S+)*)$", line)
            if command and unit:
                fields = dict(f.split("=") for f in command[3].split())
                self.commands[unit].append((int(command[1], 16), layer, fields))
            if line.startswith("TEC program"):
                unit = None
            label = re.match(r"(\S+):(  ;.*)?$", line)
            if label:
                self.function = label[1]
            word = re.match(r" *([0-9a-f]+): ([0-9a-f]{8})\s+(.*)", line)
            if word:
                self.text_words.append((self.function, int(word[1], 16), word[3]))

    def offset(self, unit, index):
        return self.commands[unit][index][0]

    def layer(self, unit, index):
        return self.commands[unit][index][1]

    def field(self, unit, index, name):
        return int(self.commands[unit][index][2].get(name, 0))


class Check:
    def __init__(self):
        self.tools = common.arguments("Plant faults and find them",
                                      lambda parser: parser.add_argument("--edit", required=True))
        self.found = 0

    def fail(self, text):
        self.tools.failures.append(text)
        print("FAILED: " + text)

    def edit(self, fault, number):
        path, source = self.tools.path("fault%d.aipu" % number), fault.network.executable
        for edit in fault.edit if isinstance(fault.edit, list) else [fault.edit]:
            done = subprocess.run([self.tools.options.edit, source, path] + [str(w) for w in edit],
                                  stderr=subprocess.PIPE, text=True)
            if done.returncode:
                sys.exit("%s: %s" % (fault.what, done.stderr))
            source = path
        return path

    def bisect(self, *arguments):
        """Its report."""
        folder = self.tools.path("replay", "x")[:-2]
        report = self.tools.path("bisect.json")
        self.tools.yarrow("bisect", *arguments, "-o", folder, "--json", report, ok=(0, 3))
        with open(report, encoding="utf-8") as f:
            return json.load(f)["bisection"]

    def differs(self, what, answer):
        if not answer["differs"]:
            self.fail("%s: nothing differs" % what)
        return answer["differs"]

    def replay(self, what, answer, target, shows_fault):
        """The layer alone, on the host and compiled. If the fault is in the network,
        both compute what was found; if it is in an executable, what is right."""
        files = answer["replay"]
        if not files:
            return self.fail("%s: nothing to replay" % what)
        inputs = ",".join(files["inputs"])
        on_host, on_npu = self.tools.path("host.npy"), self.tools.path("npu.npy")
        executable = self.tools.path("layer.aipu")
        self.tools.yarrow("eval", files["graph"], "-i", inputs, "-o", on_host)
        self.tools.yarrow("compile", files["graph"], "-t", target, "-o", executable)
        self.tools.yarrow("run", executable, "-i", inputs, "-o", on_npu)
        expected = common.read_npy(files["expected"])[2]
        actual = files["actual"] and common.read_npy(files["actual"])[2]
        if actual == expected:
            self.fail("%s: the replay's files show no difference" % what)
        wanted = actual if shows_fault else expected
        for path in (on_host, on_npu):
            if common.read_npy(path)[2] != wanted:
                self.fail("%s: %s has other values" % (what, os.path.basename(path)))

    def executable(self, fault, number):
        network = fault.network
        path = self.edit(fault, number)
        answer = self.bisect(network.text, path, "-i", network.inputs)
        command = answer["command"]
        if not self.differs(fault.what, answer):
            return
        print("%2d %s: %s, %s" % (number, fault.what, answer["layer"],
                                  command and command["name"]))
        if answer["layer"] != fault.layer:
            self.fail("%s: layer %s, not %s" % (fault.what, answer["layer"], fault.layer))
        if not command or (command["kind"], command["index"]) != (KINDS[fault.unit], fault.index):
            self.fail("%s: not command %d of %s" % (fault.what, fault.index, KINDS[fault.unit]))
        elif command["layer"] != (fault.of or fault.layer):
            self.fail("%s: the command is of layer %s" % (fault.what, command["layer"]))
        elif command["compared_with"] != "command":
            self.fail("%s: %s" % (fault.what, answer["commands_compared"]))
        self.replay(fault.what, answer, network.target, shows_fault=False)
        self.found += 1

    def result(self, what, answer, layer, target):
        """Of two executions of networks, or of a network and a recording."""
        if not self.differs(what, answer):
            return
        self.found += 1
        print("%2d %s: %s" % (self.found, what, answer["layer"]))
        if answer["layer"] != layer:
            self.fail("%s: layer %s, not %s" % (what, answer["layer"], layer))
        self.replay(what, answer, target, shows_fault=True)


def digits_faults(digits):
    """The commands of examples/digits: one of each layer."""
    def descriptor(what, unit, index, field, value, **kept):
        edit = ("descriptor", digits.offset(unit, index), field, value)
        layer = digits.layer(unit, index)
        return Fault(what, digits, edit, kept.get("layer", layer), unit, index, kept.get("of"))

    def constant(what, index, field, te, byte=0):
        """A byte of what a load brings that the command of the tensor engine
        finds at one of its addresses."""
        at = digits.field("te", te, field) - digits.field("load", index, "dst")
        edit = ("constant", digits.field("load", index, "src") + at + byte, 3)
        return Fault(what, digits, edit, digits.layer("load", index), "load", index)

    dw, fc = 4, 7
    free = 200000  # of the SRAM, where nothing is
    return [
        constant("a weight", 0, "weights", 0),
        constant("a scale", 0, "scales", 0),
        constant("a bias", 3, "bias", 2),
        constant("a shift", 5, "shifts", 5),
        constant("a term of a mean", 6, "a", 6),
        descriptor("the scale of a sum", "te", 2, "mainScale", 30000),
        descriptor("an upper bound", "te", 1, "outMax", 40),
        descriptor("the window of a pool", "te", 3, "kernelX", 1),
        descriptor("a padding", "te", dw, "padTop", 0),
        descriptor("a lower bound", "te", 5, "outMin", 30),
        descriptor("the zero point of a layer", "te", fc, "outZeroPoint", 15),
        descriptor("the stride of an output", "te", 5, "outPixelStride", 31),
        descriptor("a load that is too short", "load", 7, "size0", 100),
        descriptor("a load from elsewhere", "load", 4, "src", 5056 + 16),
        descriptor("a result in the place of another", "te", 1, "output", 0),
        descriptor("a load to where nothing reads", "load", 5, "dst", free),
        # All loads are done before the second layer, and the last one spoils its input.
        Fault("a load over the input of another layer", digits,
              [("descriptor", digits.offset("te", 1), "wait1", 8),
               ("descriptor", digits.offset("load", 7), "dst", 0)],
              digits.layer("te", 1), "load", 7, digits.layer("load", 7)),
        descriptor("a wait that is too short", "te", 1, "wait1", 0),
        descriptor("a store from elsewhere", "store", 0, "src", 1),
    ]


def kws_faults(kws):
    """A network with a kernel on the TECs."""
    softmax = kws.layer("store", 0)
    loads = [i for i, (_, layer, fields) in enumerate(kws.commands["load"]) if layer == softmax]
    table = kws.field("load", loads[0], "src")
    # A step of its arithmetic is left out.
    where = [at for function, at, text in kws.text_words
             if function.startswith("yk_") and re.match(r"vmul", text)]
    return [
        Fault("a table", kws, ("constant", table + 4 * 255 + 1, 9), softmax, "load", loads[0]),
        Fault("an instruction of a kernel", kws, ("text", where[0], 0x00000013), softmax, "tec", 0),
    ]


def tile_faults(tiled):
    """A layer in several tiles: the second one's command."""
    faults = []
    by_layer = collections.defaultdict(list)
    for index, (_, layer, _) in enumerate(tiled.commands["te"]):
        by_layer[layer].append(index)
    layer, tiles = max(by_layer.items(), key=lambda item: len(item[1]))
    if len(tiles) < 2:
        sys.exit("there are no tiles")
    second = tiles[1]
    faults.append(Fault("the second tile of a layer", tiled,
                        ("descriptor", tiled.offset("te", second), "outMax", 3), layer, "te",
                        second))
    stores = [i for i, (_, of, _) in enumerate(tiled.commands["store"]) if of == layer]
    if stores:
        store = stores[-1]
        faults.append(Fault("the last store of a layer", tiled,
                            ("descriptor", tiled.offset("store", store), "size0", 1), layer,
                            "store", store))
    return faults


def changed_ir(check, network, name, change_text=lambda text: text, byte=None):
    """A copy of the IR with something else in it."""
    text = check.tools.path(name, os.path.basename(network.text))
    with open(network.text, encoding="utf-8") as f:
        content = re.sub(r"weights_digest=.*\n", "", f.read())
    changed = change_text(content)
    if byte is None and changed == content:
        sys.exit("%s changes nothing" % name)
    with open(text, "w", encoding="utf-8") as f:
        f.write(changed)
    source = os.path.splitext(network.text)[0] + ".bin"
    with open(source, "rb") as f:
        weights = bytearray(f.read())
    if byte is not None:
        weights[byte] ^= 0x55
    with open(os.path.splitext(text)[0] + ".bin", "wb") as f:
        f.write(weights)
    return text


def key_of(network, layer, key):
    with open(network.text, encoding="utf-8") as f:
        section = f.read().split("layer_name=%s\n" % layer)[1].split("\n\n")[0]
    return int(re.search(r"^%s=(-?\d+)" % key, section, re.M)[1])


def check_networks(check, digits):
    """Faults of an integer IR, against the right one, a recording and the floats."""
    target, inputs = digits.target, digits.inputs
    sum_scale = changed_ir(check, digits, "sum",
                           lambda t: re.sub(r"scale_value=\[\d+,", "scale_value=[100,", t))
    check.result("a scale of the IR", check.bisect(digits.text, sum_scale, "-i", inputs), "/Add",
                 target)
    weights = changed_ir(check, digits, "weight",
                         byte=key_of(digits, "/pw/Conv", "weights_offset") + 5)
    check.result("a weight of the IR", check.bisect(digits.text, weights, "-i", inputs),
                 "/pw/Conv", target)

    # Recorded by the right network: .npz is a ZIP file of .npy files.
    layers = check.tools.path("layers", "x")[:-2]
    check.tools.yarrow("eval", digits.text, "-i", inputs, "--layers", layers)
    with open(os.path.join(layers, "layers.json"), encoding="utf-8") as f:
        index = json.load(f)
    recorded = check.tools.path("recorded.npz")
    write_npz(recorded, layers, index)
    check.result("a recording, and an IR", check.bisect(weights, recorded, "-i", inputs), "/pw/Conv",
                 target)
    bad = check.edit(Fault("", digits, ("descriptor", digits.offset("te", 3), "kernelY", 1), "",
                           "te", 3), 90)
    answer = check.bisect(recorded, bad, "-i", inputs, "--model", digits.text)
    if (answer["layer"], answer["command"]["index"]) != (digits.layer("te", 3), 3):
        check.fail("a recording, and an executable: %s" % answer["layer"])
    check.found += 1

    # Twice the scale of one layer is far more than quantization loses.
    lossy = changed_ir(check, digits, "lossy", byte=key_of(digits, "/dw/Conv", "scale_offset") + 1)
    answer = check.bisect(os.path.join(DIGITS, "digits.txt"), lossy, "-i", inputs)
    check.result("a scale, against floats", answer, "/dw/Conv", target)
    if not answer["sqnr_db"] < answer["median_sqnr_db"] - 15:
        check.fail("a scale, against floats: %s dB" % answer["sqnr_db"])
    check.tools.yarrow("bisect", os.path.join(DIGITS, "digits.txt"), digits.text, "-i", inputs,
                       "--samples", 20)


def write_npz(path, folder, index):
    with zipfile.ZipFile(path, "w") as archive:
        for tensor in index["tensors"]:
            with open(os.path.join(folder, tensor["file"]), "rb") as f:
                # write() would take a slash off the beginning.
                archive.writestr(zipfile.ZipInfo(tensor["name"] + ".npy"), f.read())


def check_executables(check, digits):
    """Executables of one network, without its IR: of two machines, and of one with
    a fault."""
    other = check.tools.path("other.aipu")
    check.tools.yarrow("compile", digits.text, "-t", "Z1_0701", "-o", other)
    check.tools.yarrow("bisect", digits.executable, other, "-i", digits.inputs)
    bad = check.edit(Fault("", digits, ("descriptor", digits.offset("te", 4), "padTop", 0), "",
                           "te", 4), 91)
    for right, how in ((digits.executable, "command"), (other, "result")):
        answer = check.bisect(right, bad, "-i", digits.inputs)
        command = answer["command"]
        if (answer["layer"], command["index"], command["compared_with"]) != (
                digits.layer("te", 4), 4, how):
            check.fail("two executables: %s, %s" % (answer["layer"], command))
        check.found += 1


def main():
    check = Check()
    tools = check.tools
    tools.yarrow("quantize", os.path.join(DIGITS, "digits.txt"), "-w",
                 os.path.join(DIGITS, "digits.bin"), "-c",
                 os.path.join(DIGITS, "calibration.npy"), "-o", tools.path("ir", "x")[:-2])
    # Streams would make other bytes of a changed one, as many as they like.
    plain = ("--disable-pass", "compress-weights")
    digits = Network(tools, "digits", tools.path("ir", "digits_o.txt"),
                     os.path.join(DIGITS, "heldout.npy"), "X2_1204", plain)
    kws_input = os.path.join(KWS, "sample0", "000_0_input_1_0.npy")
    kws = Network(tools, "kws", os.path.join(KWS, "int.txt"), kws_input, "Z1_0701", plain)
    machine = json.loads(tools.yarrow("targets", "Z1_0701"))
    machine["sramBytes"] = 64 << 10
    with open(tools.path("small.json"), "w", encoding="utf-8") as f:
        json.dump(machine, f)
    tiled = Network(tools, "tiled", os.path.join(RESNET, "int.txt"),
                    os.path.join(RESNET, "sample0", "000_0_input_1_0.npy"),
                    tools.path("small.json"), plain)
    for network in (digits, kws, tiled):
        tools.yarrow("bisect", network.text, network.executable, "-i", network.inputs)
    faults = digits_faults(digits) + kws_faults(kws) + tile_faults(tiled)
    for number, fault in enumerate(faults):
        check.executable(fault, number)
    check_networks(check, digits)
    check_executables(check, digits)
    print("%d faults" % check.found)
    tools.finish()


if __name__ == "__main__":
    main()
