"""A float network that is a chain of convolutions and activations, as IR text
with weights of zeros. For checks and benchmarks of reading."""
import os

CHANNELS = 64
WEIGHT_BYTES = 4 * CHANNELS * CHANNELS
BIAS_BYTES = 4 * CHANNELS


def layer(index, kind, bottom, top, keys):
    shape, name = "[[1,8,8,%d]]" % CHANNELS, "layer%d" % index
    bottoms = ("[%s]" % bottom, shape, "[float32]") if bottom else ("[]", "[]", "[]")
    return "\n".join([
        "layer_id=%d" % index, "layer_name=" + name, "layer_type=" + kind,
        "layer_bottom=" + bottoms[0], "layer_bottom_shape=" + bottoms[1],
        "layer_bottom_type=" + bottoms[2], "layer_top=[%s]" % top, "layer_top_shape=" + shape,
        "layer_top_type=[float32]"] + ["%s=%s" % pair for pair in keys]) + "\n"


def write_chain(path, layers, weights_bytes=0):
    """path.txt and path.bin: an Input and `layers` layers, three of four of them
    1x1 convolutions. The weights file, sparse, is at least so large."""
    offset = 0
    texts = [layer(0, "Input", "", "/a/tensor/of/layer0", [])]
    for i in range(1, layers + 1):
        keys = [("method", "RELU")]
        kind = "Activation"
        if i % 4 != 3:
            kind = "Convolution"
            window = [(key + axis, value) for key, value in
                      (("kernel_", 1), ("stride_", 1), ("dilation_", 1)) for axis in "xy"]
            keys = [("weights_type", "float32"), ("weights_offset", offset),
                    ("weights_size", WEIGHT_BYTES),
                    ("weights_shape", "[%d,1,1,%d]" % (CHANNELS, CHANNELS)),
                    ("biases_type", "float32"), ("biases_offset", offset + WEIGHT_BYTES),
                    ("biases_size", BIAS_BYTES), ("biases_shape", "[%d]" % CHANNELS),
                    ("num_output", CHANNELS)] + window + \
                [("pad_" + side, 0) for side in ("left", "right", "top", "bottom")] + \
                [("group", 1), ("with_activation", "NONE")]
            offset += WEIGHT_BYTES + BIAS_BYTES
        texts.append(layer(i, kind, "/a/tensor/of/layer%d" % (i - 1),
                           "/a/tensor/of/layer%d" % i, keys))
    header = "model_name=chain\nlayer_number=%d\nprecision=float32\nmodel_bin=./%s\n" \
        "input_tensors=[/a/tensor/of/layer0]\noutput_tensors=[/a/tensor/of/layer%d]\n" % (
            layers + 1, os.path.basename(path) + ".bin", layers)
    with open(path + ".txt", "w", encoding="utf-8") as f:
        f.write(header + "\n" + "\n".join(texts) + "\n\n")
    with open(path + ".bin", "wb") as f:
        f.truncate(max(offset, weights_bytes))
    return path + ".txt", path + ".bin"
