#!/usr/bin/env python3
"""Writes tests/support/golden/numpy_functions.lua: what NumPy and SciPy give for functions of
lua/lutra/functions, in float64 and int64. Axes and indices count from 1 in what it writes.

    python3 tests/support/generate/make_numpy_functions.py > tests/support/golden/numpy_functions.lua

The form is that of make_statistics_golden.py."""
import itertools
import warnings

import numpy as np
import scipy
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.spatial.distance
import scipy.special

from make_statistics_golden import case, inf, nan

warnings.simplefilter("ignore")
GENERATOR = np.random.Generator(np.random.PCG64(2026))


def normal(*shape):
    return np.round(GENERATOR.normal(size=shape) * 4, 3)


def whole(low, high, *shape):
    return GENERATOR.integers(low, high, size=shape)


def complex_case(op, arguments, gives, **options):
    """A complex result is written as its real and imaginary parts, in any order of elements."""
    case(op, arguments, (np.real(gives), np.imag(gives)), complex=True, **options)


def products():
    a, b = normal(2, 3, 4), normal(4, 3, 5)
    case("tensordot", [a, b, 1], np.tensordot(a, b, 1))
    c = normal(3, 4, 2)
    case("tensordot", [a, c], np.tensordot(a, c))
    case("tensordot", [a, c, 2], np.tensordot(a, c, 2))
    case("tensordot", [a, b, [[2, 3], [2, 1]]], np.tensordot(a, b, [[1, 2], [1, 0]]))
    case("tensordot", [a, b, [[3, 2], [1, 2]]], np.tensordot(a, b, [[2, 1], [0, 1]]))
    case("tensordot", [a, b, [-1, 1]], np.tensordot(a, b, [-1, 0]))
    case("tensordot", [a[0, 0], b[0, 0], 0], np.tensordot(a[0, 0], b[0, 0], 0))
    case("tensordot", [a, a, 3], np.tensordot(a, a, 3))
    case("tensordot", [np.zeros((2, 0)), np.zeros((0, 3)), 1], np.tensordot(np.zeros((2, 0)), np.zeros((0, 3)), 1))
    m = whole(-9, 9, 3, 3)
    case("tensordot", [m, m, 1], np.tensordot(m, m, 1))
    for x, y in [(normal(4), normal(4)), (normal(2, 4), normal(3, 5, 4)), (np.array(2.5), normal(3)), (m, m)]:
        case("inner", [x, y], np.inner(x, y))
    x, y = normal(2, 3), normal(3, 2)
    case("vdot", [x, y], np.vdot(x, y))
    case("vdot", [m, m], np.vdot(m, m))
    sizes = [(10, 3), (3, 20), (20, 2), (2, 9)]
    chain = [normal(*s) for s in sizes]
    case("multi_dot", [chain], np.linalg.multi_dot(chain))
    ends = [normal(4), normal(4, 3), normal(3)]
    case("multi_dot", [ends], np.linalg.multi_dot(ends))
    case("multi_dot", [ends[:2]], np.linalg.multi_dot(ends[:2]))
    case("multi_dot", [ends[1:]], np.linalg.multi_dot(ends[1:]))
    blocks = [normal(2, 3), normal(1, 1), normal(3), np.array(7.0), np.zeros((2, 0))]
    case("block_diag", blocks, scipy.linalg.block_diag(*blocks))
    for x in [normal(4), whole(-4, 5, 3)]:
        for n in [None, 0, 1, 6]:
            for increasing in [False, True]:
                options = {} if n is None else {"n": n}
                case("vander", [x], np.vander(x, n, increasing), increasing=increasing, **options)


def numbers():
    x = np.concatenate([normal(20), [0.0, -0.0, 1e-300, 1e-9, 1e-3, -0.01, 0.15, 0.1592, 0.5, 1.0, 2.0, 1e5 + 0.25]])
    case("deg2rad", [x], np.deg2rad(x))
    case("rad2deg", [x], np.rad2deg(x))
    case("sinc", [x], np.sinc(x))
    special = np.array([inf, -inf, nan, 0.0, -0.0, 1.5, -1.5])
    case("sinc", [np.array([nan, inf])], np.array([nan, nan]))
    signs = np.array([inf, -inf, 0.0, -0.0, 1e-320, -1e-320, 3.0])
    case("signbit", [signs], np.signbit(signs))
    case("copysign", [special.reshape(7, 1), signs], np.copysign(special.reshape(7, 1), signs))
    wide = np.array([-inf, -1000.0, -1.5, 0.0, 2.0, 1023.5, inf, 1e300])
    case("logaddexp2", [wide.reshape(8, 1), wide], np.logaddexp2(wide.reshape(8, 1), wide))
    a, b = normal(9), normal(9)
    case("logaddexp2", [a, b], np.logaddexp2(a, b))
    case("isposinf", [special], np.isposinf(special))
    case("isneginf", [special], np.isneginf(special))
    for most in [12, 1000, 2**31, 2**62]:
        a, b = whole(-most, most, 12), whole(-most, most, 12)
        a[:3], b[2:5] = 0, 0
        case("gcd", [a, b], np.gcd(a, b))
        if most <= 2**31:
            case("lcm", [a, b], np.lcm(a, b))
    # The longest way for numbers of 63 bits: neighbours of Fibonacci's.
    f, g = 7540113804746346429, 4660046610375530309
    case("gcd", [np.array([f, -f, g]), np.array([g, g, -f])], np.array([1, 1, 1]))
    a, b = whole(1, 50, 3, 1), whole(1, 50, 4)
    case("gcd", [a, b], np.gcd(a, b))
    case("lcm", [a, b], np.lcm(a, b))
    for start, stop, n in [(0, 3, 4), (-2.5, 2, 7), (1, 1, 3), (0, 5, 1), (2, 3, 0)]:
        case("logspace", [start, stop, n], np.logspace(start, stop, n), dtype="float64")
        case("logspace", [start, stop, n], np.logspace(start, stop, n, base=2.5), dtype="float64", base=2.5)
    for start, stop, n in [(1, 1000, 4), (256, 1, 9), (-2, -1e5, 6), (3, 3, 3), (5, 7, 1), (1, 2, 0),
                           (1e-300, 1e300, 5), (0.1, 0.7, 2)]:
        case("geomspace", [start, stop, n], np.geomspace(start, stop, n), dtype="float64")


def running():
    x = normal(3, 4, 5)
    wide = np.array([1000.0, -1000.0, 1000.5, 0.0, 1e5, -3.0, -inf, 4.0])
    falling = np.linspace(700, -700, 33)
    for axis in range(3):
        case("logcumsumexp", [x], np.logaddexp.accumulate(x, axis=axis), axis=axis + 1)
    case("logcumsumexp", [x], np.logaddexp.accumulate(x.reshape(-1)))
    for y in [wide, -wide[:6], falling, falling[::-1].copy(), np.array([-inf, -inf, 2.0]), np.array([3.0, inf, 1.0]),
              np.array([3.0, nan, 1.0])]:
        case("logcumsumexp", [y], np.logaddexp.accumulate(y))
    for axis in range(3):
        y = scipy.integrate.cumulative_trapezoid(x, dx=0.25, axis=axis)
        case("cumulative_trapezoid", [x], y, axis=axis + 1, dx=0.25)
        at = np.sort(normal(x.shape[axis]))
        case("cumulative_trapezoid", [x], scipy.integrate.cumulative_trapezoid(x, at, axis=axis, initial=0), x=at,
             axis=axis + 1, initial=0)
    case("cumulative_trapezoid", [x[0, 0]], scipy.integrate.cumulative_trapezoid(x[0, 0]))
    case("cumulative_trapezoid", [x[0, 0, :1]], np.zeros(0))


def reductions():
    x = normal(3, 4, 5)
    w = np.abs(normal(3, 4, 5)) + 0.5
    for axis in [None, 0, 1, 2, (0, 2), (2, 0)]:
        options = {} if axis is None else {"axis": axis + 1 if isinstance(axis, int) else [a + 1 for a in axis]}
        for keep in [False, True]:
            case("average", [x], np.average(x, axis, returned=True, keepdims=keep), returned=True, keepdims=keep,
                 **options)
            case("average", [x], np.average(x, axis, w, returned=True, keepdims=keep), returned=True, keepdims=keep,
                 weights=w, **options)
            mean = np.mean(x, axis, keepdims=keep)
            case("std_mean", [x], (np.std(x, axis, keepdims=keep), mean), keepdims=keep, **options)
            case("var_mean", [x], (np.var(x, axis, ddof=1, keepdims=keep), mean), ddof=1, keepdims=keep, **options)
            case("count_nonzero", [np.round(x / 4)], np.asarray(np.count_nonzero(np.round(x / 4), axis, keepdims=keep)),
                 keepdims=keep, **options)
    v = np.abs(normal(4)) + 0.1
    case("average", [x], np.average(x, 1, v, returned=True), weights=v, axis=2, returned=True)
    v = np.abs(normal(5, 3)) + 0.1
    case("average", [x], np.average(x, (2, 0), v, returned=True), weights=v, axis=[3, 1], returned=True)
    case("count_nonzero", [np.array([0.0, -0.0, nan, inf])], np.asarray(2))
    case("count_nonzero", [np.array([[True, False], [True, True]])], np.array([2, 1]), axis=1)
    holes = np.where(GENERATOR.uniform(size=x.shape) < 0.3, nan, x)
    holes[1, 2] = nan
    edges = np.array([[nan, inf, 1.0, 2.0], [nan, -inf, inf, nan], [inf, inf, nan, nan], [nan] * 4])
    for q in [0.0, 0.1, 0.25, 0.5, 0.77, 1.0]:
        for method in ["linear", "lower", "higher", "midpoint", "nearest"]:
            case("nanquantile", [holes, q], np.asarray(np.nanquantile(holes, q, method=method)), method=method)
            case("nanquantile", [holes, q], np.nanquantile(holes, q, axis=2, method=method), method=method, axis=3)
            case("nanpercentile", [holes, 100 * q], np.nanpercentile(holes, 100 * q, axis=(0, 2), keepdims=True,
                 method=method), method=method, axis=[1, 3], keepdims=True)
    # A quantile that is an element is that element, where NumPy forms inf - inf.
    case("nanquantile", [edges, 0.0], np.array([1.0, -inf, inf, nan]), axis=2)
    case("nanquantile", [edges, 1.0], np.array([inf, inf, inf, nan]), axis=2)
    case("nanquantile", [edges, 0.5], np.array([2.0, nan, inf, nan]), axis=2)
    some = np.where(np.arange(60).reshape(x.shape) % 7 < 5, x, nan)
    for name, f in [("nanargmax", np.nanargmax), ("nanargmin", np.nanargmin)]:
        case(name, [some], np.asarray(f(some) + 1))
        for axis in range(3):
            case(name, [some], f(some, axis) + 1, axis=axis + 1)
        case(name, [some], f(some, 1, keepdims=True) + 1, axis=2, keepdims=True)
        case(name, [np.array([3, -2, 3, -2])], np.asarray(1 if name == "nanargmax" else 2))
        case(name, [np.array([[nan, nan], [nan, 1.0]])], np.array([0, 2]), axis=2)
    case("nanargmax", [np.array([nan, -inf])], np.asarray(2))
    case("nanargmin", [np.array([nan, inf])], np.asarray(2))


def matrices():
    for shape in [(1, 1), (2, 2), (5, 5), (3, 4, 4)]:
        x = normal(*shape)
        sign, log = np.linalg.slogdet(x)
        case("logdet", [x], np.where(sign < 0, nan, log))
        for p in [2, -2, 1, -1, inf, -inf, "fro", "nuc"]:
            case("cond", [x], np.asarray(np.linalg.cond(x, p)), p=p)
    case("logdet", [np.array([[1.0, 2.0], [2.0, 4.0]])], np.array(-inf))
    case("logdet", [np.array([[0.0, 1.0], [1.0, 0.0]])], np.array(nan))
    for shape in [(4, 2), (2, 4), (2, 3, 2)]:
        x = normal(*shape)
        case("cond", [x], np.asarray(np.linalg.cond(x)))
        case("cond", [x], np.asarray(np.linalg.cond(x, -2)), p=-2)
    odd = np.array([[[0.0, 0.0], [0.0, 0.0]], [[3.0, 0.0], [0.0, 3.0]], [[1.0, 2.0], [2.0, 4.0]], [[nan, 1.0], [0.0, 1.0]]])
    for p in [1, -1, inf, "fro"]:
        case("cond", [odd], np.linalg.cond(odd, p), p=p)
    case("cond", [np.zeros((2, 2))], np.asarray(inf))
    for x in [normal(3), normal(2, 3), np.zeros(0), whole(1, 9, 2)]:
        for k in [0, 2, -1]:
            n = x.shape[-1] + abs(k)
            full = np.zeros(x.shape[:-1] + (n, n), x.dtype)
            for i in range(x.shape[-1]):
                full[..., i + max(0, -k), i + max(0, k)] = x[..., i]
            case("diag_embed", [x], full, offset=k)
    for shape in [(3, 3), (2, 5), (7, 2), (3, 3, 3), (2, 2, 2, 2), (0, 3), (3, 0)]:
        for fill in [9.5, np.array([1.5, 2.5, 3.5, 4.5])]:
            for wrap in [False, True]:
                x = normal(*shape)
                y = x.copy()
                np.fill_diagonal(y, fill, wrap) if y.size else None
                case("fill_diagonal", [x, fill], y, wrap=wrap)


def arranging():
    x = normal(2, 3, 4)
    for k in range(-1, 5):
        case("rot90", [x], np.rot90(x, k), k=k)
        case("rot90", [x], np.rot90(x, k, (2, 0)), k=k, axes=[3, 1])
    for a, b in [(0, 1), (2, 0), (1, 1), (-1, 0)]:
        up = lambda v: v if v < 0 else v + 1
        case("swapaxes", [x, up(a), up(b)], np.swapaxes(x, a, b))
        case("moveaxis", [x, up(a), up(b)], np.moveaxis(x, a, b))
    y = normal(2, 3, 4, 5)
    case("moveaxis", [y, [1, 4], [3, 1]], np.moveaxis(y, [0, 3], [2, 0]))
    case("moveaxis", [y, [1, 2], [-1, -2]], np.moveaxis(y, [0, 1], [-1, -2]))
    lengths = np.array([0, 2, 4])
    y = x.copy()
    rows = normal(3, 4)
    reversed_rows = rows.copy()
    for i, n in enumerate(lengths):
        y[:, i, :n] = x[:, i, :n][:, ::-1]
        reversed_rows[i, :n] = rows[i, :n][::-1]
    case("reverse_sequence", [x, lengths], y, axis=3, batch_axis=2)
    case("reverse_sequence", [rows, lengths], reversed_rows)


def orders():
    x = whole(0, 3, 30)
    starts = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
    inverse = np.cumsum(np.concatenate([[True], x[1:] != x[:-1]]))
    counts = np.diff(np.concatenate([starts, [30]]))
    case("unique_consecutive", [x], (x[starts], inverse, counts), return_inverse=True, return_counts=True)
    case("unique_consecutive", [x.reshape(5, 6)], (x[starts], inverse.reshape(5, 6)), return_inverse=True)
    case("unique_consecutive", [x], (x[starts], counts), return_counts=True)
    shape = (3, 4, 5)
    places = whole(0, 60, 2, 6)
    index = np.stack(np.unravel_index(places, shape), -1)
    case("ravel_multi_index", [index + 1, list(shape)], places + 1)
    odd = whole(-9, 12, 8, 3)
    for mode in ["wrap", "clip"]:
        case("ravel_multi_index", [odd + 1, list(shape)], np.ravel_multi_index(odd.T, shape, mode) + 1, mode=mode)
    keys = whole(0, 3, 3, 20)
    case("lexsort", [keys], np.lexsort(keys) + 1)
    mixed = [normal(20), keys[0], keys[1]]
    case("lexsort", [mixed], np.lexsort(mixed) + 1)
    case("lexsort", [keys.reshape(3, 4, 5)], np.lexsort(keys.reshape(3, 4, 5)) + 1)
    values = np.concatenate([normal(12), [0.0, 1.0, 2.5, 7.0, inf, -inf]])
    for bins in map(np.array, [[0.0, 1.0, 2.5, 7.0], [7.0, 2.5, 1.0, 0.0], [1.0, 1.0, 2.5], [1.0]]):
        for right in [False, True]:
            case("digitize", [values, bins], np.digitize(values, bins, right) + 1, right=right)
    a, b = np.concatenate([normal(60), [0.0, 1.0, 4.0]]), np.concatenate([normal(60), [2.0, -2.0, 4.0]])
    w = np.abs(normal(63))
    counts = lambda r: (r[0].astype(np.int64), r[1], r[2])
    case("histogram2d", [a, b], counts(np.histogram2d(a, b)))
    case("histogram2d", [a, b], counts(np.histogram2d(a, b, 3)), bins=3)
    case("histogram2d", [a, b], counts(np.histogram2d(a, b, [4, 7])), bins=[4, 7])
    limits = [[-2, 2], [-4, 4]]
    case("histogram2d", [a, b], counts(np.histogram2d(a, b, [4, 8], limits)), bins=[4, 8], range=limits)
    edges = np.array([-2.0, 0.0, 1.0, 4.0])
    case("histogram2d", [a, b], counts(np.histogram2d(a, b, [edges, 5])), bins=[edges, 5])
    case("histogram2d", [a, b], np.histogram2d(a, b, 4, weights=w), bins=4, weights=w)
    case("histogram2d", [a * 0, b], counts(np.histogram2d(a * 0, b, 2)), bins=2)
    case("histogram2d", [np.zeros(0), np.zeros(0)], counts(np.histogram2d([], [], 2)), bins=2)
    p, q = whole(-5, 6, 2, 7), whole(-5, 6, 9)
    case("setxor1d", [p, q], np.setxor1d(p, q))
    labels, found = whole(0, 4, 40), whole(0, 4, 40)
    matrix = np.zeros((4, 4), np.int64)
    np.add.at(matrix, (labels, found), 1)
    case("confusion_matrix", [labels + 1, found + 1], matrix)
    case("confusion_matrix", [labels + 1, found + 1], np.pad(matrix, ((0, 2), (0, 2))), classes=6)
    weights = np.abs(normal(40))
    matrix = np.zeros((4, 4))
    np.add.at(matrix, (labels, found), weights)
    case("confusion_matrix", [labels + 1, found + 1], matrix, weights=weights)


def polynomials():
    for p in [[1, -6, 11, -6], [2, 0, 5], [0, 0, 1, -3, 0, 0], [5], [0, 0], [1, 0], [3.5, -2.25, 0.5, 1.75, 9, -4, 2],
              []]:
        complex_case("roots", [np.array(p, float)], np.roots(p))
    a, b = normal(4), normal(2)
    for p, q in [(a, b), (b, a), (whole(-5, 6, 3), whole(-5, 6, 5)), (a, np.array(2.0))]:
        case("polyadd", [p, q], np.polyadd(p, q))
        case("polymul", [p, q], np.convolve(np.atleast_1d(p), np.atleast_1d(q)))
    for p in [a, whole(-5, 6, 6)]:
        for m in [0, 1, 2, 4, 9]:
            case("polyder", [p], np.polyder(p, m), m=m)
    for m in [0, 1, 3]:
        case("polyint", [a], np.polyint(a, m), m=m)
    case("polyint", [a], np.polyint(a, 2, [3.0, -1.5]), m=2, k=[3.0, -1.5])
    case("polyint", [a], np.polyint(a, 1, 2.5), k=2.5)
    case("poly", [a], np.poly(a))
    case("poly", [np.array(2.0)], np.poly([2.0]))
    case("poly", [np.zeros(0)], np.array([1.0]))
    m = normal(4, 4)
    case("poly", [m], np.poly(m))


def windows():
    for n in [0, 1, 2, 5, 8, 17]:
        for periodic in [True, False]:
            ones = np.ones(n)
            y = scipy.signal.get_window("bartlett", n, periodic) if n > 1 else ones
            case("bartlett_window", [n], y, periodic=periodic, dtype="float64")
            for beta in [0, 5.5, 14.0, -3.0]:
                y = scipy.signal.get_window(("kaiser", beta), n, periodic) if n > 1 else ones
                case("kaiser_window", [n, beta], y, periodic=periodic, dtype="float64")
    sizes = [0.0, 1e-300, 1e-9, 8.0, np.nextafter(8.0, 9.0), 30.0, 100.0, -100.0, 700.0, 712.0]
    x = np.concatenate([normal(30), sizes])
    # In two factors, as exp overflows before the function does.
    half = np.exp(np.abs(x) / 2)
    case("bessel_i0", [x], half * scipy.special.i0e(x) * half)
    case("bessel_i0", [np.array([inf, -inf, nan, 720.0])], np.array([inf, inf, nan, inf]))


def histograms():
    x, w = normal(24), np.abs(normal(24)) + 0.5
    counts = whole(-5, 6, 24)
    edges = np.array([-4.0, -1.5, 0.0, 0.0, 2.0, 7.5])
    for given in [edges, edges[:2], np.array([-2.0, 2.0])]:
        for density in [False, True]:
            case("histogram", [x, given], np.histogram(x, given, density=density), density=density)
        case("histogram", [x, given], np.histogram(x, given, weights=w), weights=w)
        case("histogram", [x, given], np.histogram(x, given, weights=counts), weights=counts)
        case("histogram", [x, given], np.histogram(x, given, weights=w, density=True), weights=w, density=True)
    case("histogram", [x, 7], np.histogram(x, 7, weights=w), weights=w)
    case("histogram", [x, 7], np.histogram(x, 7, range=(-3, 5), density=True), range=[-3, 5], density=True)
    case("histogram", [x.reshape(4, 6)], np.histogram(x.reshape(4, 6), weights=w.reshape(4, 6)), weights=w.reshape(4, 6))
    case("histogram", [np.append(x, nan), edges], np.histogram(np.append(x, nan), edges))
    case("histogram", [edges, edges], np.histogram(edges, edges))


def samples():
    y = normal(4, 3, 5)
    for axis in range(3):
        at = np.cumsum(np.abs(normal(y.shape[axis])) + 0.1)
        for order in [1, 2]:
            case("gradient", [y, at], np.gradient(y, at, axis=axis, edge_order=order), axis=axis + 1, edge_order=order)
        case("trapezoid", [y], np.trapezoid(y, at, axis=axis), axis=axis + 1, x=at)
        case("cumulative_trapezoid", [y], scipy.integrate.cumulative_trapezoid(y, y * y, axis=axis), axis=axis + 1, x=y * y)
        case("trapezoid", [y], np.trapezoid(y, y * y, axis=axis), axis=axis + 1, x=y * y)
    case("gradient", [y[0, 0, :2], np.array([1.0, 4.0])], np.gradient(y[0, 0, :2], [1.0, 4.0]))
    case("gradient", [y[0, 0, :3], np.array([4.0, 2.0, 1.0])], np.gradient(y[0, 0, :3], [4.0, 2.0, 1.0], edge_order=2), edge_order=2)
    case("trapezoid", [y[0, 0, :1]], np.trapezoid(y[0, 0, :1], [3.0]), x=np.array([3.0]))


def distances():
    x = normal(3, 4, 5)
    x[0, 1, :2] = 0
    for p in [0, -1, -2, 3, 2.5, 0.5, -inf]:
        case("norm", [np.where(x == 0, 1.0, x)[0, 0]], np.linalg.norm(np.where(x == 0, 1.0, x)[0, 0], p), ord=p)
        case("norm", [x, 2], np.linalg.norm(x, p, axis=1), ord=p)
        case("norm", [x], np.linalg.norm(x, p, axis=2, keepdims=True), axis=-1, ord=p, keepdims=True)
    case("norm", [x[0]], np.linalg.norm(x[0], "nuc"), ord="nuc")
    case("norm", [x, [1, 3]], np.linalg.norm(x, "nuc", axis=(0, 2)), ord="nuc")
    case("norm", [x, [3, 1]], np.linalg.norm(x, "nuc", axis=(2, 0), keepdims=True), ord="nuc", keepdims=True)
    case("norm", [x, [1, 3]], np.linalg.norm(x, "fro", axis=(0, 2)), ord="fro")
    for p in [1, 2, -1, -2, inf, -inf]:
        case("matrix_norm", [x, p], np.linalg.norm(x, p, axis=(1, 2)))
    case("matrix_norm", [x], np.linalg.norm(x, "nuc", axis=(1, 2)), nuclear=True)
    a, b = whole(-2, 3, 4, 5).astype(float), whole(-2, 3, 3, 5).astype(float)
    a[0], b[1] = [1, 0, 2, 0, -1], [0, 0, 0, 1, 1]
    a[:, 4] += 0.5
    of = scipy.spatial.distance.cdist
    for metric in ["euclidean", "cityblock", "sqeuclidean", "cosine", "correlation", "chebyshev", "hamming", "canberra",
                   "braycurtis", "minkowski"]:
        case("cdist", [a, b], of(a, b, metric), metric=metric)
    case("cdist", [(a > 0) * 1.0, (b > 0) * 1.0], of(a > 0, b > 0, "jaccard"), metric="jaccard")
    case("cdist", [a, b], of(a, b, "minkowski", p=3), metric="minkowski", p=3)
    for p in [1, 2, 3, 1.5, inf]:
        case("cdist", [a, b], of(a, b, "minkowski", p=p) if p != inf else of(a, b, "chebyshev"), p=p)
    case("cdist", [a, b], of(a, b, "hamming") * 5, p=0)
    batches, others = normal(2, 1, 4, 5), normal(3, 2, 5)
    for p, metric in [(2, "euclidean"), (1, "cityblock")]:
        all_of = np.array([[of(batches[i, 0], others[k], metric) for k in range(3)] for i in range(2)])
        case("cdist", [batches, others], all_of, p=p)
    all_of = np.array([[of(batches[i, 0], others[k], "cosine") for k in range(3)] for i in range(2)])
    case("cdist", [batches, others], all_of, metric="cosine")


def distinct():
    holes = whole(0, 2, 12, 3).astype(float)
    holes[[2, 5, 7], [0, 1, 2]] = nan
    holes[9] = holes[5]
    signs = np.array([[0.0, 1.0], [-0.0, 1.0], [-inf, 2.0], [0.0, -inf], [-inf, 2.0]])
    samples = [whole(-1, 2, 40, 3), whole(0, 2, 30, 5) > 0, whole(0, 2, 3, 4, 2), whole(0, 2, 17, 1), whole(0, 3, 20),
               np.array([nan, 1.0, nan]), np.zeros((3, 0)), np.zeros((0, 3)), np.zeros((2, 3, 0)), signs, holes,
               whole(-2, 2, 9, 2, 1, 2) * 2**62]
    for x in samples:
        for axis in range(x.ndim):
            values, inverse, counts = np.unique(x, axis=axis, return_inverse=True, return_counts=True)
            case("unique", [x], (values, inverse + 1, counts), axis=axis + 1)
    values, inverse, counts = np.unique(samples[0], axis=-1, return_inverse=True, return_counts=True)
    case("unique", [samples[0]], (values, inverse + 1, counts), axis=-1)


def joining():
    m, v, w = normal(2, 3), normal(4), whole(-9, 9, 4)
    for x in [np.array(2.5), v, m, normal(2, 2, 3)]:
        for name in ["atleast_1d", "atleast_2d", "atleast_3d"]:
            case(name, [x], getattr(np, name)(x))
    case("atleast_2d", [np.array(2.5), v], tuple(np.atleast_2d(np.array(2.5), v)))
    a, b = normal(4, 2), normal(3, 2, 2)
    case("column_stack", [[v, a, v]], np.column_stack([v, a, v]))
    case("dstack", [[v, v]], np.dstack([v, v]))
    case("dstack", [[m, m]], np.dstack([m, m]))
    case("dstack", [[b, b]], np.dstack([b, b]))
    c = normal(3, 1)
    case("broadcast_arrays", [v, c, np.array(1.5)], tuple(np.ascontiguousarray(x) for x in np.broadcast_arrays(v, c, np.array(1.5))))
    case("broadcast_arrays", [np.zeros((0, 1)), v], tuple(np.broadcast_arrays(np.zeros((0, 1)), v)))
    for lists in [(v, w.astype(float)), (v[:2], v[:3], v[1:3]), (v, v[:0])]:
        case("cartesian_prod", list(lists), np.array(list(itertools.product(*lists))).reshape(-1, len(lists)))
    for n, r in [(4, 1), (4, 2), (5, 3), (4, 4), (3, 4), (6, 5)]:
        x = normal(n)
        for repeats, f in [(False, itertools.combinations), (True, itertools.combinations_with_replacement)]:
            case("combinations", [x, r], np.array(list(f(x, r))).reshape(-1, r), with_replacement=repeats)
    for p in [v, np.cumsum(normal(3, 8), 1), np.array([0.0, np.pi, 2 * np.pi, 0, -np.pi, -5]), np.array([nan, 1, 9])]:
        for axis in range(p.ndim):
            case("unwrap", [p, axis + 1], np.unwrap(p, axis=axis))
    p = np.cumsum(normal(9))
    case("unwrap", [p], np.unwrap(p, discont=5), discont=5)
    case("unwrap", [p], np.unwrap(p, period=3.5), period=3.5)
    for period in [4, 7]:
        q = whole(-20, 20, 12)
        case("unwrap", [q], np.unwrap(q, period=period), period=period)
    holes = normal(3, 4)
    holes[1, 2] = holes[0, 0] = nan
    for name in ["nancumsum", "nancumprod"]:
        case(name, [holes], getattr(np, name)(holes))
        case(name, [holes, 2], getattr(np, name)(holes, axis=1))
    case("ptp", [m], np.ptp(m))
    case("ptp", [m, 2], np.ptp(m, axis=1, keepdims=True), keepdims=True)
    case("ptp", [w], np.ptp(w))
    x, y = np.array([1, nan, -inf, nan, 2]), np.array([nan, 2, 3, nan, 1.5])
    for name in ["fmax", "fmin"]:
        case(name, [x, y], getattr(np, name)(x, y))
        case(name, [w, v], getattr(np, name)(w, v))
    case("exp2", [np.array([0, 1, 3, -4, 10.5, -inf, inf, nan])], np.exp2(np.array([0, 1, 3, -4, 10.5, -inf, inf, nan])))
    d, e = normal(3, 4), normal(2, 3, 4)
    case("vecdot", [d, e], np.vecdot(d, e))
    case("vecdot", [e, d, 2], np.vecdot(e, d[None], axis=1))
    case("vecdot", [v, w], np.vecdot(v, w))
    case("pdist", [d], scipy.spatial.distance.pdist(d))
    case("pdist", [d], scipy.spatial.distance.pdist(d, "cityblock"), metric="cityblock")
    case("pdist", [d], scipy.spatial.distance.pdist(d, "minkowski", p=3), p=3)
    case("pairwise_distance", [d, e], np.linalg.norm(d - e + 1e-6, axis=-1))
    case("pairwise_distance", [d, e], np.linalg.norm(d - e + 0.5, 1, axis=-1, keepdims=True), p=1, eps=0.5, keepdims=True)


def main():
    print("-- Generated by tests/support/generate/make_numpy_functions.py with NumPy %s and SciPy %s; not to be edited."
          % (np.__version__, scipy.__version__))
    print("local nan, inf = 0 / 0, math.huge\nreturn {")
    for write in [products, numbers, running, reductions, matrices, arranging, orders, polynomials, windows, histograms,
                  samples, distances, distinct, joining]:
        write()
    print("}")


if __name__ == "__main__":
    main()
