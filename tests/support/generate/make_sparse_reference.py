"""Writes tests/support/golden/sparse_reference.lua: results of SciPy's sparse matrices in float64, for inputs that
tests/lua/sparse.lua computes alike.

    python3 tests/support/generate/make_sparse_reference.py > tests/support/golden/sparse_reference.lua
"""
import numpy as np
import scipy.sparse as sp


def noise(seed, size):
    i = np.arange(size, dtype=np.int64)
    return (((i + 17) * (i + 31 * seed + 7) * 7919) % 65521) / 32760.5 - 1


def numbers(x):
    return "{ " + ", ".join(f"{v:.15g}" for v in np.asarray(x).reshape(-1)) + " }"


print("-- Written by tests/support/generate/make_sparse_reference.py (SciPy " + __import__("scipy").__version__ + "). Do not edit.")
print("return {")
for rows, columns, count, width in [(5, 7, 12, 3), (1, 9, 4, 1), (9, 1, 6, 2), (40, 30, 400, 9), (6, 6, 0, 2), (3, 60, 300, 4)]:
    i = np.arange(count, dtype=np.int64)
    row, column = (i * 7919 + 3) % 104729 % rows, (i * 104729 + 11) % 7919 % columns
    a = sp.coo_array((noise(1, count), (row, column)), shape=(rows, columns))
    csr = a.tocsr()  # adds up elements of one place
    csr.sum_duplicates()
    dense, left = noise(2, columns * width).reshape(columns, width), noise(3, width * rows).reshape(width, rows)
    print(f"  {{ rows = {rows}, columns = {columns}, count = {count}, width = {width},")
    print(f"    matmul = {numbers(a @ dense)},")
    print(f"    vector = {numbers(a @ noise(4, columns))},")
    print(f"    left = {numbers(left @ a)},")
    print(f"    pointers = {numbers(csr.indptr + 1)}, places = {numbers(csr.indices + 1)}, sums = {numbers(csr.data)},")
    print(f"    sum = {numbers((a + 0.5 * csr).toarray().sum(axis=1))} }},")
print("}")
