// The one way an op runs: prepare says what would happen (pure, no allocation, every mistake of shape, dtype, device
// and option is thrown there), execute makes it happen. Shape inference and placers are prepare alone.
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

// A tensor of the element bytes at `data`, made as an _EagerConst in the current scope; logged unless the scope names a
// CPU. The first form makes it in host memory alone; the second moves it to where the scope wants it.
Placement constant_placement(Context& context, DType dtype);  // where the scope wants it
void make_host_tensor(Context& context, DType dtype, const Shape& shape, TensorRep* out);
void place_constant(Context& context, TensorRep* tensor);

// The tensor on `to`; itself (shared) where it is there already.
void move_tensor(Context& context, const TensorRep& tensor, LogicalDevice& to, TensorRep* out);

}  // namespace lutra
