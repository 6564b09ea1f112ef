// While it lives, methods of strings are Lua's own. A script may have replaced the __index of strings, or functions in
// it, and the session's Lua must not run these. If the script has replaced nothing, this changes nothing.
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
