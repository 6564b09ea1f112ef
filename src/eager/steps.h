// An optimiser's step for many variables: one launch updates those of the same device and dtype in place.
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

// Runs the call's op for every step that can be done in place: nothing else holds the memory of the variable and its
// slots, the gradient is on the same device in the same dtype, and no earlier step has the same variable. Marks these
// as done; for the others the caller uses update() (variable.h). Does nothing while the placement log listens, or if
// any gradient is a variable, which one of the steps might change. Allocates no tensor memory, so no finalizer runs.
// `scale`: one element that all gradients are multiplied with, or null.
void step_in_place(Context& context, const Call& call, std::span<VariableStep> steps, int slots,
                   const TensorRep* scale);

}  // namespace lutra
