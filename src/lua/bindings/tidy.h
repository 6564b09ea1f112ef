// The tidies in progress (lutra.tidy): what is made while one runs is freed at its end, unless it is returned.
#pragma once

#include <lua.hpp>

#include "lua/border/box.h"

namespace lutra {

// A tidy in progress; lives in a userdata of its coroutine.
struct TidyMark {
  TidyMark* outer;
  lua_State* thread;
  bool open;
};

class Tidies {
 public:
  bool any() const { return innermost_ != nullptr; }
  void begin(TidyMark* mark);
  void end(TidyMark* mark);
  // The tidy that tensors made by L belong to; null without one. See Note [Tidies and coroutines].
  TidyMark* of(lua_State* L) const;
  // Notes the tensor on top of L's stack in the mark's set of those made. May raise a Lua error.
  static void add(lua_State* L, TidyMark* mark);
  // Notes the box, which stands on L's stack since it was made just now. May raise a Lua error.
  void note(lua_State* L, const Box* box) const;

 private:
  TidyMark* innermost_ = nullptr;
};

}  // namespace lutra
