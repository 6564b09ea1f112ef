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
    model = torch.nn.Sequential(torch.nn.Linear(784, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
    model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer, loss = torch.optim.SGD(model.parameters(), lr=0.01), torch.nn.CrossEntropyLoss()
    x, y = torch.randn(64, 784), torch.randint(10, (64,))

    def step():
        optimizer.zero_grad()
        error = loss(model(x), y)
        error.backward()
        optimizer.step()
        return error.item()

    show("step", microseconds(times, step))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    ranks, times = int(sys.argv[1]), int(sys.argv[2])
    port = str(20000 + os.getpid() % 20000)
    processes.spawn(work, (ranks, times, port), nprocs=ranks)
