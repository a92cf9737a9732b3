"""Writes a network that was quantized before it was parsed, as the Compass
Parser does: DIR/net.txt and DIR/net.bin.

    make.py DIR                     # the network as it should be
    make.py DIR weights_scale=0     # without the constant weights_scale
    make.py DIR biases_zp=3         # with 3 elements in biases_zp
    make.py --check                 # the files here are what it writes

Scales are steps, real = (q - zp) * scale; those of weights and biases lie in
the weights file, one for each channel, but for the last layer, whose text has
one. Numbers are float32 and spelled as Python spells them.

What the arguments say is done to the first layer that has weights.
"""
import array
import os
import random
import struct
import sys


def f32(value):
    """The nearest float32."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


class Network:
    def __init__(self, counts):
        self.random = random.Random(17)
        self.counts = counts
        self.layers, self.data, self.tops = [], b"", {}

    def constant(self, name, kind, shape, values):
        codes = {"int8": "b", "int32": "i", "float32": "f"}
        values = array.array(codes[kind], values).tobytes()
        text = [f"{name}_type={kind}", f"{name}_offset={len(self.data)}",
                f"{name}_size={len(values)}",
                f"{name}_shape=[{','.join(map(str, shape))}]"]
        self.data += values
        return text

    def meaning(self, name, channels, steps, zero, range_):
        """Of a constant, for each channel."""
        text = self.constant(name + "_range", "float32", [channels, 2], range_)
        for key, kind, values in (("scale", "float32", steps), ("zp", "int32", [zero] * channels)):
            key = f"{name}_{key}"
            count = self.counts.pop(key, channels)
            if count:
                text += self.constant(key, kind, [count], values[:count])
        return text

    def weighted(self, shape, in_step, biases):
        """Weights and biases with scales for each of the first axis."""
        channels, size = shape[0], 1
        for length in shape:
            size *= length
        steps = [f32(0.002 + 0.001 * c) for c in range(channels)]
        weights = [self.random.randint(-127, 127) for _ in range(size)]
        text = self.constant("weights", "int8", shape, weights)
        text += self.meaning("weights", channels, steps, 0,
                             [f for s in steps for f in (f32(-127 * s), f32(127 * s))])
        values = [self.random.randint(-2000, 2000) for _ in range(biases)]
        text += self.constant("biases", "int32", [biases], values)
        products = [f32(in_step * s) for s in steps]
        text += self.meaning("biases", biases, products, 0,
                             [f32(v * s) for v, s in zip(values, products) for _ in "ab"])
        return text

    def layer(self, kind, top, bottom, shape, quantization, keys, range_=None):
        below = self.tops[bottom] if bottom else None
        text = [f"layer_id={len(self.layers)}", f"layer_name={top}", f"layer_type={kind}"]
        if below:
            text += [f"layer_bottom=[{bottom}_0]", f"layer_bottom_shape=[{below[0]}]",
                     f"layer_bottom_type=[{below[1]}]"]
        else:
            text += ["layer_bottom=[]", "layer_bottom_shape=[]", "layer_bottom_type=[]"]
        shape = "[" + ",".join(map(str, shape)) + "]"
        element, step, zero = quantization
        text += [f"layer_top=[{top}_0]", f"layer_top_shape=[{shape}]", f"layer_top_type=[{element}]"]
        if range_:
            text.append(f"layer_top_range=[[{range_[0]!r},{range_[1]!r}]]")
        if step:
            text += [f"layer_top_scale=[{step!r}]", f"layer_top_zp=[{zero}]"]
        self.tops[top] = (shape, element)
        self.layers.append(text + keys)

    def text(self):
        header = ["model_name=net", "model_domain=image_classification",
                  f"layer_number={len(self.layers)}", "precision=int8",
                  "compat_quantized_model=true", "model_bin=./net.bin", "input_tensors=[x_0]",
                  f"output_tensors=[{list(self.tops)[-1]}_0]"]
        layers = ["\n" + "\n".join(layer) + "\n" for layer in self.layers]
        return "\n".join(header) + "\n" + "".join(layers) + "\n\n"

    def files(self):
        return {"net.txt": self.text().encode(), "net.bin": self.data}


def window(outputs, kernel, stride, pad, group):
    return [f"num_output={outputs}", f"kernel_x={kernel}", f"kernel_y={kernel}",
            f"stride_x={stride}", f"stride_y={stride}", f"pad_left={pad}", f"pad_right={pad}",
            f"pad_top={pad}", f"pad_bottom={pad}", "dilation_x=1", "dilation_y=1",
            f"group={group}"]


def build(counts):
    net = Network(counts)
    x, conv, dw, fc = f32(0.0125), f32(6 / 255), f32(0.05), f32(0.1)
    net.layer("Input", "x", None, [1, 8, 8, 4], ("int8", x, -3), [],
              (f32(-125 * x), f32(130 * x)))
    net.layer("Convolution", "conv", "x", [1, 8, 8, 8], ("int8", conv, -128),
              net.weighted([8, 3, 3, 4], x, 8) + window(8, 3, 1, 1, 1) +
              ["with_activation=RELU6"], (0.0, 6.0))
    net.layer("DepthwiseConv", "dw", "conv", [1, 4, 4, 8], ("int8", dw, 5),
              net.weighted([8, 3, 3, 1], conv, 8) + window(8, 3, 2, 1, 8) +
              ["with_activation=NONE", "multiplier=1"])
    net.layer("Pooling", "pool", "dw", [1, 1, 1, 8], ("int8", dw, 5),
              ["kernel_x=4", "kernel_y=4", "stride_x=1", "stride_y=1", "pad_left=0", "pad_right=0",
               "pad_top=0", "pad_bottom=0", "dilation_x=1", "dilation_y=1", "method=AVG",
               "ceil_mode=false", "count_include_pad=false"])
    net.layer("Reshape", "flat", "pool", [1, 8], ("int8", dw, 5), ["shape=[1,8]"])
    step = f32(0.004)
    net.layer("FullyConnected", "fc", "flat", [1, 5], ("int8", fc, -7),
              net.constant("weights", "int8", [5, 8],
                           [net.random.randint(-127, 127) for _ in range(40)]) +
              [f"weights_range=[{f32(-127 * step)!r},{f32(127 * step)!r}]",
               f"weights_scale={step!r}", "weights_zp=0"] +
              net.constant("biases", "int32", [5], [3, -5, 700, -900, 11]) +
              [f"biases_scale={f32(dw * step)!r}", "biases_zp=0", "num_output=5",
               "with_activation=NONE"])
    net.layer("Softmax", "softmax", "fc", [1, 5], ("int8", f32(1 / 256), -128), ["axis=1"])
    return net


def check():
    """Whether the files beside this script are those of the network."""
    here = os.path.dirname(os.path.abspath(__file__))
    for name, wanted in build({}).files().items():
        with open(os.path.join(here, name), "rb") as f:
            if f.read() != wanted:
                sys.exit(f"{name} is not what make.py writes")


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    counts = {}
    for setting in sys.argv[2:]:
        key, _, count = setting.partition("=")
        counts[key] = int(count)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, data in build(counts).files().items():
        with open(os.path.join(sys.argv[1], name), "wb") as f:
            f.write(data)
    return None


if __name__ == "__main__":
    main()
