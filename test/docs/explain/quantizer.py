"""Examples of support/diagnostics/Quantizer.def."""
from explain.kinds import config, file, ir, ir_files, nodes, numpy

QDQ = "yarrow quantize model.onnx -o out"
PAIR = "x:int8[1,4] z:int8[1,4]"


def encodings(layer, members="{}", **more):
    """Members of an encodings file; those before the example are fixed."""
    return file("net.encodings", "yarrow quantize net.txt --encodings net.encodings -c x.npy -o out --brief",
                '{"version": "0.6.1", "param_encodings": { }, "activation_encodings": {' + members + "}}",
                also=ir_files(layer), setup="python3 $LIT/npy.py x.npy float32 8,4,4,2 0.5 3=1 40=-1", **more)


SIGMOID = "Activation x:float32[1,4,4,2] -> y:float32[1,4,4,2]\n method=TANH"
POOLING = """Pooling x:float32[1,4,4,2] -> y:float32[1,2,2,2]
    method=MAX
    kernel_x=2
    kernel_y=2
    stride_x=2
    stride_y=2
    pad_left=0
    pad_right=0
    pad_top=0
    pad_bottom=0
    dilation_x=1
    dilation_y=1
    ceil_mode=false"""
X = '"x": [{"bitwidth": 8, "is_symmetric": "False", "scale": 0.01, "offset": -128}], {}'

EXAMPLES = {
    "E0401": numpy("yarrow quantize net.txt -c y.npy -o out --brief",
                   "x = numpy.load('samples.npy').transpose(0, 3, 1, 2).copy()"),
    "E0402": config(),
    "E0403": ir("clip: Activation x:float32[1,8] -> c:float32[1,8]\nmethod=CLIP\nclip_min=0\nclip_max=6",
                "log: Log c:float32[1,8] -> y:float32[1,8]",
                run="yarrow quantize net.txt -c x.npy -o out --brief",
                setup="python3 $LIT/npy.py x.npy float32 4,8 0.5 9=0"),
    "W0405": config(),
    "W0406": config(),
    "W0407": config(),
    "N0409": nodes("x:int8[1,4]", "y:int8[1,4]", run=QDQ),
    "N0410": nodes("x:int8[1,4]", "y:int8[1,4]", run=QDQ, wrong_says=r"\b0 of 1\b",
                   right_says=r"\b1 of 1\b"),
    "W0411": nodes(PAIR, "y:int8[1,4]", run=QDQ),
    "E0412": nodes("x:int8[1,2]", "y:int8[1,3]", ["w:int8[2,3]=1,1,1,1,1,1"], run=QDQ),
    "E0413": encodings(SIGMOID, X),
    "W0414": encodings(SIGMOID, X),
    "W0415": encodings(SIGMOID),
    "W0416": encodings(POOLING),
    "N0417": encodings(SIGMOID, wrong_says=r"N0417: .*\b1 tensor\b", right_says=r"N0417: .*\b2 tensors\b"),
}
