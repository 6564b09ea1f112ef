"""One workload in a fresh process: worker.py numpy|torch SETUP RUN, by scripts/lib/bench.lua. Twin of ../worker.lua.

Prints `ns` (median of batches, per run), `faults` (page faults per run) and `result` (what the last run made).
"""
import resource
import statistics
import sys
from itertools import repeat
from time import perf_counter

import numpy as np

system, setup, run = sys.argv[1:4]
if system == "torch":
    import torch

# The loop's variables are locals of a function, which is where Python is fastest.
SOURCE = f"""
def work(report):
    {setup}
    n = report()
    while n:
        runs = repeat(None, n)
        start = perf_counter()
        for _ in runs:
            {run}
        n = report(perf_counter() - start, r)
"""

BATCH_SECONDS, WARM_SECONDS, SECONDS, FEWEST, MOST = 0.005, 0.1, 0.4, 5, 51


def page_faults():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_minflt + usage.ru_majflt


class Report:
    """Says how many runs the next batch has; 0 ends the measurement."""

    def __init__(self):
        self.n, self.warm, self.times, self.total = 1, 0.0, [], 0.0
        self.faults, self.result = 0, None

    def __call__(self, seconds=None, r=None):
        if seconds is None:
            return self.n
        if seconds < BATCH_SECONDS and self.warm == 0:
            self.n *= 2
        elif self.warm < WARM_SECONDS:
            self.warm += seconds
            self.faults = page_faults()
        else:
            self.times.append(seconds / self.n * 1e9)
            self.total += seconds
            if len(self.times) >= MOST or (len(self.times) >= FEWEST and self.total >= SECONDS):
                self.faults = (page_faults() - self.faults) / (len(self.times) * self.n)
                self.result = r
                return 0
        return self.n


report = Report()
exec(SOURCE)
work(report)
flat = np.asarray(report.result, dtype=np.float64).ravel()
print("ns", statistics.median_low(report.times))
print("faults", report.faults)
print("result", flat.size, flat[0], flat[-1], flat.sum(), (flat * flat).sum())
