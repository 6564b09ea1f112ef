#!/usr/bin/env python3
"""Writes tests/support/golden/numerics_golden.lua: what NumPy, SciPy and mpmath give for special functions, convolutions,
polynomials, orders and norms of matrices, in float64.

    python3 tests/support/generate/make_numerics_golden.py > tests/support/golden/numerics_golden.lua

The form is that of make_statistics_golden.py."""
import warnings

import mpmath
import numpy as np
import scipy
import scipy.fft
import scipy.integrate
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

from make_statistics_golden import GENERATOR, case, inf, nan, normal

warnings.simplefilter("ignore")
mpmath.mp.dps = 40


def each(f, x):
    return np.array([float(f(mpmath.mpf(float(v)))) for v in x.reshape(-1)]).reshape(x.shape)


def special():
    near = np.concatenate([GENERATOR.uniform(-6, 10, 40), [0.0, 1e-300, 1e-9, 0.5, 1.0, 26.0, 27.2, -5.0]])
    case("erfc", [near], each(mpmath.erfc, near))
    case("erfc", [np.array([inf, -inf, nan, 40.0])], np.array([0.0, 2.0, nan, 0.0]))
    share = np.concatenate([GENERATOR.uniform(-1, 1, 40), [0.0, 1e-300, -1e-9, 0.5, -0.5, 1 - 2.0**-53, 2.0**-50 - 1, 0.999]])
    case("erfinv", [share], each(mpmath.erfinv, share))
    case("erfinv", [np.array([1.0, -1.0, 1.5, nan])], np.array([inf, -inf, nan, nan]))
    sizes = np.concatenate([GENERATOR.uniform(0, 12, 40), 10 ** GENERATOR.uniform(-10, 12, 20), [1e-300, 0.5, 1.0, 1.5, 2.0,
                            2.5, 8.0, 10.0, 1e300]])
    case("lgamma", [sizes], each(mpmath.loggamma, sizes))
    below = GENERATOR.uniform(-9, 0, 30)
    case("lgamma", [below], each(lambda v: mpmath.re(mpmath.loggamma(v)), below))
    case("lgamma", [np.array([0.0, -3.0, inf, -inf, nan])], np.array([inf, inf, inf, inf, nan]))
    case("digamma", [sizes[:-9]], each(mpmath.digamma, sizes[:-9]))
    case("digamma", [below], each(mpmath.digamma, below))
    case("digamma", [np.array([0.0, -3.0, inf, nan])], np.array([-inf, nan, inf, nan]))
    for n in [1, 2, 3, 10]:
        points = np.concatenate([GENERATOR.uniform(0.05, 20, 12), [1e-3, 100.0, 1e6]])
        case("polygamma", [n, points], each(lambda v: mpmath.polygamma(n, v), points))
    case("polygamma", [1, np.array([-0.5, -2.25, 0.0, -1.0, inf])], np.concatenate([each(
        lambda v: mpmath.polygamma(1, v), np.array([-0.5, -2.25])), [inf, inf, 0.0]]))


def sequences():
    for n, m in [(7, 3), (3, 7), (5, 5), (1, 4), (6, 1), (40, 17), (4, 2), (90, 70), (70, 90)]:
        a, v = normal(n), normal(m)
        for mode in ["full", "same", "valid"]:
            case("convolve", [a, v], np.convolve(a, v, mode), mode=mode)
            case("correlate", [a, v], np.correlate(a, v, mode), mode=mode)
    x = normal(4, 5, 3)
    for axis in range(3):
        for edge in [1, 2]:
            case("gradient", [x], np.gradient(x, 0.25, axis=axis, edge_order=edge), axis=axis + 1, dx=0.25, edge_order=edge)
    case("gradient", [x[:, :2]], np.gradient(x[:, :2], axis=1), axis=2)
    for degree in [0, 1, 3, 6]:
        at = np.linspace(-2, 3, 12)
        y = normal(12)
        case("polyfit", [at, y, degree], np.polyfit(at, y, degree))
        y = normal(12, 2)
        case("polyfit", [at, y, degree], np.polyfit(at, y, degree))


def orders():
    x = np.round(GENERATOR.uniform(-2, 2, (4, 9, 3)))
    for axis in range(3):
        found = scipy.stats.mode(x, axis=axis, keepdims=False).mode
        places = np.argmax(x == np.expand_dims(found, axis), axis=axis) + 1
        case("mode", [x], (found, places), axis=axis + 1)
        for k in [1, 2, x.shape[axis]]:
            order = np.argsort(x, axis=axis, kind="stable")
            at = np.take(order, [k - 1], axis=axis)
            values = np.take_along_axis(x, at, axis)
            case("kthvalue", [x, k], (values, at + 1), axis=axis + 1, keepdims=True)
        for name, f in [("cummax", np.maximum), ("cummin", np.minimum)]:
            values = f.accumulate(x, axis=axis)
            index = np.arange(x.shape[axis]).reshape([-1 if i == axis else 1 for i in range(3)])
            places = np.maximum.accumulate(np.where(x == values, index, 0), axis=axis)
            case(name, [x], (values, places + 1), axis=axis + 1)
    holes = np.where(GENERATOR.uniform(size=x.shape) < 0.3, nan, normal(*x.shape))
    holes[1, 2] = nan
    for name, f in [("nanmedian", np.nanmedian), ("nanprod", np.nanprod)]:
        case(name, [holes], f(holes))
        case(name, [holes], f(holes, axis=2), axis=3)
        case(name, [holes], f(holes, axis=(0, 1), keepdims=True), axis=[1, 2], keepdims=True)
    flat = np.round(normal(30))
    places = np.maximum.accumulate(np.where(flat == np.maximum.accumulate(flat), np.arange(30), 0))
    case("cummax", [flat.reshape(5, 6)], (np.maximum.accumulate(flat), places + 1))


def matrices():
    for shape in [(1, 1), (2, 2), (5, 5), (3, 4, 4)]:
        x = normal(*shape)
        case("det", [x], np.linalg.det(x))
        case("slogdet", [x], tuple(np.linalg.slogdet(x)))
        case("expm", [x], scipy.linalg.expm(x))
        case("expm", [x / 1000], scipy.linalg.expm(x / 1000))
        case("expm", [x / 40], scipy.linalg.expm(x / 40))
        symmetric = x + np.swapaxes(x, -1, -2)
        case("eigvalsh", [symmetric], np.linalg.eigvalsh(symmetric))
        for n in [0, 1, 2, 7]:
            case("matrix_power", [x, n], np.linalg.matrix_power(x, n))
        case("matrix_power", [x, -2], np.linalg.matrix_power(x, -2))
    case("det", [np.array([[1.0, 2.0], [2.0, 4.0]])], np.array(0.0))
    case("slogdet", [np.zeros((2, 3, 3))], (np.zeros(2), np.full(2, -inf)))
    for shape in [(4, 4), (6, 3), (3, 6), (2, 3, 2)]:
        x = normal(*shape)
        case("pinv", [x], np.linalg.pinv(x))
        case("matrix_rank", [x], np.asarray(np.linalg.matrix_rank(x)))
        for ord in [1, -1, 2, -2, inf, -inf]:
            case("matrix_norm", [x, ord], np.linalg.norm(x, ord, axis=(-2, -1)))
        case("matrix_norm", [x], np.linalg.norm(x, axis=(-2, -1)))
        case("matrix_norm", [x], np.linalg.norm(x, "nuc", axis=(-2, -1), keepdims=True), nuclear=True, keepdims=True)
    low = normal(6, 2) @ normal(2, 4)
    case("pinv", [low], np.linalg.pinv(low))
    case("pinv", [normal(3, 3)], np.zeros((3, 3)), rcond=1)
    case("matrix_rank", [low], np.asarray(np.linalg.matrix_rank(low)))
    case("matrix_rank", [np.diag([3.0, 1.0, 0.5])], np.asarray(2), tol=0.75)
    for m, n in [(5, 3), (3, 5), (4, 4)]:
        a, b, c = normal(m, n), normal(m), normal(m, 2)
        case("lstsq", [a, b], np.linalg.lstsq(a, b, rcond=None)[0])
        case("lstsq", [a, c], np.linalg.lstsq(a, c, rcond=None)[0])
    case("lstsq", [low, normal(6) * 0 + 1], np.linalg.lstsq(low, np.ones(6), rcond=None)[0])
    a = normal(4, 4)
    a = a @ a.T + 4 * np.eye(4)
    factor, b, c = np.linalg.cholesky(a), normal(4), normal(4, 3)
    case("cholesky_solve", [factor, b], np.linalg.solve(a, b))
    case("cholesky_solve", [factor, c], np.linalg.solve(a, c))
    t = normal(4, 4) + 5 * np.eye(4)
    for lower in [True, False]:
        for trans in [False, True]:
            case("triangular_solve", [t, b], scipy.linalg.solve_triangular(t, b, lower=lower, trans=int(trans)), lower=lower, adjoint=trans)
            case("triangular_solve", [t, c], scipy.linalg.solve_triangular(t, c, lower=lower, trans=int(trans)), lower=lower, adjoint=trans)


def signals():
    for n in [1, 2, 5, 8, 16]:
        for name in ["hann", "hamming", "blackman"]:
            for periodic in [True, False]:
                case(name + "_window", [n], scipy.signal.get_window(name, n, periodic), periodic=periodic)
    x = normal(3, 12)
    for n in [1, 2, 7, 12]:
        for kind in [1, 2, 3, 4] if n > 1 else [2, 3, 4]:
            case("dct", [x[:, :n]], scipy.fft.dct(x[:, :n], kind), type=kind)
            case("dct", [x[:, :n]], scipy.fft.dct(x[:, :n], kind, norm="ortho"), type=kind, norm="ortho")
            case("idct", [x[:, :n]], scipy.fft.idct(x[:, :n], kind), type=kind)
            case("idct", [x[:, :n]], scipy.fft.idct(x[:, :n], kind, norm="ortho"), type=kind, norm="ortho")
    wave = normal(2, 50)
    for length, step, size in [(8, 3, 8), (8, 8, 16), (9, 4, 11), (60, 1, 60)]:
        count = max(0, (50 - length) // step + 1)
        frames = np.zeros((2, count, length))
        for i in range(count):
            frames[:, i] = wave[:, i * step:i * step + length]
        for name in ["hann", "blackman"]:
            spectrum = np.abs(np.fft.rfft(frames * scipy.signal.get_window(name, length), size))
            case("spectrogram", [wave, length, step], spectrum**2, fft_length=size, window=name)
            case("spectrogram", [wave, length, step], spectrum, fft_length=size, window=name, power=1)


def distributions():
    st = scipy.stats
    loc, scale = normal(3), np.abs(normal(3)) + 0.5
    other, wider = normal(3), np.abs(normal(3)) + 0.5
    x = normal(4, 3)
    case("Normal.log_prob", [loc, scale, x], st.norm.logpdf(x, loc, scale))
    case("Normal.cdf", [loc, scale, x], st.norm.cdf(x, loc, scale))
    case("Normal.entropy", [loc, scale], st.norm.entropy(loc, scale))
    a, b, c, d = (np.round(np.abs(normal(3)) + 0.3, 3) for _ in range(4))
    share, size = GENERATOR.uniform(0.01, 0.99, (4, 3)), np.abs(x) + 0.1
    case("Beta.log_prob", [a, b, share], st.beta.logpdf(share, a, b))
    case("Beta.entropy", [a, b], st.beta.entropy(a, b))
    case("Beta.mean", [a, b], st.beta.mean(a, b))
    case("Beta.variance", [a, b], st.beta.var(a, b))
    case("Gamma.log_prob", [a, b, size], st.gamma.logpdf(size, a, scale=1 / b))
    case("Gamma.entropy", [a, b], st.gamma.entropy(a, scale=1 / b))
    case("Gamma.mean", [a, b], st.gamma.mean(a, scale=1 / b))
    case("Gamma.variance", [a, b], st.gamma.var(a, scale=1 / b))
    p = np.array([0.0, 0.3, 1.0])
    q = np.array([0.2, 0.6, 0.9])
    coins = np.array([[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]])
    case("Bernoulli.log_prob", [p, coins], st.bernoulli.logpmf(coins, p))
    case("Bernoulli.entropy", [p], st.bernoulli.entropy(p))
    mean = normal(3)
    root = normal(3, 3)
    covariance = root @ root.T + np.eye(3)
    case("MultivariateNormal.log_prob", [mean, covariance, x], st.multivariate_normal.logpdf(x, mean, covariance))
    case("MultivariateNormal.entropy", [mean, covariance], np.asarray(st.multivariate_normal.entropy(mean, covariance)))
    # Divergences as integrals, by quadrature of the densities.
    def divergence(f, g, points):
        value, _ = scipy.integrate.quad(lambda v: np.exp(f(v)) * (f(v) - g(v)), *points, limit=400, epsabs=1e-12, epsrel=1e-12)
        return value
    def each_pair(f, points):
        return np.array([divergence(lambda v: f(v, i, 0), lambda v: f(v, i, 1), points) for i in range(3)])
    case("Normal.kl", [loc, scale, other, wider], each_pair(
        lambda v, i, k: st.norm.logpdf(v, (loc, other)[k][i], (scale, wider)[k][i]), (-80, 80)))
    case("Gamma.kl", [a + 1, b, c, d], each_pair(
        lambda v, i, k: st.gamma.logpdf(v, (a + 1, c)[k][i], scale=1 / (b, d)[k][i]), (0, 200)))
    case("Beta.kl", [a + 1, b + 1, c, d], each_pair(
        lambda v, i, k: st.beta.logpdf(v, (a + 1, c)[k][i], (b + 1, d)[k][i]), (0, 1)))
    case("Bernoulli.kl", [p, q], np.array([sum(s * np.log(s / t) for s, t in [(u, v), (1 - u, 1 - v)] if s > 0)
                                           for u, v in zip(p, q)]))
    wide = covariance + np.diag([1.0, 2.0, 3.0])
    inverse = np.linalg.inv(wide)
    step = np.zeros(3) - mean
    case("MultivariateNormal.kl", [mean, covariance, np.zeros(3), wide], np.asarray(
        0.5 * (np.trace(inverse @ covariance) + step @ inverse @ step - 3 + np.linalg.slogdet(wide)[1] - np.linalg.slogdet(covariance)[1])))


def main():
    print("-- Generated by tests/support/generate/make_numerics_golden.py with NumPy %s, SciPy %s and mpmath %s; not to be edited."
          % (np.__version__, scipy.__version__, mpmath.__version__))
    print("local nan, inf = 0 / 0, math.huge\nreturn {")
    special()
    sequences()
    orders()
    matrices()
    signals()
    distributions()
    print("}")


if __name__ == "__main__":
    main()
