#!/usr/bin/env python3
"""Networks of Compass IR, TFLite and QNN, drawn from the records of their operators and checked.

    layers.py --form compass --count 20
    layers.py --form tflite --seed 1000 --count 10000 --keep DIR --seconds 3600

../networks/networks.py does the same for ONNX. What layers compute is written with numpy here;
without numpy nothing is checked, and the exit code is 77.
"""
import os
import subprocess
import sys

try:
    import numpy  # noqa: F401
except ImportError:
    print("skipped: this python3 has no numpy")
    sys.exit(77)

import drawing  # first: it finds the modules of ../networks
import driver
import forms


def main():
    parser = driver.options_of(__doc__, 20)
    parser.add_argument("--form", choices=sorted(forms.FORMS), required=True)
    options = parser.parse_args()
    options.count = options.count or (10000 if options.thorough else 20)
    program = os.path.abspath(options.yarrow)
    form = forms.FORMS[options.form]
    said = subprocess.run([program, "ops", *form.ops, "--format", "json"], check=True,
                          stdout=subprocess.PIPE).stdout
    missing = form.without_builder(said)
    sys.exit(driver.Driver(
        options, lambda seed: drawing.draw_network(form.styles, seed),
        lambda network, seed, folder: form.trial(network, seed, folder, program, options.thorough),
        missing=missing, limits=form.trial.LIMITS, open_faults=form.open_faults).main())


if __name__ == "__main__":
    main()
