"""A list of workloads in a fresh process: grid_worker.py numpy|torch|onnx FILE, by scripts/lib/grid.lua.

Twin of ../grid_worker.lua, which says what FILE has and what is printed.
"""
import re
import statistics
import sys
from functools import cache
from itertools import repeat
from time import perf_counter, process_time

import numpy as np
from conv_peers import conv_session, faster_order
from timing import SOURCE, Report

SAMPLES = 16

system, path = sys.argv[1:3]
scope = {"np": np, "rng": np.random.default_rng(1), "conv_session": conv_session, "faster_order": faster_order}
if system == "torch":
    import torch
    import torch.nn.functional as F

    torch.set_grad_enabled(False)
    scope.update(torch=torch, F=F)

code, arrays, tensors = {}, {}, {}
wants = {"compare": "1", "time": "1"}


def array(name):
    """An input as NumPy makes it; made when first asked for, and kept."""
    if name not in arrays:
        names = set(re.findall(r"(?<![\w.])[a-z]\w*", code[name])) & code.keys() - {name}
        arrays[name] = eval(code[name], {"np": np, **{word: array(word) for word in names}})
    return arrays[name]


def given(name):
    if system != "torch":
        return array(name)
    if name not in tensors:
        tensors[name] = torch.from_numpy(array(name)).clone()
    return tensors[name]


class ShortReport(Report):
    BATCH_SECONDS, WARM_SECONDS, SECONDS, FEWEST, LONGEST = 0.001, 0.005, 0.02, 3, 0.5

    def has_enough(self):
        return (len(self.times) >= self.FEWEST and self.total >= self.SECONDS) or self.total >= self.LONGEST


class Once:
    times = None

    def __call__(self, seconds=None):
        return 1 if seconds is None else 0


@cache
def weights(size):
    """A number for each position."""
    return (np.arange(size) % 97).astype(np.float64)


def print_result(name, result):
    flat = np.asarray(result, dtype=np.float64).ravel()
    figures = [flat.size]
    if flat.size:
        figures += [flat.sum(), np.abs(flat).sum(), np.dot(flat, flat), np.dot(flat, weights(flat.size))]
        figures += [flat[k * (flat.size - 1) // (SAMPLES - 1)] for k in range(SAMPLES)]
    print("result", name, *(repr(float(figure)) for figure in figures), sep="\t")


def measure(name, inputs, setup, run, check):
    names = inputs.split()
    here = dict(scope, repeat=repeat, perf_counter=perf_counter)
    text = SOURCE.format(names=", ".join(names + ["*_"]), setup=setup or "pass", run=run, result=check or "r")
    exec(text, here)
    report = ShortReport() if wants["time"] == "1" else Once()
    result = here["work"](report, *map(given, names))
    if report.times:
        print("time", name, statistics.median_low(report.times), sep="\t")
    if wants["compare"] == "1":
        print_result(name, result)


print("start", process_time(), sep="\t", flush=True)
with open(path) as lines:
    for line in lines:
        word, *fields = line.rstrip("\n").split("\t")
        if word == "input":
            code[fields[0]] = fields[1]
        elif word == "work":
            try:
                measure(*fields)
            except Exception as error:
                print("failed", fields[0], " ".join(repr(error).split()), sep="\t")
        else:
            wants[word] = fields[0]
print("end", process_time(), sep="\t")
