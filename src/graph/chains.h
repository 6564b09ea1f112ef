// Runs of elementwise steps, computed block by block: all steps on some thousand elements, then on the next, so that
// what one step gives the next stays in the cache. The blocks go through the same kernels, so the bits are the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/program.h"

namespace lutra::graph {

// Finds the program's chains, and marks the cells that exist only block by block (Cell::slot).
void find_chains(Context& context, Program& program);

// `steps` are the chain's launches, in order.
void run_chain(const Chain& chain, const Program& program, std::span<const KernelArgs> steps);

}  // namespace lutra::graph
