"""Leaves out one optimisation after another: disable_pass.py folder yarrow samples.npy

The folder has digits_o.txt and the help of `yarrow compile` as `help`, where the names are. Outputs
must stay the same bytes; whether there are more cycles is printed.
"""
import json
import os
import re
import subprocess
import sys

folder, program, samples = sys.argv[1:]


def measure(name):
    """The output's bytes and the cycles without this optimisation."""
    executable, output = (os.path.join(folder, "one" + end) for end in (".bin", ".npy"))
    report = os.path.join(folder, "one.json")
    leave_out = ["--disable-pass", name] if name else []
    subprocess.check_call([program, "compile", os.path.join(folder, "digits_o.txt"), "-o",
                           executable, "-q", *leave_out])
    subprocess.check_call([program, "run", executable, "-i", samples, "-o", output, "--timed",
                           "--report", report, "-q"])
    with open(output, "rb") as file, open(report, encoding="utf-8") as figures:
        return file.read(), json.load(figures)["performance"]["cycles"]


with open(os.path.join(folder, "help"), encoding="utf-8") as file:
    text = file.read()
text = re.sub(r"\s+", " ", text[text.index("--disable-pass"):])
text = text[text.index("commas:") + 7:text.index(").") + 1]
names = re.findall(r"([a-z]+(?:-[a-z]+)*) \(", text)
expected, cycles = measure("")
different = 0
for name in names:
    found, taken = measure(name)
    different += found != expected
    print(f"{name}: {'same' if found == expected else 'other'} bytes, "
          f"{'more' if taken > cycles else 'as many or fewer'} cycles")
print(f"{len(names)} optimisations, {different} with other bytes")
