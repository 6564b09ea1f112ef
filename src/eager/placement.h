// The result of placement: the device, the reason and the kernel.
#pragma once

#include <cstdint>
#include <string>

#include "eager/logical_device.h"
#include "ops/kernel.h"

namespace lutra {

enum class Reason : uint8_t {
  GpuFirst,       // no scope: GPU first
  OnlyCpu,        // no scope: no GPU here
  Scope,          // the scope asks for it
  SoftPlacement,  // the device that the scope asks for is not there
  NoKernel,       // the device that was asked for has no kernel
  StaysOnInput,   // moves no data
  Variable,       // it reads or writes a variable
  Gradient,       // it is part of the gradient of an op that ran there
  Replicas,       // it sums over replicas
  Plan,           // a plan says so
};

// The device that an op runs on, whatever the scopes say.
struct ForcedPlace {
  LogicalDevice* device;
  Reason reason;
};

struct Placement {
  LogicalDevice* device;
  Reason reason;
  const KernelEntry* kernel;
};

// "no scope: GPU first", "Unique has no GPU kernel"
std::string reason_text(Reason reason, const char* op_name, const std::string& requested);

}  // namespace lutra
