"""Examples of support/diagnostics/Operators.def."""
import re

from explain.ir import MULTIPLY, relu
from explain.kinds import Example, ir

SPACE_TO_DEPTH = """SpaceToDepth x:float32[1,4,4,2] -> y:float32[1,2,2,8]
    block_size_x=2
    block_size_y=2"""
TRANSPOSE = """Transpose x:float32[1,4,4,2] -> y:float32[1,2,4,4]
    perm=[0,3,1,2]"""
ADD = """Add x:{0}[1,4] z:{1}[1,4] -> y:{0}[1,4]
    with_activation=NONE"""
GATHER = """GatherElements x:{0}[2,3] i:{1}[2,3] -> y:{0}[2,3]
    axis=0"""
POOL = """Pooling x:float32[1,4,4,2] -> y:float32[1,2,2,2]
    method=AVG
    kernel_x=2
    kernel_y=2
    stride_x=2
    stride_y=2
    dilation_x=1
    dilation_y=1
    pad_left=0
    pad_right=0
    pad_top=0
    pad_bottom=0
    ceil_mode=false
    count_include_pad=false"""
DETECTION = "RefineDetDetection" + 5 * " x:float32[1,4,4,2]" + """ -> boxes:float32[1,10,4]
    obj_thresh=0.1
    conf_thresh=0.1
    pre_nms_topk=20
    post_nms_topk=10"""


def typed(operator, **more):
    """Inputs have the types of the example's layer_bottom_type."""
    def files(text):
        types = re.search(r"layer_bottom_type=\[(.*)\]", text)[1].split(",")
        return ir(operator.format(*types)).files(text)
    return Example(**{"run": "yarrow check net.txt", "files": files, **more})


def detector(run):
    """A network that ends in a detection, or before it."""
    def files(text):
        layers = [relu("features", "in", "x", "[1,4,4,2]")]
        return ir(*layers, *[DETECTION] * ("RefineDet" in text)).files(text)
    return Example(run, files)


EXAMPLES = {
    "E0301": ir(SPACE_TO_DEPTH),
    "E0302": typed(ADD, run="yarrow compile net.txt -o a.bin"),
    "E0303": ir("Div x:float32[1,4] y:float32[1,4] -> z:float32[1,4]"),
    "E0304": ir(TRANSPOSE),
    "E0305": typed(GATHER),
    "E0306": ir(POOL),
    "E0307": ir(MULTIPLY, drop="scale_value scale_type shift_value shift_type"),
    "E0308": detector("yarrow compile net.txt -o a.bin"),
    "N0309": detector("yarrow check net.txt"),
    "N0310": typed(ADD),
    "E0311": ir(relu("out", "x", "y", "[1,9]"), relu("next", "h", "h_next", "[1,8]")),
}
