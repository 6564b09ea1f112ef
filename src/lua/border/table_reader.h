// Reads tables of records by Lua calls that cannot raise: entries are visited, metamethods are not called.
#pragma once

#include <lua.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "lua/border/args.h"

namespace lutra {

class TableReader {
 public:
  TableReader(lua_State* L, const char* who) : L_(L), who_(who) {}

  template <class... Parts> [[noreturn]] void wrong(std::string_view what, const Parts&... parts) const {
    fail(ErrorCode::InvalidArgument, who_, ": ", what, parts...);
  }

  // Calls visit(key, index) for each entry with a string key; the value is at `index`. List entries are passed over if
  // `may_list`, and an error otherwise.
  template <class Visit> void fields(int table, std::string_view what, bool may_list, const Visit& visit) const {
    check_table(table, what);
    const int top = lua_gettop(L_);
    lua_pushnil(L_);
    while (lua_next(L_, table) != 0) {
      if (lua_type(L_, top + 1) == LUA_TSTRING) visit(text_at(top + 1), top + 2);
      else if (!may_list) wrong(what, " has the key ", what_is(L_, top + 1), ", expected names");
      lua_settop(L_, top + 1);
    }
  }
  // Calls visit(i, index) for the entries 1, 2, ... of a list.
  template <class Visit> void entries(int table, std::string_view what, const Visit& visit) const {
    check_table(table, what);
    const int top = lua_gettop(L_);
    for (lua_Integer i = 1; lua_rawgeti(L_, table, i) != LUA_TNIL; ++i) {
      visit(i, top + 1);
      lua_settop(L_, top);
    }
    lua_settop(L_, top);
  }

  void check_table(int index, std::string_view what) const {
    if (lua_type(L_, index) != LUA_TTABLE) wrong(what, " is ", what_is(L_, index), ", expected a table");
    if (lua_checkstack(L_, 8) == 0) wrong(what, " is nested too deeply");
  }
  double number(int index, std::string_view what) const {
    if (lua_type(L_, index) != LUA_TNUMBER) wrong(what, " is ", what_is(L_, index), ", expected a number");
    return lua_tonumber(L_, index);
  }
  bool boolean(int index, std::string_view what) const {
    if (lua_type(L_, index) != LUA_TBOOLEAN) wrong(what, " is ", what_is(L_, index), ", expected true or false");
    return lua_toboolean(L_, index) != 0;
  }
  std::string_view string(int index, std::string_view what) const {
    if (lua_type(L_, index) != LUA_TSTRING) wrong(what, " is ", what_is(L_, index), ", expected a string");
    return text_at(index);
  }
  // A list of strings, or one string.
  std::vector<std::string> strings(int index, std::string_view what) const {
    if (lua_type(L_, index) == LUA_TSTRING) return {std::string(text_at(index))};
    std::vector<std::string> all;
    entries(index, what, [&](lua_Integer, int at) { all.emplace_back(string(at, what)); });
    return all;
  }

 private:
  // Of a value that is a string.
  std::string_view text_at(int index) const {
    std::size_t size;
    const char* text = lua_tolstring(L_, index, &size);
    return {text, size};
  }

  lua_State* L_;
  const char* who_;
};

}  // namespace lutra
