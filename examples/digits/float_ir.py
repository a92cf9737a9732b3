# Part of Yarrow, under the Apache License v2.0.
"""Compass float IR in plain numpy: a writer, a reader and a reference forward.

  ir = IrWriter("net")
  x = ir.layer("input", "Input", [], [1, 8, 8, 1])
  x = ir.conv("/Conv", x, weights, biases, "RELU")
  ir.write("out", ["input_0"], [x])               # out/net.txt, out/net.bin
  logits = forward(read_ir("out/net.txt", "out/net.bin"), images)

The writer uses the keys, the key order and the dense little-endian bin of the
Unified Parser. The reader and forward share no code with it.
"""
import os

import numpy as np


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text(v) for v in value) + "]"
    return str(value)


class IrWriter:
    """Collects layers; each has one output, named <layer_name>_0."""

    def __init__(self, model_name):
        self.model_name, self.layers, self.bin, self.shapes = model_name, [], b"", {}

    def layer(self, name, kind, bottoms, top_shape, **params):
        top = name + "_0"
        self.shapes[top] = top_shape
        keys = dict(
            layer_id=len(self.layers), layer_name=name, layer_type=kind,
            layer_bottom=bottoms,
            layer_bottom_shape=[self.shapes[b] for b in bottoms],
            layer_bottom_type=["float32"] * len(bottoms), layer_top=[top],
            layer_top_shape=[top_shape], layer_top_type=["float32"])
        self.layers.append({**keys, **params})
        return top

    def constants(self, weights, biases):
        keys = {}
        for name, data in (("weights", weights), ("biases", biases)):
            data = np.ascontiguousarray(data, "<f4")
            keys.update({name + "_type": "float32",
                         name + "_offset": len(self.bin),
                         name + "_size": data.nbytes,
                         name + "_shape": list(data.shape)})
            self.bin += data.tobytes()
        return keys

    def window(self, kernel, stride, pad):
        return dict(kernel_x=kernel, kernel_y=kernel, stride_x=stride,
                    stride_y=stride, pad_left=pad, pad_right=pad, pad_top=pad,
                    pad_bottom=pad, dilation_x=1, dilation_y=1)

    def conv(self, name, bottom, weights, biases, activation, depthwise=False):
        """A stride-1 convolution of same size; weights [O,kh,kw,I/group]."""
        out, kernel = weights.shape[0], weights.shape[1]
        shape = self.shapes[bottom][:3] + [out]
        params = dict(**self.constants(weights, biases), num_output=out,
                      **self.window(kernel, 1, kernel // 2),
                      group=out if depthwise else 1, with_activation=activation)
        if depthwise:
            params["multiplier"] = 1
        return self.layer(name, "DepthwiseConv" if depthwise else "Convolution",
                          [bottom], shape, **params)

    def write(self, folder, inputs, outputs):
        header = dict(
            model_name=self.model_name, model_domain="image_classification",
            layer_number=len(self.layers), precision="float32",
            compat_quantized_model=False, model_bin=f"./{self.model_name}.bin",
            input_tensors=inputs, output_tensors=outputs)
        with open(os.path.join(folder, self.model_name + ".txt"), "w") as f:
            for section in [header] + self.layers:
                f.writelines(f"{k}={text(v)}\n" for k, v in section.items())
                f.write("\n")
            f.write("\n")
        with open(os.path.join(folder, self.model_name + ".bin"), "wb") as f:
            f.write(self.bin)


def read_ir(text_file, bin_file):
    with open(text_file) as f:
        sections = [s for s in f.read().split("\n\n") if s.strip()]
    sections = [dict(line.split("=", 1) for line in s.strip().splitlines())
                for s in sections]
    with open(bin_file, "rb") as f:
        return sections[0], sections[1:], f.read()


def forward(ir, x):
    """Runs the IR in double precision on a batch x of NHWC images."""
    header, layers, blob = ir
    assert int(header["layer_number"]) == len(layers)
    names = lambda s: s.strip("[]").split(",") if s != "[]" else []
    values = {}
    for layer in layers:
        number = lambda k: int(layer[k])
        ints = lambda k: [int(v) for v in layer[k].strip("[]").split(",")]
        const = lambda k: np.frombuffer(
            blob, "<f4", number(k + "_size") // 4,
            number(k + "_offset")).reshape(ints(k + "_shape")).astype(np.float64)
        ins = [values[b] for b in names(layer["layer_bottom"])]
        kind = layer["layer_type"]

        def windows(fill):  # [N, H, W, ky, kx, C]
            pads = ((0, 0), (number("pad_top"), number("pad_bottom")),
                    (number("pad_left"), number("pad_right")), (0, 0))
            padded = np.pad(ins[0], pads, constant_values=fill)
            w = np.lib.stride_tricks.sliding_window_view(
                padded, (number("kernel_y"), number("kernel_x")), (1, 2))
            w = w[:, ::number("stride_y"), ::number("stride_x")]
            return w.transpose(0, 1, 2, 4, 5, 3)

        if kind == "Input":
            out = x.astype(np.float64)
        elif kind == "Convolution":
            out = np.einsum("nhwyxi,oyxi->nhwo", windows(0), const("weights"),
                            optimize=True) + const("biases")
        elif kind == "DepthwiseConv":
            out = np.einsum("nhwyxc,cyx->nhwc", windows(0),
                            const("weights")[..., 0]) + const("biases")
        elif kind == "BatchNorm":
            out = ins[0] * const("weights") + const("biases")
        elif kind == "Eltwise" and layer["method"] == "ADD":
            out = ins[0] + ins[1]
        elif kind == "Pooling" and layer["method"] == "MAX":
            out = windows(-np.inf).max((3, 4))
        elif kind == "Pooling" and layer["method"] == "AVG":
            out = windows(0).mean((3, 4))
        elif kind == "Reshape":
            out = ins[0].reshape([len(x)] + ints("shape")[1:])
        elif kind == "FullyConnected":
            out = ins[0] @ const("weights").T + const("biases")
        else:
            raise ValueError("no reference for layer_type " + kind)
        if layer.get("with_activation", "NONE") == "RELU":
            out = np.maximum(out, 0)
        expected = layer["layer_top_shape"].strip("[]").split(",")[1:]
        assert list(map(str, out.shape[1:])) == expected, layer["layer_name"]
        values[names(layer["layer_top"])[0]] = out
    return values[names(header["output_tensors"])[0]]
