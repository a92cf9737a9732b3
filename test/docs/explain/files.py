"""Examples of support/diagnostics/Files.def."""
from explain.kinds import tested_in, file, numpy, shell

LOAD = "x = numpy.load('x.npy')"

EXAMPLES = {
    "E0104": numpy("yarrow run aipu.bin -i y.npy", LOAD),
    "E0105": numpy("yarrow run aipu.bin -i y.npy", LOAD + ".transpose(0, 3, 1, 2).copy()"),
    "E0106": file("mine.json", "yarrow targets mine.json"),
    "E0107": numpy("yarrow run aipu.bin -i y.npy", LOAD + "\nmean = x.mean(0)\nstd = x.std(0)"),
    "N0110": numpy("yarrow run aipu.bin -i y.npy", "images = numpy.load('x.npy')"),
    "E0112": tested_in("test/unit/session/CallTest.cpp", "calls of the C interface from two threads"),
    "E0123": shell("mkdir data && mv scans data/train"),
    "N0124": shell("python3 $LIT/onnx.py picture -o color.onnx && mkdir photos && cp photo.png photo.jpg photos"),
}
