// Memory that Lua is refused at every step: an error each time, no crash, nothing left behind.
#include <cstdlib>
#include <cstring>
#include <lua.hpp>
#include <string>

#include "lua/border/modules.h"
#include "memory/storage.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// A lua_Alloc that refuses `in_a_row` requests for more memory from the n-th on. One refusal makes Lua collect and ask
// again; two make it raise.
struct Allocator {
  long refuse_from = 0;  // 0: never
  long in_a_row = 1;
  long asked = 0;

  static void* reallocate(void* user, void* block, std::size_t old_size, std::size_t new_size) {
    Allocator& self = *static_cast<Allocator*>(user);
    if (new_size == 0) {
      std::free(block);
      return nullptr;
    }
    bool grows = block == nullptr || new_size > old_size;
    if (grows && self.refuse_from != 0) {
      ++self.asked;
      if (self.asked >= self.refuse_from && self.asked < self.refuse_from + self.in_a_row) return nullptr;
    }
    return std::realloc(block, new_size);
  }
  bool has_refused() const { return refuse_from != 0 && asked >= refuse_from; }
};

constexpr const char* kScript = R"(
  local lt = require "lutra"
  local a = lt.constant {{1, 2, 3}, {4, 5, 6}}
  local long = {}
  for i = 1, 70 do long[i] = i end
  local b = lt.device("/CPU:0", lt.constant, long)
  local c = lt.device("/GPU:1", function() return b * 2 + lt.ones {70} end)
  local _ = c[3], c[{ {2, 5} }], c:reshape {7, 10}, lt.stack {b, c}, lt.matmul(a, a, {transpose_b = true})
  assert(c:totable()[70] == 141 and tostring(a) .. a ~= "")
  assert(not pcall(lt.matmul, a, a) and not pcall(lt.device, "/GPU:7", lt.ones, {2}))
  assert(not pcall(lt.ones, {2}, {dtipe = 1}) and not pcall(lt.constant, {{1}, {1, 2}}))
  local kept = lt.tidy(function() local x = lt.ones {50} return {x + 1} end)
  assert(kept[1][1]:item() == 2)
  coroutine.wrap(function() local _ <close> = lt.device("/GPU:1") coroutine.yield(lt.ones {30}) end)()
  local heard = 0
  lt.debugging.set_log_handler(function(event) heard = heard + #event.copies + 1 end)
  _ = lt.device("/GPU:1", function() return b + 1 end)
  lt.debugging.set_log_handler(nil)
  assert(heard >= 1 and lt.debugging.explain(c).op and tostring(lt.debugging.explain(c)))
  assert(#tostring(lt.config.list_logical_devices()) > 0 and lt.config.get_memory_info("GPU:0").limit > 0)
  assert(lt.from_bytes(b:bytes(), "int32", {70})[70]:item() == 70 and #lt.help "matmul" > 0)
  local loaded = lt.load "tests/data/stored.npz"
  assert(loaded.w.shape[2] == 3 and loaded.s:item() == false)
  local w = lt.Variable({1, 2}, {dtype = "float32"})
  do
    local tape <close> = lt.GradientTape()
    assert(tape:gradient(lt.device("/GPU:1", function() return (w * w):sum() end), w)[2]:item() == 4)
  end
  w:assign_add {1, 1}
  assert(w[2]:item() == 3)
  local u, v = lt.unique {3, 1, 3}
  for i, row in pairs(a) do assert(row.shape[1] == 3) end
  setmetatable({}, {__gc = function() pcall(function() return lt.ones {40} + 1 end) end})
)";

int open_all(lua_State* L) {
  luaL_openlibs(L);
  luaL_requiref(L, "lutra", luaopen_lutra, 0);
  lua_getfield(L, -1, "config");
  lua_getfield(L, -1, "set_simulated_gpus");
  lua_pushinteger(L, 2);
  lua_call(L, 1, 0);
  return 0;
}

std::string run(lua_State* L, const char* script) {
  int status = luaL_loadstring(L, script);
  if (status == LUA_OK) status = lua_pcall(L, 0, 0, 0);
  if (status == LUA_OK) return "";
  std::string message = luaL_tolstring(L, -1, nullptr);
  lua_pop(L, 2);
  return message;
}

}  // namespace

TEST_CASE("opening the module with memory refused at any step fails cleanly, and opens the next time", "[allocfail]") {
  int64_t before = live_storages();
  for (long in_a_row : {1, 2}) {
    bool reached_end = false;
    // Every step would take minutes under a sanitizer; a prime stride visits all kinds.
    for (long n = 1; !reached_end; n += n < 200 ? 1 : 11) {
      REQUIRE(n < 200000);
      Allocator allocator;
      lua_State* L = lua_newstate(Allocator::reallocate, &allocator);
      REQUIRE(L != nullptr);
      allocator.in_a_row = in_a_row;
      allocator.refuse_from = n;
      lua_pushcfunction(L, open_all);
      int status = lua_pcall(L, 0, 0, 0);
      reached_end = !allocator.has_refused();
      allocator.refuse_from = 0;
      if (status != LUA_OK) {
        lua_settop(L, 0);
        lua_pushcfunction(L, open_all);
        REQUIRE(lua_pcall(L, 0, 0, 0) == LUA_OK);
      }
      if (n % 5 == 1) CHECK(run(L, "local lt = require 'lutra' assert((lt.ones {30} + 1)[30]:item() == 2)") == "");
      lua_close(L);
    }
  }
  CHECK(live_storages() == before);
}

TEST_CASE("a script with memory refused at any step raises, leaks nothing, and runs the next time", "[allocfail]") {
  int64_t before = live_storages();
  for (long in_a_row : {1, 2}) {
    Allocator allocator;
    lua_State* L = lua_newstate(Allocator::reallocate, &allocator);
    REQUIRE(L != nullptr);
    lua_pushcfunction(L, open_all);
    REQUIRE(lua_pcall(L, 0, 0, 0) == LUA_OK);
    REQUIRE(run(L, kScript) == "");
    bool reached_end = false;
    for (long n = 1; !reached_end; ++n) {
      REQUIRE(n < 100000);
      allocator.asked = 0;
      allocator.in_a_row = in_a_row;
      allocator.refuse_from = n;
      std::string message = run(L, kScript);
      reached_end = !allocator.has_refused();
      allocator.refuse_from = 0;
      INFO("allocation " << n << ": " << message);
      // "stack overflow" is what Lua says when a stack cannot grow for want of memory; a pcall inside the script may
      // have caught the refusal and gone on in another way.
      bool is_known = message.empty() || message.find("not enough memory") != std::string::npos ||
                      message.find("stack overflow") != std::string::npos ||
                      message.find("assertion failed") != std::string::npos;
      CHECK(is_known);
      if (n % 50 == 0) {
        lua_gc(L, LUA_GCCOLLECT);
        CHECK(run(L,
                  "local lt = require 'lutra' lt.debugging.set_log_handler(nil)"
                  " assert(lt.debugging.explain(lt.ones {1}).requested == '')") == "");
        CHECK(run(L, kScript) == "");
      }
    }
    CHECK(run(L, kScript) == "");
    lua_gc(L, LUA_GCCOLLECT);
    lua_gc(L, LUA_GCCOLLECT);
    CHECK(run(L,
              "local lt = require 'lutra' lt.config.release_memory() collectgarbage() "
              "assert(lt.debugging.live_storages() < 5, lt.debugging.live_storages())") == "");
    lua_close(L);
  }
  CHECK(live_storages() == before);
}

TEST_CASE("nothing is alive after lua_close, whatever finalizers do while it closes", "[allocfail]") {
  int64_t before = live_storages();
  for (int round = 0; round < 3; ++round) {
    lua_State* L = luaL_newstate();
    lua_pushcfunction(L, open_all);
    REQUIRE(lua_pcall(L, 0, 0, 0) == LUA_OK);
    CHECK(run(L, R"(
      local lt = require "lutra"
      for i = 1, 20 do
        setmetatable({}, {__gc = function()
          kept = {lt.ones {100} + i, lt.device("/GPU:1", lt.ones, {20}), lt.device("/CPU:0", lt.ones, {1000, 1000})}
          pcall(lt.ones, "x")
          if i % 3 == 0 then kept[1]:release() end
          pcall(lt.config.reset)
          lt.device("/GPU:0")
        end})
      end
      open = lt.device("/GPU:1")
      left = coroutine.create(function() lt.tidy(function() local a = lt.ones {30} coroutine.yield(a) end) end)
      coroutine.resume(left)
    )") == "");
    lua_close(L);
    CHECK(live_storages() == before);
  }
}
