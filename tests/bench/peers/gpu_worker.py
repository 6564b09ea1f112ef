"""A list of workloads on the first card in PyTorch, in a fresh process: the twin of ../gpu_worker.lua, which says what is
read and printed."""

import sys
from statistics import median_high
from time import perf_counter

import torch

BATCH_SECONDS, WARM_SECONDS, BATCHES, QUEUED = (0, 0, 1, 1) if sys.argv[2:] == ["trial"] else (0.005, 0.05, 9, 256)


def time_of_waiting(work):
    def batch(n):
        start = perf_counter()
        work(n)
        torch.cuda.synchronize()
        return perf_counter() - start

    n, warm = 1, 0.0
    while batch(n) < BATCH_SECONDS:
        n *= 2
    while warm < WARM_SECONDS:
        warm += batch(n)
    return median_high(batch(n) / n for _ in range(BATCHES))


def time_of_queueing(work):
    times = []
    for _ in range(4 * BATCHES):
        start = perf_counter()
        work(QUEUED)
        times.append((perf_counter() - start) / QUEUED)
        torch.cuda.synchronize()
    return median_high(times)


WAY = {"wait": time_of_waiting, "submit": time_of_queueing}

for line in open(sys.argv[1], encoding="utf-8"):
    kind, name, setup, run = line.rstrip("\n").split("\t")
    # Locals of a function, which is where Python is fastest.
    source = f"def make():\n    {setup or 'pass'}\n    def work(n):\n        for _ in range(n):\n            {run}\n    return work\n"
    names = {"torch": torch}
    exec(source, names)
    with torch.no_grad():
        print(f"time\t{name}\t{WAY[kind](names['make']()) * 1e9:.1f}")
