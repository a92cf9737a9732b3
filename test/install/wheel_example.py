"""What a new user of the installed package does; run by wheel.sh, in a folder with
the files of examples/digits and nothing else of the repository."""
import sys

import numpy as np

import yarrow


def main(forbidden):
    model = yarrow.load("digits.txt")
    q = yarrow.quantize(model, np.load("calibration.npy"))
    session = yarrow.Session(yarrow.compile(q, target="X2_1204"))
    images, labels = np.load("heldout.npy"), np.load("heldout_label.npy").ravel()
    right = int((session.run(images).argmax(axis=1) == labels).sum())
    assert right > 0.97 * len(labels), right
    assert (session.run(images, stored=True) == q.run(images, stored=True)).all()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    used = [p for p in paths if forbidden and p.startswith(forbidden)]
    assert not used, f"libraries of the repository are in use: {used}"
    print(f"yarrow {yarrow.__version__}: {right} of {len(labels)} right, NPU and host agree")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "")
