#include "embed/values.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "embed/tensors.h"
#include "lua/border/guard.h"
#include "lua/border/variable_box.h"

namespace lutra::embed {
namespace {

constexpr int kMostDepth = 64;

void check(const char* who, const lutra_value& value, int depth) {
  require(value.size == sizeof(lutra_value), who, ": a value's size is ", value.size,
          "; make values by lutra_number() and its relatives, or start from LUTRA_VALUE_INIT");
  switch (value.type) {
    case LUTRA_NIL:
    case LUTRA_BOOLEAN:
    case LUTRA_INTEGER:
    case LUTRA_NUMBER: return;
    case LUTRA_STRING:
      require(value.as.string.bytes != nullptr || value.as.string.length == 0, who, ": a string's bytes are NULL");
      return;
    case LUTRA_TENSOR: require(value.as.tensor != nullptr, who, ": a tensor is NULL"); return;
    case LUTRA_OBJECT: require(value.as.object != nullptr, who, ": an object is NULL"); return;
    case LUTRA_LIST:
      require(depth < kMostDepth, who, ": lists are nested more than ", kMostDepth, " deep");
      require(value.as.list.items != nullptr || value.as.list.count == 0, who, ": a list's items are NULL");
      for (std::size_t i = 0; i < value.as.list.count; ++i) check(who, value.as.list.items[i], depth + 1);
      return;
    default: fail(ErrorCode::InvalidArgument, who, ": a value's type is ", value.type, ", expected a lutra_type");
  }
}

// The entries 1 to n of a plain table that has nothing else; -1 for any other value.
lua_Integer entries_of_list(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE || lua_getmetatable(L, index) != 0) {
    if (lua_type(L, index) == LUA_TTABLE) lua_pop(L, 1);
    return -1;
  }
  const auto length = static_cast<lua_Integer>(lua_rawlen(L, index));
  lua_Integer entries = 0;
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_isinteger(L, -2) == 0 || lua_tointeger(L, -2) < 1 || lua_tointeger(L, -2) > length) {
      lua_pop(L, 2);
      return -1;
    }
    ++entries;
  }
  return entries == length && entries > 0 ? entries : -1;
}

void take(lua_State* L, lutra_t& lutra, int index, lutra_value* out, bool lends, int depth);

[[noreturn]] void raise_no_memory(lua_State* L, lutra_t& lutra) {
  lutra.state->attempt_or_raise(L, [] { throw std::bad_alloc(); });
  __builtin_unreachable();
}

// Owned by the caller's value from the first item on, so that nothing is lost when an item raises.
void take_list(lua_State* L, lutra_t& lutra, int index, lua_Integer count, lutra_value* out, int depth) {
  luaL_checkstack(L, 4, "a list for the host");
  auto* items = static_cast<lutra_value*>(std::malloc(static_cast<std::size_t>(count) * sizeof(lutra_value)));
  if (items == nullptr) raise_no_memory(L, lutra);
  for (lua_Integer i = 0; i < count; ++i) items[i] = LUTRA_VALUE_INIT;
  out->type = LUTRA_LIST;
  out->owned = 1;
  out->as.list = {items, static_cast<std::size_t>(count)};
  for (lua_Integer i = 0; i < count; ++i) {
    lua_rawgeti(L, index, i + 1);
    take(L, lutra, lua_gettop(L), &items[i], false, depth + 1);
    lua_pop(L, 1);
  }
}

void take_string(lua_State* L, lutra_t& lutra, int index, lutra_value* out, bool lends) {
  std::size_t length;
  const char* bytes = lua_tolstring(L, index, &length);
  if (!lends) {
    auto* copy = static_cast<char*>(std::malloc(length + 1));
    if (copy == nullptr) raise_no_memory(L, lutra);
    std::memcpy(copy, bytes, length + 1);
    bytes = copy;
    out->owned = 1;
  }
  out->type = LUTRA_STRING;
  out->as.string = {bytes, length};
}

void take(lua_State* L, lutra_t& lutra, int index, lutra_value* out, bool lends, int depth) {
  *out = LUTRA_VALUE_INIT;
  switch (lua_type(L, index)) {
    case LUA_TNIL:
    case LUA_TNONE: return;
    case LUA_TBOOLEAN: *out = lutra_boolean(lua_toboolean(L, index)); return;
    case LUA_TSTRING: return take_string(L, lutra, index, out, lends);
    case LUA_TNUMBER:
      *out =
          lua_isinteger(L, index) != 0 ? lutra_integer(lua_tointeger(L, index)) : lutra_number(lua_tonumber(L, index));
      return;
    case LUA_TUSERDATA:
      if (const Box* box = to_live_box(L, index); box != nullptr && !is_variable(box->tensor)) {
        lutra_tensor* tensor = new_tensor(lutra, box->tensor);
        if (tensor == nullptr) raise_no_memory(L, lutra);
        *out = lutra_tensor_value(tensor);
        out->owned = 1;
        return;
      }
      break;
    case LUA_TTABLE:
      if (depth < kMostDepth) {
        if (lua_Integer count = entries_of_list(L, index); count > 0) {
          return take_list(L, lutra, index, count, out, depth);
        }
      }
      break;
    default: break;
  }
  auto* object = new (std::nothrow) lutra_object(*lutra.home);
  if (object == nullptr) raise_no_memory(L, lutra);
  *out = lutra_object_value(object);
  out->owned = 1;
  lua_pushvalue(L, index);
  object->ref = luaL_ref(L, LUA_REGISTRYINDEX);
}

// In another interpreter the object would be something else.
void push_object(lua_State* L, lutra_t& lutra, const lutra_object& object) {
  lutra.state->attempt_or_raise(
      L, [&] { require(object.home == lutra.home, "an object of one interpreter cannot be passed to another one"); });
  lua_rawgeti(L, LUA_REGISTRYINDEX, object.ref);
}

}  // namespace

void check_value(const char* who, const lutra_value* value) {
  require(value != nullptr, who, ": the value is NULL");
  check(who, *value, 0);
}

void check_values(const char* who, const lutra_value* values, std::size_t count) {
  require(values != nullptr || count == 0, who, ": the values are NULL");
  for (std::size_t i = 0; i < count; ++i) check(who, values[i], 0);
}

void push_value(lua_State* L, lutra_t& lutra, const lutra_value& value) {
  switch (value.type) {
    case LUTRA_BOOLEAN: return lua_pushboolean(L, value.as.boolean);
    case LUTRA_INTEGER: return lua_pushinteger(L, value.as.integer);
    case LUTRA_NUMBER: return lua_pushnumber(L, value.as.number);
    case LUTRA_STRING:
      lua_pushlstring(L, value.as.string.length > 0 ? value.as.string.bytes : "", value.as.string.length);
      return;
    case LUTRA_TENSOR: return push_tensor(L, lutra, *value.as.tensor);
    case LUTRA_OBJECT: return push_object(L, lutra, *value.as.object);
    case LUTRA_LIST:
      luaL_checkstack(L, 4, "a host's list");
      lua_createtable(L, static_cast<int>(std::min<std::size_t>(value.as.list.count, 1 << 24)), 0);
      for (std::size_t i = 0; i < value.as.list.count; ++i) {
        push_value(L, lutra, value.as.list.items[i]);
        lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
      }
      return;
    default: lua_pushnil(L);
  }
}

void take_value(lua_State* L, lutra_t& lutra, int index, lutra_value* out, bool lends) {
  take(L, lutra, lua_absindex(L, index), out, lends, 0);
}

void clear_values(lutra_value* values, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) lutra_value_clear(&values[i]);
}

}  // namespace lutra::embed

extern "C" {

void lutra_value_clear(lutra_value* value) {
  if (value == nullptr || value->size != sizeof(lutra_value)) return;
  if (value->owned != 0) {
    switch (value->type) {
      case LUTRA_STRING: std::free(const_cast<char*>(value->as.string.bytes)); break;
      case LUTRA_TENSOR: lutra_tensor_release(value->as.tensor); break;
      case LUTRA_OBJECT: lutra_object_release(value->as.object); break;
      case LUTRA_LIST: {
        auto* items = const_cast<lutra_value*>(value->as.list.items);
        lutra::embed::clear_values(items, value->as.list.count);
        std::free(items);
        break;
      }
      default: break;
    }
  }
  *value = LUTRA_VALUE_INIT;
}

lutra_object* lutra_object_retain(lutra_object* object) {
  if (object != nullptr) object->retain();
  return object;
}

void lutra_object_release(lutra_object* object) {
  if (object != nullptr) object->release();
}

}  // extern "C"
