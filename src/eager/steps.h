// An optimiser's step for many variables: one kernel for those of a device and dtype, where it can write over them.
#pragma once

#include <span>

#include "eager/context.h"
#include "ops/inference.h"

namespace lutra {

struct VariableStep {
  TensorRep* changed[kMaxOutputs];  // the variable, then its slots
  const TensorRep* gradient;
  bool done = false;
};

// Runs the call's op for those that nothing stands in the way of: nobody else holds their memory, the gradient lies
// beside them in the same dtype, nobody listens, no variable stands there twice. Marks them as done; the others are for
// update() (variable.h). Takes no memory, so that no finalizer runs. A gradient that is a variable stops it all: it may
// be among those that change. `scale`: one element that all gradients are multiplied with, or null.
void step_in_place(Context& context, const Call& call, std::span<VariableStep> steps, int slots,
                   const TensorRep* scale);

}  // namespace lutra
