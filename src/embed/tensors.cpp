#include "embed/tensors.h"

#include <cstring>

#include "eager/constant.h"
#include "lua/border/guard.h"
#include "tensor/tensor.h"

namespace lutra::embed {
namespace {

// A tensor of another interpreter as one of this: the bytes are shared. What a tape or a log of the other interpreter
// knows of it is not.
void share_with(lutra_t& lutra, lutra_tensor& from, TensorRep* out) {
  const TensorRep& theirs = from.tensor.rep();
  if (&from.home->runtime() == &lutra.home->runtime()) {
    share(*out, theirs);
    out->value = 0;
    out->origin = 0;
    return;
  }
  require(from.device->is_host(), "a tensor on ", from.device->full_name,
          " of another interpreter: only tensors on a CPU can be passed between interpreters; copy it there "
          "(t:to('CPU:0')), or let both share a lutra_runtime_t");
  Context& context = lutra.state->context();
  context.devices();  // initialises them
  const uint16_t cpu = lutra.state->runtime().cpu().id;
  if (theirs.is_inline()) {
    *out = theirs;
  } else {
    Loan loan{theirs.data, theirs.nbytes(),
              [](void* tensor) { lutra_tensor_release(static_cast<lutra_tensor*>(tensor)); }, &from};
    Storage* storage = lutra.state->runtime().lent_memory().borrow(loan, cpu);
    from.retain();
    *out = theirs;
    out->storage = storage;
  }
  out->device = cpu;
  out->value = 0;
  out->origin = 0;
}

bool push_known(lua_State* L, const lutra_tensor& tensor) {
  if (tensor.ref == Handle::kNoRef) return false;
  lua_rawgeti(L, LUA_REGISTRYINDEX, tensor.ref);
  if (to_live_box(L, -1) != nullptr) return true;
  lua_pop(L, 1);  // a script has released it
  return false;
}

}  // namespace

lutra_tensor* new_tensor(lutra_t& lutra, const TensorRep& tensor) noexcept {
  auto* handle = new (std::nothrow) lutra_tensor(*lutra.home);
  if (handle == nullptr) return nullptr;
  share(handle->tensor.rep(), tensor);
  handle->set_device();
  return handle;
}

void push_tensor(lua_State* L, lutra_t& lutra, lutra_tensor& tensor) {
  const bool is_own = tensor.home == lutra.home;
  if (is_own && push_known(L, tensor)) return;
  State& state = *lutra.state;
  Box* box = state.push_box(L, tensor.tensor.rep().is_inline());
  if (is_own) {
    share(box->tensor, tensor.tensor.rep());
  } else {
    state.attempt_or_raise(L, [&] {
      state.enter(L);
      share_with(lutra, tensor, &box->tensor);
    });
  }
  state.own(L, box);
  if (!is_own) return;
  if (tensor.ref != Handle::kNoRef) luaL_unref(L, LUA_REGISTRYINDEX, tensor.ref);
  tensor.ref = Handle::kNoRef;
  lua_pushvalue(L, -1);
  tensor.ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

Description describe(const char* who, int dtype, int rank, const int64_t* dims) {
  require(dtype >= 0 && dtype < kDTypeCount, who, ": dtype is ", dtype, ", expected a lutra_dtype, 0 to ",
          kDTypeCount - 1);
  require(rank >= 0 && rank <= kMaxRank, who, ": rank is ", rank, ", expected 0 to ", kMaxRank);
  require(dims != nullptr || rank == 0, who, ": shape is NULL");
  for (int i = 0; i < rank; ++i) require(dims[i] >= 0, who, ": size ", i, " of the shape is ", dims[i]);
  Description out{static_cast<DType>(dtype), Shape({dims, static_cast<std::size_t>(rank)}), 0};
  const auto width = static_cast<int64_t>(size_of(out.dtype));
  out.bytes = static_cast<std::size_t>(element_count(who, out.shape.dims(), width) * width);
  return out;
}

namespace {

void check_bytes(const char* who, const Description& what, const void* elements, std::size_t n_bytes) {
  require(n_bytes == what.bytes, who, ": ", what.shape, " of ", what.dtype, " takes ", what.bytes, " bytes, got ",
          n_bytes);
  require(elements != nullptr || n_bytes == 0, who, ": elements is NULL");
}

lutra_tensor* make_tensor(lutra_t& lutra, const Description& what, const void* elements) {
  Context& context = lutra.state->enter(lutra.L);
  auto handle = std::make_unique<lutra_tensor>(*lutra.home);
  TensorRep& rep = handle->tensor.rep();
  make_host_tensor(context, what.dtype, what.shape, &rep);
  std::byte* to = rep.storage != nullptr ? rep.data : rep.bytes;
  if (what.bytes > 0) std::memcpy(to, elements, what.bytes);
  // A bool must be 0 or 1.
  for (std::size_t i = 0; what.dtype == DType::Bool && i < what.bytes; ++i) to[i] = std::byte{to[i] != std::byte{0}};
  place_constant(context, &rep);
  report_constant(context, rep);
  handle->set_device();
  return handle.release();
}

}  // namespace

lutra_tensor* lend_tensor(lutra_t& lutra, const Description& what, const Loan& loan) {
  Context& context = lutra.state->enter(lutra.L);
  context.devices();
  Runtime& runtime = lutra.state->runtime();
  auto handle = std::make_unique<lutra_tensor>(*lutra.home);
  TensorRep& rep = handle->tensor.rep();
  rep.storage = runtime.lent_memory().borrow(loan, runtime.cpu().id);
  rep.data = rep.storage->data;
  rep.dtype = what.dtype;
  rep.set_shape(what.shape);
  rep.size = what.shape.size();
  rep.device = runtime.cpu().id;
  handle->set_device();
  return handle.release();
}

}  // namespace lutra::embed

using namespace lutra;
using namespace lutra::embed;

extern "C" {

int lutra_tensor_new(lutra_t* lutra, int dtype, int rank, const int64_t* shape, const void* elements, size_t n_bytes,
                     lutra_tensor** out) {
  if (out != nullptr) *out = nullptr;
  return attempt_on(lutra, "lutra_tensor_new", true, [&] {
    require(out != nullptr, "lutra_tensor_new: out is NULL");
    Description what = describe("lutra_tensor_new", dtype, rank, shape);
    check_bytes("lutra_tensor_new", what, elements, n_bytes);
    *out = make_tensor(*lutra, what, elements);
  });
}

int lutra_tensor_wrap(lutra_t* lutra, int dtype, int rank, const int64_t* shape, const void* elements, size_t n_bytes,
                      void (*release)(void* user), void* user, lutra_tensor** out) {
  if (out != nullptr) *out = nullptr;
  return attempt_on(lutra, "lutra_tensor_wrap", true, [&] {
    require(out != nullptr, "lutra_tensor_wrap: out is NULL");
    Description what = describe("lutra_tensor_wrap", dtype, rank, shape);
    check_bytes("lutra_tensor_wrap", what, elements, n_bytes);
    require(reinterpret_cast<uintptr_t>(elements) % size_of(real_dtype(what.dtype)) == 0, "lutra_tensor_wrap: elements",
            " are not aligned to the ", size_of(real_dtype(what.dtype)), " bytes of ", what.dtype,
            "; lutra_tensor_new copies them");
    *out = lend_tensor(*lutra, what, {static_cast<const std::byte*>(elements), what.bytes, release, user});
  });
}

int lutra_tensor_read(lutra_tensor* tensor, void* to, size_t n_bytes) {
  const char* who = "lutra_tensor_read";
  if (tensor == nullptr) return refuse(who, "the tensor is NULL");
  const TensorRep& rep = tensor->tensor.rep();
  auto check = [&] {
    require(n_bytes == rep.nbytes(), who, ": the tensor has ", rep.nbytes(), " bytes, and there is room for ", n_bytes);
    require(to != nullptr || n_bytes == 0, who, ": to is NULL");
  };
  if (tensor->device->is_host()) {
    return attempt(nullptr, [&] {
      check();
      if (n_bytes > 0) std::memcpy(to, rep.address(), n_bytes);
    });
  }
  lutra_t* lutra = tensor->home->owner();
  if (lutra == nullptr) return refuse(who, "the interpreter of a tensor on a GPU was closed");
  return attempt_on(lutra, who, true, [&] {
    check();
    Context& context = lutra->state->enter(lutra->L);
    context.runtime().transfer().read(context, rep, static_cast<std::byte*>(to), 0, n_bytes);
  });
}

int lutra_tensor_dtype(const lutra_tensor* tensor) {
  return tensor != nullptr ? static_cast<int>(tensor->tensor.rep().dtype) : -1;
}
int lutra_tensor_rank(const lutra_tensor* tensor) { return tensor != nullptr ? tensor->tensor.rep().rank : -1; }
const int64_t* lutra_tensor_shape(const lutra_tensor* tensor) {
  return tensor != nullptr ? tensor->tensor.rep().dims : nullptr;
}
size_t lutra_tensor_size(const lutra_tensor* tensor) {
  return tensor != nullptr ? static_cast<size_t>(tensor->tensor.rep().size) : 0;
}
size_t lutra_tensor_bytes(const lutra_tensor* tensor) { return tensor != nullptr ? tensor->tensor.rep().nbytes() : 0; }
const char* lutra_tensor_device(const lutra_tensor* tensor) {
  return tensor != nullptr ? tensor->device->full_name.c_str() : nullptr;
}

const void* lutra_tensor_data(const lutra_tensor* tensor) {
  return tensor != nullptr && tensor->device->is_host() ? tensor->tensor.rep().address() : nullptr;
}

lutra_tensor* lutra_tensor_retain(lutra_tensor* tensor) {
  if (tensor != nullptr) tensor->retain();
  return tensor;
}
void lutra_tensor_release(lutra_tensor* tensor) {
  if (tensor != nullptr) tensor->release();
}
lutra_t* lutra_tensor_owner(const lutra_tensor* tensor) { return tensor != nullptr ? tensor->home->owner() : nullptr; }

}  // extern "C"
