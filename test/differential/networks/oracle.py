"""ONNX Runtime as an oracle: one process of node that runs all models.

    npm install --ignore-scripts onnxruntime-node      # in some folder, once

Example:
    oracle = Oracle("folder")
    names_and_values = oracle.run("net.onnx", [("x", "f32", [1, 4], array.array("f", ...))])
"""
import array
import base64
import json
import os
import select
import shutil
import subprocess

TYPES = {"f32": "float32", "u8": "uint8", "i8": "int8", "u16": "uint16", "i16": "int16",
         "i32": "int32", "i64": "int64", "bool": "bool"}
CODES = {"float32": "f", "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "int32": "i",
         "int64": "q", "bool": "B", "float64": "d", "uint32": "I", "uint64": "Q"}
SECONDS = 30


class NoAnswer(Exception):
    """ONNX Runtime refuses a model or ends."""


def find(folder=None):
    """A folder where onnxruntime-node is installed, or None."""
    for place in (folder, os.environ.get("YARROW_ONNX_RUNTIME")):
        if place and shutil.which("node") and \
                os.path.isdir(os.path.join(place, "node_modules/onnxruntime-node")):
            return os.path.abspath(place)
    return None


class Oracle:
    def __init__(self, folder):
        self.folder = folder
        self.process = None

    def start(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle.mjs")
        self.process = subprocess.Popen(["node", script, self.folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def run(self, model, inputs):
        """Outputs in the model's order: (name, shape, values)."""
        if self.process is None or self.process.poll() is not None:
            self.start()
        request = {"model": model, "inputs": [
            {"name": name, "type": TYPES[kind], "dims": shape,
             "data": base64.b64encode(values.tobytes()).decode()}
            for name, kind, shape, values in inputs]}
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            self.close()
            raise NoAnswer("the process of ONNX Runtime ended") from None
        if not select.select([self.process.stdout], [], [], SECONDS)[0]:
            self.close()
            raise NoAnswer("no answer in %d s" % SECONDS)
        line = self.process.stdout.readline()
        if not line:
            self.close()
            raise NoAnswer("the process of ONNX Runtime ended")
        said = json.loads(line)
        if "error" in said:
            raise NoAnswer(said["error"])
        return [(out["name"], out["dims"], values_of(out)) for out in said["outputs"]]


def values_of(out):
    values = array.array(CODES[out["type"]])
    values.frombytes(base64.b64decode(out["data"]))
    return values
