// to_dlpack and from_dlpack: tensors as arrays for C modules and hosts, and back.
#include "eager/exchange.h"

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kCapsuleMeta{};

// The managed array; null once somebody has taken it. C code that gets one of these does the same.
struct Capsule {
  dlpack::VersionedManaged* managed;
};

Capsule* to_capsule(lua_State* L, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_islightuserdata(L, index) || lua_getmetatable(L, index) == 0) return nullptr;
  State::push(L, kCapsuleMeta);
  const bool is_capsule = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return is_capsule ? static_cast<Capsule*>(block) : nullptr;
}

int collect_capsule(lua_State* L) {
  Capsule* capsule = to_capsule(L, 1);
  if (capsule == nullptr) return 0;
  if (dlpack::VersionedManaged* managed = std::exchange(capsule->managed, nullptr)) managed->deleter(managed);
  return 0;
}

// to_dlpack(t): a capsule with the tensor's elements, for one receiver.
int to_dlpack(Args& args) {
  args.at_most(1);
  args.tensor(1, "tensor");
  Capsule* capsule = nullptr;
  protect(args.L, 1, [&](lua_State* L) {
    capsule = static_cast<Capsule*>(lua_newuserdatauv(L, sizeof(Capsule), 0));
    capsule->managed = nullptr;
    State::push(L, kCapsuleMeta);
    lua_setmetatable(L, -2);
    return 1;
  });
  State& state = args.state;
  state.runtime().returned_tensors().drop_all();
  auto held = std::make_unique<ReturnedTensors::Held>();
  held->runtime = state.shared_runtime();
  share(held->tensor.rep(), args.tensor(1, "tensor").tensor);
  Keeper keeper{held.get(), [](void* user) { ReturnedTensors::give_back(static_cast<ReturnedTensors::Held*>(user)); }};
  capsule->managed = export_array(args.who(), state.runtime(), held->tensor.rep(), keeper);
  held.release();
  return 1;
}

// from_dlpack(capsule[, {copy = }]): a tensor of the capsule's elements; the capsule is empty afterwards. A light
// userdata is a DLManagedTensorVersioned itself.
int from_dlpack(Args& args) {
  args.at_most(2);
  bool copies = false;
  args.options(2, {{"copy", &copies}});
  auto find = [&] {
    if (Capsule* capsule = to_capsule(args.L, 1)) return capsule->managed;
    if (lua_islightuserdata(args.L, 1) == 0 || lua_touserdata(args.L, 1) == nullptr) {
      args.wrong(1, "capsule", "what to_dlpack gives, or a light userdata");
    }
    return static_cast<dlpack::VersionedManaged*>(lua_touserdata(args.L, 1));
  };
  auto check = [&] {
    if (find() == nullptr)
      fail(ErrorCode::FailedPrecondition, args.who(), ": the capsule is empty: each can be taken once");
  };
  check();
  Box* box = nullptr;
  State& state = args.state;
  protect(args.L, 1, [&](lua_State* L) {
    box = state.push_box(L, false);
    return 1;
  });
  check();  // a finalizer may have taken it
  state.runtime().returned_tensors().drop_all();
  import_array(args.who(), state.enter(args.L), find(), copies, &box->tensor);
  if (Capsule* capsule = to_capsule(args.L, 1)) capsule->managed = nullptr;
  state.own(args.L, box);
  return 1;
}

}  // namespace

void open_exchange(lua_State* L, State& state) {
  set_function<to_dlpack>(L, state, "to_dlpack", "to_dlpack");
  set_function<from_dlpack>(L, state, "from_dlpack", "from_dlpack");
  lua_createtable(L, 0, 3);
  for (const char* event : {"__gc", "__close"}) {
    lua_pushcfunction(L, collect_capsule);
    lua_setfield(L, -2, event);
  }
  lua_pushliteral(L, "lutra.DLPack");
  lua_setfield(L, -2, "__name");
  State::set(L, kCapsuleMeta);
}

}  // namespace lutra
