"""Examples of support/diagnostics/Ir.def."""
from explain.kinds import ir

CONVOLUTION = """Convolution x:float32[1,8,8,3] -> y:float32[1,8,8,16]
    weights:float32[16,3,3,3]
    biases:float32[16]
    num_output=16
    group=1
    kernel_x=3
    kernel_y=3
    stride_x=1
    stride_y=1
    pad_left=1
    pad_right=1
    pad_top=1
    pad_bottom=1
    dilation_x=1
    dilation_y=1
    with_activation=NONE"""

EXAMPLES = {
    "E0202": ir(CONVOLUTION, drop="weights_type"),
    "E0203": ir(CONVOLUTION.replace("[1,8,8,16]", "[1,8,4,16]")),
}
