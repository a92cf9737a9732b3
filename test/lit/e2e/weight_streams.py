"""weight_streams.py STREAMS PLAIN: two reports of the same network, with weight streams and without."""
import json
import sys


def performance(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)["performance"]


streams, plain = (performance(path) for path in sys.argv[1:])
assert streams["cycles"] < plain["cycles"], (streams["cycles"], plain["cycles"])
assert streams["total"]["ddr_bytes"] < plain["total"]["ddr_bytes"]
assert streams["total"]["ddr_spared_bytes"] > 0 == plain["total"]["ddr_spared_bytes"]
assert streams["total"]["ddr_spared_bytes"] == sum(
    layer["ddr_spared_bytes"] for layer in streams["layers"])
