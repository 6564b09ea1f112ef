"""Runs scripts/guide/use_a_gpu.ipynb by nbclient and compares what its cells show with what the file says. Usage:
guide_notebook.py LUTRA_KERNEL [--accept]; --accept writes the outputs into the file. Needs nbclient and nbformat."""
import json
import os
import re
import sys
import tempfile

import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

PATH = os.path.join(os.path.dirname(__file__), "..", "..", "scripts", "guide", "use_a_gpu.ipynb")


def run(notebook, kernel):
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.join(folder, "kernels", "lutra")
        os.makedirs(place)
        with open(os.path.join(place, "kernel.json"), "w") as file:
            json.dump({"argv": [kernel, "-f", "{connection_file}"], "display_name": "Lutra", "language": "lua"}, file)
        os.environ["LUTRA_SIM_GPUS"] = "2"  # the notebook's outputs are those of a machine with two GPUs
        specs = KernelSpecManager(kernel_dirs=[os.path.join(folder, "kernels")], ensure_native_kernel=False)
        manager = AsyncKernelManager(kernel_name="lutra", kernel_spec_manager=specs)
        NotebookClient(notebook, km=manager, timeout=120, allow_errors=True, record_timing=False).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = join(cell.outputs)


def join(outputs):
    """Joins pieces of one stream that came one after the other: how it is cut differs from run to run."""
    joined = []
    for output in outputs:
        is_more = joined and output["output_type"] == "stream" and joined[-1].get("name") == output["name"]
        if is_more:
            joined[-1]["text"] += output["text"]
        else:
            joined.append(output)
    return joined


def shown(cell):
    """What a cell shows, without what differs from run to run: times."""
    outputs = json.dumps(cell.get("outputs", []), sort_keys=True)
    return re.sub(r"\d+(\.\d+)?(ms|us|s)(/step|/epoch)?", "TIME", outputs)


def main():
    kernel, accepts = os.path.abspath(sys.argv[1]), "--accept" in sys.argv[2:]
    notebook = nbformat.read(PATH, 4)
    before = [shown(cell) for cell in notebook.cells]
    run(notebook, kernel)
    if accepts:
        for number, cell in enumerate(notebook.cells):
            cell["id"] = f"cell-{number + 1}"
        notebook.metadata = {"kernelspec": {"display_name": "Lutra", "language": "lua", "name": "lutra"},
                             "language_info": {"name": "lua", "file_extension": ".lua", "mimetype": "text/x-lua"}}
        nbformat.write(notebook, PATH)
        return 0
    different = [(a, shown(cell), cell) for a, cell in zip(before, notebook.cells) if a != shown(cell)]
    for expected, given, cell in different:
        print(f"This cell shows something else:\n{cell.source}\nexpected {expected}\n   given {given}")
    print(f"{len(notebook.cells)} cells, {len(different)} show something else")
    return 1 if different else 0


sys.exit(main())
