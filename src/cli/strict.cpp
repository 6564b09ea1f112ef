#include "cli/strict.h"

#include <cstring>

#include "lua/border/state.h"

namespace lutra {
namespace {

// A global is declared by setting it at the top level of a script, of a module, of -e or of a line at the prompt, or by
// C.
constexpr const char* kStrict = R"lua(
local declared, meta, getinfo = {}, {}, debug.getinfo
-- Not as methods: scripts may change what strings have.
local find, format, tostring, rawset, error = string.find, string.format, tostring, rawset, error
setmetatable(_G, meta)

-- Which kind of function made the access that a metamethod handles: "main", "Lua", "C"; and the level for error. An entry
-- of the prompt reaches globals through functions of its session.
local function accessor()
  local level = 3
  local info = getinfo(level, "S")
  while info and find(info.source, "^=%[lutra%.repl") do
    level = level + 1
    info = getinfo(level, "S")
  end
  return info and info.what or "C", level - 1
end

function meta.__newindex(globals, name, value)
  if not declared[name] then
    local kind, level = accessor()
    if kind == "Lua" then
      error(format("global '%s' is not declared; write local, or set it at the script's top level first", tostring(name)), level)
    end
    declared[name] = true
  end
  rawset(globals, name, value)
end

function meta.__index(_, name)
  if declared[name] then return end
  local kind, level = accessor()
  if kind ~= "C" then error(format("global '%s' is not declared", tostring(name)), level) end
end
)lua";

}  // namespace

void open_strict(lua_State* L) {
  if (luaL_loadbufferx(L, kStrict, std::strlen(kStrict), "=[lutra.strict]", "t") != LUA_OK) lua_error(L);
  lua_call(L, 0, 0);
}

}  // namespace lutra
