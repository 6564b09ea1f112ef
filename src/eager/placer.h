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

struct Placement {
  LogicalDevice* device;
  Reason reason;
};

// `input`: the device whose memory the result would share, or null. `converts`: inputs must be cast there first.
Placement place(Context& context, const OpDef& op, DType key, LogicalDevice* input, bool converts);

// Where an op runs whatever the scopes say.
struct ForcedPlace {
  LogicalDevice* device;
  Reason reason;
};
// On that device, or on the CPU when it has no kernel.
Placement place_on(Context& context, const OpDef& op, DType key, const ForcedPlace& forced, bool converts);

// "no scope: GPU first", "Unique has no GPU kernel"
std::string reason_text(Reason reason, const char* op_name, const std::string& requested);

}  // namespace lutra
