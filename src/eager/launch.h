// One kernel, with all that it needs to run: what ops, casts and optimiser steps become. A Launch is flat data. It
// knows nothing of Lua or of tensors, only arrays, and where their memory comes from: who keeps one may run it again.
#pragma once

#include "eager/context.h"
#include "ops/kernel.h"

namespace lutra {

struct Launch {
  const KernelEntry* kernel;
  LogicalDevice* device;
  // `fault` and `out_count` are submit's business, all else is the binder's.
  KernelArgs args;
  // For GPUs the storages that inputs lie in, args.n_in of them, null where an input rides in the arguments, and those
  // of the results, args.n_out. No `writes`: it prepares another launch, in scratch memory.
  Storage* const* reads = nullptr;
  Storage* const* writes = nullptr;
};

// Runs the launch on the CPU, and raises what its kernel finds wrong with values; queues it on a GPU. There it waits
// for the copies that write what it reads, and what it finds wrong is raised when somebody reads a result, or what came
// of one. `out_count` as in KernelArgs, of ops that have it.
void submit(Context& context, Launch& launch, int64_t* out_count = nullptr);

// The same for a launch on the CPU whose kernel has no `out_count`: the case that must cost little.
inline void run_on_host(Launch& launch) {
  Fault fault;
  launch.args.fault = &fault;
  launch.kernel->run(launch.args);
  if (fault.happened()) [[unlikely]]
    throw fault_error(*launch.args.op, fault);
}

}  // namespace lutra
