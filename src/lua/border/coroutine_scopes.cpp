#include "lua/border/coroutine_scopes.h"

#include <vector>

#include "lua/border/state.h"

namespace lutra {
namespace {

constexpr RegistryKey kThreadScopes{}, kScopesMeta{};

}  // namespace

void ScopeBook::open_table(lua_State* L) {
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "k");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  State::set(L, kThreadScopes);
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

void ScopeBook::make(lua_State* L) {
  enter(L);
  if (scopes_ != nullptr) return;
  auto* handle = static_cast<CoroutineScopes**>(lua_newuserdatauv(L, sizeof(CoroutineScopes*), 0));
  *handle = nullptr;
  State::push(L, kScopesMeta);
  lua_setmetatable(L, -2);
  State::push(L, kThreadScopes);
  lua_pushthread(L);
  lua_pushvalue(L, -3);
  lua_rawset(L, -3);
  lua_pop(L, 2);
  State::find(L)->attempt_or_raise(L, [&] { all_.push_front({{}, 1, {}}); });
  *handle = &all_.front();
  (*handle)->place = all_.begin();
  switch_to(L);
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
