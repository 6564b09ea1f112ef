#include "lua/border/own_entries.h"

#include <cstring>
#include <string>

#include "core/error.h"
#include "lua/border/modules.h"

namespace lutra {

// Compares the keys one by one. A lookup would push a string, which may run the collector while the caller iterates
// over a table.
bool has_made_up_entries(lua_State* L, int index) {
  // A shape has all its entries itself.
  if (is_shape(L, index) || lua_getmetatable(L, index) == 0) return false;
  bool makes_up = false;
  for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    const char* key = lua_tostring(L, -2);
    makes_up |= std::strcmp(key, "__index") == 0 || std::strcmp(key, "__len") == 0;
  }
  lua_pop(L, 1);
  return makes_up;
}

void fail_made_up_entries(lua_State* L, int index, const char* who, std::string_view name) {
  // Of an object that a tensor can be made of: a sparse matrix.
  std::string kind;
  bool has_dense = false;
  if (lua_getmetatable(L, index) != 0) {
    for (lua_pushnil(L); lua_next(L, -2) != 0; lua_pop(L, 1)) {
      if (lua_type(L, -2) != LUA_TSTRING) continue;
      const char* key = lua_tostring(L, -2);
      if (std::strcmp(key, "__name") == 0 && lua_type(L, -1) == LUA_TSTRING) kind = lua_tostring(L, -1);
      has_dense |= std::strcmp(key, "to_dense") == 0;
    }
    lua_pop(L, 1);
  }
  if (has_dense) {
    fail(ErrorCode::InvalidArgument, who, ": ", name, " is a ", kind, ", expected a tensor; write ", name,
         ":to_dense()");
  }
  fail(ErrorCode::InvalidArgument, who, ": ", name,
       " gets its entries from its metatable (__index, __len), but only a table's own entries are read; copy it into "
       "a plain table");
}

}  // namespace lutra
