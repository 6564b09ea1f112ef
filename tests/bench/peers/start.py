"""A script's first tensor, and the most memory the process held until then: start.py numpy|torch|jax. Twin of ../start.lua."""
import sys

if sys.argv[1] == "numpy":
    import numpy as np

    print(np.array([[1.0, 2.0], [3.0, 4.0]], np.float32), flush=True)
elif sys.argv[1] == "torch":
    import torch

    print(torch.tensor([[1.0, 2.0], [3.0, 4.0]]), flush=True)
else:
    import jax.numpy as jnp

    print(jnp.array([[1.0, 2.0], [3.0, 4.0]]), flush=True)
with open("/proc/self/status") as status:
    for line in status:
        if line.startswith("VmHWM:"):
            print("rss_kib", line.split()[1])
