"""Writes tests/support/golden/unary_golden.lua: what NumPy, PyTorch and mpmath give, in float64, for functions of one element.

    python3 tests/support/generate/make_unary_golden.py > tests/support/golden/unary_golden.lua

Every argument is a float32, so that one list of results serves both types; those of `halves` are float16 and bfloat16
as well. Where a formula gives nan at an infinity that has a limit, the file has the limit.
"""
import math

import mpmath
import numpy as np
import torch
import torch.nn.functional as F

mpmath.mp.dps = 50
HALVES = np.arange(-20, 21) / 4.0
ENDS = [1e-45, 1e-40, 1e-20, 1e-4, 0.3465, 0.5001, 0.84, 0.999, 1.0001, 2.4375, 7.9, 13.5, 15, 30, 60, 88.5, 89.2, 100,
        103.5, 709, 750, 1e4, 799999, 1e6, 1e30, 3e38, np.inf]
WIDE = np.float64(np.float32([0, np.nan] + ENDS + [-x for x in ENDS]))


def with_limit(f, limits):
    """f, but for the arguments that `limits` names."""
    def limited(x):
        y = f(x)
        for at, value in limits.items():
            y = np.where(x == at, value, y)
        return y
    return limited


def of_torch(f):
    return lambda x: f(torch.from_numpy(x)).numpy()


def gelu(x):
    """With mpmath's erfc: PyTorch's own form has no digits left far below 0."""
    def exact(v):
        return float(mpmath.mpf(v) / 2 * mpmath.erfc(-mpmath.mpf(v) / mpmath.sqrt(2))) if math.isfinite(v) else v
    y = torch.tensor([exact(v) for v in x.tolist()], dtype=torch.float64)
    near = x.abs() < 5
    assert torch.allclose(y[near], F.gelu(x[near]), rtol=0, atol=1e-14)
    return y


def gelu_tanh(x):
    """With the logistic function for tanh, for the same reason."""
    y = x * torch.sigmoid(2 * (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3))
    near = x.abs() < 5
    assert torch.allclose(y[near], F.gelu(x[near], approximate="tanh"), rtol=0, atol=1e-14)
    return y


zero = torch.zeros((), dtype=torch.float64)
FUNCTIONS = {
    "exp": np.exp, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh,
    "sqrt": np.sqrt, "rsqrt": of_torch(torch.rsqrt), "reciprocal": np.reciprocal, "erf": of_torch(torch.erf),
    "floor": np.floor, "ceil": np.ceil, "round": np.rint, "trunc": np.trunc, "sign": np.sign,
    "sigmoid": of_torch(torch.sigmoid), "relu6": of_torch(F.relu6),
    "leaky_relu": of_torch(lambda x: F.leaky_relu(x, 0.2)), "elu": of_torch(F.elu), "selu": of_torch(F.selu),
    "softplus": of_torch(lambda x: torch.logaddexp(x, zero)),
    "softsign": with_limit(of_torch(F.softsign), {np.inf: 1, -np.inf: -1}),
    "silu": with_limit(of_torch(F.silu), {-np.inf: 0}),
    "gelu": with_limit(of_torch(gelu), {-np.inf: 0}),
    "gelu_tanh": with_limit(of_torch(gelu_tanh), {-np.inf: 0}),
}


def text(x):
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "inf" if x > 0 else "-inf"
    return repr(float(x))


def table(values):
    lines, line = [], ""
    for part in [text(x) + "," for x in values]:
        if len(line) + len(part) > 114:
            lines.append(line)
            line = ""
        line += (" " if line else "") + part
    return "{\n    " + "\n    ".join(lines + [line]) + "\n  }"


versions = f"NumPy {np.__version__}, PyTorch {torch.__version__.split('+')[0]} and mpmath {mpmath.__version__}"
print(f"-- Written by tests/support/generate/make_unary_golden.py with {versions}.")
print("local nan, inf = 0 / 0, math.huge")
print("local golden = {")
for name, x in (("halves", HALVES), ("wide", WIDE)):
    print(f"  {name} = {table(x)},")
print("}")
with np.errstate(all="ignore"):
    for name, f in FUNCTIONS.items():
        print(f"golden.{name} = {{\n  halves = {table(f(HALVES))},\n  wide = {table(f(WIDE))},\n}}")
print("return golden")
