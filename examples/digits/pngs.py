#!/usr/bin/env python3
"""Writes the images of a .npy file as gray PNGs, 000.png and so on, with only the standard
library. The example has arrays; most people have folders of pictures.

    pngs.py calibration.npy scans
"""
import os
import struct
import sys
import zlib


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, channels, pixels):
    """A PNG from gray bytes (one channel), or from red, green and blue."""
    row = width * channels
    rows = b"".join(b"\0" + pixels[y * row:(y + 1) * row] for y in range(height))
    colours = 0 if channels == 1 else 2
    return (b"\x89PNG\r\n\x1a\n" +
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colours, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def main():
    source, folder = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with open(source, "rb") as file:
        content = file.read()
    begin, side = 10 + struct.unpack("<H", content[8:10])[0], 8
    values = struct.unpack(f"<{(len(content) - begin) // 4}f", content[begin:])
    for i in range(len(values) // side ** 2):
        image = values[i * side ** 2:(i + 1) * side ** 2]
        with open(os.path.join(folder, f"{i:03}.png"), "wb") as file:
            file.write(png(side, side, 1, bytes(round(255 * v) for v in image)))


if __name__ == "__main__":
    main()
