"""What grid_worker.py gives the code of grid_conv.lua: arrays as the peers like convolutions best."""
import os
from time import perf_counter

import numpy as np


def channels_first(x, w):
    """Images and weights of Lutra's order in that of the peers."""
    return x.transpose(0, 3, 1, 2), w.transpose(3, 2, 0, 1)


def faster_order(run, x, w, b):
    """Tensors with the channels first or last in memory, whichever `run` is faster on."""
    import torch

    x, w = (torch.from_numpy(array) for array in channels_first(x, w))
    b = None if b is None else torch.from_numpy(b)
    best = None
    for order in (torch.contiguous_format, torch.channels_last):
        given = x.clone(memory_format=order), w.clone(memory_format=order), b
        seconds = []
        for _ in range(7):
            start = perf_counter()
            run(*given)
            seconds.append(perf_counter() - start)
        if best is None or min(seconds) < best[0]:
            best = min(seconds), given
    return best[1]


def conv_session(x, w, b, activation, **attributes):
    """An image, and a function: ONNX Runtime's session of one convolution with weights that stay."""
    import onnxruntime
    from onnx import TensorProto, helper, numpy_helper

    x, w = (np.ascontiguousarray(array) for array in channels_first(x, w))
    constants = {"w": w} if b is None else {"w": w, "b": b}
    nodes = [helper.make_node("Conv", ["x", *constants], ["y"], **attributes)]
    if activation == "relu":
        nodes.append(helper.make_node("Relu", ["y"], ["r"]))
    elif activation == "relu6":
        constants |= {"low": np.float32(0), "high": np.float32(6)}
        nodes.append(helper.make_node("Clip", ["y", "low", "high"], ["r"]))
    elif activation == "silu":
        nodes += [helper.make_node("Sigmoid", ["y"], ["s"]), helper.make_node("Mul", ["y", "s"], ["r"])]
    result = "r" if activation else "y"
    graph = helper.make_graph(
        nodes,
        "conv",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, x.shape)],
        [helper.make_tensor_value_info(result, TensorProto.FLOAT, None)],
        [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return x, lambda x: session.run(None, {"x": x})[0]
