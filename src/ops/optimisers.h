// Attributes of the optimisers' steps, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

// Each step reads some of them. Numbers that change from step to step are worked out before (lua/lutra/optim).
struct StepAttrs {
  double learning_rate = 0;
  double decay = 0;  // the share of the variable that is taken off before the step
  double momentum = 0;
  double beta_1 = 0, beta_2 = 0, rho = 0, epsilon = 0;
  bool nesterov = false, centered = false;
};

}  // namespace lutra
