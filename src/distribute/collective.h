// Sums over devices that their back end computes.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "distribute/all_reduce.h"

namespace lutra {

// The sum of parts[r], which are on devices[r], on every device (Mean: divided first). Every device gets the same bits;
// the back end chooses the order. nullopt if it cannot sum these; then nothing has been queued.
std::optional<std::vector<Tensor>> sum_by_backend(Context& context, std::span<const std::optional<Tensor>* const> parts,
                                                  std::span<LogicalDevice* const> devices, Reduction how);

}  // namespace lutra
