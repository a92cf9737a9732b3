"""Examples of support/diagnostics/Import.def."""
from explain.kinds import nodes

EXAMPLES = {
    "E1009": nodes("x:float32[1,3,8,8]"),
}
