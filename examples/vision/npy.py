"""Files of arrays, as numpy.save writes them, without numpy."""
import array
import ast
import struct

# .npy element type -> array.array type code.
KINDS = {"<f4": "f", "<f8": "d", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H",
         "<i4": "i", "<i8": "q"}


def read_npy(path):
    """(shape, type code, values) of a .npy file in C order."""
    with open(path, "rb") as file:
        return parse(file.read())


def parse(data):
    """The same from the bytes of a file."""
    wide = data[6] > 1
    size = struct.unpack("<I" if wide else "<H", data[8:12 if wide else 10])[0]
    begin = (12 if wide else 10) + size
    header = ast.literal_eval(data[begin - size:begin].decode("latin-1"))
    values = array.array(KINDS[header["descr"]])
    values.frombytes(data[begin:])
    return header["shape"], values.typecode, values


def npy_header(descr, shape):
    """The header of a .npy file, before its elements."""
    header = "{'descr': %r, 'fortran_order': False, 'shape': %r, }" % (
        descr, tuple(shape))
    header += " " * (-(11 + len(header)) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
            header.encode("latin-1"))


def write_npy(path, shape, values):
    """Write an array.array as .npy."""
    descr = next(d for d, code in KINDS.items() if code == values.typecode)
    with open(path, "wb") as file:
        file.write(npy_header(descr, shape))
        values.tofile(file)
