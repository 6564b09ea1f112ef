// Sums over replicas: each brings a list of tensors, and each gets the list of sums on its own device.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "eager/context.h"

namespace lutra {

enum class Reduction : uint8_t { Sum, Mean };

// A replica's list; entries that it has nothing for are empty.
using ReplicaTensors = std::vector<std::optional<Tensor>>;

// Entry i of replica r in the result is the sum (or mean over the replicas) of the entries i, on devices[r]; empty
// where no replica has one, while a single missing one counts as zeros. It is added up once, from the first replica to
// the last, or by the back end of their cards (collective.h), so all replicas get the same bits. Small tensors of GPUs
// travel together, in buckets. Tapes see ordinary ops. Fails (InvalidArgument) when the lists differ in length, or
// their entries in shape or dtype.
std::vector<ReplicaTensors> all_reduce(Context& context, std::span<const ReplicaTensors> lists,
                                       std::span<LogicalDevice* const> devices, Reduction how);

// The same, but where devices read each other's memory the sums stay in the first one's, and all read them there: for
// the time until take_back, by which all commands that read them must be queued. Elsewhere as all_reduce.
std::vector<ReplicaTensors> lend_sums(Context& context, std::span<const ReplicaTensors> lists,
                                      std::span<LogicalDevice* const> devices, Reduction how);
void take_back(std::span<LogicalDevice* const> devices);

}  // namespace lutra
