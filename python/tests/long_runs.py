"""Interrupts each kind of run after half a second, and prints which of them end within another one.
One sample of its network of floats takes the simulator and the host many seconds."""
import os
import signal
import threading
import time

import numpy as np

import yarrow

IMAGE, LAYERS = (1, 128, 128, 64), 40


def keys(**values):
    return "".join(f"{key}={value}\n" for key, value in values.items())


def tensor(side, name):
    lengths = ",".join(map(str, IMAGE))
    return keys(**{f"layer_{side}": f"[{name}]", f"layer_{side}_shape": f"[[{lengths}]]",
                   f"layer_{side}_type": "[float32]"})


def convolution(number):
    before = f"c{number - 1}"
    window = {"kernel_x": 3, "kernel_y": 3, "stride_x": 1, "stride_y": 1, "dilation_x": 1,
              "dilation_y": 1, "pad_left": 1, "pad_right": 1, "pad_top": 1, "pad_bottom": 1}
    return ("\n" + keys(layer_id=number, layer_name=f"c{number}", layer_type="Convolution") +
            tensor("bottom", before) + tensor("top", f"c{number}") +
            keys(weights_type="float32", weights_offset=0, weights_size=147456,
                 weights_shape="[64,3,3,64]", biases_type="float32", biases_offset=147456,
                 biases_size=256, biases_shape="[64]", num_output=64, group=1,
                 with_activation="NONE", **window))


def write_network():
    text = keys(model_name="long", model_domain="test", layer_number=LAYERS + 1,
                precision="float32", compat_quantized_model="false", model_bin="./long.bin",
                input_tensors="[c0]", output_tensors=f"[c{LAYERS}]")
    text += "\n" + keys(layer_id=0, layer_name="c0", layer_type="Input", layer_bottom="[]",
                        layer_bottom_shape="[]", layer_bottom_type="[]") + tensor("top", "c0")
    with open("long.txt", "w", encoding="utf-8") as file:
        file.write(text + "".join(map(convolution, range(1, LAYERS + 1))))
    np.zeros(147456 + 256, np.uint8).tofile("long.bin")


def main():
    write_network()
    model = yarrow.load("long.txt")
    x = np.ones(IMAGE, np.float32)
    many = np.repeat(x, 20, axis=0)  # the host computes one in less than half a second
    np.save("x.npy", many)
    session = yarrow.Session(yarrow.compile(model))
    works = {"run": lambda: session.run(x),
             "timed": lambda: session.run(x, timed=True),
             "view": lambda: session.run(x, copy=False),
             "evaluate": lambda: model.run(many),
             "command": lambda: yarrow.command("eval", "long.txt", inputs="x.npy", output="y.npy")}
    for name, work in works.items():
        timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
        begun = time.time()
        timer.start()
        try:
            work()
            print(name, "finished after", time.time() - begun)
        except KeyboardInterrupt:
            waited = time.time() - begun - 0.5
            print(name, "interrupted" if waited < 1 else f"interrupted after {waited}")
    if os.path.exists("y.npy"):
        print("a file is left")


if __name__ == "__main__":
    main()
