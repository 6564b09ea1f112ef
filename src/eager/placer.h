// Where an op runs, and why: the rules of docs/placement.md.
#pragma once

#include <cstdint>
#include <string>

#include "eager/logical_device.h"
#include "ops/kernel.h"

namespace lutra {

class Context;

enum class Reason : uint8_t {
  GpuFirst,       // no scope: GPU first
  OnlyCpu,        // no scope: no GPU here
  Scope,          // the scope asks for it
  SoftPlacement,  // what the scope asks for is not there
  NoKernel,       // what was asked for has no kernel
  StaysOnInput,   // moves no data
  Variable,       // it reads or writes a variable
  Gradient,       // it is part of the gradient of an op that ran there
  Replicas,       // it brings together what replicas have
};

// An op runs there whatever the scopes say.
struct ForcedPlace {
  LogicalDevice* device;
  Reason reason;
};

struct Placement {
  LogicalDevice* device;
  Reason reason;
  const KernelEntry* kernel;
};

// Where `op` runs, computed in `key`, and with which kernel: on the first device meant that has one, else on the CPU.
// `forced` (or null) overrules the scopes. `call`: its inputs, which may have to be cast there first; null: none are.
Placement place(Context& context, const OpDef& op, DType key, const Call* call = nullptr,
                const ForcedPlace* forced = nullptr);

// Where a result lies that shares the memory of a tensor on `input`. No kernel runs.
Placement place_view(Context& context, LogicalDevice& input, const ForcedPlace* forced = nullptr);

// "no scope: GPU first", "Unique has no GPU kernel"
std::string reason_text(Reason reason, const char* op_name, const std::string& requested);

}  // namespace lutra
