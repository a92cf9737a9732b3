#!/usr/bin/env python3
"""Puts .npy files into an .npz, as numpy.savez does: archive.py x.npz a.npy b.npy"""
import sys
import zipfile

with zipfile.ZipFile(sys.argv[1], "w") as archive:
    for path in sys.argv[2:]:
        archive.write(path)
