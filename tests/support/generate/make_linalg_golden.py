#!/usr/bin/env python3
"""Writes tests/support/golden/linalg_golden.lua: what NumPy gives for einsum, solve, inv, cholesky, qr and svd.

    python3 tests/support/generate/make_linalg_golden.py > tests/support/golden/linalg_golden.lua
"""
import numpy as np

rng = np.random.default_rng(7)

# Specs with the operands' shapes. Operands hold 0 to 2, so that results are exact in every dtype.
EINSUM = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 2)), ("ji,jk->ik", (3, 2), (3, 4)), ("ij,kj->ik", (2, 3), (4, 3)),
    ("ji,kj->ik", (3, 2), (4, 3)), ("ij,jk->ki", (2, 3), (3, 4)), ("ij,ki->jk", (2, 3), (4, 2)), ("ba,cb", (2, 3), (2, 2)),
    ("Zb,bA", (2, 3), (3, 2)), ("ij->ji", (2, 3)), ("ji", (2, 3)), ("ijkl->lkji", (2, 1, 3, 2)), ("ii->i", (3, 3)),
    ("ii", (3, 3)), ("ij->", (2, 3)), ("ij->i", (2, 3)), ("ij->j", (2, 3)), ("ijk->j", (2, 3, 2)), ("ijk->ik", (2, 3, 2)),
    ("ijk->ki", (2, 3, 2)), ("iij->j", (2, 2, 3)), ("iij->ij", (2, 2, 3)), ("iji->j", (2, 3, 2)), ("iji->ij", (2, 3, 2)),
    ("iii->i", (2, 2, 2)), ("i,j->ij", (2,), (3,)), ("i,j->ji", (2,), (3,)), ("i,i", (3,), (3,)), ("i,i->i", (3,), (3,)),
    ("ij,ij->ij", (2, 3), (2, 3)), ("ij,ji->ij", (2, 3), (3, 2)), ("ij,ij->i", (2, 3), (2, 3)),
    ("ij,ij->j", (2, 3), (2, 3)), ("ij,ij", (2, 3), (2, 3)), ("ij,j->i", (2, 3), (3,)), ("i,ij->ij", (2,), (2, 3)),
    ("i,ij->j", (2,), (2, 3)), ("ij,k->j", (2, 3), (2,)), ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
    ("bij,bkj->bki", (2, 2, 3), (2, 2, 3)), ("bqhd,bkhd->bhqk", (2, 2, 2, 2), (2, 3, 2, 2)),
    ("bhqk,bkhd->bqhd", (2, 2, 2, 3), (2, 3, 2, 2)), ("ijk,jil->kl", (2, 3, 2), (3, 2, 2)),
    ("abcd,cd->ab", (2, 2, 2, 3), (2, 3)), ("abcd,dcef->bfae", (2, 1, 2, 2), (2, 2, 2, 1)), ("iij,jk->ik", (2, 2, 3), (3, 2)),
    ("iij,iik->jk", (2, 2, 3), (2, 2, 2)), ("...ij,...jk->...ik", (2, 2, 3), (3, 2)),
    ("...ij,...jk->...ik", (2, 1, 2, 2), (3, 2, 2)), ("...ij,...jk", (2, 2, 2), (2, 2, 1)), ("...i->...", (2, 2, 3)),
    ("i...->...i", (2, 3, 2)), ("...,...", (2, 1), (3,)), ("a...,...b->ab...", (2, 3), (3, 2)), ("i...i->...", (2, 3, 2)),
    ("i...->i...", (3,)), ("...->...", (2, 2)), ("ij...,jk...->ik...", (2, 2, 2), (2, 2, 1)), (",", (), ()), ("i,->i", (2,), ()),
    ("->", ()), ("kij,ik->kj", (2, 3, 2), (3, 2)), ("ik,kj->kij", (2, 3), (3, 2)), ("kij,kj->ik", (2, 2, 3), (2, 3)),
    ("iij,jki->k", (2, 2, 3), (3, 2, 2)), ("bij,jb->ib", (2, 2, 3), (3, 2)), ("jbi,bj->bi", (3, 2, 2), (2, 3)), (" i j , j k -> i k ", (2, 2), (2, 2)), ("ij,jk,kl->il", (2, 2), (2, 2), (2, 2)), ("i,ij,j->", (2,), (2, 3), (3,)),
    ("a,b,c->cba", (2,), (3,), (2,)), ("ab,ab,ab->b", (2, 2), (2, 2), (2, 2)), ("ab,bc,ca->", (2, 2), (2, 2), (2, 2)),
    ("ab,cd,ef->eca", (2, 1), (2, 2), (1, 2)), ("a,a,b,b->ab", (2,), (2,), (2,), (2,)),
    ("ab,bc,cd,de,ef,fg,gh,hi->ai", *[(1, 1)] * 2, (1, 2), (2, 2), (2, 1), (1, 1), (1, 2), (2, 2)),
]


def text(value):
    if isinstance(value, np.ndarray):
        return text(value.tolist())
    if isinstance(value, list):
        return "{" + ",".join(text(item) for item in value) + "}"
    return str(value) if isinstance(value, int) else format(value, ".17g")


def matrix(*shape):
    return np.round(rng.uniform(-2, 2, shape), 3)


def line(**fields):
    print("    { " + ", ".join(f"{key} = {value}" for key, value in fields.items()) + " },")


print("-- Written by tests/support/generate/make_linalg_golden.py; do not edit.")
print("return {")
print("  einsum = {")
for spec, *shapes in EINSUM:
    operands = [rng.integers(0, 3, shape) for shape in shapes]
    found = np.asarray(np.einsum(spec, *operands))
    assert found.max() < 128
    args = ", ".join(text(operand) for operand in operands)
    shape = text(list(found.shape))
    line(spec=f'"{spec}"', args="{ " + args + " }", gives=text(found), shape=shape)
print("  },\n  solve = {")
for a, b in [((1, 1), (1,)), ((3, 3), (3,)), ((3, 3), (3, 2)), ((2, 3, 3), (2, 3, 1)), ((2, 1, 2, 2), (3, 2, 1)), ((2, 2), (2, 2, 1)),
             ((6, 6), (6,))]:
    x, y = matrix(*a), matrix(*b)
    line(a=text(x), b=text(y), gives=text(np.linalg.solve(x, y)))
x, y = matrix(2, 3, 3), matrix(3)
line(a=text(x), b=text(y), gives=text(np.linalg.solve(x, y[:, None])[..., 0]))
print("  },\n  inv = {")
for shape in [(1, 1), (2, 2), (5, 5), (2, 3, 3)]:
    x = matrix(*shape)
    line(x=text(x), gives=text(np.linalg.inv(x)))
print("  },\n  cholesky = {")
for shape in [(1, 1), (4, 4), (2, 3, 3)]:
    x = matrix(*shape)
    x = np.round(x @ np.swapaxes(x, -1, -2) + np.eye(shape[-1]), 3)
    line(x=text(x), gives=text(np.linalg.cholesky(x)))
print("  },\n  qr = {")
for shape in [(1, 1), (3, 3), (4, 2), (2, 4), (2, 3, 2)]:
    x = matrix(*shape)
    q, r = np.linalg.qr(x)
    line(x=text(x), q=text(q), r=text(r))
print("  },\n  svd = {")
for shape in [(1, 1), (3, 3), (4, 2), (2, 4), (2, 3, 2), (17, 4)]:
    x = matrix(*shape)
    line(x=text(x), s=text(np.linalg.svd(x, compute_uv=False)))
print("  },\n}")
