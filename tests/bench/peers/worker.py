"""One workload in a fresh process: worker.py numpy|torch|jax SETUP RUN, by scripts/lib/bench.lua. Twin of ../worker.lua.

Prints `ns` (median of batches, per run), `faults` (page faults per run) and `result` (what the last run made).
"""
import resource
import statistics
import sys
from itertools import repeat
from time import perf_counter

import numpy as np
from timing import SOURCE, Report

system, setup, run = sys.argv[1:4]
if system == "torch":
    import torch
elif system == "jax":
    import jax
    import jax.numpy as jnp


def page_faults():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_minflt + usage.ru_majflt


class FullReport(Report):
    BATCH_SECONDS, WARM_SECONDS, SECONDS, FEWEST, MOST = 0.005, 0.1, 0.4, 5, 51

    def has_warmed(self):
        self.faults = page_faults()

    def has_enough(self):
        count = len(self.times)
        if count < self.MOST and (count < self.FEWEST or self.total < self.SECONDS):
            return False
        self.faults = (page_faults() - self.faults) / (count * self.n)
        return True


report = FullReport()
exec(SOURCE.format(names="*_", setup=setup, run=run, result="r"))
result = work(report)
flat = np.asarray(result, dtype=np.float64).ravel()
print("ns", statistics.median_low(report.times))
print("faults", report.faults)
print("result", flat.size, flat[0], flat[-1], flat.sum(), (flat * flat).sum())
