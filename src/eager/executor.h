// The one way an op runs: prepare says what would happen, execute makes it happen. Every mistake of shape, dtype,
// device and option is thrown by prepare. It takes no memory for tensors and runs nothing; but the first one
// initialises the devices, and it may print that an op has no GPU kernel (set_kernel_fallback("warn")).
#pragma once

#include "eager/context.h"
#include "ops/inference.h"

namespace lutra {

// Trivially destructible: Lua may jump over it.
struct Prepared {
  const OpDef* op;
  const KernelEntry* kernel;  // null: the result shares its input's storage
  LogicalDevice* device;
  uint64_t epoch;  // of the Runtime; when that has moved on, prepare again
  uint32_t spec;   // the scope
  DType key;       // the dtype it is computed in
  Reason reason;
  uint8_t n_out;
  int64_t shared_from;  // element of input 0 the result begins at; -1: it has bytes of its own
  OutputMeta out[kMaxOutputs];

  // Whether output i will carry its bytes, and so needs no finalizer.
  bool is_inline(int i) const {
    return device->is_host() && (op->flags & kDynamic) == 0 &&
           static_cast<std::size_t>(out[i].size) * size_of(out[i].dtype) <= kInlineBytes;
  }
};

void prepare(Context& context, const Call& call, Prepared* prepared);

// Fills outs[0..n_out), which are empty. On an error those already filled own what they hold.
void execute(Context& context, Call& call, const Prepared& prepared, TensorRep* const* outs);

// prepare and execute, for C++ callers: one output.
Tensor run_op(Context& context, Call& call);

// A constant is made in three steps: where the current scope wants it, a tensor in host memory whose bytes the caller
// then writes, and that tensor moved there, as an _EagerConst, which is logged unless the scope names a CPU.
Placement constant_placement(Context& context, DType dtype);
void make_host_tensor(Context& context, DType dtype, const Shape& shape, TensorRep* out);
void place_constant(Context& context, TensorRep* tensor);

// The tensor on `to`; itself (shared) where it is there already.
void move_tensor(Context& context, const TensorRep& tensor, LogicalDevice& to, TensorRep* out);

}  // namespace lutra
