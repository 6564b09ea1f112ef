"""Writes tests/support/golden/optimiser_data.lua: the values of a variable under Keras' optimisers, computed in
float64 with NumPy from the formulas in Keras 3's documentation, and checked against torch.optim where that computes the same.

Usage: python3 tests/support/generate/make_optimiser_data.py > tests/support/golden/optimiser_data.lua
"""
import sys

import numpy as np

START = np.array([1.0, -2.0, 3.0, 0.5])
STEPS = 6


def gradient(w, step):
    """Of a bowl that is moved and tilted from step to step, so that signs change."""
    return np.array([2.0, 0.5, 1.5, 4.0]) * w - np.array([1.0, -0.3, 0.7, 0.9]) * np.cos(step)


def decayed(w, lr, o):
    return w - w * o.get("weight_decay", 0.0) * lr


def sgd(w, g, t, s, lr, o):
    momentum = o.get("momentum", 0.0)
    w = decayed(w, lr, o)
    if momentum == 0:
        return w - lr * g
    s["m"] = momentum * s.get("m", 0) - lr * g
    return w + (momentum * s["m"] - lr * g if o.get("nesterov") else s["m"])


def adam(w, g, t, s, lr, o):
    b1, b2, eps = o.get("beta_1", 0.9), o.get("beta_2", 0.999), o.get("epsilon", 1e-7)
    alpha = lr * np.sqrt(1 - b2**t) / (1 - b1**t)
    s["m"] = b1 * s.get("m", 0) + (1 - b1) * g
    s["v"] = b2 * s.get("v", 0) + (1 - b2) * g * g
    v = s["v"]
    if o.get("amsgrad"):
        v = s["h"] = np.maximum(s.get("h", 0), v)
    return decayed(w, lr, o) - alpha * s["m"] / (np.sqrt(v) + eps)


def adamw(w, g, t, s, lr, o):
    return adam(w, g, t, s, lr, {"weight_decay": 0.004, **o})


def rmsprop(w, g, t, s, lr, o):
    rho, eps, momentum = o.get("rho", 0.9), o.get("epsilon", 1e-7), o.get("momentum", 0.0)
    s["v"] = rho * s.get("v", 0) + (1 - rho) * g * g
    d = s["v"]
    if o.get("centered"):
        s["a"] = rho * s.get("a", 0) + (1 - rho) * g
        d = d - s["a"] ** 2
    step = lr * g / np.sqrt(d + eps)
    if momentum > 0:
        step = s["m"] = momentum * s.get("m", 0) + step
    return decayed(w, lr, o) - step


def adagrad(w, g, t, s, lr, o):
    s["a"] = s.get("a", o.get("initial_accumulator_value", 0.1)) + g * g
    return decayed(w, lr, o) - lr * g / np.sqrt(s["a"] + o.get("epsilon", 1e-7))


def lion(w, g, t, s, lr, o):
    b1, b2 = o.get("beta_1", 0.9), o.get("beta_2", 0.99)
    m = s.get("m", np.zeros_like(g))
    w = decayed(w, lr, o) - lr * np.sign(b1 * m + (1 - b1) * g)
    s["m"] = b2 * m + (1 - b2) * g
    return w


RULES = {"SGD": (sgd, 0.01), "Adam": (adam, 0.001), "AdamW": (adamw, 0.001), "RMSprop": (rmsprop, 0.001),
         "Adagrad": (adagrad, 0.001), "Lion": (lion, 0.001)}

CASES = [
    ("SGD", {}), ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"learning_rate": 0.2, "weight_decay": 0.1}),
    ("Adam", {}), ("Adam", {"learning_rate": 0.1, "beta_1": 0.8, "beta_2": 0.99, "epsilon": 1e-3}),
    ("Adam", {"learning_rate": 0.1, "amsgrad": True, "beta_2": 0.5}), ("Adam", {"learning_rate": 0.1, "weight_decay": 0.05}),
    ("AdamW", {}), ("AdamW", {"learning_rate": 0.1, "weight_decay": 0.1}),
    ("RMSprop", {}), ("RMSprop", {"learning_rate": 0.05, "momentum": 0.9}),
    ("RMSprop", {"learning_rate": 0.05, "centered": True}),
    ("RMSprop", {"learning_rate": 0.05, "centered": True, "momentum": 0.5, "rho": 0.8, "epsilon": 1e-4}),
    ("Adagrad", {}), ("Adagrad", {"learning_rate": 0.5, "initial_accumulator_value": 0.3, "epsilon": 1e-3}),
    ("Lion", {}), ("Lion", {"learning_rate": 0.1, "beta_1": 0.5, "beta_2": 0.7, "weight_decay": 0.2}),
]


def trajectory(kind, options):
    rule, lr = RULES[kind]
    w, slots, rows = START, {}, []
    for step in range(1, STEPS + 1):
        w = rule(w, gradient(w, step), step, slots, options.get("learning_rate", lr), options)
        rows.append(w)
    return np.array(rows)


def torch_twin(torch, kind, o):
    """The same in torch.optim; None where its formula is another (RMSprop's and Adagrad's epsilon stands elsewhere)."""
    w = torch.tensor(START, requires_grad=True)
    lr = o.get("learning_rate", RULES[kind][1])
    if kind == "SGD" and not o.get("weight_decay"):
        return w, torch.optim.SGD([w], lr=lr, momentum=o.get("momentum", 0.0), nesterov=o.get("nesterov", False))
    if kind in ("Adam", "AdamW") and "epsilon" not in o and not o.get("amsgrad"):
        decay = o.get("weight_decay", 0.004 if kind == "AdamW" else 0.0)
        betas = (o.get("beta_1", 0.9), o.get("beta_2", 0.999))
        return w, torch.optim.AdamW([w], lr=lr, betas=betas, eps=1e-12, weight_decay=decay)
    return None


def check_against_torch():
    try:
        import torch
    except ImportError:
        print("torch is not here: nothing was held against it", file=sys.stderr)
        return
    for kind, options in CASES:
        twin = torch_twin(torch, kind, options)
        if twin is None:
            continue
        w, optimiser = twin
        for step in range(1, STEPS + 1):
            w.grad = torch.tensor(gradient(w.detach().numpy(), step))
            optimiser.step()
        ours = trajectory(kind, {**options, "epsilon": 1e-12})[-1]
        # At epsilon 1e-12 both corrections of Adam are the same.
        assert np.allclose(ours, w.detach().numpy(), rtol=1e-9, atol=1e-12), (kind, options, ours, w)
        print("agrees with torch.optim:", kind, options, file=sys.stderr)


def lua(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(float(value))


check_against_torch()
print("-- Written by tests/support/generate/make_optimiser_data.py. Do not edit.")
print("-- Where each optimiser takes `start` in six steps, in float64; the gradient is that of tests/lua/optim.lua.")
print("return {")
print("  start = {", ", ".join(lua(x) for x in START), "},")
for kind, options in CASES:
    words = ", ".join(f"{key} = {lua(value)}" for key, value in options.items())
    print(f'  {{ "{kind}", {{ {words} }}, {{')
    for row in trajectory(kind, options):
        print("    {", ", ".join(f"{x:.16g}" for x in row), "},")
    print("  } },")
print("}")
