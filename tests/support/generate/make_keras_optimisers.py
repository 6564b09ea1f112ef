"""Writes tests/support/golden/keras_optimisers.lua: the values of a vector and of two matrices under Keras 3's own
optimisers, in float64.

    KERAS_BACKEND=tensorflow python3 tests/support/generate/make_keras_optimisers.py > tests/support/golden/keras_optimisers.lua
"""
import keras
import numpy as np

keras.config.set_floatx("float64")
O = keras.optimizers
STEPS = 5
STARTS = [np.array([1.0, -2.0, 3.0, 0.5]), np.array([[1.0, -0.5], [0.25, 2.0], [-1.5, 0.75]]),
          np.array([[0.5, -1.0, 1.5, 2.0], [0.1, 0.2, -0.3, 0.4]])]


def gradients(variables, step):
    """Of bowls that are tilted from step to step, so that signs change."""
    out = []
    for w in variables:
        i = np.arange(w.numpy().size, dtype=np.float64).reshape(w.shape)
        out.append(keras.ops.convert_to_tensor((0.5 + 0.25 * i) * w.numpy() - (1 - 0.3 * i) * np.cos(step), dtype="float64"))
    return out


CASES = [
    ("Nadam", {}), ("Nadam", dict(learning_rate=0.1, beta_1=0.8, beta_2=0.99, epsilon=1e-3, weight_decay=0.1)),
    ("Adamax", {}), ("Adamax", dict(learning_rate=0.1, beta_1=0.8, beta_2=0.9, weight_decay=0.1)),
    ("Adadelta", {}), ("Adadelta", dict(learning_rate=1.0, rho=0.9, epsilon=1e-3, weight_decay=0.01)),
    ("Ftrl", {}), ("Ftrl", dict(learning_rate=0.5, l1_regularization_strength=0.2, l2_regularization_strength=0.1, beta=0.3,
                                l2_shrinkage_regularization_strength=0.05, weight_decay=0.01)),
    ("Ftrl", dict(learning_rate=0.2, learning_rate_power=-0.7, initial_accumulator_value=0.5)),
    ("Lamb", {}), ("Lamb", dict(learning_rate=0.1, beta_1=0.8, beta_2=0.99, epsilon=1e-3, weight_decay=0.1)),
    ("Adafactor", {}), ("Adafactor", dict(learning_rate=0.1, relative_step=False, clip_threshold=0.5, weight_decay=0.1)),
    ("Muon", {}), ("Muon", dict(learning_rate=0.1, nesterov=False, momentum=0.8, ns_steps=3, weight_decay=0.1, adam_lr_ratio=0.5)),
    ("SGD", dict(learning_rate=0.1, momentum=0.9, gradient_accumulation_steps=2)),
    ("Adam", dict(learning_rate=0.1, gradient_accumulation_steps=2, clipnorm=1.0, weight_decay=0.1)),
    ("Lamb", dict(learning_rate=0.1, gradient_accumulation_steps=3)),
]


def lua(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value)


def numbers(x):
    return "{ " + ", ".join(f"{v:.15g}" for v in x.reshape(-1)) + " }"


print("-- Written by tests/support/generate/make_keras_optimisers.py with Keras " + keras.__version__ + ". Do not edit.")
print("return {")
print("  starts = { " + ", ".join(numbers(s) for s in STARTS) + " },")
print("  shapes = { " + ", ".join("{ " + ", ".join(map(str, s.shape)) + " }" for s in STARTS) + " },")
for name, options in CASES:
    optimizer = getattr(O, name)(**options)
    variables = [keras.Variable(s, dtype="float64") for s in STARTS]
    rows = []
    for step in range(1, STEPS + 1):
        optimizer.apply(gradients(variables, step), variables)
        rows.append("{ " + ", ".join(numbers(v.numpy()) for v in variables) + " }")
    told = ", ".join(f"{k} = {lua(v)}" for k, v in options.items())
    print(f'  {{ "{name}", {{ {told} }}, {{\n    ' + ",\n    ".join(rows) + " } },")
print("}")
