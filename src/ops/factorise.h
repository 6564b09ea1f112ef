// Attributes of the factorisations, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct SolveAttrs {
  bool adjoint = false;
};
// MatrixTriangularSolve, as TensorFlow's.
struct TriangularAttrs {
  bool lower = true;
  bool adjoint = false;
};

}  // namespace lutra
