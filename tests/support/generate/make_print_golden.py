"""Writes tests/unit/tensor/print_golden.inc: what NumPy's str gives for arrays that print_test.cpp makes as well.

Run with a NumPy from 2.0 to 2.2 (2.3 changed the cutoffs):
    python3 tests/support/generate/make_print_golden.py > tests/unit/tensor/print_golden.inc
    python3 tests/support/generate/make_print_golden.py --show f4 3,4 p8 m:17      # one of them, in full
An array is written as its bytes in hex, or as a recipe "kind:seed" for elements(), which print_test.cpp has as well.
A text of more than LONGEST characters is written as "#" and its 64-bit FNV-1a hash.
"""
import random
import sys
import warnings

import numpy as np

LONGEST = 56
TYPES = {"b1": np.bool_, "i1": np.int8, "u1": np.uint8, "i2": np.int16, "i4": np.int32, "i8": np.int64,
         "f2": np.float16, "f4": np.float32, "f8": np.float64, "c8": np.complex64, "c16": np.complex128}
PARTS = {"c8": "f4", "c16": "f8"}
BITS = {"f2": (np.uint16, 10, 5), "f4": (np.uint32, 23, 8), "f8": (np.uint64, 52, 11)}


def noise(seed, count):
    """splitmix64, which needs no state: the i-th number is a function of seed and i."""
    x = np.uint64(seed) * np.uint64(0xD1342543DE82EF95) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(
        0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def floats(code, kind, seed, r):
    word, mantissa, exponent = BITS[code]
    bits = 1 + mantissa + exponent
    if kind == "b":  # any bit pattern
        return (r & np.uint64(2**bits - 1)).astype(word).view(TYPES[code])
    if kind in "cdi":  # decimals of one length, of many lengths, integers
        places = {"c": seed % 5, "d": (r >> np.uint64(32)) % np.uint64(5), "i": 0}[kind]
        k = {"c": 1000 + (r % np.uint64(9000)).astype(np.int64),
             "d": (r % np.uint64(20001)).astype(np.int64) - 10000,
             "i": (r % np.uint64(201)).astype(np.int64) - 100}[kind]
        k = np.where(r >> np.uint64(63), -k, k)
        wide = np.float64 if code == "f8" else np.float32
        return (k.astype(wide) / np.array([1, 10, 100, 1000, 10000], wide)[places]).astype(TYPES[code])
    # All digits, exponents in a range: of a few binary places, or of many.
    spread = {"m": 3, "s": 3, "e": min(40, 2**(exponent - 1) - 2)}[kind]
    power = (r >> np.uint64(53)) % np.uint64(2 * spread + 1) + np.uint64(2**(exponent - 1) - 1 - spread)
    out = (r & np.uint64(2**mantissa - 1)) | power << np.uint64(mantissa) | (r >> np.uint64(63)) << np.uint64(bits - 1)
    if kind == "s":  # a special now and then
        infinity = (2**exponent - 1) << mantissa
        sign = 1 << (bits - 1)
        special = np.array([infinity + 2**(mantissa - 1), infinity, infinity | sign, 0, sign], np.uint64)
        pick = (r >> np.uint64(20)) % np.uint64(8 + seed % 20)
        out = np.where(pick < 5, special[np.minimum(pick, 4)], out)
    return out.astype(word).view(TYPES[code])


def elements(code, kind, seed, count):
    if code in PARTS:
        return floats(PARTS[code], kind, seed, noise(seed, 2 * count)).view(TYPES[code])
    r = noise(seed, count)
    if code == "b1":
        return (r & np.uint64(1)).astype(np.bool_)
    if code.startswith("f"):
        return floats(code, kind, seed, r)
    if kind == "i":
        return ((r % np.uint64(201)).astype(np.int64) - 100).astype(TYPES[code])
    return r.astype(TYPES[code])


def numpy_text(array, options):
    names = {"p": "precision", "t": "threshold", "e": "edgeitems", "w": "linewidth"}
    with np.printoptions(**{names[word[0]]: int(word[1:]) for word in options.split()}):
        return str(array if array.shape else array[()])


def fnv(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def record(code, array, options, source):
    text = numpy_text(array, options)
    text = text.replace("\n", "\\n") if len(text) <= LONGEST else f"#{fnv(text):016x}"
    shape = ",".join(str(size) for size in array.shape)
    print(f'{{"{code}", "{shape}", "{options}", "{source}", "{text}"}},')


def given(code, values, options=""):
    array = np.array(values).astype(TYPES[code])
    record(code, array, options, "x" + array.tobytes().hex())


def made(code, shape, kind, seed, options=""):
    count = int(np.prod(shape, dtype=np.int64))
    record(code, elements(code, kind, seed, count).reshape(shape), options, f"{kind}:{seed}")


inf, nan = float("inf"), float("nan")
FLOATS = [
    [22, 28], [[22, 28], [49, 64]], [1, 2, 3], [1, 2.5, -3.25], [0.1, 0.25, 100.125], [0.1], [1 / 3], [2 / 3, 1],
    [0], [-0.0], [0, -0.0, 1], [nan], [inf], [-inf], [nan, nan], [inf, -inf, nan, 1], [nan, -inf], [nan, 1], [inf, 1],
    [-inf, 0.5], [nan, 0.001], [nan, 1e-9], [-inf, 1e20, 1], [inf, -1e-5], [nan, 123456.789], [-nan, -1.5],
    [1e8], [99999992], [99999999], [1e8 - 1, 1e7], [1e7], [12345678.9], [123456789], [33554432, 1e6], [65504, 65.5],
    [65504, 65], [65504, 0.5, 0.1], [60000, 6e-5], [2049, 4098], [9984, 10000], [32768], [65504], [65504, 9999],
    [1e-4], [9.999e-5], [1.0001e-4], [1e-4, 1e-3], [1e-5, 1], [1, 1000], [1, 1000.0001], [1, 1001], [0.001, 1],
    [0.001, 1.0001], [0.001, 1.01], [0, 1000, 1], [1e-3, 0.999], [0.1, 123456.78, 3], [1e10, 0.1], [1e-10, 0],
    [1e100, 1], [1e-100, 1], [-1e100, 1e5], [1e300, 1e-300], [5e-324, 1], [5e-324], [1.7976931348623157e308],
    [2.2250738585072014e-308, 1], [1.4e-45], [3.4028235e38, -1], [1.1754944e-38], [6e-8], [6.1e-5, 1], [5.96e-8, 65504],
    [0.5, 1.5, 2.5, 3.5], [0.25, 0.35, 0.45], [0.125, 0.375, 0.625], [0.0625, 9.9375], [9.96, 99.96, 999.96], [9.5, 9.6],
    [0.96], [0.996], [0.05], [0.049], [0.006], [0.00999, 1], [0.0004, 0.1], [-0.3, 0.2], [-0.04, 0.2], [99.5, 100.5],
    [1.25e10], [1.35e10, 2], [1.5e-9], [9.96e10, 1], [9.96e99, 1], [1.23456789e-5, 5], [1e22, 1e23], [4503599627370497.5],
    [1.0000000001, 1], [1.00000001, 1], [1.000000005, 1], [1.000000015, 1], [123.000000004], [0.1 + 0.2], [1e16, 3],
    [2**-44], [2**-20, 1], [2**60], [2**53 + 2.0], [2**20, 2**12], [[0.5], [nan]], [[[1.5]]], [[[[[-inf]]]]],
]
SCALARS = [0, -0.0, 1, -1, 3, 0.1, 1 / 3, 2 / 3, nan, inf, -inf, 1e16, 9.9999999e15, 1e15 + 0.3, 1e-4, 9.999e-5, 1.0001e-4,
           1.5e-5, -1.5e-5, 1e100, 1e22, 1e23, 1e-100, 5e-324, 6e-8, 6.1e-5, 65504, 123456789, 16777216, 33554432.0, 2.5e20,
           1.7976931348623157e308, 3.4028235e38, 1.4e-45, 1e-45, 9007199254740993, 4503599627370497.5, -273.15, 1e8, 1e7,
           12345.678, 0.0001234, 0.00012345678, 2**-44, 2**100, 5e15, 9.5e15, 1e5, 999999.9, 0.3]
COMPLEX = [
    [1 + 2j], [1 - 2j, -3.5 + 0.25j], [0, 1j], [-0.0, 1, complex(0, -0.0)], [complex(nan, 1), complex(1, nan)],
    [complex(inf, -inf), 1e9 + 1j], [1e-5 + 1j, 1 + 1e10j], [[1 + 1j, 2 - 2j], [3.25 + 0.5j, -4 - 10j]],
    [complex(nan, nan)], [complex(-inf, inf), complex(0, 0)], [1e8j, 1], [1.5e-7, 2 + 3j], [1000.5j, 0.25],
]
EXTREMES = [[0], [-1], [1, -20, 300], [[1, 2], [3, 4]], [[[7]]], [100, -100, 5], [127, -128], [9, 10], [-9, 10], [-9, 9]]
SHAPES = [(1,), (2,), (3,), (5,), (8,), (13,), (29,), (64,), (2, 2), (3, 7), (7, 3), (1, 20), (20, 1), (2, 3, 4), (3, 1, 2),
          (1, 1, 1), (2, 2, 2, 2), (1, 3, 1, 5), (2, 1, 2, 1, 3), (1, 1, 1, 1, 1)]
OPTIONS = ["", "", "", "", "p0", "p1", "p2", "p3", "p4", "p5", "p12", "p17", "p20", "w40", "w20", "w10", "w1", "w0", "w120",
           "t5", "t5 e1", "t0 e2", "t10 e2 p3", "t3 e1 w30", "p2 w33", "t7 e5", "t0 e100"]


def all_records():
    for code in ("f2", "f4", "f8"):
        for values in FLOATS:
            given(code, values)
        for values in FLOATS[-50:-4]:
            for options in ("p0", "p1", "p3"):
                given(code, values, options)
        for value in SCALARS:
            given(code, value)
        for seed in range(40):
            made(code, (), "bdem"[seed % 4], seed)
    for k in (-645, -569, -499, 149, 740, 890):  # powers of two, where the margins above and below differ
        for p in (15, 17):
            given("f8", [2.0**k, float(f"1.234567890123456e{int(k * 0.30103)}")], f"p{p}")
    for code in ("f2", "f4", "f8"):  # powers of two cut at the precision
        for p in (1, 2, 5, 6):
            given(code, [2.0**11, 2.0**-4, 2.0**13, 2.0**-8, 2.0**-12], f"p{p}")
    for k in range(-1074, 1024, 31):
        given("f8", [2.0**k, 1.0], "p20")
        given("f8", 2.0**k)
    for k in range(-149, 128, 7):
        given("f4", [2.0**k, 1.0])
        given("f4", 2.0**k)
    for code in ("i1", "i2", "i4", "i8", "u1"):
        info = np.iinfo(TYPES[code])
        for values in EXTREMES:
            if code != "u1" or np.min(values) >= 0 and np.max(values) < 256:
                given(code, values)
        for values in ([info.min], [info.max], [info.min, info.max], [0, info.max], [[info.min], [0]], info.min, info.max, 0, 7):
            given(code, values)
    for code in PARTS:
        for values in COMPLEX:
            given(code, values)
        for real in SCALARS[::4]:
            for imaginary in SCALARS[1::8] + [0.0, -0.0, nan, -inf]:
                given(code, complex(real, imaginary))
    for values in (True, False, [True], [False], [True, True], [True, False], [[True], [False]], [[[False, True]]]):
        given("b1", values)

    for code in TYPES:
        for shape in ((0,), (0, 3), (3, 0), (2, 0, 4), (0, 0, 0, 0, 0)):
            made(code, shape, "i", 0)
        kinds = {"b": "b", "i": "bi", "u": "bi", "f": "bcdimse", "c": "bcdimse"}[code[0]]
        # Rows about as wide as the line, for every width of a cell.
        for kind in kinds:
            for count in range(4, 41, 4 if code in PARTS else 1):
                made(code, (count,), kind, count)
        # The seams of the threshold, and arrays of every rank far past it.
        for kind in kinds[-1 if code in PARTS else -3:]:
            for seed, shape in enumerate([(999,), (1000,), (1001,), (1000000,), (500, 2), (501, 2), (7, 143), (6, 167),
                                          (3000, 1), (1, 3000), (40, 30), (11, 11, 11), (10, 10, 10), (2, 600, 3),
                                          (6, 6, 6, 6), (7, 7, 7, 7), (4, 5, 6, 10), (3, 4, 5, 6, 7), (9, 1, 9, 1, 20)]):
                made(code, shape, kind, seed)
                made(code, shape, kind, seed, ("e1", "e2 p4", "w50 e2", "e4 w100", "e1 p0 w12", "t2000")[seed % 6])
        chooser = random.Random(code)
        for seed in range({"f": 420, "c": 150}.get(code[0], 90)):
            made(code, chooser.choice(SHAPES), chooser.choice(kinds), seed, chooser.choice(OPTIONS))


def main():
    np.seterr(all="ignore")
    warnings.simplefilter("ignore")
    assert (2, 0) <= tuple(int(part) for part in np.__version__.split(".")[:2]) < (2, 3), np.__version__
    if sys.argv[1:2] == ["--show"]:
        code, shape, options, source = sys.argv[2:6]
        sizes = tuple(int(size) for size in shape.split(",") if size)
        count = int(np.prod(sizes, dtype=np.int64))
        if source.startswith("x"):
            array = np.frombuffer(bytes.fromhex(source[1:]), TYPES[code])
        else:
            kind, seed = source.split(":")
            array = elements(code, kind, int(seed), count)
        print(numpy_text(array.reshape(sizes), options))
        return
    print(f"// Generated by tests/support/generate/make_print_golden.py with NumPy {np.__version__}; not edited by hand.")
    every_half = np.arange(2**16, dtype=np.uint16).view(np.float16)
    print(f"constexpr uint64_t kEveryFloat16 = 0x{fnv(' '.join(str(x) for x in every_half)):016x};")
    print("constexpr Golden kGolden[] = {")
    all_records()
    print("};")


if __name__ == "__main__":
    main()
