"""Examples of support/diagnostics/Import.def."""
import re

import onnx
from explain.kinds import Example, file, nodes, shell, tested_in, without_remarks


def relu(shape, **more):
    return onnx.model(onnx.node("Relu", ["x"], ["y"], "act") + onnx.value(11, "x", shape) +
                      onnx.value(12, "y", shape), **more)


def model(data, name="model.onnx"):
    """A command that reads this model."""
    return Example(files=lambda _: {name: data})


def made(name, tool="onnx.py", kind=""):
    """A command that reads a model of a tool of test/lit."""
    return shell(f"python3 $LIT/{tool} {kind} -o {name}")


def of_text(build, run="yarrow import model.onnx -o out"):
    """A model that the example describes; build: its files."""
    return Example(run, lambda text: build(without_remarks(text)))


def number_in(text):
    return int(re.search(r"\d+", text)[0])


def external(text):
    """A constant whose data are in a file of their own."""
    location = re.search(r'"location": "(.*?)"', text)[1]
    data = onnx.field(13, onnx.field(1, "location") + onnx.field(2, location))
    graph = (onnx.node("Add", ["x", "w"], ["y"]) +
             onnx.field(5, onnx.field(1, 4) + onnx.field(2, 1) + onnx.field(8, "w") + data +
                        onnx.field(14, 1)) +
             onnx.value(11, "x", [1, 4]) + onnx.value(12, "y", [1, 4]))
    return {"model.onnx": onnx.model(graph), "weights.bin": bytes(16)}


def wide(text):
    """A sum of integers of 64 bits and a constant."""
    return {"model.onnx": onnx.model(
        onnx.node("Add", ["x", "w"], ["y"]) +
        onnx.integers("w", [int(re.search(r"\{(\d+)\}", text)[1])]) + onnx.value(11, "x", [4], 7) +
        onnx.value(12, "y", [4], 7))}


def parser(kind):
    """Lines of [Parser] for a model of test/lit/onnx.py."""
    return file("import.cfg", "yarrow import import.cfg -o out",
                "[Parser]\nmodel_name = net\ninput_model = model.onnx\n{}",
                setup=f"python3 $LIT/onnx.py {kind} -o model.onnx")


#===--- NNAPI ---===#

# Of test/lit/nnapi/cases.test.
X = '{"name": "x", "type": "TENSOR_FLOAT32", "dims": [2], "value": [1, 2]}'
RELU = '{"type": "RELU", "inputs": [0], "outputs": [1]}'


def recorded(part, **more):
    """A recorded case, in which the example replaces a part."""
    def files(text):
        words = {X: X, RELU: RELU}
        words[part] = without_remarks(text).strip()
        operand = words[X][:-1] + ', "lifetime": "SUBGRAPH_INPUT"}'
        return {"cases.bin": b"", "cases.jsonl":
                '{"test": "case", "spec": "s", "min_version": "V1_0", "relaxed": false, "tol": [[1e-5, 0]], '
                '"main": {"operands": [' + operand + ', {"name": "y", "type": "TENSOR_FLOAT32", "dims": [2], '
                '"lifetime": "SUBGRAPH_OUTPUT", "value": [1, 2]}], "operations": [' + words[RELU] +
                '], "inputs": [0], "outputs": [1]}}\n'}
    return Example("yarrow-vts --evaluator cases.jsonl", files, **more)


#===--- QNN ---===#

NODE = '"package": "qti.aisw", "input_names": ["x"], "output_names": ["y"], "tensor_params": {}'
FLOATS = '''"x": {"type": 0, "data_type": 562, "dims": [1, 2, 3, 4]},
"y": {"type": 1, "data_type": 562, "dims": [1, 2, 3, 4]}'''
SCALE = '"quant_params": {"definition": 1, "encoding": 0, "scale_offset": {"scale": 0.5, "offset": -128}}'


def graph(tensors, node):
    """A QNN graph of one node; % is the example."""
    template = f'{{"graph": {{\n"tensors": {{\n{tensors}\n}},\n"nodes": {{\n"node": {{{node}}}\n}}\n}}}}\n'
    return Example("yarrow import graph.json -o out",
                   lambda text: {"graph.json": template.replace("%", without_remarks(text))})


def fixed(name, kind, form=SCALE):
    return f'"{name}": {{"type": {kind}, "data_type": 1032, "dims": [1, 2], {form}}}'


BIAS = ",\n".join([
    fixed("x", 0),
    '"w": {"type": 4, "data_type": 776, "dims": [1, 2], "data": [[3, -4]], ' +
    SCALE.replace("-128", "0") + "}",
    '"b": {"type": 4, "dims": [1], "data": [129], %}',
    fixed("y", 1).replace("[1, 2]", "[1, 1]")])

CELL = made("net.onnx", kind="cell")


#===--- GGUF ---===#

def gguf(options="", name="story.gguf", kind="tiny"):
    return f"python3 $LIT/gguf.py {kind} -o {name} {options}"


def edited(option, change):
    """A line of the example as an option of the tool that writes the model; change: what sed does to it."""
    return file("line.txt", gguf(f'{option} "$(sed -e \'{change}\' line.txt)"', kind="story") +
                " && yarrow import story.gguf -o out")


EXAMPLES = {
    "E1001": shell("head -c 1000 model.onnx > half.onnx"),
    "E1002": of_text(lambda text: {"model.onnx": relu([1, 4], opset=number_in(text))}),
    "W1003": of_text(lambda text: {"model.onnx": relu([1, 4], ir=number_in(text))}),
    "E1004": made("model.onnx", kind="unknown_inside"),
    "E1005": made("crop.onnx", kind="crop"),
    "E1006": of_text(external),
    "E1007": model(relu([1, 3, "height", "width"])),
    "E1008": nodes("x:float32[1,4]"),
    "E1009": nodes("x:float32[1,4]"),
    "E1010": model(relu([1, 3, "height", "width"])),
    "N1011": model(relu(["batch", 3, 224, 224])),
    "W1012": of_text(wide),
    "E1013": parser("conv"),
    "E1014": parser("conv"),
    "E1015": parser("picture"),
    "E1016": parser("ssd"),
    "E1018": tested_in("test/unit/onnx/ModelWriterTest.cpp", "needs a network of more than 2 GB"),
    "N1019": nodes("x:float32[1,4]", constants=["scale:float32[]=0.02", "zero:uint8[]=3"]),
    "E1030": shell("head -c 400 model.tflite > half.tflite"),
    "E1031": made("pose.tflite", "tflite.py", "custom"),
    "W1032": shell("python3 $LIT/tflite.py dynamic -o dynamic.tflite && cp model.tflite full_integer.tflite"),
    "W1033": made("streaming.tflite", "tflite.py", "operator SVDF"),
    "E1034": recorded(RELU),
    "E1035": recorded(X),
    "E1036": recorded(RELU),
    "E1040": shell(r"printf '\325\n\003\000\001\000\000\000NETD' > model.dlc && "
                   "yarrow export net.txt --qnn -o model_net.json"),
    "E1041": graph(FLOATS, '"type": "Softmax", ' + NODE + ", %"),
    "E1042": graph(FLOATS, NODE.replace('"package": "qti.aisw"', "%") + ', "scalar_params": {}'),
    "E1043": shell("yarrow export net.txt --qnn -o model_net.json && mkdir weights && mv model.bin weights"),
    "E1044": graph(fixed("x", 0, "%") + ",\n" + fixed("y", 1), '"type": "Relu", "scalar_params": {}, ' + NODE),
    "W1045": graph(BIAS, '"type": "FullyConnected", "scalar_params": {}, ' +
                   NODE.replace('["x"]', '["x", "w", "b"]')),
    "W1046": shell("yarrow export net.txt --qnn -o model_net.json && mv model.bin weights.bin"),
    "E1048": CELL,
    "N1049": CELL,
    "E1050": shell(gguf() + " && head -c 400 story.gguf > half.gguf"),
    "E1051": shell(gguf() + " && " + gguf("--version 1", "first_version.gguf")),
    "E1052": edited("--set", "s/ = /=/"),
    "E1053": edited("--shape", r"s/ *\[/=/; s/\].*//"),
    "E1054": shell(gguf("--number blk.0.ffn_up.weight=17", "story-IQ2_XS.gguf") + " && " +
                   gguf("--type Q4_K", "story-Q4_K_M.gguf", "wide")),
    "N1055": shell(gguf("--set llama.context_length=4096")),
    "W1056": edited("--set", "s/ = /=/"),
}
