// Handles of tensors, and their userdata in Lua.
#pragma once

#include "embed/host.h"
#include "memory/lent_memory.h"

namespace lutra::embed {

// A handle of the tensor; null without memory.
lutra_tensor* new_tensor(lutra_t& lutra, const TensorRep& tensor) noexcept;

// Pushes the tensor's userdata: the one that it had before while that lives, so that a tensor which a tape watches
// stays watched. Of another interpreter's tensor the bytes are shared, where both share a Runtime or it is on a CPU.
// May raise a Lua error.
void push_tensor(lua_State* L, lutra_t& lutra, lutra_tensor& tensor);

// dtype and shape as C gives them. Fails with `who`.
struct Description {
  DType dtype;
  Shape shape;
  std::size_t bytes;
};
Description describe(const char* who, int dtype, int rank, const int64_t* dims);

// A handle of lent memory on the CPU. Throws; the loan is then not taken.
lutra_tensor* lend_tensor(lutra_t& lutra, const Description& what, const Loan& loan);

}  // namespace lutra::embed
