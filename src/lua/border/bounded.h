// Functions of Lua's libraries that can run for long without running Lua code, which no hook stops. In a sandbox these
// take their place: they give the same results, look for interrupts while they work, and count as instructions. See
// docs/decisions/limits-of-scripts.md.
#pragma once

#include <lua.hpp>

#include <cstdint>

#include "lua/border/limits.h"

namespace lutra {

class State;

// Counts steps of one C function. Raises "interrupted!" where it is time to stop, so that no C++ object with a
// destructor may be alive.
class Steps {
 public:
  Steps(lua_State* L, Limits& limits) : L_(L), limits_(limits) {}
  void one() {
    if (++steps_ >= kBetween) [[unlikely]]
      look();
  }
  // Many at once.
  void add(int64_t steps) {
    steps_ += steps;
    if (steps_ >= kBetween) [[unlikely]]
      look();
  }
  // At the end: the rest.
  void done() {
    limits_.count(steps_);
    steps_ = 0;
  }

 private:
  static constexpr int64_t kBetween = 4096;
  void look();

  lua_State* L_;
  Limits& limits_;
  int64_t steps_ = 0;
};

// The Limits of a function whose first upvalue they are.
inline Limits& limits_of(lua_State* L) { return *static_cast<Limits*>(lua_touserdata(L, lua_upvalueindex(1))); }

// Each replaces functions in the library on top of the stack.
void bind_patterns(lua_State* L, Limits& limits);         // string.find, match, gmatch, gsub
void bind_bounded_strings(lua_State* L, Limits& limits);  // string.rep; others count the bytes that they handle
void bind_bounded_tables(lua_State* L, Limits& limits);   // table.concat, insert, move, remove, sort, unpack
// Pushes load, of text only.
void push_bounded_load(lua_State* L, Limits& limits);

}  // namespace lutra
