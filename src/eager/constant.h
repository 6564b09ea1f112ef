// Makes constants, in three steps: constant_placement finds the device by the current scope, make_host_tensor makes a
// tensor in host memory, whose bytes the caller writes, and place_constant moves it to the device, as an _EagerConst.
#pragma once

#include "eager/context.h"

namespace lutra {

Placement constant_placement(Context& context, DType dtype);
void make_host_tensor(Context& context, DType dtype, const Shape& shape, TensorRep* out);
void place_constant(Context& context, TensorRep* tensor);
// Reports the constant to the placement log, unless the scope names a CPU. A constant made for a call (Call::literals)
// is reported when the call runs.
void report_constant(Context& context, const TensorRep& tensor);

}  // namespace lutra
