// The second half of an op: bind finds memory for a prepared call's results, brings its inputs together and submits the
// Launches that come of it. For every call but the plainest (executor.cpp): GPUs, copies, casts, scratch memory,
// several outputs, listeners, variables written over.
#pragma once

#include "eager/context.h"
#include "eager/prepare.h"

namespace lutra {

void bind_and_submit(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs);

// Fails if a finalizer released an input or reset the devices since the call was prepared. See Note [Order within one
// op].
void check_again(const Call& call, const Prepared& prepared);
inline void check_epoch(Context& context, const Call& call, const Prepared& prepared) {
  if (context.runtime().epoch != prepared.epoch) [[unlikely]]
    check_again(call, prepared);
}

}  // namespace lutra
