// The part of Lutra that is written in Lua: the files of lua/lutra, embedded by the build
// (scripts/cmake/embed_lua.cmake), so that no product has to find files at run time.
#pragma once

#include <cstddef>

namespace lutra {

struct LuaSource {
  // Its name for `require`: "lutra.prelude" is lua/lutra/prelude.lua, "lutra.nn" is lua/lutra/nn/init.lua.
  const char* name;
  const char* text;  // ends with a 0 that is not counted
  std::size_t size;
  bool is_part;  // true for lua/lutra/NAME/init.lua, which is lutra.NAME
};

// Sorted by name.
extern const LuaSource kLuaSources[];
extern const std::size_t kLuaSourceCount;

}  // namespace lutra
