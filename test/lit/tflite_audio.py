#!/usr/bin/env python3
"""AudioSpectrogram and Mfcc beside their definition, by plain sums in double precision."""
import array
import cmath
import math
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
sys.dont_write_bytecode = True
import common
import tflite

SAMPLES, WINDOW, STRIDE, RATE, BANDS, COUNT = 200, 48, 32, 1000, 10, 6
LOW, HIGH = 20.0, 400.0
LENGTH = 64  # the power of 2 that the window is filled up to


def spectrum(samples):
    rows = []
    for start in range(0, SAMPLES - WINDOW + 1, STRIDE):
        window = [samples[start + i] * (0.5 - 0.5 * math.cos(2 * math.pi * i / WINDOW))
                  for i in range(WINDOW)]
        rows.append([abs(sum(v * cmath.exp(-2j * math.pi * k * i / LENGTH)
                             for i, v in enumerate(window))) ** 2
                     for k in range(LENGTH // 2 + 1)])
    return rows


def mel(frequency):
    return 1127 * math.log1p(frequency / 700)


def coefficients(row):
    """Triangles over the mel scale, of magnitudes; logarithms; cosines."""
    step = (mel(HIGH) - mel(LOW)) / (BANDS + 1)
    per_bin = RATE / 2 / (len(row) - 1)
    bands = [0.0] * BANDS
    for k in range(int(1.5 + LOW / per_bin), int(HIGH / per_bin) + 1):
        place = (mel(k * per_bin) - mel(LOW)) / step  # band b has its centre at b + 1
        for b in range(BANDS):
            bands[b] += max(0.0, 1 - abs(place - b - 1)) * math.sqrt(row[k])
    logs = [math.log(max(v, 1e-12)) for v in bands]
    return [math.sqrt(2 / BANDS) * sum(v * math.cos(math.pi / BANDS * i * (b + 0.5))
                                       for b, v in enumerate(logs)) for i in range(COUNT)]


def model(windows, is_squared):
    m = tflite.Model()
    g = m.main
    x = g.input("x", [SAMPLES, 1])
    bins = LENGTH // 2 + 1
    y = g.op("CUSTOM", [x], g.tensor("spectrum", [1, windows, bins]), custom="AudioSpectrogram",
             custom_options=tflite.flex_map({"window_size": WINDOW, "stride": STRIDE,
                                             "magnitude_squared": is_squared}))
    if is_squared:
        rate = g.ints("rate", [RATE])
        z = g.op("CUSTOM", [y, rate], g.tensor("mfcc", [1, windows, COUNT]), custom="Mfcc",
                 custom_options=tflite.flex_map({
                     "upper_frequency_limit": HIGH, "lower_frequency_limit": LOW,
                     "filterbank_channel_count": BANDS, "dct_coefficient_count": COUNT}))
        g.outputs = [y, z]
    else:
        g.outputs = [y]
    return m


samples = [math.sin(0.3 * i) + 0.5 * math.sin(1.1 * i + i * i / 300) for i in range(SAMPLES)]
common.write_npy("x.npy", [SAMPLES, 1], array.array("f", samples))
power = spectrum(list(array.array("f", samples)))
for is_squared in True, False:
    with open("net.tflite", "wb") as f:
        f.write(model(len(power), is_squared).bytes())
    wanted = [[v if is_squared else math.sqrt(v) for row in power for v in row]]
    if is_squared:
        wanted.append([v for row in power for v in coefficients(row)])
    names = [f"y{i}.npy" for i in range(len(wanted))]
    subprocess.run(["yarrow", "eval", "net.tflite", "-i", "x.npy", "-o", ",".join(names)],
                   check=True, capture_output=True)
    for name, values in zip(names, wanted):
        found = common.read_npy(name)[2]
        worst = max(abs(a - b) for a, b in zip(found, values))
        if len(found) != len(values) or worst > 1e-4 * max(map(abs, values)):
            sys.exit(f"{name}: off by {worst}")
