"""Examples of support/diagnostics/Measuring.def."""
from explain.kinds import file, numpy, shell, tested_in

REFERENCE = "yarrow eval net.txt -i x.npy --reference layers.npz"
# The results of the first layer.
STEM = """import json, subprocess
subprocess.run(["yarrow", "eval", "net.txt", "-i", "x.npy", "--layers", "layers"], check=True)
tensors = json.load(open("layers/layers.json"))["tensors"]
stem = numpy.load("layers/" + next(t["file"] for t in tensors if t["name"] == "/stem/Conv_0"))"""

EXAMPLES = {
    "E0901": tested_in("test/e2e/ranks.py", "a process of MPI that ends early, on several hosts"),
    "E0902": file("figure.sh", "chmod +x figure.sh && yarrow eval --int net_o.txt -d heldout.npy "
                  "--samples 4 --metric 'program(./figure.sh)'"),
    "E0903": numpy(REFERENCE, STEM),
    "E0904": numpy(REFERENCE, STEM),
    "E0905": shell("yarrow eval net.txt -i x.npy --layers layers -q && "
                   "python3 $LIT/cli/Inputs/tensors.py npz layers rounded.npz 2=0.001"),
}
