// Lua's part of Lutra, carried inside the program: the files of lua/lutra, embedded by the build
// (scripts/cmake/embed_lua.cmake), so that no product has to find files at run time.
#pragma once

#include <cstddef>

namespace lutra {

struct LuaSource {
  // What `require` calls it: "lutra.prelude" is lua/lutra/prelude.lua, "lutra.nn" is lua/lutra/nn/init.lua.
  const char* name;
  const char* text;  // ends with a 0 that is not counted
  std::size_t size;
  bool is_part;  // lua/lutra/NAME/init.lua: what lutra.NAME is
};

// Sorted by name.
extern const LuaSource kLuaSources[];
extern const std::size_t kLuaSourceCount;

}  // namespace lutra
