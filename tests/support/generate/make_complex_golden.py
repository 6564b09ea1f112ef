#!/usr/bin/env python3
"""Writes tests/support/golden/complex_golden.lua: what NumPy and SciPy give for operations on complex numbers, in
complex128, and for Fourier transforms.

    python3 tests/support/generate/make_complex_golden.py > tests/support/golden/complex_golden.lua

Each case: the op, its arguments (arrays by shape and elements; of complex ones `re` and `im`), the options, and the result.
Axes count from 1."""
import warnings

import numpy as np
import scipy.integrate
import scipy.signal

warnings.simplefilter("ignore")
GENERATOR = np.random.Generator(np.random.PCG64(25))
inf, nan = np.inf, np.nan


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "inf" if x > 0 else "-inf"
    return "%.16g" % x if isinstance(x, float) and abs(x) < 1e3 and round(x, 3) == x else "%.15g" % x


def numbers(x):
    return "{ %s }" % ", ".join(number(v) for v in x.reshape(-1))


def array(x):
    x = np.asarray(x)
    shape = "shape = { %s }" % ", ".join(map(str, x.shape))
    if np.iscomplexobj(x):
        return "{ %s, re = %s, im = %s }" % (shape, numbers(x.real), numbers(x.imag))
    return "{ %s, re = %s }" % (shape, numbers(x))


def value(x):
    if isinstance(x, np.ndarray):
        return array(x)
    if isinstance(x, str):
        return '"%s"' % x
    if isinstance(x, (list, tuple)):
        return "{ %s }" % ", ".join(value(v) for v in x)
    return number(x)


def case(op, arguments, gives, note="", **options):
    print("  { op = \"%s\", args = { %s }, options = { %s }," % (op, ", ".join(value(a) for a in arguments),
          ", ".join("%s = %s" % (k, value(v)) for k, v in options.items())))
    print("    %sgives = %s }," % (note, array(gives)))


def real(*shape):
    return np.round(GENERATOR.normal(size=shape) * 2, 3)


def normal(*shape):
    return real(*shape) + 1j * real(*shape)


def arithmetic():
    a, b = normal(3, 4), normal(4)
    edges = np.array([0, 1, -1, 1j, -1j, complex(inf, 1), complex(-inf, 0), complex(2, nan), 1e200 + 1e200j, 1e-200 - 3e-200j])
    for op, f in [("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("div", np.divide), ("pow", np.power),
                  ("eq", np.equal), ("ne", np.not_equal)]:
        case(op, [a, b], f(a, b))
        c = real(3, 1)
        case(op, [a, c], f(a, c))
        case(op, [b, 3], f(b, 3))
    case("div", [np.array([1e200 + 1e200j, 1e-200j]), np.array([2e200 + 1e200j, 1e-200 + 1e-200j])],
         np.array([1e200 + 1e200j, 1e-200j]) / np.array([2e200 + 1e200j, 1e-200 + 1e-200j]))
    for n in [0, 1, 2, 3, -1, -2, 7]:
        case("pow", [a, n], a**n)
    for op, f in [("neg", np.negative), ("square", np.square), ("reciprocal", np.reciprocal), ("exp", np.exp),
                  ("log", np.log), ("sqrt", np.sqrt), ("sin", np.sin), ("cos", np.cos), ("tan", np.tan), ("sinh", np.sinh),
                  ("cosh", np.cosh), ("tanh", np.tanh), ("abs", np.abs), ("angle", np.angle), ("real", np.real),
                  ("imag", np.imag), ("conj", np.conj)]:
        case(op, [a], f(a))
        if op in ("abs", "angle", "conj", "real", "imag", "neg"):
            case(op, [edges], f(edges))
    case("rsqrt", [a], 1 / np.sqrt(a))


def sums():
    x = normal(2, 4, 3)
    for op, f in [("sum", np.sum), ("mean", np.mean), ("prod", np.prod)]:
        case(op, [x], f(x))
        case(op, [x], f(x, axis=1), axis=2)
        case(op, [x], f(x, axis=(0, 2), keepdims=True), axis=[1, 3], keepdims=True)
        case(op, [normal(0, 3)], f(np.zeros((0, 3), np.complex128), axis=0), axis=1)
    long = normal(300)
    case("sum", [long], long.sum())
    for op, f in [("cumsum", np.cumsum), ("cumprod", np.cumprod)]:
        case(op, [x], f(x, axis=1), axis=2)
        case(op, [x[0]], f(x[0]))
    case("trace", [x], np.trace(x, axis1=1, axis2=2))


def products():
    for a, b in [((3, 4), (4, 5)), ((4,), (4, 3)), ((3, 4), (4,)), ((4,), (4,)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)),
                 ((2, 1, 3, 4), (3, 4, 2)), ((3, 0), (0, 2)), ((9, 17), (17, 5))]:
        x, y = normal(*a), normal(*b)
        case("matmul", [x, y], x @ y)
    x, y = normal(5, 3), normal(4, 5)
    case("matmul", [x, y], x.T @ y.T, transpose_a=True, transpose_b=True)
    x, y = normal(2, 5, 3), normal(2, 5, 4)
    case("matmul", [x, y], np.swapaxes(x, 1, 2) @ y, transpose_a=True)
    x = normal(2, 3)
    case("matmul", [x, np.eye(3)], x)
    x, y = normal(3, 4), normal(2, 4)
    case("einsum", ["ij,kj->ik", x, y], np.einsum("ij,kj->ik", x, y))
    case("einsum", ["ij,kj->", x, y], np.einsum("ij,kj->", x, y))
    case("einsum", ["ij,ij->ji", x, x], np.einsum("ij,ij->ji", x, x))
    case("dot", [x, y.T], x @ y.T)
    case("dot", [x[0], y[0]], np.dot(x[0], y[0]))
    case("outer", [x[0], y[0]], np.outer(x[0], y[0]))


def sequences():
    a, b, x = normal(2, 3), normal(4, 3), normal(3, 5)
    case("kron", [a, b], np.kron(a, b))
    case("kron", [a[0], b.real], np.kron(a[0], b.real))
    case("cross", [a[0], b], np.cross(a[0], b))
    case("polyval", [b[0], x], np.polyval(b[0], x))
    case("polyval", [b[0].real, x], np.polyval(b[0].real, x))
    case("trapezoid", [x], np.trapezoid(x))
    case("trapezoid", [x], np.trapezoid(x, axis=0, dx=0.5), axis=1, dx=0.5)
    case("cumulative_trapezoid", [x], scipy.integrate.cumulative_trapezoid(x, axis=0, dx=0.25), axis=1, dx=0.25)
    case("std_mean", [x], x.std())


def transforms():
    for n in [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 25, 47, 53, 60, 97, 128]:
        z, x = normal(n), real(n)
        case("fft.fft", [z], np.fft.fft(z))
        case("fft.ifft", [z], np.fft.ifft(z))
        case("fft.fft", [x], np.fft.fft(x))
        case("fft.rfft", [x], np.fft.rfft(x))
        case("fft.irfft", [z], np.fft.irfft(z, n), n=n)
        if n > 1:
            case("fft.irfft", [z[: n // 2 + 1]], np.fft.irfft(z[: n // 2 + 1]))
    z, x = normal(2, 4, 3), real(2, 4, 3)
    for norm in ["backward", "ortho", "forward"]:
        for axis in range(3):
            for n in [3, 6]:
                case("fft.fft", [z], np.fft.fft(z, n, axis, norm), n=n, axis=axis + 1, norm=norm)
                case("fft.ifft", [z], np.fft.ifft(z, n, axis, norm), n=n, axis=axis + 1, norm=norm)
                case("fft.rfft", [x], np.fft.rfft(x, n, axis, norm), n=n, axis=axis + 1, norm=norm)
                case("fft.irfft", [z], np.fft.irfft(z, n, axis, norm), n=n, axis=axis + 1, norm=norm)
        case("fft.hfft", [z], np.fft.hfft(z, 5, 1, norm), n=5, axis=2, norm=norm)
        case("fft.ihfft", [x], np.fft.ihfft(x, 6, 1, norm), n=6, axis=2, norm=norm)
        for op, f, given in [("fft2", np.fft.fft2, z), ("ifft2", np.fft.ifft2, z), ("rfft2", np.fft.rfft2, x),
                             ("irfft2", np.fft.irfft2, z), ("fftn", np.fft.fftn, z), ("ifftn", np.fft.ifftn, z),
                             ("rfftn", np.fft.rfftn, x), ("irfftn", np.fft.irfftn, z)]:
            case("fft." + op, [given], f(given, norm=norm), norm=norm)
            case("fft." + op, [given], f(given, s=(3, 4), axes=(0, 2), norm=norm), s=[3, 4], axes=[1, 3], norm=norm)
    # Along an inner axis, more and fewer lines than a register has; many rows; large prime factors.
    for shape, axis in [((2, 6, 19), 1), ((18, 8), 1), ((33, 3), 1), ((53, 2), 0), ((30, 2), 0)]:
        z, x = normal(*shape), real(*shape)
        case("fft.fft", [z], np.fft.fft(z, axis=axis), axis=axis + 1)
        case("fft.rfft", [x], np.fft.rfft(x, axis=axis), axis=axis + 1)
        case("fft.irfft", [z], np.fft.irfft(z, axis=axis), axis=axis + 1)
    for n in [1, 2, 7, 8]:
        case("fft.fftfreq", [n], np.fft.fftfreq(n, 0.25), d=0.25)
        case("fft.rfftfreq", [n], np.fft.rfftfreq(n))
        case("fft.fftshift", [np.arange(n * 3.0).reshape(n, 3)], np.fft.fftshift(np.arange(n * 3.0).reshape(n, 3)))
        case("fft.ifftshift", [np.arange(n * 3.0).reshape(n, 3), 2], np.fft.ifftshift(np.arange(n * 3.0).reshape(n, 3), 1))


def spectra():
    x = real(2, 30)
    for length, step, size in [(16, 8, 16), (10, 3, 16), (8, 8, 9)]:
        window = scipy.signal.get_window("hann", length)
        frames = np.stack([x[:, i : i + length] * window for i in range(0, 30 - length + 1, step)], 1)
        case("stft", [x, length, step], np.fft.rfft(frames, size), fft_length=size)


def main():
    print("-- Generated by tests/support/generate/make_complex_golden.py with NumPy %s; not to be edited." % np.__version__)
    print("local nan, inf = 0 / 0, math.huge\nreturn {")
    arithmetic()
    sums()
    products()
    transforms()
    spectra()
    sequences()
    print("}")


if __name__ == "__main__":
    main()
