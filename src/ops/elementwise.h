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

// Whether a kernel for that dtype may report a Fault. Elementwise ops find wrong values among integers only: divisors
// that are 0, negative powers.
inline bool may_find_fault(const OpDef& op, DType dtype) {
  return op.has(kChecksValues) && (is_integer(dtype) || !is_elementwise(op));
}

}  // namespace lutra
