// Runs an op: prepare (prepare.h) decides what will happen, execute does it. Nothing else runs an op, except an
// optimiser's step in place (steps.h).
#pragma once

#include "eager/context.h"
#include "eager/prepare.h"

namespace lutra {

// Fills outs[0..n_out), which are empty. On an error those already filled own what they hold.
void execute(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs);

// prepare and execute, for C++ callers of an op with one output.
Tensor run_op(Context& context, Call& call, const ForcedPlace* forced = nullptr);

// Reports to the placement log what is not a kernel call (a variable is made, read or assigned), with the copies made
// for it.
void report_op(Context& context, const char* op, const LogicalDevice& device, Reason reason,
               std::vector<CopyEvent> copies = {});

}  // namespace lutra
