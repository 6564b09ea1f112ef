#include "repl/session/capture.h"

#include "lua/border/state.h"

namespace lutra {
namespace {

// The session object of the entry that runs; nil when none captures.
constexpr RegistryKey kCapturing{};
// The coroutine that the session runs its entries on.
constexpr RegistryKey kCoroutine{};

// Calls session.keep(name, value) for the frame's locals with one of the names.
void take_locals(lua_State* L, lua_Debug* frame, int session) {
  lua_getfield(L, session, "names");
  const int names = lua_gettop(L);
  const char* name = nullptr;
  for (int i = 1; (name = lua_getlocal(L, frame, i)) != nullptr; ++i) {
    lua_getfield(L, names, name);
    const bool is_wanted = lua_toboolean(L, -1) != 0;
    lua_pop(L, 1);
    if (is_wanted) {
      lua_getfield(L, session, "keep");
      lua_pushstring(L, name);
      lua_pushvalue(L, -3);
      lua_call(L, 2, 0);
    }
    lua_pop(L, 1);
  }
  lua_settop(L, names - 1);
}

// Whether the frame runs the chunk of the session at `session`.
bool runs_chunk(lua_State* L, lua_Debug* frame, int session) {
  lua_getinfo(L, "f", frame);
  lua_getfield(L, session, "chunk");
  const bool is_chunk = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return is_chunk;
}

void on_return(lua_State* L, lua_Debug* frame) {
  State::push(L, kCoroutine);
  const bool is_own = lua_tothread(L, -1) == L;
  lua_pop(L, 1);
  State::push(L, kCapturing);
  // A coroutine inherits the hook of its creator.
  if (lua_type(L, -1) != LUA_TTABLE || !is_own) {
    lua_sethook(L, nullptr, 0, 0);
    return;
  }
  const int session = lua_gettop(L);
  luaL_checkstack(L, 8, nullptr);
  if (runs_chunk(L, frame, session)) take_locals(L, frame, session);
  lua_settop(L, session - 1);
}

}  // namespace

void begin_capture(lua_State* L, int session) {
  lua_pushthread(L);
  State::set(L, kCoroutine);
  lua_pushvalue(L, session);
  State::set(L, kCapturing);
}

void hook_returns(lua_State* L) {
  if (lua_gethook(L) == nullptr) lua_sethook(L, on_return, LUA_MASKRET, 0);
}

void capture_failed(lua_State* L) {
  State::push(L, kCapturing);
  if (lua_type(L, -1) == LUA_TTABLE) {
    const int session = lua_gettop(L);
    // The chunk is among the outermost frames. Each lua_getstack takes time in proportion to the level.
    lua_Debug frame;
    int low = 0, high = 1;
    while (lua_getstack(L, high, &frame) != 0) {
      low = high;
      high *= 2;
    }
    while (low + 1 < high) {
      const int middle = low + (high - low) / 2;
      (lua_getstack(L, middle, &frame) != 0 ? low : high) = middle;
    }
    constexpr int kOutermost = 6;
    for (int level = low; level >= 0 && level > low - kOutermost; --level) {
      if (lua_getstack(L, level, &frame) == 0 || !runs_chunk(L, &frame, session)) continue;
      take_locals(L, &frame, session);
      break;
    }
    lua_settop(L, session);
  }
  lua_pop(L, 1);
}

void end_capture(lua_State* L) {
  if (lua_gethook(L) == on_return) lua_sethook(L, nullptr, 0, 0);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kCapturing);  // nil needs no memory
}

void push_capture(lua_State* L) {
  State::push(L, kCoroutine);
  State::push(L, kCapturing);
}

void restore_capture(lua_State* L) {
  State::set(L, kCapturing);
  State::set(L, kCoroutine);
}

}  // namespace lutra
