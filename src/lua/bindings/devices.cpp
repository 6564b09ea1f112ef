// Devices as Lua objects, {name, device_type}, and lists of them: they print and compare as TensorFlow's.

#include "lua/border/args.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kPhysicalDeviceMeta{}, kLogicalDeviceMeta{}, kDeviceListMeta{}, kLogicalConfigMeta{};

// "PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')"; upvalue: the class' name.
int device_text(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_getfield(L, 1, "name");
  lua_getfield(L, 1, "device_type");
  lua_pushfstring(L, "%s(name='%s', device_type='%s')", lua_tostring(L, lua_upvalueindex(1)), lua_tostring(L, 2),
                  lua_tostring(L, 3));
  return 1;
}

// "LogicalDeviceConfiguration(memory_limit=1024)", as TensorFlow prints it.
int logical_config_text(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_getfield(L, 1, "memory_limit");
  if (lua_type(L, 2) == LUA_TNUMBER)
    lua_pushfstring(L, "LogicalDeviceConfiguration(memory_limit=%s)", luaL_tolstring(L, 2, nullptr));
  else lua_pushliteral(L, "LogicalDeviceConfiguration(memory_limit=None)");
  return 1;
}

int device_list_text(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_Buffer out;
  luaL_buffinit(L, &out);
  luaL_addchar(&out, '[');
  for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, 1)); ++i) {
    if (i > 1) luaL_addstring(&out, ", ");
    lua_rawgeti(L, 1, i);
    luaL_tolstring(L, -1, nullptr);
    lua_remove(L, -2);
    luaL_addvalue(&out);
  }
  luaL_addchar(&out, ']');
  luaL_pushresult(&out);
  return 1;
}

int device_equal(lua_State* L) {
  bool equal = lua_type(L, 1) == LUA_TTABLE && lua_type(L, 2) == LUA_TTABLE;
  if (equal) {
    lua_pushliteral(L, "name");
    lua_rawget(L, 1);
    lua_pushliteral(L, "name");
    lua_rawget(L, 2);
    equal = lua_rawequal(L, -1, -2) != 0;
  }
  lua_pushboolean(L, equal);
  return 1;
}

void make_device_meta(lua_State* L, const RegistryKey& key, const char* class_name) {
  lua_newtable(L);
  lua_pushstring(L, class_name);
  lua_pushcclosure(L, device_text, 1);
  lua_setfield(L, -2, "__tostring");
  lua_pushcfunction(L, device_equal);
  lua_setfield(L, -2, "__eq");
  lua_pushfstring(L, "lutra.%s", class_name);
  lua_setfield(L, -2, "__name");
  State::set(L, key);
}

void make_text_meta(lua_State* L, const RegistryKey& key, lua_CFunction text) {
  lua_newtable(L);
  lua_pushcfunction(L, text);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "lutra.config");
  lua_setfield(L, -2, "__name");
  State::set(L, key);
}

}  // namespace

void push_devices(lua_State* L, const std::vector<DeviceEntry>& devices, bool physical) {
  lua_createtable(L, static_cast<int>(devices.size()), 0);
  lua_Integer i = 0;
  for (const DeviceEntry& device : devices) {
    lua_createtable(L, 0, 2);
    lua_pushlstring(L, device.name.data(), device.name.size());
    lua_setfield(L, -2, "name");
    lua_pushstring(L, device.type);
    lua_setfield(L, -2, "device_type");
    State::push(L, physical ? kPhysicalDeviceMeta : kLogicalDeviceMeta);
    lua_setmetatable(L, -2);
    lua_rawseti(L, -2, ++i);
  }
  becomes_device_list(L);
}

void becomes_device_list(lua_State* L) {
  State::push(L, kDeviceListMeta);
  lua_setmetatable(L, -2);
}

void becomes_logical_config(lua_State* L) {
  State::push(L, kLogicalConfigMeta);
  lua_setmetatable(L, -2);
}

bool Args::is_logical_object(int i) const {
  if (lua_type(L, i) != LUA_TTABLE || lua_getmetatable(L, i) == 0) return false;
  State::push(L, kLogicalDeviceMeta);
  bool is = lua_rawequal(L, -1, -2) != 0;
  lua_pop(L, 2);
  return is;
}

void open_devices(lua_State* L) {
  make_device_meta(L, kPhysicalDeviceMeta, "PhysicalDevice");
  make_device_meta(L, kLogicalDeviceMeta, "LogicalDevice");
  make_text_meta(L, kDeviceListMeta, device_list_text);
  make_text_meta(L, kLogicalConfigMeta, logical_config_text);
}

}  // namespace lutra
