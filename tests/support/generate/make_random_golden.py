#!/usr/bin/env python3
"""Writes tests/support/golden/random_golden.lua: what random ops give for a seed, computed here apart from Lutra's kernels, in
exact integers where they are integers and in Python's doubles where they are not.

    python3 tests/support/generate/make_random_golden.py > tests/support/golden/random_golden.lua
"""
import bisect
import math

MASK = 0xFFFFFFFF


def philox(key, number, plane=0):
    """Philox4x32-10 (Salmon et al., SC'11): the four words of a block."""
    c = [number & MASK, number >> 32, plane, 0]
    k = [key & MASK, key >> 32]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def bits64(key, i, plane=0):
    block = philox(key, i // 2, plane)
    return block[i % 2 * 2] << 32 | block[i % 2 * 2 + 1]


def below(key, i, span):
    """Lemire's method, 2019."""
    product = bits64(key, i) * span
    plane = 0
    while product % 2**64 < 2**64 % span:
        plane += 1
        product = bits64(key, i, plane) * span
    return product >> 64


def unit53(bits):
    return ((bits >> 32 >> 5) * 2**26 + ((bits & MASK) >> 6)) / 2**53


def normals(key, i, plane=0):
    """Box and Muller: float32's element i."""
    block = philox(key, i // 4, plane)
    pair = block[i % 4 // 2 * 2:][:2]
    radius = math.sqrt(-2 * math.log(((pair[0] >> 8) + 1) / 2**24))
    angle = 2 * math.pi * (pair[1] >> 8) / 2**24
    return radius * (math.sin(angle) if i % 2 else math.cos(angle))


def truncated(key, i):
    plane = 0
    while abs(z := normals(key, i, plane)) > 2:
        plane += 1
    return z


def categorical(key, logits, n):
    rows = []
    for r, row in enumerate(logits):
        most = max(row)
        sums = []
        for logit in row:
            sums.append((sums[-1] if sums else 0.0) + math.exp(logit - most))
        rows.append([bisect.bisect_right(sums, unit53(bits64(key, r * n + j)) * sums[-1]) + 1 for j in range(n)])
    return rows


def lua(value):
    if isinstance(value, (list, tuple)):
        return "{ " + ", ".join(lua(v) for v in value) + " }" if value else "{}"
    return repr(value) if not isinstance(value, float) or math.isfinite(value) else "-1 / 0"


LOGITS = [[0.0, 1.0, 2.0, -1.0], [3.0, float("-inf"), 3.0, 0.0], [-500.0, -501.0, -500.5, -499.0]]

print("-- Written by tests/support/generate/make_random_golden.py.")
print("return {")
print("  bernoulli =", lua([float(philox(11, i // 4)[i % 4] < 0.3 * 2**32) for i in range(40)]) + ",")
print("  dice =", lua([1 + below(3, i, 6) for i in range(40)]) + ",")
# A range of which a quarter of the bits would be unfair: some are drawn again.
print("  wide =", lua([-2**62 + below(5, i, 3 * 2**62) for i in range(40)]) + ",")
print("  permutation =", lua([i + 1 for i in sorted(range(23), key=lambda i: bits64(9, i))]) + ",")
print("  truncated =", lua([float("%.9g" % truncated(2, i)) for i in range(60)]) + ",")
print("  logits =", lua(LOGITS) + ",")
print("  categorical =", lua(categorical(4, LOGITS, 12)) + ",")
print("}")
