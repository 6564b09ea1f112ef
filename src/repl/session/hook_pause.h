// While it lives, a hook that the user has set (debug.sethook) does not run: it may raise errors, and the session's own
// Lua is no part of the entry.
#pragma once

#include "lua/border/state.h"

namespace lutra {

class HookPause {
 public:
  explicit HookPause(lua_State* L)
      : L_(L), hook_(lua_gethook(L)), mask_(lua_gethookmask(L)), count_(lua_gethookcount(L)) {
    lua_sethook(L, nullptr, 0, 0);
  }
  ~HookPause() { lua_sethook(L_, hook_, mask_, count_); }
  HookPause(const HookPause&) = delete;

 private:
  lua_State* L_;
  lua_Hook hook_;
  int mask_, count_;
};

}  // namespace lutra
