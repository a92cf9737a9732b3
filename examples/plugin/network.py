#!/usr/bin/env python3
"""Inserts layers of the plug-ins after a convolution of examples/digits.

    network.py digits.txt net.txt
"""
import sys

LAYERS = """layer_id=9
layer_name=swish
layer_type=SwishClip
layer_bottom=[/pw/Conv_0]
layer_bottom_shape=[[1,4,4,32]]
layer_bottom_type=[float32]
layer_top=[swish_0]
layer_top_shape=[[1,4,4,32]]
layer_top_type=[float32]
alpha=20.0
limit=8.0

layer_id=10
layer_name=gate
layer_type=HardGate
layer_bottom=[swish_0,/pw/Conv_0]
layer_bottom_shape=[[1,4,4,32],[1,4,4,32]]
layer_bottom_type=[float32,float32]
layer_top=[gate_0]
layer_top_shape=[[1,4,4,32]]
layer_top_type=[float32]
slope=100.0

"""


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as f:
        before, after = f.read().split("layer_id=9\n")
    for old in (11, 10):
        after = after.replace(f"layer_id={old}\n", f"layer_id={old + 2}\n")
    after = "layer_id=11\n" + after.replace("[/pw/Conv_0]", "[gate_0]")
    before = before.replace("layer_number=12", "layer_number=14")
    with open(target, "w", encoding="utf-8") as f:
        f.write(before + LAYERS + after)


if __name__ == "__main__":
    main()
