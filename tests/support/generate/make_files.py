"""Writes tests/data: files as NumPy, safetensors and Pillow make them, and what is in them.

    python3 -m venv v && v/bin/pip install numpy safetensors pillow && v/bin/python tests/support/generate/make_files.py

tests/lua/files.lua and tests/unit/io read them; the fuzzers in tests/fuzz start from them. Every array counts up from its
first element in a way both sides can compute, so that no values need to be stored beside the files.
"""
import gzip
import io
import pathlib
import struct
import zipfile

import numpy as np
from PIL import Image
from safetensors.numpy import save_file

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
DTYPES = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64"]


def counted(shape, dtype):
    """Element i, row-major from 0, is i * 3 % 7 - 3 (in steps of a quarter for floats; true for the odd ones of bool)."""
    i = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.int64).reshape(shape)
    if dtype == "bool":
        return np.asarray(i % 2 == 1)
    values = i * 3 % 7 - (0 if dtype == "uint8" else 3)
    return np.asarray(values / 4 if dtype.startswith("float") else values, dtype=dtype)


def save(name, array, version=None):
    with open(DATA / name, "wb") as file:
        np.lib.format.write_array(file, array, version=version)


def make_npy():
    for dtype in DTYPES:
        save(f"{dtype}.npy", counted((2, 3, 4), dtype))
    for name, shape in {"scalar": (), "one": (1,), "empty": (0, 3), "rank8": (1, 2, 1, 2, 1, 2, 1, 2)}.items():
        save(f"{name}.npy", counted(shape, "float32"))
    for version in (1, 2, 3):
        save(f"version{version}.npy", counted((3, 2), "int32"), version=(version, 0))
    save("fortran.npy", np.asfortranarray(counted((2, 3, 4), "int16")))
    for dtype in ("i2", "i4", "i8", "f2", "f4", "f8"):
        long = {"i": "int", "f": "float"}[dtype[0]] + str(8 * int(dtype[1]))
        save(f"big_{long}.npy", counted((2, 3), long).astype(">" + dtype))
    for dtype, half in (("complex64", "float32"), ("complex128", "float64")):
        save(f"{dtype}.npy", (counted((2, 3), half) + 1j * counted((2, 3), half)[::-1]).astype(dtype))
    save("big_complex.npy", (counted((3,), "float32") - 0.5j).astype(">c8"))
    save("big_fortran.npy", np.asfortranarray(counted((3, 5), "float64").astype(">f8")))
    # Refused.
    for name, array in {
        "uint16": np.zeros(2, "uint16"), "text": np.array(["ab"]),
        "records": np.zeros(2, [("a", "i4"), ("b", "f4")]), "rank9": np.zeros((1,) * 9, "float32"),
    }.items():
        save(f"refused_{name}.npy", array)
    np.save(DATA / "refused_objects.npy", np.array([{}, None]), allow_pickle=True)


def make_npz():
    arrays = {"w": counted((2, 3), "float32"), "a/b": counted((4,), "int64"), "s": counted((), "bool"),
              "none": counted((0, 2), "float64"), "f": np.asfortranarray(counted((3, 4), "float32"))}
    np.savez(DATA / "stored.npz", **arrays)
    np.savez_compressed(DATA / "deflated.npz", **arrays)
    np.savez(DATA / "nothing.npz")
    # zip64 fields throughout, though nothing is large.
    zipfile.ZIP64_LIMIT = 10
    zipfile.ZIP_FILECOUNT_LIMIT = 2
    np.savez(DATA / "zip64.npz", **arrays)
    zipfile.ZIP64_LIMIT = (1 << 31) - 1
    zipfile.ZIP_FILECOUNT_LIMIT = (1 << 16) - 1
    # As written into a pipe: the sizes follow a member's bytes.
    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def tell(self):
            raise io.UnsupportedOperation

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("x.npy", "w") as member:
            np.lib.format.write_array(member, counted((5,), "int32"))
        archive.comment = b"a comment"
    (DATA / "streamed.npz").write_bytes(pipe.getvalue())
    with zipfile.ZipFile(DATA / "refused_member.npz", "w") as archive:
        archive.writestr("readme.txt", "hello")
    with zipfile.ZipFile(DATA / "refused_bzip2.npz", "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("x.npy", "hello")


def make_safetensors():
    tensors = {dtype: counted((2, 3), dtype) for dtype in DTYPES}
    tensors |= {"scalar": counted((), "float32"), "empty": counted((0, 3), "int64"), "Ünïcode \"quoted\"": counted((2,), "int8")}
    save_file(tensors, DATA / "all.safetensors", metadata={"format": "np", "by": "make_files.py"})
    # bfloat16 is no dtype of NumPy's: 1, -2, 0.5 by their bits.
    header = b'{"x":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]}}'
    bits = struct.pack("<3H", 0x3F80, 0xC000, 0x3F00)
    (DATA / "bfloat16.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + bits)


def make_csv():
    np.savetxt(DATA / "numpy.csv", counted((4, 3), "float64"), delimiter=",", header="x,y,z")
    np.savetxt(DATA / "spaces.csv", counted((4, 3), "int32"), fmt="%d", delimiter=" ")
    (DATA / "hand.csv").write_bytes(
        b'\xef\xbb\xbf"a, b", plain ,"say ""so"""\r\n# a comment\r\n\r\n1, 2 ,+3\r\n-4,5e2,nan\r\n 7,-inf,\t9')


def make_png():
    for mode, channels in {"L": 1, "LA": 2, "RGB": 3, "RGBA": 4}.items():
        pixels = (np.arange(5 * 7 * channels) * 11 % 256).astype("uint8").reshape(5, 7, channels)
        Image.fromarray(pixels[:, :, 0] if channels == 1 else pixels, mode).save(DATA / f"{mode.lower()}.png")
    grey = (np.arange(5 * 7) * 11 % 256).astype("uint8").reshape(5, 7)
    # 257 * v is v in 16 bits.
    Image.fromarray(grey.astype("uint16") * 257).save(DATA / "grey16.png")
    Image.fromarray(grey % 2 * 255).convert("1").save(DATA / "bits.png")
    palette = Image.fromarray(grey % 3, "P")
    palette.putpalette([255, 0, 0, 0, 255, 0, 0, 0, 255])
    palette.save(DATA / "palette.png")


IDX_CODES = {"uint8": 8, "int8": 9, "int16": 11, "int32": 12, "float32": 13, "float64": 14}


def idx(array):
    """By the description on http://yann.lecun.com/exdb/mnist."""
    code = IDX_CODES[array.dtype.name]
    return struct.pack(f">HBB{array.ndim}I", 0, code, array.ndim, *array.shape) + array.astype(array.dtype.newbyteorder(">")).tobytes()


def make_idx():
    for dtype in IDX_CODES:
        (DATA / f"{dtype}.idx").write_bytes(idx(counted((2, 3, 4), dtype)))
    (DATA / "scalar.idx").write_bytes(idx(counted((), "float32")))
    (DATA / "empty.idx").write_bytes(idx(counted((0, 3), "uint8")))
    (DATA / "packed-idx3-ubyte.gz").write_bytes(gzip.compress(idx(counted((2, 3, 4), "uint8")), mtime=0))
    (DATA / "large.idx.gz").write_bytes(gzip.compress(idx(counted((300, 1000), "int16")), mtime=0))


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    make_npy()
    make_npz()
    make_safetensors()
    make_csv()
    make_png()
    make_idx()
