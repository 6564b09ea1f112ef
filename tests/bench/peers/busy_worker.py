"""busy_worker.py torch|onnx NAME SETUP RUN ...: the peers' rows of busy_workloads.lua, three words each. Twin of
../busy_worker.lua, which says what is printed. Of ONNX Runtime SETUP is the inputs and RUN the op with its attributes.
"""
import os
import sys
from time import perf_counter

import numpy as np

WARM_SECONDS, SECONDS = 0.1, 0.5
THREADS = int(os.environ["OMP_NUM_THREADS"])


def torch_run(setup, run):
    import torch

    torch.set_num_threads(THREADS)
    scope = {"torch": torch}
    exec(f"def make():\n    {setup}\n    def work():\n        {run}\n    return work\n", scope)
    return scope["make"]()


def onnx_run(inputs, op):
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    first, *others = eval(f"({inputs},)", {"np": np})
    names = [f"w{i}" for i in range(len(others))]
    node = eval(f"helper.make_node({op})", {"helper": helper, "names": ["x", *names]})
    graph = helper.make_graph(
        [node],
        "workload",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, first.shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
        [numpy_helper.from_array(array, name) for array, name in zip(others, names)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda: session.run(None, {"x": first})


def mean_seconds(run, seconds):
    start, runs = perf_counter(), 0
    while True:
        run()
        runs += 1
        if perf_counter() - start >= seconds:
            return (perf_counter() - start) / runs


make = {"torch": torch_run, "onnx": onnx_run}[sys.argv[1]]
for name, setup, run in zip(*[iter(sys.argv[2:])] * 3):
    work = make(setup, run)
    mean_seconds(work, WARM_SECONDS)
    print(f"time {name} {mean_seconds(work, SECONDS) * 1e9:.0f}")
