// Calls the script's handler (lutra.debugging.set_log_handler) with placement events.

#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kLogHandler{};

}  // namespace

void State::set_log_handler(lua_State* L, int index) {
  lua_pushvalue(L, index);
  set(L, kLogHandler);
}

// Ops that run inside the handler are not reported to it: they would call it again without end.
void State::tell_events(lua_State* L, const Error* kept) {
  if (in_log_handler_) {
    context_->placement_log().events.clear();
    return;
  }
  luaL_checkstack(L, 12, nullptr);
  // The events are moved away: making Lua values of them may run finalizers, whose ops add events of their own.
  bool ok = attempt([&] { telling_.push_back(std::move(context_->placement_log().events)); });
  context_->placement_log().events.clear();
  if (!ok) {
    // No memory: the handler does not get the events.
    aside_.remove_if([kept](const Error& each) { return &each == kept; });
    raise(L);
  }
  auto batch = std::prev(telling_.end());
  const std::vector<PlacementEvent>& events = *batch;
  push(L, kLogHandler);
  int handler = lua_gettop(L);
  int table = handler + 1;
  lua_createtable(L, static_cast<int>(events.size()), 0);
  // All events become Lua values before the handler runs, as it may set another handler.
  int count = 0;
  auto string = [L](const char* key, const std::string& value) {
    lua_pushlstring(L, value.data(), value.size());
    lua_setfield(L, -2, key);
  };
  for (const PlacementEvent& event : events) {
    lua_createtable(L, 0, 6);
    string("op", event.op);
    string("device", event.device);
    string("requested", event.requested);
    string("reason", event.reason);
    string("line", event.line);
    push_copies(L, *this, event.copies);
    lua_setfield(L, -2, "copies");
    lua_rawseti(L, table, ++count);
  }
  telling_.erase(batch);
  for (int i = 1; i <= count; ++i) {
    lua_pushvalue(L, handler);
    lua_rawgeti(L, table, i);
    in_log_handler_ = true;
    int status = lua_pcall(L, 1, 0, 0);
    in_log_handler_ = false;
    if (status == LUA_OK) continue;
    // The handler is removed and its error raised; the op's effect remains.
    context_->placement_log().set_handler(false);
    lua_pushnil(L);
    set(L, kLogHandler);
    aside_.remove_if([kept](const Error& each) { return &each == kept; });
    lua_error(L);
  }
  lua_settop(L, handler - 1);
}

}  // namespace lutra
