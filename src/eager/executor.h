// The one way an op runs: prepare says what would happen, execute makes it happen. Every mistake of shape, dtype,
// device and option is thrown by prepare. It takes no memory for tensors and runs nothing; but the first one
// initialises the devices, and it may print that an op has no GPU kernel (set_kernel_fallback("warn")).
#pragma once

#include "eager/context.h"
#include "eager/prepared.h"

namespace lutra {

// `forced` (or null) overrules the scopes.
void prepare(Context& context, const Call& call, Prepared* prepared, const ForcedPlace* forced = nullptr);

// Fills outs[0..n_out), which are empty. On an error those already filled own what they hold.
void execute(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs);

// prepare and execute, for C++ callers: one output.
Tensor run_op(Context& context, Call& call, const ForcedPlace* forced = nullptr);

// Tells the placement log of something that is no kernel: a variable read, made or assigned.
void report_op(Context& context, const char* op, const LogicalDevice& device, Reason reason);

// A constant is made in three steps: where the current scope wants it, a tensor in host memory whose bytes the caller
// then writes, and that tensor moved there, as an _EagerConst, which is logged unless the scope names a CPU.
Placement constant_placement(Context& context, DType dtype);
void make_host_tensor(Context& context, DType dtype, const Shape& shape, TensorRep* out);
void place_constant(Context& context, TensorRep* tensor);

// The tensor on `to`; itself (shared) where it is there already. Whether bytes were copied for that.
bool move_tensor(Context& context, const TensorRep& tensor, LogicalDevice& to, TensorRep* out);

}  // namespace lutra
