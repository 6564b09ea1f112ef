#!/usr/bin/env python3
"""Writes tests/support/golden/incomplete_gamma_golden.lua: the incomplete gamma functions by their power series in
mpmath, with 330 digits.

    python3 tests/support/generate/make_incomplete_gamma_golden.py > tests/support/golden/incomplete_gamma_golden.lua

The form is that of make_statistics_golden.py."""
import mpmath
import numpy as np

mpmath.mp.dps = 330
RATIOS = [1e-3, 0.29, 0.32, 0.69, 0.9, 1.0, 1.01, 1.31, 2.29, 2.31, 5.0]


def both(a, x):
    a, x = mpmath.mpf(a), mpmath.mpf(x)
    term = total = mpmath.mpf(1)
    n = a + 1
    while term > total * mpmath.mpf(10) ** -325:
        term *= x / n
        total += term
        n += 1
    lower = total * mpmath.exp(a * mpmath.log(x) - x - mpmath.loggamma(a + 1))
    return float(lower), float(1 - lower)


def numbers(values):
    return "{ shape = { %d }, %s }" % (len(values), ", ".join(repr(float(v)) for v in values))


def main():
    points = []
    for a in [1e-12, 1e-5, 0.1, 0.5, 1.0, 1.5, 5.0, 19.9, 20.0, 25.0, 100.0, 1000.0]:
        xs = [a * ratio for ratio in RATIOS] + [1e-10, 0.5, 1.05, 1.2, 5.0, 60.0]
        points += [(a, x) for x in xs if x < a + 300 + 20 * a**0.5]
    a, x = zip(*points)
    values = [both(*point) for point in points]
    kept = [all(v > 1e-300 for v in pair) for pair in values]
    a, x = np.array(a)[kept], np.array(x)[kept]
    values = np.array(values)[kept]
    print("-- Written by tests/support/generate/make_incomplete_gamma_golden.py.\nreturn {")
    for column, op in enumerate(["gammainc", "gammaincc"]):
        print('  { op = "%s", args = { %s, %s }, options = {  },\n    gives = { %s } },' % (
            op, numbers(a), numbers(x), numbers(values[:, column])))
    print("}")


main()
