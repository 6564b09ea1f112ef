// Tensors from and for other libraries, by DLPack. Both ways the elements stay where they are.
#pragma once

#include "eager/context.h"
#include "memory/lent_memory.h"
#include "tensor/dlpack.h"

namespace lutra {

// Keeps an exported tensor alive. `release` may be called by any thread.
struct Keeper {
  void* user;
  void (*release)(void* user);
};

// A managed array of the tensor's elements, to read only. Its deleter releases the keeper. Fails (InvalidArgument) if
// the tensor is not on a CPU; the keeper is then not taken. The tensor must not move while it is kept.
dlpack::VersionedManaged* export_array(const char* who, Runtime& runtime, const TensorRep& tensor, Keeper keeper);
dlpack::Managed* export_old_array(const char* who, Runtime& runtime, const TensorRep& tensor, Keeper keeper);

// The tensor of a managed array, on the first CPU. Takes the array over: its deleter is called when the last tensor is
// gone. On failure (InvalidArgument) it stays the caller's. Without `copies` an array must be row-major, contiguous and
// aligned; with it any layout is taken, the elements are copied, and the deleter is called at once.
void import_array(const char* who, Context& context, dlpack::VersionedManaged* managed, bool copies, TensorRep* out);
void import_old_array(const char* who, Context& context, dlpack::Managed* managed, bool copies, TensorRep* out);

}  // namespace lutra
