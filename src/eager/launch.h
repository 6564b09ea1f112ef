// One call of a kernel with all its arguments: what ops, casts and optimiser steps become. A Launch is flat data:
// arrays and the storages they lie in, without tensors or Lua. Whoever keeps one may run it again.
#pragma once

#include "core/stop_request.h"
#include "eager/context.h"
#include "ops/kernel.h"

namespace lutra {

struct Launch {
  const KernelEntry* kernel;
  LogicalDevice* device;
  // submit sets `fault` and `out_count`; whoever makes the Launch sets the rest.
  KernelArgs args;
  // For GPUs: the storage of each input (args.n_in; null if the input is passed in the arguments) and of each result
  // (args.n_out). `writes` is null for a cast within an op: the op's own launch gives the results their fault sets.
  Storage* const* reads = nullptr;
  Storage* const* writes = nullptr;
};

// On the CPU: runs the kernel, and throws if it finds a wrong value. On a GPU: queues the kernel behind the copies that
// write its inputs; a wrong value is reported when a result, or anything computed from it, is read. `out_count`: see
// KernelArgs.
void submit(Context& context, Launch& launch, int64_t* out_count = nullptr);

// Computes on the CPU, and throws if Ctrl-C may have ended that early, so that nothing sees its results.
template <class Compute> [[gnu::always_inline]] inline void compute_on_host(Context& context, const Compute& compute) {
  try {
    compute();
  } catch (const LoopStopped&) {
  }
  if (StopRequest::was_heeded()) [[unlikely]]
    context.fail_stopped();
}

// submit for a launch on the CPU whose kernel has no `out_count`, inline because the plain case must cost little.
[[gnu::always_inline]] inline void run_on_host(Context& context, Launch& launch) {
  Fault fault;
  launch.args.fault = &fault;
  compute_on_host(context, [&] { launch.kernel->run(launch.args); });
  if (fault.happened()) [[unlikely]]
    throw fault_error(*launch.args.op, fault);
}

}  // namespace lutra
