"""Looks at what `yarrow eval --layers` writes, without NumPy.

    tensors.py list DIR                  # a line for each tensor
    tensors.py npz DIR OUT.npz           # all of them under their names
    tensors.py npz DIR OUT.npz 2=0.5     # 0.5 added to the first element of
                                         # the third tensor
    tensors.py npz DIR OUT.npz 2:NAME    # the third alone, as NAME
    tensors.py npz DIR OUT.npz 2:        # the third alone
    tensors.py floats DIR OUT.npz        # int8 tensors as floats
"""
import array
import ast
import json
import os
import sys
import zipfile


def header_of(data):
    length = int.from_bytes(data[8:10], "little")
    return ast.literal_eval(data[10:10 + length].decode()), 10 + length


def changed(data, amount):
    header, begin = header_of(data)
    values = array.array({"<f4": "f", "|i1": "b"}[header["descr"]], data[begin:])
    values[0] += amount if values.typecode == "f" else int(amount)
    return data[:begin] + values.tobytes()


def floats(data):
    """The array with its integers as float32."""
    header, begin = header_of(data)
    values = array.array("f", array.array("b", data[begin:]))
    header["descr"] = "<f4"
    text = (repr(header) + " " * (begin - 11 - len(repr(header))) + "\n").encode()
    return data[:10] + text + values.tobytes()


def main():
    command, folder = sys.argv[1:3]
    with open(os.path.join(folder, "layers.json"), encoding="utf-8") as f:
        tensors = json.load(f)["tensors"]

    def read(tensor):
        with open(os.path.join(folder, tensor["file"]), "rb") as f:
            return f.read()
    if command == "list":
        for tensor in tensors:
            shape = header_of(read(tensor))[0]["shape"]
            print(tensor["file"], tensor["layer_type"], tensor["type"], shape)
        return
    amounts, names = {}, {}
    for argument in sys.argv[4:]:
        if "=" in argument:
            place, amount = argument.split("=")
            amounts[int(place)] = float(amount)
        else:
            place, name = argument.split(":", 1)
            names[int(place)] = name or tensors[int(place)]["name"]
    if not names:
        names = {i: tensor["name"] for i, tensor in enumerate(tensors)}
    with zipfile.ZipFile(sys.argv[3], "w") as archive:
        for i, name in names.items():
            data = read(tensors[i])
            if command == "floats":
                data = floats(data)
            archive.writestr(name + ".npy", changed(data, amounts[i]) if i in amounts else data)


if __name__ == "__main__":
    main()
