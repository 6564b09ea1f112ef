// The one way an op runs: prepare says what would happen, execute makes it happen.
#pragma once

#include "eager/context.h"
#include "eager/prepare.h"

namespace lutra {

// Fills outs[0..n_out), which are empty. On an error those already filled own what they hold.
void execute(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs);

// prepare and execute, for C++ callers: one output.
Tensor run_op(Context& context, Call& call, const ForcedPlace* forced = nullptr);

// Tells the placement log of something that is no kernel, and of the copies made for it: a variable read, made or
// assigned.
void report_op(Context& context, const char* op, const LogicalDevice& device, Reason reason,
               std::vector<CopyEvent> copies = {});

}  // namespace lutra
