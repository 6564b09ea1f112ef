"""Writes tests/support/golden/keras_metrics.lua: Keras 3's losses and metrics for two batches, without and with weights.

    KERAS_BACKEND=tensorflow python3 tests/support/generate/make_keras_metrics.py > tests/support/golden/keras_metrics.lua
"""
import keras
import numpy as np

L, M = keras.losses, keras.metrics
ROWS, CLASSES = 12, 3


def noise(seed, shape):
    return np.round(np.random.RandomState(seed).rand(*shape), 6)


P1, P2 = noise(1, (ROWS, CLASSES)), noise(2, (ROWS, CLASSES))
SHARES = [p / p.sum(-1, keepdims=True) for p in (P1, P2)]
CLASS = [np.argmax(noise(s, (ROWS, CLASSES)), -1) for s in (3, 4)]
ONE_HOT = [np.eye(CLASSES)[c] for c in CLASS]
BITS = [(noise(s, (ROWS, CLASSES)) > 0.55).astype(float) for s in (5, 6)]
REAL = [noise(s, (ROWS, CLASSES)) * 2 for s in (7, 8)]
GUESS = [np.argmax(noise(s, (ROWS, CLASSES)), -1) for s in (9, 10)]
WEIGHTS = [np.round(noise(s, (ROWS,)) * 4) for s in (11, 12)]
DATA = {"P": [P1, P2], "SHARES": SHARES, "ONE_HOT": ONE_HOT, "BITS": BITS, "REAL": REAL, "CLASS": CLASS, "GUESS": GUESS, "WEIGHTS": WEIGHTS}


def lua(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (list, tuple)):
        return "{ " + ", ".join(map(repr, value)) + " }"
    return repr(value)


def nested(x):
    x = np.asarray(x, dtype=float)
    if x.ndim == 0:
        return f"{float(x):.9g}"
    return "{ " + ", ".join(nested(e) for e in x) + " }"


def told(options, classes_from_1):
    words = []
    for key, value in options.items():
        if key in ("target_class_ids", "ignore_class") and classes_from_1:
            value = [v + 1 for v in value] if isinstance(value, (list, tuple)) else value + 1
        words.append(f"{key} = {lua(value)}")
    return "{ " + ", ".join(words) + " }" if words else "{}"


LOSSES = [
    ("Hinge", "BITS", "P", {}), ("SquaredHinge", "BITS", "P", {}), ("Hinge", "REAL", "P", {}), ("CategoricalHinge", "ONE_HOT", "P", {}),
    ("KLDivergence", "SHARES", "P", {}), ("Poisson", "REAL", "P", {}), ("LogCosh", "REAL", "P", {}),
    ("CosineSimilarity", "REAL", "P", {}), ("CosineSimilarity", "REAL", "P", {"axis": 0}),
    ("MeanAbsolutePercentageError", "REAL", "P", {}), ("MeanSquaredLogarithmicError", "REAL", "P", {}),
    ("BinaryFocalCrossentropy", "BITS", "P", {}),
    ("BinaryFocalCrossentropy", "BITS", "REAL", {"from_logits": True, "gamma": 1.5, "apply_class_balancing": True, "alpha": 0.3, "label_smoothing": 0.1}),
    ("CategoricalFocalCrossentropy", "ONE_HOT", "SHARES", {}),
    ("CategoricalFocalCrossentropy", "ONE_HOT", "REAL", {"from_logits": True, "gamma": 1.0, "alpha": 0.5, "label_smoothing": 0.1}),
    ("Dice", "BITS", "P", {}), ("Dice", "BITS", "P", {"axis": 1}), ("Tversky", "BITS", "P", {"alpha": 0.3, "beta": 0.7}),
]
METRICS = [
    ("Sum", None, "P", {}), ("Hinge", "BITS", "P", {}), ("SquaredHinge", "BITS", "P", {}), ("CategoricalHinge", "ONE_HOT", "P", {}),
    ("KLDivergence", "SHARES", "P", {}), ("Poisson", "REAL", "P", {}), ("LogCoshError", "REAL", "P", {}), ("CosineSimilarity", "REAL", "P", {}),
    ("MeanAbsolutePercentageError", "REAL", "P", {}), ("MeanSquaredLogarithmicError", "REAL", "P", {}),
    ("R2Score", "REAL", "P", {}), ("R2Score", "REAL", "P", {"class_aggregation": "variance_weighted_average"}),
    ("R2Score", "REAL", "P", {"num_regressors": 2}),
    ("TruePositives", "BITS", "P", {}), ("TrueNegatives", "BITS", "P", {"thresholds": 0.3}), ("FalsePositives", "BITS", "P", {"thresholds": [0.2, 0.6, 0.9]}),
    ("FalseNegatives", "BITS", "P", {}),
    ("F1Score", "ONE_HOT", "P", {}), ("F1Score", "BITS", "P", {"threshold": 0.5, "average": "micro"}), ("F1Score", "BITS", "P", {"threshold": 0.4, "average": "macro"}),
    ("FBetaScore", "BITS", "P", {"beta": 2.0, "threshold": 0.5, "average": "weighted"}),
    ("IoU", "CLASS", "GUESS", {"num_classes": 3, "target_class_ids": [0, 2]}), ("MeanIoU", "CLASS", "GUESS", {"num_classes": 3}),
    ("MeanIoU", "CLASS", "GUESS", {"num_classes": 3, "ignore_class": 1}),
    ("OneHotIoU", "ONE_HOT", "P", {"num_classes": 3, "target_class_ids": [1]}), ("OneHotMeanIoU", "ONE_HOT", "P", {"num_classes": 3}),
    ("BinaryIoU", "BITS", "P", {"threshold": 0.4}), ("BinaryIoU", "BITS", "P", {"target_class_ids": [1]}),
    ("AUC", "BITS", "P", {"curve": "PR"}), ("AUC", "BITS", "P", {"curve": "PR", "summation_method": "majoring", "num_thresholds": 20}),
    ("AUC", "BITS", "P", {"summation_method": "minoring", "num_thresholds": 10}), ("AUC", "BITS", "REAL", {"from_logits": True}),
    ("SensitivityAtSpecificity", "BITS", "P", {"specificity": 0.4}), ("SpecificityAtSensitivity", "BITS", "P", {"sensitivity": 0.6}),
    ("PrecisionAtRecall", "BITS", "P", {"recall": 0.5}), ("RecallAtPrecision", "BITS", "P", {"precision": 0.4, "num_thresholds": 30}),
    ("Precision", "BITS", "P", {"thresholds": [0.2, 0.6, 0.95]}), ("Recall", "BITS", "P", {"thresholds": [0.0, 0.5]}),
    ("TruePositives", "BITS", "P", {"thresholds": [0.5]}),
]
# Rows of classes from 0, the blank and the padding, and logits.
CTC = (np.array([[1, 2, 2, 0], [3, 0, 0, 0], [2, 1, 3, 1]]), noise(13, (3, 7, 4)) * 6 - 3)

print(f"-- Written by tests/support/generate/make_keras_metrics.py with Keras {keras.__version__}. Do not edit.")
print("return {")
print("  data = {")
for name, pair in DATA.items():
    add = 1 if name in ("CLASS", "GUESS") else 0
    print(f"    {name} = {{ " + ", ".join(nested(np.asarray(x) + add) for x in pair) + " },")
print("  },\n  losses = {")
for name, y, p, options in LOSSES:
    loss = getattr(L, name)(**options)
    rows = getattr(L, name)(reduction=None, **options)(DATA[y][0], DATA[p][0])
    value = loss(DATA[y][0], DATA[p][0])
    print(f'    {{ "{name}", "{y}", "{p}", {told({k: v + 1 if k == "axis" else v for k, v in options.items()}, False)}, rows = {nested(rows)}, value = {nested(value)} }},')
print("  },\n  ctc = {")
rows, value = L.CTC(reduction=None)(*CTC), L.CTC()(*CTC)
print(f"    labels = {nested(CTC[0] + 1)}, logits = {nested(CTC[1])}, rows = {nested(rows)}, value = {nested(value)},")
print("  },\n  metrics = {")
for name, y, p, options in METRICS:
    results = []
    for weighted in (False, True):
        metric = getattr(M, name)(**options)
        for i in (0, 1):
            weight = None
            if weighted:
                weight = WEIGHTS[i]
                if name in ("TruePositives", "TrueNegatives", "FalsePositives", "FalseNegatives", "AUC", "SensitivityAtSpecificity", "SpecificityAtSensitivity",
                            "PrecisionAtRecall", "RecallAtPrecision", "BinaryIoU", "Precision", "Recall", "Sum", "R2Score"):
                    weight = np.repeat(WEIGHTS[i][:, None], CLASSES, 1)
                if name == "OneHotIoU" or name == "OneHotMeanIoU":
                    weight = WEIGHTS[i]
            args = (DATA[p][i],) if y is None else (DATA[y][i], DATA[p][i])
            metric.update_state(*args, sample_weight=weight)
        results.append(nested(np.asarray(metric.result())))
    print(f'    {{ "{name}", {lua(y) if y else "false"}, "{p}", {told(options, name != "BinaryIoU")}, {results[0]}, {results[1]} }},')
print("  },\n}")
