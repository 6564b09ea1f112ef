"""torch.distributed with gloo, for `scripts/dev bench hosts`: what tests/bench/ranks.lua times, in as many processes.
gloo.py RANKS TIMES prints names and microseconds."""

import os
import statistics
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as processes


def microseconds(count, run):
    """The median time of `count` runs."""
    times = []
    for i in range(-2, count):
        start = time.perf_counter()
        run()
        if i >= 0:
            times.append((time.perf_counter() - start) * 1e6)
    return statistics.median(times)


def work(rank, ranks, times, port):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=port)
    torch.set_num_threads(max(1, len(os.sched_getaffinity(0)) // ranks))
    dist.init_process_group("gloo", rank=rank, world_size=ranks)

    def show(name, value):
        if rank == 0:
            print(name, value, flush=True)

    show("barrier", microseconds(times, dist.barrier))
    for power in range(10, 27, 4):
        x = torch.ones((1 << power) // 4)
        show(f"sum_{1 << power}", microseconds(max(times // 20, 1) if power > 20 else times, lambda: dist.all_reduce(x)))

    def step_of(model, width):
        """A step of each process' 64 rows."""
        optimizer, loss = torch.optim.SGD(model.parameters(), lr=0.01), torch.nn.CrossEntropyLoss()
        x, y = torch.randn(64, width), torch.randint(10, (64,))

        def step():
            optimizer.zero_grad()
            error = loss(model(x), y)
            error.backward()
            optimizer.step()
            return error.item()

        return step

    def large():
        layers = [layer for _ in range(8) for layer in (torch.nn.Linear(1024, 1024), torch.nn.ReLU())]
        return torch.nn.Sequential(*layers, torch.nn.Linear(1024, 10))

    small = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    parallel = torch.nn.parallel.DistributedDataParallel
    show("step", microseconds(times, step_of(parallel(small), 784)))
    few = max(times // 5, 3)
    show("large_alone", microseconds(few, step_of(large(), 1024)))
    show("large_overlap", microseconds(few, step_of(parallel(large()), 1024)))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks, times = int(sys.argv[1]), int(sys.argv[2])
    port = str(20000 + os.getpid() % 20000)
    processes.spawn(work, (ranks, times, port), nprocs=ranks)
