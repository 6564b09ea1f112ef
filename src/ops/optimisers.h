// Attributes of the optimisers' steps, and how many variables there are in one, as their kernels read them.
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
  int slots = 0;  // of each variable
  bool scaled = false;
};

// A kernel steps as many variables as it is given at once: for each the variable, its gradient and its slots come in,
// and the variable and its slots go out. Where gradients are scaled, one element that they are all multiplied with
// comes in last.
inline constexpr int kMostSteps = 32;

}  // namespace lutra
