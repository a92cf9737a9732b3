"""Pictures as PNG files: rows of [red, green, blue] from 0 to 1.

    png.write("word.png", rows)
"""
import struct
import zlib


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write(path, rows):
    lines = b"".join(b"\0" + bytes(min(max(round(255 * v), 0), 255) for pixel in row for v in pixel)
                     for row in rows)
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) +
                   chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def read(path):
    """The rows of a PNG with 8 bits per channel and without interlacing, the usual kind."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed, size = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", body)
            if depth != 8 or interlaced or colour not in (0, 2, 6):
                raise ValueError(f"{path}: not a PNG with 8 bits per channel, without interlacing")
            size, channels = (height, width), {0: 1, 2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    return unfiltered(zlib.decompress(packed), *size, channels)


def unfiltered(data, height, width, channels):
    rows, above, stride = [], bytes(width * channels), width * channels + 1
    for y in range(height):
        kind, line = data[y * stride], bytearray(data[y * stride + 1:(y + 1) * stride])
        for i in range(len(line)):
            left = line[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            line[i] = line[i] + predicted(kind, left, above[i], corner) & 255
        above = line
        pixels = [line[i:i + channels] for i in range(0, len(line), channels)]
        rows.append([[v / 255 for v in (p[:3] if channels > 2 else p * 3)] for p in pixels])
    return rows


def predicted(kind, left, up, corner):
    if kind == 4:  # the neighbour that is nearest to left + up - corner
        return min((left, up, corner), key=lambda v: abs(left + up - corner - v))
    return (0, left, up, (left + up) // 2)[kind]
