// Runs an op that is composed of others: its inner ops, one after the other, on the device where it was placed. The
// placement log has no line for them; tapes record them unless the inputs carry no value.
#pragma once

#include <vector>

#include "eager/prepare.h"

namespace lutra {

inline constexpr std::size_t kUsualInnerOps = 16;

// The results of a call, on prepared.device or, when it is a CPU, on another CPU. `inputs`: those of the call as they
// are held for it, numbers as scalars. Fails with the op's name before what an inner op says.
std::vector<Tensor> compose(Context& context, const Call& call, const Prepared& prepared, std::vector<Tensor> inputs);

}  // namespace lutra
