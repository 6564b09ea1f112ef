"""What worker.py and grid_worker.py time a workload with: the loop, and who says how often it goes round."""

# The loop's variables are locals of a function, which is where Python is fastest. It needs repeat and perf_counter.
SOURCE = """
def work(report, {names}):
    {setup}
    n = report()
    while n:
        runs = repeat(None, n)
        start = perf_counter()
        for _ in runs:
            {run}
        n = report(perf_counter() - start)
    return {result}
"""


class Report:
    """Says how many runs the next batch has; 0 ends the measurement. Subclasses say how long batches and warming up take,
    and when there are enough times."""

    def __init__(self):
        self.n, self.warm, self.total, self.times, self.warming = 1, 0.0, 0.0, [], False

    def __call__(self, seconds=None):
        if seconds is None:
            return self.n
        if seconds < self.BATCH_SECONDS and not self.warming:
            self.n *= 2
        elif self.warm < self.WARM_SECONDS:
            self.warming = True
            self.warm += seconds
            self.has_warmed()
        else:
            self.times.append(seconds / self.n * 1e9)
            self.total += seconds
            if self.has_enough():
                return 0
        return self.n

    def has_warmed(self):
        pass
