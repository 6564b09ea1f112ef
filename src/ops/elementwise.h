// Ops that compute each element of their one result from one element of each input, which may be broadcast. They can be
// run on a part of the elements at a time (graph/chains.h).
#pragma once

#include <algorithm>

#include "ops/op.h"

namespace lutra {

// One more of InputFlags: each element of the result reads one element of this input.
inline constexpr uint8_t kByElement = 16;

inline bool is_elementwise(const OpDef& op) {
  return !op.inputs.empty() && std::all_of(op.inputs.begin(), op.inputs.end(),
                                           [](const InputDef& input) { return (input.flags & kByElement) != 0; });
}

}  // namespace lutra
