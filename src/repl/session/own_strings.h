// While it lives, methods of strings are Lua's own. A script may have given strings another __index, or other
// functions, which the session's Lua must neither run nor depend on. Where neither is so it changes nothing.
#pragma once

struct lua_State;

namespace lutra {

class OwnStrings {
 public:
  // Remembers string's functions as they are. May raise a Lua error.
  static void remember(lua_State* L);

  // Neither allocates nor raises. Needs five free slots of the stack.
  explicit OwnStrings(lua_State* L);
  ~OwnStrings();
  OwnStrings(const OwnStrings&) = delete;

 private:
  lua_State* L_;
  bool is_swapped_ = false;
};

}  // namespace lutra
