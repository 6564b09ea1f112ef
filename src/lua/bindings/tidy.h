// The tidies in progress (lutra.tidy): tensors made while one runs are freed at its end, unless they are returned.
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
  // The tidy that tensors made by L belong to; null if there is none. See Note [Tidies and coroutines].
  TidyMark* of(lua_State* L) const;
  // Adds the tensor on top of L's stack to the mark's set of tensors made. May raise a Lua error.
  static void add(lua_State* L, TidyMark* mark);
  // Adds the box, which was just made and is on L's stack, to its tidy's set. May raise a Lua error.
  void note(lua_State* L, const Box* box) const;

 private:
  TidyMark* innermost_ = nullptr;
};

}  // namespace lutra
