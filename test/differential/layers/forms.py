"""The formats: how networks are drawn, which operators there are, how they are checked.

Example:
    form = FORMS["compass"]
    form.without_builder(said)      # what `yarrow ops ... --format json` said
"""
import json
from dataclasses import dataclass, field

# They register builders.
import compass_axes, compass_elements, compass_indices, compass_moves, compass_windows  # noqa: E401,F401
import qnn_elements, qnn_images, qnn_moves  # noqa: E401,F401
import tflite_elements, tflite_images, tflite_moves  # noqa: E401,F401
from compass_form import Compass
from compass_integers import CompassInt
from drawing import BUILDERS
from format_trials import CompassIntTrial, CompassTrial, QnnTrial, TfliteTrial
from qnn_form import Qnn
from tflite_form import Tflite
import tflite

REFUSED = {name for _, name in tflite.records("Operators.def", r"^REFUSED\((\d+), (\w+),")}

# Compass layers that are not drawn, and why.
BOXES = "lists of boxes: test/e2e/detection.py and the networks of test/vts have them"
NOT_DRAWN = {
    **dict.fromkeys((
        "BoundingBox", "BoxProposals", "BoxTransform", "DecodeBox", "DetectionOutput",
        "DetectionPostProcess", "FilterBoxes", "GenerateProposals", "GetValidCount",
        "HeatmapMaxKeypoint", "LimitedNMS", "MaxRoiPool", "MultiboxTransformLoc", "NMS", "PostNMS1",
        "Proposal", "PyramidROIAlign", "RefineDetDetection", "Region", "RegionFuse", "RoiAlign",
        "CropAndResize", "AccidentalHits"), BOXES),
    **dict.fromkeys(("Input", "Constant"), "every network has them"),
    **dict.fromkeys(("Quantize", "DeQuantize"), "mixed IR: --trigger-float-op makes them"),
    **dict.fromkeys(("If", "Loop"), "sub-graphs: the ONNX networks have them"),
    **dict.fromkeys(("StoredLSTM", "ConvInteger", "MatMulInteger"), "integers alone"),
    **dict.fromkeys(("RgbToYuv", "YuvToRgb", "Preprocess"), "bytes of pictures"),
    **dict.fromkeys(("FractionalPool", "Multinomial", "LshProjection"), "random or hashed"),
    **dict.fromkeys(("AffineGrid", "GridSample"), "places to sample, not yet"),
}


@dataclass
class Form:
    styles: type      # of drawing
    trial: type
    key: str          # of BUILDERS
    ops: list         # arguments of `yarrow ops`
    names: object     # function of its output: operators that can be drawn
    left_out: dict    # operators that are not drawn: why
    # (seed, check) of networks that are not right yet: why. One that is right is a failure, so
    # that who mends it takes it out.
    open_faults: dict = field(default_factory=dict)

    def without_builder(self, said):
        found = self.names(json.loads(said))
        return sorted(found - set(BUILDERS[self.key]) - set(self.left_out))


def layer_types(said):
    found = said["operators"] if isinstance(said, dict) else said
    return {r["layer_type"] for r in found}


NOT_DRAWN_TFLITE = {
    **dict.fromkeys(("IF", "WHILE", "CALL_ONCE", "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE"),
                    "sub-graphs and variables: test/lit/tflite"),
    **dict.fromkeys(("NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5"), BOXES),
    **dict.fromkeys(("SHAPE", "RANK", "FILL", "ZEROS_LIKE", "RANGE", "WHERE", "DENSIFY"),
                    "they become constants: test/lit/tflite"),
    **dict.fromkeys(("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM", "SVDF"),
                    "state and recorded numbers: test/vts"),
    "CONV_3D_TRANSPOSE": "as TRANSPOSE_CONV",
}
NOT_DRAWN_QNN = {
    **dict.fromkeys((
        "AxisAlignedBboxTransform", "BatchPermutation", "BboxTransform", "BoxWithNmsLimit",
        "CollectRpnProposals", "CombinedNms", "CropAndResize", "DetectionOutput",
        "DistributeFpnProposals", "ExtractGlimpse", "GenerateProposals", "HeatMapMaxKeyPoint",
        "MultiClassNms", "NonMaxSuppression", "RoiAlign", "RoiPooling"), BOXES),
    **dict.fromkeys(("ArgbToRgb", "Nv12ToRgb", "Nv21ToRgb"), "bytes of pictures"),
    **dict.fromkeys(("If",), "sub-graphs: the ONNX networks have them"),
    **dict.fromkeys(("Gru", "Lstm", "Stft"), "many operands: test/qnn"),
    **dict.fromkeys(("Col2Im", "Correlation1D", "ExtractPatches", "GridSample", "HadamardTransform",
                     "Im2Col", "ImageProjectionTransform", "Logit", "MaskedSoftmax", "NonZero"),
                    "their own arithmetic: test/unit/qnn"),
    **dict.fromkeys(("ConstantOfShape", "Shape"), "they become constants"),
    **dict.fromkeys(("Quantize", "Dequantize"), "Convert stands for them"),
    "ElementWiseMod": "integers alone",
}


def imported(said):
    found = said["operators"] if isinstance(said, dict) else said
    return {r["name"] for r in found if r["imported"]}


def tflite_names(_):
    """The operators that test/lit/tflite.py knows, but for those that are refused."""
    return {name for name, (_, options) in tflite.BUILTINS.items() if name not in REFUSED}


OPEN_FAULTS_QNN = {
    (13, "float"): "Floor of a value at the upper bound of Relu1: 127 steps of float32(1 / 127) are "
                   "1 in float32 and less in a table of exact products",
}

FORMS = {
    "compass": Form(Compass, CompassTrial, "compass", [], layer_types, NOT_DRAWN),
    "compass-int": Form(CompassInt, CompassIntTrial, "compass int", [], lambda said: set(), {}),
    "tflite": Form(Tflite, TfliteTrial, "tflite", [], tflite_names, NOT_DRAWN_TFLITE),
    "qnn": Form(Qnn, QnnTrial, "qnn", ["--qnn"], imported, NOT_DRAWN_QNN, OPEN_FAULTS_QNN),
}
