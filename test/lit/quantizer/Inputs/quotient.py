"""The quotient of the first two values of a key: quotient.py KEY FILE"""
import re
import sys

key, path = sys.argv[1:]
with open(path, encoding="utf-8") as f:
    first, second = re.findall(rf"^{key}=\[?([\d.]+)", f.read(), re.MULTILINE)[:2]
print(round(float(first) / float(second), 3))
