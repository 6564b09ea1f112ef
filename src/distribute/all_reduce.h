// Sums over replicas: each passes a list of tensors, and each gets the list of sums on its own device.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "eager/context.h"

namespace lutra {

enum class Reduction : uint8_t { Sum, Mean };

// A replica's list; nullopt where it has no tensor.
using ReplicaTensors = std::vector<std::optional<Tensor>>;

// Entry i of replica r in the result is the sum (or mean over the replicas) of the entries i, on devices[r]. It is
// nullopt if no replica has that entry; if only some lack it, theirs count as zeros. A sum is computed once, in the
// order of sum_tree.h, or by the back end of the cards (collective.h), so all replicas get the same bits. Small tensors
// of GPUs are copied together, in buckets. Tapes see ordinary ops. Fails (InvalidArgument) if the lists differ in
// length, or their entries in shape or dtype.
std::vector<ReplicaTensors> all_reduce(Context& context, std::span<const ReplicaTensors> lists,
                                       std::span<LogicalDevice* const> devices, Reduction how);

// The same, but if the devices can read each other's memory, the sums stay in the first device's memory and all read
// them there. Commands that read them must be queued before take_back. On other devices the same as all_reduce.
std::vector<ReplicaTensors> lend_sums(Context& context, std::span<const ReplicaTensors> lists,
                                      std::span<LogicalDevice* const> devices, Reduction how);
void take_back(std::span<LogicalDevice* const> devices);

}  // namespace lutra
