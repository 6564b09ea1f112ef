// Finalizers that use Lutra while the interpreter closes: before the State has closed they work, afterwards every
// function says so. Nothing crashes.
#include <lua.hpp>
#include <string>

#include "lua/border/modules.h"
#include "memory/storage.h"
#include "support/catch.h"

using namespace lutra;

namespace {

std::string told;  // by the finalizers

int tell(lua_State* L) {
  told += luaL_checkstring(L, 1);
  return 0;
}

// `before` is finalized after Lutra's State, since it was made before it; `after` is finalized first.
constexpr const char* kScript = R"(
  local tell = tell
  local before = setmetatable({}, {__gc = function(self) self.finish() end})
  local lt = require "lutra"
  lt.config.set_simulated_gpus(2)
  local inline, stored = lt.ones {2}, lt.device("/GPU:1", lt.ones, {40})
  local number, scope = lt.constant(1), lt.device("/CPU:0")
  local _, err = pcall(lt.ones, "x")
  local explanation = lt.debugging.explain(stored)
  local thread = coroutine.create(function() return lt.tidy(coroutine.yield) end)
  coroutine.resume(thread)

  -- Calls f with all kinds of arguments; counts what works and what says that the interpreter is being closed.
  local works, refused = 0, 0
  local function call(f, ...)
    local ok, problem = pcall(f, ...)
    if ok then
      works = works + 1
    elseif type(problem) ~= "table" then
      tell("a plain error: " .. tostring(problem) .. ". ")
    elseif problem.code == "FailedPrecondition" and problem.message:find("this interpreter is being closed", 1, true) then
      refused = refused + 1
    end
  end
  local function call_all(module)
    for name, value in pairs(module) do
      if type(value) == "table" then
        call_all(value)
      elseif type(value) == "function" then
        call(value)
        call(value, inline, inline)
        call(value, stored, stored)
        call(value, {1, 2}, {1, 2})
        call(value, "GPU:0", function() return lt.ones {50} end)
        call(value, function() return stored end)
      end
    end
  end
  local names = {"item", "totable", "bytes", "to", "sum", "reshape", "float32", "release"}
  local methods = {}
  for i, name in ipairs(names) do methods[i] = inline[name] end
  local function use_everything()
    works, refused = 0, 0
    call_all(lt)
    for _, t in ipairs {number, inline, stored} do
      for _, method in ipairs(methods) do call(method, t) end
      for _, operation in ipairs {
        function() return t + 1 end, function() return 2 ^ t end, function() return -t end, function() return t[1] end,
        function() return t[{1}] end, function() return t.shape end, function() return t.sum end, function() return #t end,
        function() return tostring(t) end, function() return "x" .. t end, function() return t == inline end,
        function() return t < 1 end, function() t[1] = 1 end, function() for _, row in pairs(t) do local _ = row + 1 end end,
        function() local _ <close> = t end,
      } do call(operation) end
    end
    call(function() local _ <close> = scope end)
    call(function() return tostring(err), tostring(explanation), tostring(scope), err .. "" end)
    call(coroutine.wrap(function() return lt.device end))
    call(coroutine.resume, thread)
    call(coroutine.close, thread)
    return works, refused
  end
  before.finish = function()
    local worked, said = use_everything()
    tell(said > 300 and "after the State: refused. " or "after the State: " .. said .. " refused. ")
  end
  setmetatable({}, {__gc = function()
    if after_is_asked then
      local worked, said = use_everything()
      tell(worked > 100 and said == 0 and "before the State: works. " or "before the State: " .. worked .. " works. ")
    end
  end})
)";

void run_and_close(const char* first) {
  lua_State* L = luaL_newstate();
  REQUIRE(L != nullptr);
  luaL_openlibs(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_lutra);
  lua_setfield(L, -2, "lutra");
  lua_register(L, "tell", tell);
  told.clear();
  std::string script = std::string(first) + kScript;
  int status = luaL_dostring(L, script.c_str());
  INFO((status == LUA_OK ? "" : luaL_tolstring(L, -1, nullptr)));
  REQUIRE(status == LUA_OK);
  lua_close(L);
}

}  // namespace

TEST_CASE("a finalizer that runs after Lutra has closed gets an error from every function", "[closing]") {
  int64_t before = live_storages();
  run_and_close("");
  CHECK(told == "after the State: refused. ");
  CHECK(live_storages() == before);
}

TEST_CASE("a finalizer that runs while the interpreter closes can still use every function", "[closing]") {
  int64_t before = live_storages();
  run_and_close("after_is_asked = true ");
  CHECK(told == "before the State: works. after the State: refused. ");
  CHECK(live_storages() == before);
}
