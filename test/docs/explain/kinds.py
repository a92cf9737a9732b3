"""How an example of a diagnostic becomes files and a command.

An example that is not a shell command has a record in the table of its stage (files.py, ir.py and so on),
made by one of the functions below. All take also

    also       {name: content} of files that the example takes for granted
    setup      a command that prepares what it takes for granted otherwise
    right_exit exit code of the right example, if it is not 0
    wrong_says, right_says
               words (a regular expression) that the program must print. A right example with right_says may
               report the code: some notes are reported whatever the state is.

A `#` after two blanks begins a remark for the reader, which the files do not get.
"""
import ast
import collections
import dataclasses
import os
import re
import struct
import sys
from typing import Callable

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../.."))
sys.path.insert(0, os.path.join(ROOT, "test/lit"))
sys.path.insert(0, os.path.join(ROOT, "test/lit/compass"))
import layers
import onnx

TEC_COMPILER = ("clang-22 --target=riscv32 -march=rv32imafdv_zvl256b -mabi=ilp32d "
                "-nostdlib -static -fuse-ld=lld")


def no_files(_):
    return {}


@dataclasses.dataclass
class Example:
    run: str = ""  # of the shell; empty: the example itself
    files: Callable[[str], dict] = no_files  # of the example's text: name and content
    also: dict = dataclasses.field(default_factory=dict)
    setup: str = ""
    right_exit: int = 0
    wrong_says: str = ""
    right_says: str = ""
    needs_numpy: bool = False
    test: str = ""  # tested_in(): the test that provokes the code
    reason: str = ""


def without_remarks(text):
    return "\n".join(re.sub(r"(^|\s\s+)# .*", "", line) for line in text.split("\n"))


def paragraphs(text):
    """Parts of an example: empty lines and lines of three dots divide them."""
    parts = re.split(r"\n\s*\n|\n\.\.\.\n", without_remarks(text))
    return [[line for line in part.split("\n") if line.strip()] for part in parts]


def shell(setup="", **more):
    """A command, as it is. Codes without a record are taken for this."""
    return Example(setup=setup, **more)


def tested_in(test, reason):
    """The example cannot be run here; the test at this path provokes the code."""
    return Example(test=test, reason=reason)


def file(name, run, template="{}", **more):
    """The text of a file, or a part of one: `{}` in the template is the example."""
    return Example(run, lambda text: {name: template.replace("{}", without_remarks(text)) + "\n"}, **more)


def tec(run="yarrow tec a.elf", template="{}", **more):
    """Assembly of a TEC."""
    return file("a.S", f"{TEC_COMPILER} a.S -o a.elf && {run}",
                ".globl _start\n_start:\n" + template.replace("{}", "{}\n"), **more)


def numpy(run, before="", **more):
    """Lines of Python that make files with numpy, and the command that reads these."""
    return Example(f"$NUMPY_PYTHON example.py && {run}",
                   lambda text: {"example.py": f"import numpy\n{before}\n{text}\n"}, needs_numpy=True, **more)


#===--- Configurations ---===#

def config(run="yarrow build net.cfg --brief", **more):
    """Lines that replace or extend those of the sandbox's net.cfg. Without a section: of [Optimizer]."""
    return Example(run, lambda text: {"net.cfg": merged_config(text)}, **more)


BASE_CONFIG = """[Common]
mode = build
[Optimizer]
graph = net.txt
bin = net.bin
calibration_data = samples.npy
output_dir = out
[GBuilder]
target = X2_1204
"""


def merged_config(text):
    sections = collections.OrderedDict()
    for content in (BASE_CONFIG, without_remarks(text)):
        section = "[Optimizer]"
        for line in filter(str.strip, content.split("\n")):
            if re.fullmatch(r"\[\w+\]", line):
                section = line
            else:
                sections.setdefault(section, {})[line.partition("=")[0].strip()] = line
    return "".join(f"{name}\n" + "".join(line + "\n" for line in lines.values())
                   for name, lines in sections.items())


#===--- IR ---===#

HEADER_KEYS = {"model_name", "layer_number", "precision", "compat_quantized_model", "model_bin",
               "input_tensors", "output_tensors", "weights_digest"}


def ir(*operators, drop="", run="yarrow check net.txt", **more):
    """Lines of IR that replace or extend those of a small network; a key that the example has twice stays
    twice. Each operator is a text in the form of test/lit/compass/layers.py, with a name before it if
    there are several: "relu1: Activation x:float32[1,4] -> y:float32[1,4]", then a line for each key.
    Tensors that no operator computes are inputs, or constants if they have values.

    A part of the example with layer_name is for the layer of that name, one that begins with a key of the
    header for the header; others are for the operators in their order, the last ones if there are more
    operators. Keys of \\p drop (divided by blanks) are removed from these layers first, as the example shows
    what there is of them.
    """
    def files(text):
        records, weights = network(operators)
        edit(records, paragraphs(text), drop.split())
        body = "\n\n".join("\n".join(lines) for lines in records.values()) + "\n\n"
        return {"net.txt": body, "net.bin": weights}
    return Example(run, files, **more)


def ir_files(*operators, name="net"):
    """The network itself, without an example, to be given as `also`."""
    records, weights = network(operators)
    body = "\n\n".join("\n".join(lines) for lines in records.values()) + "\n\n"
    return {name + ".txt": body.replace("./net.bin", f"./{name}.bin"), name + ".bin": weights}


def network(operators):
    """{name: lines} of the header and all layers, and the weights."""
    parsed = []
    for number, text in enumerate(operators):
        first, *keys = [line.strip() for line in text.strip().split("\n")]
        name, _, rest = first.rpartition(": ") if re.match(r"[\w/]+: ", first) else \
            ("op" + (str(number) if number else ""), "", first)
        kind, *words = rest.split()
        arrow = words.index("->")
        parsed.append((name, kind, [layers.parse_tensor(w) for w in words[:arrow]],
                       [layers.parse_tensor(w) for w in words[arrow + 1:]], keys))
    computed = {t[0] for _, _, _, tops, _ in parsed for t in tops}
    read = {t[0] for _, _, bottoms, _, _ in parsed for t in bottoms}
    sources = {t[0]: t for _, _, bottoms, _, _ in parsed for t in bottoms if t[0] not in computed}
    quantized = any(t[3] for _, _, _, tops, _ in parsed for t in tops)
    weights, records = layers.Weights(), {"": []}
    for tensor in sources.values():
        extra = weights.add("weights", *tensor[1:3], tensor[4]) if tensor[4] else []
        records["in_" + tensor[0]] = layers.layer(
            len(records) - 1, "in_" + tensor[0], "Constant" if extra else "Input", [], [tensor], quantized,
            extra).split("\n")
    for name, kind, bottoms, tops, keys in parsed:
        full = []
        for key in keys:
            constant = layers.TENSOR.match(key)
            full += weights.add(*layers.parse_tensor(key)[:3], constant.group(5)) if constant else [key]
        records[name] = layers.layer(len(records) - 1, name, kind, bottoms, tops, quantized,
                                     full).split("\n")
    outputs = [t[0] for _, _, _, tops, _ in parsed for t in tops if t[0] not in read]
    inputs = [t[0] for t in sources.values() if not t[4]]
    records[""] = ["model_name=net", f"layer_number={len(records) - 1}",
                   "precision=" + ("int8" if quantized else "float32"), "model_bin=./net.bin",
                   f"input_tensors=[{','.join(inputs)}]", f"output_tensors=[{','.join(outputs)}]"]
    return records, weights.data


def edit(records, parts, dropped):
    operators = [name for name in records if name and not name.startswith("in_")]
    targets = [target_of(part, records) for part in parts]
    unnamed = targets.count(None)
    rest = iter(operators[len(operators) - unnamed:])
    for target, part in zip(targets, parts):
        lines = records[next(rest) if target is None else target]
        keys = {line.partition("=")[0] for line in part}
        gone = keys | (set(dropped) if target != "" else set())
        at = next((i for i, line in enumerate(lines) if line.partition("=")[0] in keys), len(lines))
        kept = [line.partition("=")[0] not in gone for line in lines]
        lines[:] = [line for line, keep in zip(lines[:at], kept) if keep] + part + \
            [line for line, keep in zip(lines[at:], kept[at:]) if keep]


def target_of(part, records):
    for line in part:
        key, _, value = line.partition("=")
        if key == "layer_name" and value in records:
            return value
    return "" if part and part[0].partition("=")[0] in HEADER_KEYS else None


#===--- ONNX ---===#

ELEMENTS = {"float32": 1, "uint8": 2, "int8": 3, "int32": 6, "int64": 7, "bool": 9, "float16": 10}


def nodes(inputs, outputs="y", constants=(), opset=17, run="yarrow import model.onnx -o out", **more):
    """Nodes of an ONNX model, one a line: y = Softmax(x, axis=-1). None leaves out an input; a number or a
    list is a constant (floats: float32; integers: int64, or int8 as a zero point), and a call may be an
    input of another. Inputs, constants and outputs with a type are tensors in the form of
    test/lit/compass/layers.py, such as "x:float32[1,4]"."""
    def files(text):
        graph = Nodes()
        for line in filter(str.strip, without_remarks(text).split("\n")):
            statement = ast.parse(line.strip()).body[0]
            target = statement.targets[0]
            names = target.elts if isinstance(target, ast.Tuple) else [target]
            graph.add(statement.value, [name.id for name in names])
        data = graph.data
        for name, dtype, shape, _, values in map(layers.parse_tensor, constants):
            weights = layers.Weights()
            weights.add(name, dtype, shape, values)
            data += onnx_constant(name, dtype, shape, weights.data)
        for name, dtype, shape, *_ in map(layers.parse_tensor, inputs.split()):
            data += onnx.value(11, name, shape, ELEMENTS[dtype])
        for name in outputs.split():
            if ":" in name:
                name, dtype, shape, *_ = layers.parse_tensor(name)
                data += onnx.value(12, name, shape, ELEMENTS[dtype])
            else:
                data += onnx.field(12, onnx.field(1, name) + onnx.field(2, onnx.field(1, onnx.field(1, 1))))
        return {"model.onnx": onnx.model(data, opset)}
    return Example(run, files, **more)


def onnx_constant(name, dtype, shape, raw):
    return onnx.field(5, b"".join(onnx.field(1, n) for n in shape) + onnx.field(2, ELEMENTS[dtype]) +
                      onnx.field(8, name) + onnx.field(9, raw))


class Nodes:
    """Nodes and constants of a graph, as bytes."""

    def __init__(self):
        self.data, self.made = b"", 0

    def name(self):
        self.made += 1
        return f"tensor_{self.made}"

    def add(self, call, outputs):
        operator = call.func.id
        reads = [self.input(argument, operator) for argument in call.args]
        attributes = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
        self.data += onnx.node(operator, reads, outputs, "", **attributes)

    def input(self, argument, operator):
        if isinstance(argument, ast.Name):
            return argument.id
        name = self.name()
        if isinstance(argument, ast.Call):
            self.add(argument, [name])
            return name
        value = ast.literal_eval(argument)
        if value is None:
            return ""
        values = value if isinstance(value, list) else [value]
        dtype = "float32" if isinstance(values[0], float) else \
            "int8" if operator in ("QuantizeLinear", "DequantizeLinear") else "int64"
        raw = struct.pack(f"<{len(values)}{layers.FORMATS[dtype]}", *values)
        self.data += onnx_constant(name, dtype, [len(values)] if values is value else [], raw)
        return name
