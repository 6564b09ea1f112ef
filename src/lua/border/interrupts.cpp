#include "lua/border/interrupts.h"

#include <atomic>
#include <new>
#include <type_traits>

#include "lua/border/state.h"

namespace lutra {
namespace {

constexpr RegistryKey kInterrupts{};

}  // namespace

void Interrupts::push_new(lua_State* L) {
  static_assert(std::is_trivially_destructible_v<Interrupts>);
  new (lua_newuserdatauv(L, sizeof(Interrupts), 0)) Interrupts;
  lua_pushvalue(L, -1);
  State::set(L, kInterrupts);
}

Interrupts* Interrupts::find(lua_State* L) {
  State::push(L, kInterrupts);
  Interrupts* found = static_cast<Interrupts*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return found;
}

void Interrupts::begin(lua_State* L) {
  running_ = L;
  is_wanted_ = false;
}

void Interrupts::end() {
  is_wanted_ = false;
  unhook();
}

void Interrupts::request() {
  is_wanted_ = true;
  hook();
}

bool Interrupts::take() {
  if (!is_wanted_) return false;
  end();
  ++taken_;
  return true;
}

void Interrupts::move_hook() {
  unhook();
  hook();
}

// Setting a hook is all that Lua allows from a signal handler.
void Interrupts::hook() {
  lua_State* L = running_;
  before_ = lua_gethook(L);
  before_mask_ = lua_gethookmask(L);
  before_count_ = lua_gethookcount(L);
  hooked_ = L;
  lua_sethook(L, stop, LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, 1);
}

void Interrupts::unhook() {
  lua_State* L = hooked_;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (L == nullptr) return;
  hooked_ = nullptr;
  if (lua_gethook(L) == stop) lua_sethook(L, before_, before_mask_, before_count_);
}

// interrupts(): the number of requests that have stopped something.
int Interrupts::push_taken(lua_State* L) {
  lua_pushinteger(L, find(L)->taken_);
  return 1;
}

void Interrupts::stop(lua_State* L, lua_Debug*) {
  Interrupts& self = *find(L);
  // A coroutine created while the hook was set inherits it.
  if (L != self.hooked_) lua_sethook(L, nullptr, 0, 0);
  if (self.take()) luaL_error(L, "interrupted!");
}

}  // namespace lutra
