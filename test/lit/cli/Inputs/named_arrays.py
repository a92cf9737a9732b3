"""Prints the names in a .npz file, whose arrays must be those of the files: named_arrays.py out.npz big=a.npy small=b.npy"""
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1]) as archive:
    assert archive.testzip() is None
    for name, path in (member.split("=") for member in sys.argv[2:]):
        with open(path, "rb") as file:
            assert archive.read(name + ".npy") == file.read(), name
    print(*(name.removesuffix(".npy") for name in archive.namelist()))
