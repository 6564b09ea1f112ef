// What the kernels of a trace took, by op, shapes, dtype and device: for the costs of lutra.placement.
#pragma once

#include <string>
#include <vector>

#include "profile/trace.h"

namespace lutra {

struct KernelTimes {
  std::string op, shapes, device;  // "MatMul", "float32(2,3) float32(3,4) -> float32(2,4)", "GPU:0"
  DType dtype;                     // that the op was computed in
  double flops, bytes;             // of one run
  std::vector<double> us;          // of the last runs
};

// Only of ops that ran one kernel; others, such as those that cast their inputs, are left out.
std::vector<KernelTimes> kernel_times(const Trace& trace);

}  // namespace lutra
