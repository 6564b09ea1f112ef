// Tensors from and for other libraries, in the form of DLPack.
#include "eager/exchange.h"
#include "embed/host.h"

using namespace lutra;
using namespace lutra::embed;

extern "C" {

int lutra_tensor_to_dlpack(lutra_tensor* tensor, int flags, void** managed) {
  const char* who = "lutra_tensor_to_dlpack";
  if (managed != nullptr) *managed = nullptr;
  return attempt(nullptr, [&] {
    require(tensor != nullptr, who, ": the tensor is NULL");
    require(managed != nullptr, who, ": managed is NULL");
    require((flags & ~LUTRA_DLPACK_OLD) == 0, who, ": flags is ", flags, ", expected 0 or LUTRA_DLPACK_OLD");
    Keeper keeper{tensor, [](void* kept) { lutra_tensor_release(static_cast<lutra_tensor*>(kept)); }};
    Runtime& runtime = tensor->home->runtime();
    if ((flags & LUTRA_DLPACK_OLD) != 0) *managed = export_old_array(who, runtime, tensor->tensor.rep(), keeper);
    else *managed = export_array(who, runtime, tensor->tensor.rep(), keeper);
    tensor->retain();
  });
}

int lutra_tensor_from_dlpack(lutra_t* lutra, void* managed, int flags, lutra_tensor** out) {
  const char* who = "lutra_tensor_from_dlpack";
  if (out != nullptr) *out = nullptr;
  return attempt_on(lutra, who, true, [&] {
    require(out != nullptr, who, ": out is NULL");
    require(managed != nullptr, who, ": the array is NULL");
    require((flags & ~(LUTRA_DLPACK_OLD | LUTRA_DLPACK_COPY)) == 0, who, ": flags is ", flags,
            ", expected LUTRA_DLPACK_OLD or LUTRA_DLPACK_COPY or both");
    Context& context = lutra->state->enter(lutra->L);
    auto handle = std::make_unique<lutra_tensor>(*lutra->home);
    const bool copies = (flags & LUTRA_DLPACK_COPY) != 0;
    TensorRep& rep = handle->tensor.rep();
    if ((flags & LUTRA_DLPACK_OLD) != 0)
      import_old_array(who, context, static_cast<dlpack::Managed*>(managed), copies, &rep);
    else import_array(who, context, static_cast<dlpack::VersionedManaged*>(managed), copies, &rep);
    handle->set_device();
    *out = handle.release();
  });
}

}  // extern "C"
