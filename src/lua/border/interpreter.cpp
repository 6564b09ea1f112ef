#include "lua/border/interpreter.h"

#include <cstdlib>
#include <new>

#include "io/allowed_paths.h"
#include "lua/border/allocator.h"
#include "lua/border/guard.h"
#include "lua/border/interrupts.h"
#include "lua/border/modules.h"
#include "lua/border/op_counter.h"
#include "lua/border/printed.h"
#include "lua/border/sandbox.h"
#include "lua/border/state.h"
#include "lua/hints/suggestions.h"

namespace lutra {

struct Interpreter::Impl {
  LuaAllocator allocator;
  Limits limits;
  std::optional<LimitedMemory> memory;
  std::optional<OpCounter> op_counter;
  bool is_sandbox = false;
  void (*print)(void* user, const char* text, std::size_t size) = nullptr;
  void* print_user = nullptr;
};

namespace {

constexpr double kMega = 1 << 20;

constexpr bool kSanitized =
#if defined(__SANITIZE_ADDRESS__)
    true;  // every block from malloc, so that a use after free is detected
#else
    false;
#endif

void* plain_reallocate(void* allocator, void* block, std::size_t, std::size_t new_size) {
  if (block != nullptr) static_cast<LuaAllocator*>(allocator)->hold.wait();
  if (new_size != 0) return std::realloc(block, new_size);
  std::free(block);
  return nullptr;
}

// Lua's print, but with output to the host's function.
int host_print(lua_State* L) {
  auto* impl = static_cast<Interpreter*>(lua_touserdata(L, lua_upvalueindex(1)));
  push_printed(L, lua_gettop(L));
  std::size_t size;
  const char* text = lua_tolstring(L, -1, &size);
  impl->print_text(text, size);
  return 0;
}

// Opens libraries and the module and applies the options: everything that may raise, for one protected call.
int open_all(lua_State* L) {
  const InterpreterOptions& options = *static_cast<const InterpreterOptions*>(lua_touserdata(L, 1));
  auto& limits = *static_cast<Limits*>(lua_touserdata(L, 2));
  if (options.ignore_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  }
  if (options.runtime != nullptr) {
    lua_pushlightuserdata(L, const_cast<std::shared_ptr<Runtime>*>(&options.runtime));
    lua_rawsetp(L, LUA_REGISTRYINDEX, &kSharedRuntime);
  }
  luaL_openlibs(L);
  if (options.is_sandbox) prepare_sandbox(L, limits);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_lutra);
  lua_setfield(L, -2, "lutra");
  lua_pop(L, 1);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "lutra");
  lua_call(L, 1, 1);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kSharedRuntime);
  lua_pushvalue(L, -1);
  lua_setglobal(L, "lutra");
  lua_setglobal(L, "lt");
  if (options.is_sandbox) close_sandbox(L, limits);
  lua_gc(L, LUA_GCGEN, 0, 0);
  State::find(L)->collects_generations();
  return 0;
}

// Pops a Lua error object and returns it as a C++ Error.
Error take_error(lua_State* L) {
  const char* text = lua_tostring(L, -1);
  Error error(ErrorCode::Internal, text != nullptr ? text : "an error that is not a string");
  lua_pop(L, 1);
  return error;
}

// Pushes the text of an error of Lutra's at index 1, and the traceback from where it was raised. Other errors are not
// looked into: reading a field would run their metamethods.
bool push_own_traceback(lua_State* L) {
  if (!is_own_error(L, 1)) return false;
  lua_pushliteral(L, "traceback");
  if (lua_rawget(L, 1) != LUA_TSTRING) return false;
  luaL_tolstring(L, 1, nullptr);
  lua_pushliteral(L, "\n");
  lua_pushvalue(L, -3);
  lua_concat(L, 3);
  return true;
}

}  // namespace

int traceback_handler(lua_State* L) {
  if (push_own_traceback(L)) return 1;
  lua_settop(L, 1);
  const char* message = lua_tostring(L, 1);
  if (message == nullptr) {
    if (luaL_callmeta(L, 1, "__tostring") != 0 && lua_type(L, -1) == LUA_TSTRING) return 1;
    message = lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
  }
  const State* state = State::find(L);
  if (state != nullptr) {
    push_suggestion(L, message);
    message = lua_tostring(L, -1);
  }
  // Nothing can stop a traceback of a deep stack.
  if (state != nullptr && state->limits != nullptr && state->limits->passed() != Limits::Kind::None) return 1;
  luaL_traceback(L, L, message, 1);
  return 1;
}

void apply(const InterpreterOptions& options, Runtime& runtime) {
  if (options.sim_gpus) runtime.set_simulated_gpus(*options.sim_gpus, {.memory_limit_mb = options.sim_gpu_mb});
  runtime.set_soft_placement(options.soft_placement);
  if (options.limits.tensor_memory_mb > 0) {
    runtime.set_most_memory(static_cast<std::size_t>(options.limits.tensor_memory_mb * kMega));
  }
}

Interpreter::Interpreter(const InterpreterOptions& options) : impl_(std::make_unique<Impl>()) {
  const lua_Alloc allocate = kSanitized ? plain_reallocate : LuaAllocator::reallocate;
  impl_->limits.options = options.limits;
  impl_->is_sandbox = options.is_sandbox;
  if (options.limits.lua_memory_mb > 0) {
    impl_->memory.emplace(allocate, &impl_->allocator, impl_->limits);
    L_ = lua_newstate(LimitedMemory::reallocate, &*impl_->memory);
  } else {
    L_ = lua_newstate(allocate, &impl_->allocator);
  }
  if (L_ == nullptr) throw std::bad_alloc();
  lua_pushcfunction(L_, open_all);
  lua_pushlightuserdata(L_, const_cast<InterpreterOptions*>(&options));
  lua_pushlightuserdata(L_, &impl_->limits);
  if (lua_pcall(L_, 2, 0, 0) != LUA_OK) {
    Error error = take_error(L_);
    lua_close(L_);
    throw error;
  }
  Interrupts::find(L_)->set_hold(&impl_->allocator.hold);
  try {
    State& state = *State::find(L_);
    Context& context = state.enter(L_);
    if (options.runtime == nullptr) apply(options, state.runtime());
    if (options.log_placement) context.placement_log().set_options({.on = true});
    if (!options.device.empty()) open_scope(options.device);
    set_limits(options);
  } catch (...) {
    lua_close(L_);
    throw;
  }
}

Limits& Interpreter::limits() { return impl_->limits; }

const char* Interpreter::chunk_mode() const { return impl_->is_sandbox ? "t" : nullptr; }

void Interpreter::set_limits(const InterpreterOptions& options) {
  State& state = *State::find(L_);
  Limits& limits = impl_->limits;
  state.limits = &limits;
  if (options.is_sandbox) {
    auto passed = [](void* user) { static_cast<Limits*>(user)->pass(Limits::Kind::OpenFiles); };
    state.allowed_paths = std::make_shared<const AllowedPaths>("sandbox", options.allowed_paths,
                                                               options.limits.open_files, passed, &limits);
  }
  if (options.limits.tensors > 0) state.set_most_tensors(options.limits.tensors);
  if (options.limits.instructions > 0) state.context().attach(impl_->op_counter.emplace(limits));
  if (!impl_->memory) return;
  lua_gc(L_, LUA_GCCOLLECT);
  impl_->memory->set_limit(options.limits.lua_memory_mb);
  limits.set_memory(&*impl_->memory);
  state.context().ledger().meter = impl_->memory->meter();
}

Interpreter::~Interpreter() {
  if (L_ != nullptr) lua_close(L_);
}

// Sets the base of the main thread's scopes, for which there is no object that could be closed or collected.
void Interpreter::open_scope(const std::string& device) {
  State& state = *State::find(L_);
  DeviceSpec spec = DeviceSpec::parse(device);
  try {
    protect(L_, 0, [&](lua_State* L) {
      state.scopes().make(L);
      return 0;
    });
  } catch (const LuaRaised&) {
    throw take_error(L_);
  }
  Context& context = state.enter(L_);
  context.scopes->start_in(context.intern(spec));
}

std::optional<std::string> Interpreter::run(int status) {
  if (status == LUA_OK) {
    lua_pushcfunction(L_, traceback_handler);
    lua_insert(L_, -2);
    int handler = lua_gettop(L_) - 1;
    status = lua_pcall(L_, 0, 0, handler);
    lua_remove(L_, handler);
  }
  if (status == LUA_OK) return std::nullopt;
  return take_error(L_).message();
}

std::optional<std::string> Interpreter::run_string(std::string_view chunk, const char* chunk_name) {
  return run(luaL_loadbufferx(L_, chunk.data(), chunk.size(), chunk_name, "t"));
}

std::optional<std::string> Interpreter::run_file(const char* path) {
  return run(luaL_loadfilex(L_, path, chunk_mode()));
}

void Interpreter::set_print(void (*print)(void*, const char*, std::size_t), void* user) {
  impl_->print = print;
  impl_->print_user = user;
  lua_pushcfunction(L_, [](lua_State* L) -> int {
    if (lua_getfield(L, LUA_REGISTRYINDEX, "lutra.print") == LUA_TNIL) {
      lua_getglobal(L, "print");
      lua_setfield(L, LUA_REGISTRYINDEX, "lutra.print");
    }
    if (lua_touserdata(L, 1) == nullptr) {
      lua_getfield(L, LUA_REGISTRYINDEX, "lutra.print");
    } else {
      lua_pushvalue(L, 1);
      lua_pushcclosure(L, host_print, 1);
    }
    lua_setglobal(L, "print");
    return 0;
  });
  lua_pushlightuserdata(L_, print == nullptr ? nullptr : this);
  if (lua_pcall(L_, 1, 0, 0) != LUA_OK) throw take_error(L_);
}

void Interpreter::print_text(const char* text, std::size_t size) { impl_->print(impl_->print_user, text, size); }

void Interpreter::set_log(LogSink sink, void* user) { State::find(L_)->runtime().log().set_sink(sink, user); }

}  // namespace lutra
