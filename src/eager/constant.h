// A constant is made in three steps: where the current scope wants it, a tensor in host memory whose bytes the caller
// then writes, and that tensor moved there, as an _EagerConst.
#pragma once

#include "eager/context.h"

namespace lutra {

Placement constant_placement(Context& context, DType dtype);
void make_host_tensor(Context& context, DType dtype, const Shape& shape, TensorRep* out);
void place_constant(Context& context, TensorRep* tensor);
// Tells the placement log of it, unless the scope names a CPU; of a constant made for a call (Call::literals) once the
// call goes ahead.
void report_constant(Context& context, const TensorRep& tensor);

}  // namespace lutra
