// The rest of Lua's functions that need bounds: those of tables, which other tables' __len and __index can make
// endless, string.rep, and load.
#include <cstring>

#include "lua/border/bounded.h"

namespace lutra {
namespace {

// Lua's function that this one replaces, as upvalue 2. It is called in the same frame, so that its errors name it.
int call_replaced(lua_State* L) { return lua_tocfunction(L, lua_upvalueindex(2))(L); }

// ---- tables. Like Lua's own they respect metamethods.

// Fails unless argument 1 can be used like a table.
void check_table(lua_State* L) {
  if (lua_type(L, 1) == LUA_TTABLE) return;
  const bool has_meta = lua_getmetatable(L, 1) != 0;
  if (!has_meta) luaL_checktype(L, 1, LUA_TTABLE);
  lua_pop(L, 1);
}

lua_Integer length_of(lua_State* L) {
  check_table(L);
  return luaL_len(L, 1);
}

int concat(lua_State* L) {
  const lua_Integer length = length_of(L);
  size_t size;
  const char* between = luaL_optlstring(L, 2, "", &size);
  lua_Integer i = luaL_optinteger(L, 3, 1);
  const lua_Integer last = luaL_optinteger(L, 4, length);
  Steps steps(L, limits_of(L));
  limits_of(L).expect(L, SIZE_MAX);  // how many is known at the end
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  for (bool is_first = true; i <= last; ++i) {
    if (!is_first) luaL_addlstring(&out, between, size);
    is_first = false;
    lua_geti(L, 1, i);
    if (lua_isstring(L, -1) == 0) {
      luaL_error(L, "invalid value (%s) at index %I in table for 'concat'", luaL_typename(L, -1),
                 static_cast<LUAI_UACINT>(i));
    }
    steps.add(1 + static_cast<int64_t>((lua_type(L, -1) == LUA_TSTRING ? lua_rawlen(L, -1) : 8) + size) / 64);
    luaL_addvalue(&out);
    if (i == last) break;  // the next could overflow
  }
  steps.done();
  luaL_pushresult(&out);
  return 1;
}

int insert(lua_State* L) {
  const auto end = static_cast<lua_Integer>(static_cast<lua_Unsigned>(length_of(L)) + 1);
  lua_Integer position = end;
  switch (lua_gettop(L)) {
    case 2: break;
    case 3: {
      position = luaL_checkinteger(L, 2);
      luaL_argcheck(L, static_cast<lua_Unsigned>(position) - 1U < static_cast<lua_Unsigned>(end), 2,
                    "position out of bounds");
      Steps steps(L, limits_of(L));
      for (lua_Integer i = end; i > position; --i) {
        steps.one();
        lua_geti(L, 1, i - 1);
        lua_seti(L, 1, i);
      }
      steps.done();
      break;
    }
    default: return luaL_error(L, "wrong number of arguments to 'insert'");
  }
  lua_seti(L, 1, position);
  return 0;
}

int remove(lua_State* L) {
  const lua_Integer size = length_of(L);
  lua_Integer position = luaL_optinteger(L, 2, size);
  if (lua_gettop(L) >= 2) {
    const bool is_inside = static_cast<lua_Unsigned>(position) - 1U <= static_cast<lua_Unsigned>(size);
    if (position != size && !is_inside) return call_replaced(L);  // its error
  }
  lua_geti(L, 1, position);
  Steps steps(L, limits_of(L));
  for (; position < size; ++position) {
    steps.one();
    lua_geti(L, 1, position + 1);
    lua_seti(L, 1, position);
  }
  steps.done();
  lua_pushnil(L);
  lua_seti(L, 1, position);
  return 1;
}

int move(lua_State* L) {
  const lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3), to = luaL_checkinteger(L, 4);
  const int target = lua_isnoneornil(L, 5) ? 1 : 5;
  check_table(L);
  if (target == 5 && lua_type(L, 5) != LUA_TTABLE && lua_getmetatable(L, 5) == 0) luaL_checktype(L, 5, LUA_TTABLE);
  lua_settop(L, 5);
  if (last >= first) {
    luaL_argcheck(L, first > 0 || last < LUA_MAXINTEGER + first, 3, "too many elements to move");
    const lua_Integer count = last - first + 1;
    luaL_argcheck(L, to <= LUA_MAXINTEGER - count + 1, 4, "destination wrap around");
    const bool upwards = to > last || to <= first || (target != 1 && lua_compare(L, 1, target, LUA_OPEQ) == 0);
    Steps steps(L, limits_of(L));
    for (lua_Integer i = 0; i < count; ++i) {
      const lua_Integer at = upwards ? i : count - 1 - i;
      steps.one();
      lua_geti(L, 1, first + at);
      lua_seti(L, target, to + at);
    }
    steps.done();
  }
  lua_pushvalue(L, target);
  return 1;
}

// A comparison that counts. Upvalues: the Limits; the user's function, or nil.
int compare(lua_State* L) {
  if (limits_of(L).is_stopped(1)) {
    limits_of(L).note_position(L);
    luaL_error(L, "interrupted!");
  }
  lua_settop(L, 2);
  if (lua_isnil(L, lua_upvalueindex(2))) {
    lua_pushboolean(L, lua_compare(L, 1, 2, LUA_OPLT));
    return 1;
  }
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_insert(L, 1);
  lua_call(L, 2, 1);
  return 1;
}

int sort(lua_State* L) {
  if (!lua_isnoneornil(L, 2)) luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 2);
  lua_pushcclosure(L, compare, 2);
  return call_replaced(L);
}

// ---- strings

constexpr size_t kBuffer = size_t{1} << 16;

int64_t bytes_at(lua_State* L, int index) {
  return lua_type(L, index) == LUA_TSTRING ? static_cast<int64_t>(lua_rawlen(L, index)) : 0;
}

// Calls a function whose time depends on the bytes that it gets and makes, and counts those.
int counted(lua_State* L) {
  const int given = lua_gettop(L);
  int64_t bytes = 0;
  for (int i = 1; i <= given; ++i) bytes += bytes_at(L, i);
  limits_of(L).expect(L, static_cast<size_t>(3 * bytes) + kBuffer);
  const int results = call_replaced(L);
  for (int i = 0; i < results; ++i) bytes += 8 + bytes_at(L, -1 - i);
  Steps steps(L, limits_of(L));
  steps.add(bytes / 64);
  steps.done();
  return results;
}

// Lua's own takes as many steps for empty strings.
int rep(lua_State* L) {
  size_t size, between;
  luaL_checklstring(L, 1, &size);
  const lua_Integer count = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &between);
  if (size == 0 && between == 0) {
    lua_pushliteral(L, "");
    return 1;
  }
  const double bytes = 2.0 * static_cast<double>(size + between) * static_cast<double>(count);
  if (bytes > 0 && bytes < 1e12) limits_of(L).expect(L, static_cast<size_t>(bytes));
  return counted(L);
}

// Puts a closure with the Limits, and the function that it replaces, in its place.
void replace(lua_State* L, Limits& limits, const char* name, lua_CFunction by) {
  lua_pushlightuserdata(L, &limits);
  if (lua_getfield(L, -2, name) != LUA_TFUNCTION) {
    lua_pop(L, 2);
    return;
  }
  lua_pushcclosure(L, by, 2);
  lua_setfield(L, -2, name);
}

// ---- load

// What is compiled, piece by piece.
struct Pieces {
  Limits* limits;
  const char* at;  // null: pieces come from the function at index 1
  size_t left;
};
constexpr size_t kPiece = 4096;
constexpr int kText = 5;  // where the function's last piece is kept

const char* next_piece(lua_State* L, void* user, size_t* size) {
  auto* pieces = static_cast<Pieces*>(user);
  if (pieces->limits->is_stopped(kPiece / 8)) {
    pieces->limits->note_position(L);
    luaL_error(L, "interrupted!");
  }
  if (pieces->at != nullptr) {
    const char* piece = pieces->at;
    *size = pieces->left < kPiece ? pieces->left : kPiece;
    pieces->at += *size;
    pieces->left -= *size;
    return *size > 0 ? piece : nullptr;
  }
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    *size = 0;
    return nullptr;
  }
  if (lua_isstring(L, -1) == 0) luaL_error(L, "reader function must return a string");
  lua_replace(L, kText);
  return lua_tolstring(L, kText, size);
}

// load(chunk[, name[, mode[, env]]])
int load(lua_State* L) {
  Pieces pieces{&limits_of(L), nullptr, 0};
  const char* mode = luaL_optstring(L, 3, "t");
  const bool has_env = !lua_isnone(L, 4);
  const char* name;
  if (lua_type(L, 1) == LUA_TSTRING || lua_type(L, 1) == LUA_TNUMBER) {
    pieces.at = lua_tolstring(L, 1, &pieces.left);
    name = luaL_optstring(L, 2, pieces.at);
  } else {
    name = luaL_optstring(L, 2, "=(load)");
    luaL_checktype(L, 1, LUA_TFUNCTION);
  }
  lua_settop(L, kText);
  const int status = lua_load(L, next_piece, &pieces, name, std::strchr(mode, 't') != nullptr ? "t" : "");
  if (status != LUA_OK) {
    luaL_pushfail(L);
    lua_insert(L, -2);
    return 2;
  }
  if (has_env) {
    lua_pushvalue(L, 4);
    if (lua_setupvalue(L, -2, 1) == nullptr) lua_pop(L, 1);
  }
  return 1;
}

}  // namespace

void bind_bounded_tables(lua_State* L, Limits& limits) {
  for (luaL_Reg entry :
       {luaL_Reg{"concat", concat}, {"insert", insert}, {"remove", remove}, {"move", move}, {"sort", sort}}) {
    replace(L, limits, entry.name, entry.func);
  }
  replace(L, limits, "unpack", counted);
}

void bind_bounded_strings(lua_State* L, Limits& limits) {
  replace(L, limits, "rep", rep);
  for (const char* name : {"format", "lower", "upper", "reverse", "byte", "char", "sub", "pack", "unpack"}) {
    replace(L, limits, name, counted);
  }
}

void push_bounded_load(lua_State* L, Limits& limits) {
  lua_pushlightuserdata(L, &limits);
  lua_pushcclosure(L, load, 1);
}

}  // namespace lutra
