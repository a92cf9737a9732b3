#!/usr/bin/python3
# Part of Yarrow, under the Apache License v2.0.
"""Train a small convolutional network on UCI digits and write Compass float IR.

  apt-get install --no-install-recommends python3-sklearn python3-torch python3-numpy
  /usr/bin/python3 train.py            # trains, writes all data files, checks
  /usr/bin/python3 train.py --check    # only checks the files (numpy only)

All BatchNorms are folded into their convolutions, except in the residual
branch: its BatchNorm stays a layer of its own, so that the compiler's clean-up
has something to fold.
"""
import argparse
import os

import numpy as np

from float_ir import IrWriter, forward, read_ir

HERE = os.path.dirname(os.path.abspath(__file__))
SEED = 7
EPOCHS = 60
BATCH = 32
CALIBRATION_IMAGES = 128


def path(name):
    return os.path.join(HERE, name)


# --- Training ---------------------------------------------------------------


def load_data():
    """80 % of the images are for training; 20 % (stratified) are held out."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    digits = load_digits()
    x = (digits.images / 16.0).astype(np.float32)[..., None]  # NHWC
    y = digits.target.astype(np.int64)
    return train_test_split(x, y, test_size=0.2, random_state=SEED, stratify=y)


def build_network():
    import torch
    from torch import nn

    class DigitsNet(nn.Module):
        def __init__(self):
            super().__init__()
            conv = lambda i, o, k, g=1: nn.Conv2d(
                i, o, k, padding=k // 2, groups=g, bias=False)
            self.stem, self.stem_bn = conv(1, 16, 3), nn.BatchNorm2d(16)
            self.res1, self.res1_bn = conv(16, 16, 3), nn.BatchNorm2d(16)
            self.res2, self.res2_bn = conv(16, 16, 3), nn.BatchNorm2d(16)
            self.dw, self.dw_bn = conv(16, 16, 3, 16), nn.BatchNorm2d(16)
            self.pw, self.pw_bn = conv(16, 32, 1), nn.BatchNorm2d(32)
            self.fc = nn.Linear(32, 10)

        def forward(self, x):
            x = torch.relu(self.stem_bn(self.stem(x)))
            r = torch.relu(self.res1_bn(self.res1(x)))
            r = self.res2_bn(self.res2(r))
            x = torch.relu(r + x)
            x = nn.functional.max_pool2d(x, 2)
            x = torch.relu(self.dw_bn(self.dw(x)))
            x = torch.relu(self.pw_bn(self.pw(x)))
            return self.fc(x.mean((2, 3)))

    return DigitsNet()


def shift_randomly(x, rng):
    """Move each image by up to one pixel in both directions."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    dy, dx = rng.integers(0, 3, (2, len(x)))
    return np.stack([p[i:i + 8, j:j + 8] for p, i, j in zip(padded, dy, dx)])


def train(x, y):
    import torch

    # One thread: sums in a fixed order, so a second run writes the same bytes.
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    torch.manual_seed(SEED)
    rng = np.random.default_rng(SEED)
    net = build_network()
    optimizer = torch.optim.Adam(net.parameters(), lr=4e-3, weight_decay=1e-4)
    steps = EPOCHS * ((len(x) + BATCH - 1) // BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 8e-3, steps)
    for epoch in range(EPOCHS):
        net.train()
        total = 0.0
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            pick = order[start:start + BATCH]
            images = shift_randomly(x[pick], rng).transpose(0, 3, 1, 2)
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(
                net(torch.from_numpy(images.copy())),
                torch.from_numpy(y[pick]), label_smoothing=0.05)
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(pick)
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {total / len(x):.4f}")
    return net.eval()


def torch_logits(net, x):
    import torch

    with torch.no_grad():
        return net(torch.from_numpy(x.transpose(0, 3, 1, 2).copy())).numpy()


# --- Export -------------------------------------------------------------------


def export(net):
    p = {k: v.detach().numpy().astype(np.float64)
         for k, v in net.state_dict().items()}

    def affine(bn):  # BatchNorm at inference: x * scale + offset
        scale = p[bn + ".weight"] / np.sqrt(p[bn + ".running_var"] + 1e-5)
        return scale, p[bn + ".bias"] - p[bn + ".running_mean"] * scale

    def ohwi(conv):
        return p[conv + ".weight"].transpose(0, 2, 3, 1)

    def folded(conv):
        scale, offset = affine(conv + "_bn")
        return ohwi(conv) * scale[:, None, None, None], offset

    ir = IrWriter("digits")
    x = ir.layer("input", "Input", [], [1, 8, 8, 1])
    stem = ir.conv("/stem/Conv", x, *folded("stem"), "RELU")
    r = ir.conv("/res1/Conv", stem, *folded("res1"), "RELU")
    r = ir.conv("/res2/Conv", r, ohwi("res2"), np.zeros(16), "NONE")
    scale, offset = affine("res2_bn")
    r = ir.layer("/res2_bn/BatchNormalization", "BatchNorm", [r], [1, 8, 8, 16],
                 axis=3, **ir.constants(scale, offset), epsilon="0.000010000000")
    x = ir.layer("/Add", "Eltwise", [r, stem], [1, 8, 8, 16],
                 with_activation="RELU", method="ADD")
    x = ir.layer("/MaxPool", "Pooling", [x], [1, 4, 4, 16],
                 **ir.window(2, 2, 0), method="MAX", ceil_mode=False)
    x = ir.conv("/dw/Conv", x, *folded("dw"), "RELU", depthwise=True)
    x = ir.conv("/pw/Conv", x, *folded("pw"), "RELU")
    x = ir.layer("/GlobalAveragePool", "Pooling", [x], [1, 1, 1, 32],
                 **ir.window(4, 1, 0), method="AVG", ceil_mode=False,
                 count_include_pad=False)
    x = ir.layer("/Flatten", "Reshape", [x], [1, 32], shape=[1, 32])
    x = ir.layer("/fc/Gemm", "FullyConnected", [x], [1, 10],
                 **ir.constants(p["fc.weight"], p["fc.bias"]), num_output=10,
                 with_activation="NONE")
    ir.write(HERE, ["input_0"], [x])


# --- Check --------------------------------------------------------------------


def check():
    heldout, label, logits = (np.load(path(n)) for n in (
        "heldout.npy", "heldout_label.npy", "heldout_logits.npy"))
    got = forward(read_ir(path("digits.txt"), path("digits.bin")), heldout)
    error = np.abs(got - logits).max()
    accuracy = [(np.argmax(v, 1) == label).mean() for v in (logits, got)]
    print(f"held-out images: {len(label)}")
    print(f"accuracy: torch {accuracy[0]:.4f}, IR in numpy {accuracy[1]:.4f}")
    print(f"largest difference of a logit: {error:.2e}")
    if error > 1e-4 or accuracy[0] != accuracy[1] or accuracy[1] <= 0.97:
        raise SystemExit("check failed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="check the existing files, without training")
    if not parser.parse_args().check:
        x, heldout, y, label = load_data()
        net = train(x, y)
        export(net)
        np.save(path("calibration.npy"), x[:CALIBRATION_IMAGES])
        np.save(path("heldout.npy"), heldout)
        np.save(path("heldout_label.npy"), label)
        np.save(path("heldout_logits.npy"), torch_logits(net, heldout))
    check()


if __name__ == "__main__":
    main()
