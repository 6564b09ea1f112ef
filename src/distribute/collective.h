// Sums that the devices' back end makes by itself, all of them at once.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "distribute/all_reduce.h"

namespace lutra {

// parts[r], which lie on devices[r], summed up (Mean: divided first) on every device: the same bits, added up in the
// back end's order. Empty where it has no such way, and nothing has been queued then.
std::optional<std::vector<Tensor>> sum_by_backend(Context& context, std::span<const std::optional<Tensor>* const> parts,
                                                  std::span<LogicalDevice* const> devices, Reduction how);

}  // namespace lutra
