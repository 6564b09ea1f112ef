// A constant is made in three steps: where the current scope wants it, a tensor in host memory whose bytes the caller
// then writes, and that tensor moved there, as an _EagerConst, which is logged unless the scope names a CPU.
#pragma once

#include "eager/context.h"

namespace lutra {

Placement constant_placement(Context& context, DType dtype);
void make_host_tensor(Context& context, DType dtype, const Shape& shape, TensorRep* out);
void place_constant(Context& context, TensorRep* tensor);

}  // namespace lutra
