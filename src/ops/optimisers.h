// Attributes of the optimisers' steps, and how many variables one step takes, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

// Each optimiser reads some of these. lua/lutra/optim computes the numbers that change from step to step.
struct StepAttrs {
  double learning_rate = 0;
  double decay = 0;  // the fraction of the variable that is subtracted before the step
  double momentum = 0;
  double beta_1 = 0, beta_2 = 0, rho = 0, epsilon = 0;
  double mean_factor = 0, gradient_factor = 0, square_factor = 0;
  double power = 0, l1 = 0, l2 = 0, l2_shrinkage = 0;
  bool nesterov = false, centered = false;
  int slots = 0;  // of each variable
  bool scaled = false;
};

// The most variables that one kernel call updates. Its inputs are, for each, the variable, its gradient and its slots;
// its outputs the variable and its slots. If gradients are scaled, the last input has one element, which multiplies
// them all.
inline constexpr int kMostSteps = 32;

}  // namespace lutra
