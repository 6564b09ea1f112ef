// Runs an op that is composed of others: its inner ops, one after the other, on the device where it was placed. The
// placement log has no line for the inner ops; tapes record them unless the inputs have no `value`.
#pragma once

#include <vector>

#include "eager/prepare.h"

namespace lutra {

inline constexpr std::size_t kUsualInnerOps = 16;

// Computes the results of a call, on prepared.device or, if that is a CPU, on another CPU. `inputs`: the call's inputs,
// which the caller holds, numbers as scalars. An inner op's error is prefixed with the op's name.
std::vector<Tensor> compose(Context& context, const Call& call, const Prepared& prepared, std::vector<Tensor> inputs);

}  // namespace lutra
