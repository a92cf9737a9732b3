"""Examples of support/diagnostics/Ir.def."""
from explain.kinds import ir, shell

# Of test/lit/compass/layers.py.
CONV = """Convolution x:float32[1,8,8,3] -> y:float32[1,4,4,16]
    kernel_x=3
    kernel_y=3
    stride_x=2
    stride_y=2
    dilation_x=1
    dilation_y=1
    pad_left=1
    pad_right=0
    pad_top=1
    pad_bottom=0
    num_output=16
    group=1
    with_activation=NONE
    weights:float32[16,3,3,3]
    biases:float32[16]"""
INTEGER_CONV = CONV.replace("x:float32", "x:int8").replace("4,16]", "4,16]@8").replace(
    "y:float32", "y:int8").replace("weights:float32", "weights:int8").replace("biases:float32", "biases:int32")
TRANSPOSE = """Transpose x:float32[1,4,6,2] -> y:float32[1,6,2,4]
    perm=[0,2,3,1]"""
SOFTMAX = """Softmax x:float32[1,10] -> y:float32[1,10]
    axis=-1"""
MULTIPLY = """Mul x:int8[1,4] x:int8[1,4] -> y:int8[1,4]@1
    with_activation=NONE
    scale_value=1
    scale_type=uint16
    shift_value=7
    shift_type=int8"""
CLIP = """Activation x:float32[1,4] -> y:float32[1,4]
    method=CLIP
    clip_min=0
    clip_max=6"""


def relu(name, read, written, shape="[1,4]"):
    return f"{name}: Activation {read}:float32{shape} -> {written}:float32{shape}\nmethod=RELU"


EXAMPLES = {
    "E0201": ir(TRANSPOSE),
    "E0202": ir(CONV, drop="weights_type"),
    "E0203": ir(CONV),
    "E0204": ir(CONV),
    "E0205": ir(CONV),
    "E0206": ir(relu("conv1", "x", "conv1_0"), relu("conv2", "conv1_0", "y")),
    "E0207": ir(relu("relu1", "x", "x1"), relu("relu2", "x", "x2")),
    "E0208": ir(CONV),
    "E0209": ir("""Split x:float32[1,200,4] -> boxes:float32[1,100,4] scores:float32[1,100,4]
        axis=1
        splits=[100,100]"""),
    "E0210": ir(TRANSPOSE),
    "W0211": ir(SOFTMAX),
    "W0212": ir(SOFTMAX),
    "E0213": ir(CONV, drop="stride_x"),
    "W0214": ir(SOFTMAX, drop="axis"),
    "E0215": ir(relu("a", "input", "x"), relu("b", "x", "y")),
    "E0216": ir(CONV),
    "E0217": ir(CLIP),
    "E0218": ir(MULTIPLY),
    "E0219": ir(relu("first", "in", "x", "[1,32,32,16]"), relu("second", "x", "y", "[1,32,32,16]")),
    "N0220": ir(relu("boxes", "x", "boxes"), relu("scores", "x", "scores")),
    "E0221": shell("mkdir out old && cp net_o.txt net_o.bin out && "
                   "yarrow quantize net.txt -c x.npy -o old --brief"),
    "E0223": ir(INTEGER_CONV, drop="weights_scale weights_zp"),
}
