# How lit runs the tests here. Each starts in a folder of its own below the
# build folder; %digits is the folder of the example network.
import os
import sys

import lit.formats

config.name = "yarrow"
# Tests of one folder run at the same time, and call their files net.txt alike.
config.test_format = lit.formats.ShTest(
    execute_external=False,
    preamble_commands=["rm -rf %t.folder", "mkdir -p %t.folder", "cd %t.folder"])
config.suffixes = [".test", ".mlir", ".S"]
config.test_source_root = os.path.dirname(__file__)
config.environment["PATH"] = os.pathsep.join(
    [config.yarrow_bin, config.llvm_tools, config.environment.get("PATH", "")])
config.environment["NO_COLOR"] = "1"
# What is kept for the next time, of compiled plugins.
config.environment["XDG_CACHE_HOME"] = config.test_exec_root + "/cache"
config.substitutions.append(("%plugin", config.yarrow_source + "/examples/plugin"))
config.substitutions.append(("%programs", config.yarrow_bin))
config.substitutions.append(("%digits", config.yarrow_source + "/examples/digits"))
config.substitutions.append(("%python", sys.executable))
# The simulator as the Compass driver loads it.
config.substitutions.append(
    ("%simulator", config.yarrow_bin + "/../lib/yarrow-driver/libaipu_simulator_x2.so"))
# Checks networks of one layer that a test gives in short (compass/layers.py).
config.substitutions.append(
    ("%layers", sys.executable + " " + config.test_source_root + "/compass/layers.py"))
# Writes an array (npy.py).
config.substitutions.append(
    ("%npy", sys.executable + " " + config.test_source_root + "/npy.py"))
# Writes a small ONNX model (onnx.py).
config.substitutions.append(
    ("%onnx", sys.executable + " " + config.test_source_root + "/onnx.py"))
# Writes a small quantized ONNX model (qdq.py).
config.substitutions.append(
    ("%qdq", sys.executable + " " + config.test_source_root + "/qdq.py"))
# Writes a small TFLite model (tflite.py), and what a folder of them becomes.
config.substitutions.append(
    ("%tflite_layers",
     sys.executable + " " + config.test_source_root + "/tflite_layers.py"))
config.substitutions.append(
    ("%tflite", sys.executable + " " + config.test_source_root + "/tflite.py"))
# Writes a small GGUF model (gguf.py).
config.substitutions.append(
    ("%gguf", sys.executable + " " + config.test_source_root + "/gguf.py"))
# Assembles and links a program for one TEC.
config.substitutions.append(
    ("%tec_cc", "clang-22 --target=riscv32 -march=rv32imafdv_zvl256b -mabi=ilp32d"
     " -nostdlib -static -fuse-ld=lld"))
# Writes a network that was quantized before it was parsed.
config.substitutions.append(
    ("%compat", sys.executable + " " + config.yarrow_source + "/test/data/compat/make.py"))
