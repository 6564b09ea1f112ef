#include "lua/border/coroutine_scopes.h"

#include <vector>

#include "lua/border/state.h"

namespace lutra {
namespace {

// kThreadScopes has each coroutine's scopes, kScopeOwners the coroutine of given scopes.
constexpr RegistryKey kThreadScopes{}, kScopeOwners{}, kScopesMeta{};

void push_weak_table(lua_State* L, const char* mode) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushstring(L, mode);
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
}

}  // namespace

void ScopeBook::open_tables(lua_State* L) {
  push_weak_table(L, "k");
  State::set(L, kThreadScopes);
  push_weak_table(L, "v");
  State::set(L, kScopeOwners);
}

void ScopeBook::set_handle_meta(lua_State* L) { State::set(L, kScopesMeta); }

// The Context's own scopes are always empty: they mean "no scope".
void ScopeBook::switch_to(lua_State* L) {
  State::push(L, kThreadScopes);
  lua_pushthread(L);
  lua_rawget(L, -2);
  auto* handle = static_cast<CoroutineScopes**>(lua_touserdata(L, -1));
  scopes_ = handle != nullptr ? *handle : nullptr;
  context_.scopes = scopes_ != nullptr ? &scopes_->stack : &context_.main_scopes();
  lua_pop(L, 2);
  running_ = L;
}

void ScopeBook::leave() {
  scopes_ = nullptr;
  context_.scopes = &context_.main_scopes();
  running_ = nullptr;
}

// Makes scopes for the coroutine on top of the stack, which stays.
CoroutineScopes* ScopeBook::push_new(lua_State* L) {
  luaL_checkstack(L, 5, nullptr);
  auto* handle = static_cast<CoroutineScopes**>(lua_newuserdatauv(L, sizeof(CoroutineScopes*), 0));
  *handle = nullptr;
  State::push(L, kScopesMeta);
  lua_setmetatable(L, -2);
  State::push(L, kThreadScopes);
  lua_pushvalue(L, -3);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
  State::find(L)->attempt_or_raise(L, [&] { all_.push_front({{}, 1, false, {}}); });
  CoroutineScopes* scopes = *handle = &all_.front();
  scopes->place = all_.begin();
  State::push(L, kScopeOwners);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, scopes);
  lua_pop(L, 1);
  return scopes;
}

void ScopeBook::make(lua_State* L) {
  enter(L);
  if (scopes_ != nullptr) return;
  luaL_checkstack(L, 1, nullptr);
  lua_pushthread(L);
  push_new(L);
  lua_pop(L, 1);
  switch_to(L);
}

void ScopeBook::start(lua_State* L, lua_State* thread) {
  if (running_ == thread) leave();  // a collected coroutine had the same address
  if (all_.empty()) return;
  enter(L);
  if (context_.scopes->spec() == 0) return;
  CoroutineScopes* scopes = push_new(L);
  // Read after push_new, in which a finalizer may make the State forget names.
  enter(L);
  scopes->stack.start_in(context_.scopes->spec());
}

void ScopeBook::note_return(lua_State* L, int index) {
  if (lua_checkstack(L, 2) == 0) return;
  State::push(L, kThreadScopes);
  lua_pushvalue(L, index);
  lua_rawget(L, -2);
  auto* handle = static_cast<CoroutineScopes**>(lua_touserdata(L, -1));
  if (handle != nullptr && *handle != nullptr) (*handle)->has_returned = true;
  lua_pop(L, 2);
}

bool ScopeBook::is_to_blame(lua_State* L, CoroutineScopes* scopes) const {
  if (scopes->has_returned) return true;
  State::push(L, kScopeOwners);
  bool is_alive = lua_rawgetp(L, -1, scopes) != LUA_TNIL;
  lua_pop(L, 2);
  return is_alive;
}

void ScopeBook::open(uint32_t spec, CoroutineScopes** scopes, uint64_t* serial) {
  *serial = scopes_->stack.push(spec);
  *scopes = scopes_;
  ++scopes_->uses;
}

void ScopeBook::forget_names() {
  std::vector<uint32_t> in_use;
  auto note = [&](uint32_t id) { in_use.push_back(id); };
  context_.main_scopes().for_each_spec(note);
  for (const CoroutineScopes& scopes : all_) scopes.stack.for_each_spec(note);
  context_.forget_specs(in_use);
  names = 0;
}

void ScopeBook::release(CoroutineScopes* scopes) {
  if (--scopes->uses > 0) return;
  if (scopes_ == scopes) leave();
  all_.erase(scopes->place);
}

void ScopeBook::close() {
  leave();
  all_.clear();
}

}  // namespace lutra
