"""Why outputs differ that should not: values that ONNX leaves open, and sums that the CPU rounds away.

    why = causes.of(comparison)    # None: there is nothing of the kind
"""
import math

import wire
from running import numbers

# The ranges of types that a Cast makes, by ONNX's number.
RANGES = {2: (0, 255), 3: (-128, 127), 4: (0, 65535), 5: (-32768, 32767), 6: (-2 ** 31, 2 ** 31 - 1),
          7: (-2 ** 63, 2 ** 63 - 1), 12: (0, 2 ** 32 - 1), 13: (0, 2 ** 64 - 1)}
# Before it Dropout says nothing of its mask where nothing is dropped.
MASK_OPSET = 12
# Half of the distance of a float from its neighbour.
ROUNDING = 2 ** -24
# The scales of a normalization by operator, as many as a row has elements: at this input. The inputs
# before it are added up.
SCALES = {"LayerNormalization": 1, "SkipLayerNormalization": 2}


def of(it):
    return casts_out_of_range(it) or masks(it) or cancelled_variance(it)


def on_the_cpu(it, tensors):
    """Outputs of the CPU for tensors inside of the model, by name."""
    with open(it.path, "rb") as file:
        model = it.check.write("inside.onnx", wire.with_outputs(file.read(), sorted(tensors)))
    found = {output.name: numbers(output) for output in it.check.outputs(model, False)[0]}
    return {name: found[name] for name in tensors if found.get(name) is not None}


def casts_out_of_range(it):
    """A Cast of a float that the type of integers does not hold, on the CPU."""
    casts = {}
    for node in it.facts.nodes:
        if node.op == "Cast":
            to = next((wire.first_of(a, 3, 0) for a in node.attributes if wire.text_of(a, 1) == "to"), 0)
            if to in RANGES and node.inputs[0] in it.facts.writers:
                casts[node.inputs[0]] = RANGES[to]
    for name, values in on_the_cpu(it, casts).items() if casts else ():
        low, high = casts[name]
        if any(not math.isfinite(v) or math.trunc(v) < low or math.trunc(v) > high for v in values):
            return f"Cast of values beyond {low} to {high}: ONNX defines no result"
    return None


def masks(it):
    """Outputs that differ are masks of Dropout, up to an Identity."""
    if it.facts.opset >= MASK_OPSET:
        return None
    for output, difference in zip(it.facts.outputs, it.npu):
        if difference.equal == difference.elements:
            continue
        node = it.facts.writers.get(output)
        while node and node.op == "Identity":
            output = node.inputs[0]
            node = it.facts.writers.get(output)
        if not node or node.op != "Dropout" or output not in node.outputs[1:]:
            return None
    return f"masks of Dropout before version {MASK_OPSET}: ONNX defines none"


def cancelled_variance(it):
    """ONNX Runtime subtracts the square of the mean from the mean of squares: a row whose mean is large
    has few digits of its variance left."""
    for node in it.facts.nodes:
        place = SCALES.get(node.op)
        if not place or node.inputs[place] not in it.facts.constants:
            continue
        width = math.prod(wire.shape_of(it.facts.constants[node.inputs[place]]))
        terms = on_the_cpu(it, [name for name in node.inputs[:place] if name in it.facts.writers])
        most = 0
        for row in zip(*[iter([sum(values) for values in zip(*terms.values())])] * width):
            mean = sum(row) / width
            variance = sum((v - mean) ** 2 for v in row) / width
            most = max(most, mean * mean / variance if variance else 0)
        if it.far <= ROUNDING * most:
            return f"{node.op} of a mean {math.sqrt(most):.0f} times the deviation: the CPU cancels digits"
    return None
