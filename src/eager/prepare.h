// The first half of an op: prepare decides on which device a call will run, with which kernel, and the shapes and
// dtypes of its results. Every mistake of shape, dtype, device and option is thrown here. It allocates no tensor memory
// and runs no kernel; but the first call initialises the devices, and it may print that an op has no GPU kernel
// (set_kernel_fallback("warn")).
#pragma once

#include "eager/logical_device.h"
#include "eager/placement.h"
#include "ops/inference.h"
#include "ops/kernel.h"

namespace lutra {

class Context;

// Trivially destructible: Lua may jump over it.
struct Prepared {
  const OpDef* op;
  const KernelEntry* kernel;  // null: the result shares its input's storage
  LogicalDevice* device;
  uint64_t epoch;  // of the Runtime; if that has changed, prepare again
  uint32_t spec;   // the scope
  DType key;       // the dtype it is computed in
  Reason reason;
  uint8_t n_out;
  int64_t shared_from;  // the element of input 0 at which the result begins; -1: it has its own memory
  // Output i becomes the value of the variable into[i], an input of the op; null: outputs are new tensors.
  const TensorRep* const* into;
  bool is_logged;  // false: a further result of a list op, whose line has been printed
  // The op is computed in float64, and its results are rounded to the float32 that `out` says.
  bool is_widened;
  OutputMeta out[kMaxOutputs];

  // Whether output i will store its bytes inline, and so needs no finalizer.
  bool is_inline(int i) const {
    return (op->flags & kDynamic) == 0 &&
           device->keeps_inline(static_cast<std::size_t>(out[i].size) * size_of(out[i].dtype));
  }
};

// `forced` (or null) overrules the scopes.
void prepare(Context& context, const Call& call, Prepared* prepared, const ForcedPlace* forced = nullptr);

}  // namespace lutra
