#!/usr/bin/env python3
"""Writes tests/support/golden/reduce_data.lua: reductions and running sums by NumPy, and their gradients by PyTorch,
second order included, in float64.

    python3 tests/support/generate/make_reduce_data.py > tests/support/golden/reduce_data.lua

Losses are sums of the results weighted with 1, 2, 3 ...; second gradients those of the first, weighted the same way.
"""
import math

import numpy
import torch

inputs = {
    "plain": [[[1.5, -2.25], [0.5, 3.0], [-0.75, 2.0]], [[-1.25, 0.25], [2.5, -3.5], [1.0, -0.5]]],
    "zeros": [[[1.5, 0.0], [0.5, 3.0], [0.0, 2.0]], [[-1.25, 0.25], [0.0, -3.5], [0.0, -0.5]]],
    "ties": [[[2.0, -2.0], [2.0, 0.5], [-0.5, 2.0]], [[-2.0, 0.5], [2.0, -2.0], [-0.5, -0.5]]],
}
axes_of_all = [None, (0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2)]
axes_of_one = [None, (0,), (1,), (2,)]


def joined(x, axis):
    """The reduced axes as one, at the end."""
    if axis is None:
        return x.reshape(-1)
    kept = [i for i in range(x.ndim) if i not in axis]
    return x.permute(*kept, *axis).reshape(*(x.shape[i] for i in kept), -1)


def running(x, axis, options, op):
    """With exclusive and reverse as TensorFlow has them."""
    x = x.reshape(-1) if axis is None else x
    i = 0 if axis is None else axis[0]
    reverse, exclusive = options.get("reverse"), options.get("exclusive")
    x = x.flip(i) if reverse else x
    if exclusive:
        start = torch.full_like(x.narrow(i, 0, 1), 0 if op is torch.cumsum else 1)
        x = torch.cat([start, x.narrow(i, 0, x.shape[i] - 1)], i)
    y = op(x, i)
    return y.flip(i) if reverse else y


def norm_of(x, axis, o):
    return numpy.linalg.norm(joined(torch.tensor(x), axis).numpy(), o.get("ord", 2), -1)


# op: inputs, axes, lists of options, by NumPy (None: by PyTorch alone), by PyTorch
ops = {
    "sum": (["plain"], axes_of_all, [{}], lambda x, a, o: numpy.sum(x, a), lambda x, a, o: joined(x, a).sum(-1)),
    "mean": (["plain"], axes_of_all, [{}], lambda x, a, o: numpy.mean(x, a), lambda x, a, o: joined(x, a).mean(-1)),
    "prod": (["plain", "zeros"], axes_of_all, [{}], lambda x, a, o: numpy.prod(x, a), lambda x, a, o: joined(x, a).prod(-1)),
    "max": (["ties"], axes_of_all, [{}], lambda x, a, o: numpy.max(x, a), lambda x, a, o: joined(x, a).amax(-1)),
    "min": (["ties"], axes_of_all, [{}], lambda x, a, o: numpy.min(x, a), lambda x, a, o: joined(x, a).amin(-1)),
    "var": (["plain"], axes_of_all, [{}, {"ddof": 1}], lambda x, a, o: numpy.var(x, a, ddof=o.get("ddof", 0)),
            lambda x, a, o: joined(x, a).var(-1, correction=o.get("ddof", 0))),
    "std": (["plain"], axes_of_all, [{}, {"ddof": 1}], lambda x, a, o: numpy.std(x, a, ddof=o.get("ddof", 0)),
            lambda x, a, o: joined(x, a).std(-1, correction=o.get("ddof", 0))),
    "logsumexp": (["plain"], axes_of_all, [{}], lambda x, a, o: numpy.log(numpy.sum(numpy.exp(x), a)),
                  lambda x, a, o: joined(x, a).logsumexp(-1)),
    "norm": (["plain", "ties"], axes_of_all, [{}, {"ord": 1}, {"ord": math.inf}], norm_of,
             lambda x, a, o: torch.linalg.vector_norm(joined(x, a), o.get("ord", 2), -1)),
    "cumsum": (["plain"], axes_of_one, [{}, {"exclusive": True}, {"reverse": True}, {"exclusive": True, "reverse": True}],
               None, lambda x, a, o: running(x, a, o, torch.cumsum)),
    "cumprod": (["plain", "zeros"], axes_of_one,
                [{}, {"exclusive": True}, {"reverse": True}, {"exclusive": True, "reverse": True}],
                None, lambda x, a, o: running(x, a, o, torch.cumprod)),
}
kinked = {"max", "min", "norm"}


def weights(y):
    return torch.arange(1, y.numel() + 1, dtype=y.dtype).reshape(y.shape)


def numbers(values):
    return " ".join(f"{v + 0.0:.10g}" for v in numpy.ravel(values))


def shown(value):
    return "true" if value is True else "math.huge" if value == math.inf else str(value)


print("-- Written by tests/support/generate/make_reduce_data.py; NumPy and PyTorch, float64. Values are row-major.")
print("-- A case is one line: op; input; options; result; gradient; second gradient. It is all one string, which no collector")
print("-- has to walk.")
print("return {\n  inputs = {")
for name, x in inputs.items():
    print(f"    {name} = {str(x).replace('[', '{').replace(']', '}')},")
print("  },\n  cases = [[")
for op, (names, axes, options, by_numpy, by_torch) in ops.items():
    for name in names:
        for axis in axes:
            for option in options:
                x = torch.tensor(inputs[name], dtype=torch.float64, requires_grad=True)
                y = by_torch(x, axis, option)
                gives = y.detach().numpy()
                if by_numpy is not None:
                    gives = by_numpy(x.detach().numpy(), axis, option)
                    assert numpy.allclose(gives, y.detach().numpy(), rtol=1e-12)
                (first,) = torch.autograd.grad((y * weights(y)).sum(), x, create_graph=True)
                arguments = [] if axis is None else ["axis = {" + ", ".join(str(a + 1) for a in axis) + "}"]
                arguments += [f"{key} = {shown(value)}" for key, value in option.items()]
                second = None
                if op not in kinked and first.requires_grad and axis != (0,):
                    (second,) = torch.autograd.grad((first * weights(first)).sum(), x, allow_unused=True)
                parts = [op, name, "{" + ", ".join(arguments) + "}", numbers(gives), numbers(first.detach().numpy())]
                parts.append(numbers(second.numpy()) if second is not None and bool(second.ne(0).any()) else "")
                print("; ".join(parts).rstrip())
print("]],\n}")
