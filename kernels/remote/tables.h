// The ops and kernels of this build, which a program and `lutra serve` name to each other by number.
#pragma once

#include "ops/backend.h"

namespace lutra {

struct RemoteTables {
  OpRegistry ops;
  KernelRegistry kernels;
  const Backend& cards;  // of simulated GPUs
  // What both ends must have in common, as a text: the version, and a hash of the ops and their attributes.
  std::string fingerprint;

  RemoteTables();
  // The dtype for which `run` is registered for the op on a GPU. Fails (Unimplemented) if there is none, as for ops of
  // a host's own.
  DType key_of(const OpDef& op, void (*run)(const KernelArgs&)) const;
};

// Made at the first call.
const RemoteTables& remote_tables();

}  // namespace lutra
