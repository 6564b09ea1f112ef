// Lutra in a lua_State of the host's. The lutra_t is a userdata of that state, made after the module's State, so that
// lua_close finalizes it before.
#include <optional>

#include "embed/host.h"
#include "embed/tensors.h"
#include "lua/border/allocator.h"
#include "lua/border/box.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/op_counter.h"
#include "lua/border/variable_box.h"

using namespace lutra;
using namespace lutra::embed;

namespace {

// The host's allocator, with a hold on what it frees (FreeHold), and perhaps a limit. It stays in place until the state
// is closed.
struct HeldAllocator {
  lua_Alloc allocate;
  void* user;
  FreeHold hold;
  lua_Alloc hosts_allocate;
  void* hosts_user;
  std::optional<LimitedMemory> memory;

  static void* reallocate(void* self, void* block, std::size_t old_size, std::size_t new_size) {
    HeldAllocator& own = *static_cast<HeldAllocator*>(self);
    if (block != nullptr) own.hold.wait();
    return own.allocate(own.user, block, old_size, new_size);
  }
};

struct Attached {
  lutra_t lutra;
  std::unique_ptr<HeldAllocator> allocator;
  std::optional<OpCounter> op_counter;
};

int close_attached(lua_State* L) {
  Attached** box = static_cast<Attached**>(lua_touserdata(L, 1));
  Attached* attached = std::exchange(*box, nullptr);
  if (attached == nullptr) return 0;
  attached->lutra.interrupts->end();
  attached->lutra.state->limits = nullptr;
  attached->lutra.state->context().ledger().meter = {};
  if (attached->op_counter) attached->lutra.state->context().detach(*attached->op_counter);
  if (attached->allocator->memory) attached->allocator->memory->lift();
  Home* home = attached->lutra.home;
  void* user;
  if (lua_getallocf(L, &user) == HeldAllocator::reallocate && user == attached->allocator.get()) {
    lua_setallocf(L, attached->allocator->hosts_allocate, attached->allocator->hosts_user);
  } else {
    attached->allocator.release();  // the host has wrapped it once more
  }
  home->free_buried();
  home->close();
  delete attached;
  home->release();
  return 0;
}

// Stack: the box's address. Opens the module and leaves the lutra_t's userdata in the registry.
int open_in_lua(lua_State* L) {
  auto*** box = static_cast<Attached***>(lua_touserdata(L, 1));
  luaL_checkversion(L);
  for (const char* library : {"ipairs", "string", "table", "math", "coroutine"}) {
    if (lua_getglobal(L, library) == LUA_TNIL) {
      return luaL_error(L, "lutra_attach: there is no %s; open Lua's libraries first (luaL_openlibs)", library);
    }
    lua_pop(L, 1);
  }
  luaL_requiref(L, "lutra", luaopen_lutra, 0);
  lua_pushvalue(L, -1);
  lua_setglobal(L, "lutra");
  lua_setglobal(L, "lt");
  *box = static_cast<Attached**>(lua_newuserdatauv(L, sizeof(Attached*), 0));
  **box = nullptr;
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, close_attached);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  luaL_ref(L, LUA_REGISTRYINDEX);
  return 0;
}

void apply(lutra_t& lutra, const InterpreterOptions& options) {
  Context& context = lutra.state->enter(lutra.L);
  Runtime& runtime = lutra.state->runtime();
  if (options.sim_gpus) runtime.set_simulated_gpus(*options.sim_gpus, {.memory_limit_mb = options.sim_gpu_mb});
  if (options.log_placement) context.placement_log().set_options({.on = true});
  if (options.soft_placement) runtime.set_soft_placement(true);
  if (options.limits.tensor_memory_mb > 0) {
    require(!runtime.is_initialised(), "lutra_attach: tensor_memory_mb comes too late: the devices are initialised");
    runtime.set_most_memory(static_cast<std::size_t>(options.limits.tensor_memory_mb * (1 << 20)));
  }
  if (options.device.empty()) return;
  DeviceSpec spec = DeviceSpec::parse(options.device);
  protect(lutra.L, 0, [&](lua_State* L) {
    lutra.state->scopes().make(L);
    return 0;
  });
  lutra.state->enter(lutra.L).scopes->start_in(context.intern(spec));
}

void limit_memory(HeldAllocator& allocator, lutra_t& lutra, double mb) {
  lua_gc(lutra.L, LUA_GCCOLLECT);
  LimitedMemory& memory = allocator.memory.emplace(allocator.hosts_allocate, allocator.hosts_user, lutra.own_limits);
  memory.join(static_cast<std::size_t>(lua_gc(lutra.L, LUA_GCCOUNT)) * 1024 +
              static_cast<std::size_t>(lua_gc(lutra.L, LUA_GCCOUNTB)));
  memory.set_limit(mb);
  allocator.allocate = LimitedMemory::reallocate;
  allocator.user = &memory;
}

lua_State* main_thread(lua_State* L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State* main = lua_tothread(L, -1);
  lua_pop(L, 1);
  return main;
}

lutra_t* attach(lua_State* L, const lutra_options* options) {
  require(L != nullptr, "lutra_attach: the lua_State is NULL");
  require(lua_version(L) == LUA_VERSION_NUM, "lutra_attach: the lua_State is of Lua ", lua_version(L), ", expected ",
          LUA_VERSION_NUM);
  require(lua_checkstack(L, LUA_MINSTACK) != 0, "lutra_attach: Lua's stack is full");
  std::shared_ptr<Turns> turns;
  InterpreterOptions read = read_options(options, "lutra_attach", &turns);
  require(turns == nullptr,
          "lutra_attach: options.runtime is for lutra_open: scripts of an attached lua_State run without ",
          "a call of Lutra's, and cannot take turns");
  require(!read.is_sandbox, "lutra_attach: a sandbox needs an interpreter of its own: use lutra_open");
  if (lutra_t* known = host_of(L)) {
    require(known->interpreter == nullptr, "lutra_attach: this lua_State is of lutra_open");
    return known;
  }
  auto attached = std::make_unique<Attached>();
  attached->allocator = std::make_unique<HeldAllocator>();
  Attached** box = nullptr;
  lua_pushcfunction(L, open_in_lua);
  lua_pushlightuserdata(L, &box);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    const char* text = lua_tostring(L, -1);
    Error error(ErrorCode::Internal, text != nullptr ? text : "lutra_attach: an error that is not a string");
    lua_pop(L, 1);
    throw error;
  }
  lutra_t& lutra = attached->lutra;
  lutra.L = main_thread(L);
  lutra.state = State::find(L);
  lutra.interrupts = Interrupts::find(L);
  apply(lutra, read);
  HeldAllocator& allocator = *attached->allocator;
  allocator.hosts_allocate = allocator.allocate = lua_getallocf(L, &allocator.hosts_user);
  allocator.user = allocator.hosts_user;
  if (read.limits.lua_memory_mb > 0) limit_memory(allocator, lutra, read.limits.lua_memory_mb);
  lutra.own_limits.options = read.limits;
  if (read.limits.tensors > 0) lutra.state->set_most_tensors(read.limits.tensors);
  auto home = std::make_unique<Home>(lutra.state->shared_runtime(), nullptr, &lutra, true);
  remember_host(lutra);
  lutra.home = home.release();
  lutra.state->limits = &lutra.own_limits;
  if (read.limits.instructions > 0) lutra.state->context().attach(attached->op_counter.emplace(lutra.own_limits));
  if (allocator.memory) {
    lutra.own_limits.set_memory(&*allocator.memory);
    lutra.state->context().ledger().meter = allocator.memory->meter();
  }
  lua_setallocf(L, HeldAllocator::reallocate, &allocator);
  lutra.interrupts->set_hold(&allocator.hold);
  lutra.interrupts->be_always_ready(lutra.L);
  watch_interrupts(lutra);
  *box = attached.release();
  return &lutra;
}

}  // namespace

extern "C" {

lutra_t* lutra_attach(lua_State* L, const lutra_options* options) {
  lutra_t* attached = nullptr;
  attempt(nullptr, [&] { attached = attach(L, options); });
  return attached;
}

lutra_tensor* lutra_tensor_at(lutra_t* lutra, lua_State* L, int index) {
  lutra_tensor* found = nullptr;
  if (lutra == nullptr || L == nullptr) return nullptr;
  const Box* box = to_live_box(L, index);
  if (box == nullptr || is_variable(box->tensor) || State::find(L) != lutra->state) return nullptr;
  if (lutra->interpreter == nullptr) lutra->home->free_buried();
  found = new_tensor(*lutra, box->tensor);
  if (found == nullptr) refuse("lutra_tensor_at", "out of memory");
  return found;
}

int lutra_tensor_push(lutra_t* lutra, lua_State* L, lutra_tensor* tensor) {
  const char* who = "lutra_tensor_push";
  if (lutra == nullptr || L == nullptr || tensor == nullptr) return refuse(who, "an argument is NULL");
  return attempt(lutra, [&] {
    require(State::find(L) == lutra->state, who, ": the lua_State is not the interpreter's");
    require(lua_checkstack(L, 10) != 0, who, ": Lua's stack is full");
    try {
      protect(L, 1, [&](lua_State* inner) {
        push_tensor(inner, *lutra, *tensor);
        return 1;
      });
    } catch (const LuaRaised&) {
      const char* text = luaL_tolstring(L, -1, nullptr);
      Error error(ErrorCode::FailedPrecondition, text);
      lua_pop(L, 2);
      throw error;
    }
  });
}

}  // extern "C"
