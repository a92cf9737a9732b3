"""Whether the last layer of digits has the scale of its input's statistics:
first_input.py STATISTICS IR
"""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    low, high = json.load(f)["layers"]["/Flatten"]["tensors"]["/Flatten_0"]["running"]
with open(sys.argv[2], encoding="utf-8") as f:
    scale = float(re.findall(r"^layer_top_scale=\[([\d.]+)", f.read(), re.MULTILINE)[-1])
expected = 127.5 / max(-low, high)
if abs(scale / expected - 1) < 1e-6:
    print("the scale is that of the input's range")
else:
    print(scale, expected)
