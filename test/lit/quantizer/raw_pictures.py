"""Makes numbers from 0 to 255 of an .npy of float32: raw_pictures.py from.npy to.npy"""
import struct
import sys

with open(sys.argv[1], "rb") as file:
    content = file.read()
begin = 10 + struct.unpack("<H", content[8:10])[0]
values = struct.unpack("<%df" % ((len(content) - begin) // 4), content[begin:])
lowest, highest = min(values), max(values)
pictures = [(x - lowest) / (highest - lowest) * 255 for x in values]
with open(sys.argv[2], "wb") as file:
    file.write(content[:begin] + struct.pack("<%df" % len(pictures), *pictures))
