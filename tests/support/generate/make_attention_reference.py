"""Writes tests/support/golden/attention_reference.lua: results of multi-head attention, by formulas computed head by head in
float64, and gradients by PyTorch's autograd.

    python3 tests/support/generate/make_attention_reference.py > tests/support/golden/attention_reference.lua
"""
import math
import torch

torch.set_default_dtype(torch.float64)


def noise(seed, shape, factor=1.0):
    i = torch.arange(torch.Size(shape).numel(), dtype=torch.int64)
    values = ((i * 7919 + seed * 104729) * (i + 31) % 16777213).double() / 8388606.5 - 1
    return (values * factor).reshape(shape).requires_grad_()


def numbers(tensor):
    return "{ " + ", ".join(f"{v:.9g}" for v in tensor.detach().reshape(-1).tolist()) + " }"


def case(inputs, heads, key_dim, value_dim=None, use_bias=True, output_shape=None, mask=None, causal=False):
    """inputs: shapes of query, value, key; mask: the shape of a mask that is true where noise(60) is positive."""
    xs = [noise(1 + i, shape) for i, shape in enumerate(inputs)]
    query = xs[0]
    value = xs[1] if len(xs) > 1 else query
    key = xs[2] if len(xs) > 2 else value
    value_size, out = value_dim or key_dim, output_shape or query.shape[2]
    shapes = [((query.shape[2], heads, key_dim), (heads, key_dim)), ((key.shape[2], heads, key_dim), (heads, key_dim)),
              ((value.shape[2], heads, value_size), (heads, value_size)), ((heads, value_size, out), (out,))]
    w = []
    for i, (kernel, bias) in enumerate(shapes):
        w.append((noise(10 + 2 * i, kernel), noise(11 + 2 * i, bias, 0.5) if use_bias else None))

    def projected(x, pair, head):
        y = x @ pair[0][:, head]
        return y + pair[1][head] if use_bias else y

    allowed = None
    if mask:
        allowed = noise(60, mask).detach() > 0
    total, scores = 0, []
    for head in range(heads):
        q, k, v = projected(query, w[0], head), projected(key, w[1], head), projected(value, w[2], head)
        s = q @ k.transpose(1, 2) / math.sqrt(key_dim)
        may = torch.ones_like(s, dtype=torch.bool)
        if allowed is not None:
            may = may & (allowed[:, head] if allowed.dim() == 4 else allowed)
        if causal:
            may = may & torch.tril(torch.ones(s.shape[1:], dtype=torch.bool))
        s = torch.softmax(s.masked_fill(~may, -1e9), -1)
        scores.append(s)
        total = total + (s @ v) @ w[3][0][head]
    y = total + w[3][1] if use_bias else total
    scores = torch.stack(scores, 1)
    loss = (y * noise(50, y.shape).detach()).sum() + (scores * noise(51, scores.shape).detach()).sum()
    sources = xs + [t for pair in w for t in pair if t is not None]
    gradients = torch.autograd.grad(loss, sources, allow_unused=False)

    def shape_text(shape):
        return "{ " + ", ".join(map(str, shape)) + " }"

    options = [f"use_bias = {'true' if use_bias else 'false'}"]
    options += [f"value_dim = {value_dim}"] if value_dim else []
    options += [f"output_shape = {output_shape}"] if output_shape else []
    print(f"  {{ inputs = {{ {', '.join(shape_text(s) for s in inputs)} }}, heads = {heads}, key_dim = {key_dim},")
    print(f"    options = {{ {', '.join(options)} }}," + (f" mask = {shape_text(mask)}," if mask else "")
          + (" causal = true," if causal else ""))
    print(f"    gives = {numbers(y)},")
    print(f"    scores = {numbers(scores)},")
    print("    gradients = { " + ", ".join(numbers(g) for g in gradients) + " } },")


print("-- Made by tests/support/generate/make_attention_reference.py: do not edit.")
print("return {")
case([(2, 3, 4)], 2, 3)
case([(2, 3, 4), (2, 5, 3)], 2, 2, value_dim=3)
case([(1, 3, 4), (1, 4, 2), (1, 4, 5)], 3, 2, use_bias=False, output_shape=2)
case([(2, 4, 4)], 2, 2, causal=True)
case([(2, 3, 3), (2, 4, 3)], 2, 2, mask=(2, 3, 4))
case([(2, 3, 3), (2, 4, 3)], 2, 2, mask=(3, 4))
case([(2, 3, 3)], 2, 2, mask=(2, 2, 3, 3), causal=True)
print("}")
