// Attributes of activation functions and of their gradients, as their kernels read them.
#pragma once

namespace lutra {

struct LeakyReluAttrs {
  double alpha = 0.2;
};
struct EluAttrs {
  double alpha = 1;
};
struct GeluAttrs {
  bool approximate = false;
};

}  // namespace lutra
