// Note [The two environments]
// A script's globals have only what docs/sandbox.md lists. Lutra's own Lua code (lua/lutra) needs more: io.stderr for
// progress, io.open for logs of training, debug.getinfo for errors. It is compiled with an environment of its own,
// which nothing that a script can reach leads to. Even there, files are opened by AllowedPaths, and nothing starts a
// program, loads C code or reads the environment. Where it has no entry of its own the globals are looked up, as for
// print.
#include "lua/border/sandbox.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "io/source.h"
#include "lua/border/bounded.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kPrivate{};

void copy_fields(lua_State* L, const char* library, std::initializer_list<const char*> names) {
  lua_newtable(L);
  lua_getglobal(L, library);
  for (const char* name : names) {
    lua_getfield(L, -1, name);
    lua_setfield(L, -3, name);
  }
  lua_pop(L, 1);
}

// ---- files of Lutra's own Lua code

// What io.open gives: luaL_Stream's parts, and the count of open files.
struct CountedFile {
  luaL_Stream stream;
  std::shared_ptr<void>* counted;
};

int close_file(lua_State* L) {
  auto* file = static_cast<CountedFile*>(luaL_checkudata(L, 1, LUA_FILEHANDLE));
  delete std::exchange(file->counted, nullptr);
  return luaL_fileresult(L, std::fclose(file->stream.f) == 0, nullptr);
}

// Opens the file for fopen's mode. Throws Error.
std::FILE* open_allowed(const AllowedPaths& allowed, const std::string& path, const char* mode) {
  const bool reads = mode[0] == 'r' && std::strchr(mode, '+') == nullptr;
  const auto access = reads ? AllowedPaths::Access::Read : AllowedPaths::Access::Write;
  const AllowedFile found = allowed.find(path, path, access);
  std::FILE* file = std::fopen(found.path.c_str(), mode);
  if (file == nullptr) fail_system(path, "cannot be opened", errno);
  return file;
}

// open(path[, mode]): a file, or nil and why not.
int open_file_of(Args& args) {
  const std::string path(args.string(1, "path"));
  const std::string mode(args.has(2) ? args.string(2, "mode") : "r");
  require(!mode.empty() && std::strchr("rwa", mode[0]) != nullptr, "open: the mode is ", quote(mode));
  const AllowedPaths& allowed = *args.state.allowed_paths;
  CountedFile* made = nullptr;
  protect(args.L, 1, [&](lua_State* L) {
    made = static_cast<CountedFile*>(lua_newuserdatauv(L, sizeof(CountedFile), 0));
    made->stream.f = nullptr;
    made->stream.closef = nullptr;  // closed
    made->counted = nullptr;
    luaL_setmetatable(L, LUA_FILEHANDLE);
    return 1;
  });
  try {
    auto counted = std::make_unique<std::shared_ptr<void>>(allowed.opened(path));
    made->stream.f = open_allowed(allowed, path, mode.c_str());
    made->counted = counted.release();
    made->stream.closef = close_file;
    return 1;
  } catch (const Error& error) {
    lua_pushnil(args.L);
    push_text(args, error.message());
    return 2;
  }
}

// remove(path): true, or nil and why not.
int remove_file(Args& args) {
  const std::string path(args.string(1, "path"));
  try {
    const AllowedFile found = args.state.allowed_paths->find(path, path, AllowedPaths::Access::Write);
    if (unlink(found.path.c_str()) != 0) fail_system(path, "cannot be removed", errno);
    lua_pushboolean(args.L, 1);
    return 1;
  } catch (const Error& error) {
    lua_pushnil(args.L);
    push_text(args, error.message());
    return 2;
  }
}

int get_nothing(lua_State* L) {
  lua_pushnil(L);
  return 1;
}

// ---- what replaces functions of the globals

int write(lua_State* L) {
  const int first = lua_istable(L, 1) ? 2 : 1;  // io.stdout:write(...)
  const int last = lua_gettop(L);
  bool ok = true;
  for (int i = first; i <= last; ++i) {
    size_t size;
    const char* text = luaL_checklstring(L, i, &size);
    ok = std::fwrite(text, 1, size, stdout) == size && ok;
  }
  if (!ok) return luaL_fileresult(L, 0, nullptr);
  lua_pushvalue(L, lua_upvalueindex(1));
  return 1;
}

// os.date, whose time depends on its format. Upvalue: Lua's.
int date(lua_State* L) {
  constexpr size_t kLongest = 1000;
  size_t size;
  luaL_optlstring(L, 1, "%c", &size);
  luaL_argcheck(L, size <= kLongest, 1, "longer than 1000 bytes");
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

int collectgarbage(lua_State* L) {
  const char* option = luaL_optstring(L, 1, "collect");
  if (std::strcmp(option, "count") != 0)
    return luaL_error(L, "collectgarbage('%s'): in a sandbox there is only 'count'", option);
  lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0);
  return 1;
}

int require_part(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  constexpr char kLutra[] = "lutra";
  constexpr size_t kLength = sizeof kLutra - 1;
  if (std::strncmp(name, kLutra, kLength) == 0 && (name[kLength] == '\0' || name[kLength] == '.')) {
    lua_pushcfunction(L, luaopen_lutra);  // it is open: this pushes the module
    lua_call(L, 0, 1);
    if (name[kLength] == '\0' || push_part(L, lua_gettop(L), name + kLength + 1)) return 1;
  }
  return luaL_error(L, "require: a sandbox has lutra and its parts, such as lutra.nn, and no '%s'", name);
}

// getmetatable(value): false for a userdata whose metatable is not protected, as it has the finalizer.
int get_metatable(lua_State* L) {
  luaL_checkany(L, 1);
  if (lua_getmetatable(L, 1) == 0) return lua_pushnil(L), 1;
  if (luaL_getmetafield(L, 1, "__metatable") == LUA_TNIL && lua_isuserdata(L, 1) != 0) lua_pushboolean(L, 0);
  return 1;
}

// setmetatable(table, metatable). Finalizers run where no limit can stop them, so a __gc has no effect.
int set_metatable(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const int kind = lua_type(L, 2);
  luaL_argexpected(L, kind == LUA_TNIL || kind == LUA_TTABLE, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) return luaL_error(L, "cannot change a protected metatable");
  lua_settop(L, 2);
  bool has_finalizer = false;
  if (kind == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    has_finalizer = lua_rawget(L, 2) != LUA_TNIL;
    if (has_finalizer) {
      lua_pushliteral(L, "__gc");
      lua_pushnil(L);
      lua_rawset(L, 2);
    }
  }
  lua_pushvalue(L, 2);
  lua_setmetatable(L, 1);
  if (has_finalizer) {
    lua_pushliteral(L, "__gc");
    lua_pushvalue(L, 3);
    lua_rawset(L, 2);
  }
  lua_settop(L, 1);
  return 1;
}

// xpcall(f, handler, ...). Lua calls a handler where the error is raised. If a hook raises it, no hook can stop the
// handler, so here it is called after the error has been caught.
int after_handler(lua_State* L, int, lua_KContext) {
  lua_pushboolean(L, 0);
  lua_replace(L, 1);
  return lua_gettop(L);
}

int after_call(lua_State* L, int status, lua_KContext context) {
  if (status == LUA_OK || status == LUA_YIELD) return lua_gettop(L) - 1;  // true and the results
  // Stack: handler, true, ..., the error.
  lua_insert(L, 2);
  lua_settop(L, 2);
  lua_pushboolean(L, 0);
  lua_insert(L, 1);
  if (int failed = lua_pcallk(L, 1, 1, 0, context, after_handler); failed != LUA_OK)
    return after_handler(L, failed, context);
  return after_handler(L, LUA_OK, context);
}

int xpcall(lua_State* L) {
  const int given = lua_gettop(L);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_pushboolean(L, 1);
  lua_pushvalue(L, 1);
  lua_rotate(L, 3, 2);  // f, handler, true, f, ...
  lua_remove(L, 1);     // handler, true, f, ...
  const int status = lua_pcallk(L, given - 2, LUA_MULTRET, 0, 0, after_call);
  return after_call(L, status, 0);
}

void set_closure(lua_State* L, const char* name, lua_CFunction function) {
  lua_pushcfunction(L, function);
  lua_setfield(L, -2, name);
}

void remove_globals(lua_State* L, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    lua_pushnil(L);
    lua_setglobal(L, name);
  }
}

void protect_string_metatable(lua_State* L) {
  lua_pushliteral(L, "");
  if (lua_getmetatable(L, -1) == 0) {
    lua_pop(L, 1);
    return;
  }
  // getmetatable("").__index is string, as ever, but nothing that changes the answer changes strings.
  lua_newtable(L);
  lua_getfield(L, -2, "__index");
  lua_setfield(L, -2, "__index");
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

}  // namespace

void prepare_sandbox(lua_State* L, Limits& limits) {
  luaL_checkstack(L, 20, nullptr);
  lua_getglobal(L, "string");
  bind_patterns(L, limits);
  bind_bounded_strings(L, limits);
  lua_pop(L, 1);
  lua_getglobal(L, "table");
  bind_bounded_tables(L, limits);
  lua_pop(L, 1);

  lua_newtable(L);
  for (const char* name : {"assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget",
                           "rawlen", "rawset", "select", "tonumber", "tostring", "type", "xpcall"}) {
    lua_getglobal(L, name);
    lua_setfield(L, -2, name);
  }
  set_closure(L, "setmetatable", set_metatable);
  set_closure(L, "require", require_part);
  set_closure(L, "collectgarbage", collectgarbage);
  push_bounded_load(L, limits);
  lua_setfield(L, -2, "load");
  for (const char* library : {"string", "table", "math", "utf8", "coroutine"}) {
    lua_newtable(L);
    lua_getglobal(L, library);
    for (lua_pushnil(L); lua_next(L, -2) != 0;) {
      lua_pushvalue(L, -2);
      lua_insert(L, -2);
      lua_rawset(L, -5);
    }
    lua_pop(L, 1);
    lua_setfield(L, -2, library);
  }
  copy_fields(L, "io", {"stderr", "stdout", "write", "type"});
  lua_setfield(L, -2, "io");
  copy_fields(L, "os", {"clock", "date", "difftime", "time"});
  set_closure(L, "getenv", get_nothing);
  lua_setfield(L, -2, "os");
  copy_fields(L, "debug", {"getinfo", "getmetatable", "traceback"});
  lua_setfield(L, -2, "debug");
  lua_newtable(L);
  lua_pushglobaltable(L);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  State::set(L, kPrivate);
}

int push_private_environment(lua_State* L) {
  State::push(L, kPrivate);
  return lua_type(L, -1);
}

void close_sandbox(lua_State* L, Limits& limits) {
  State& state = *State::find(L);
  luaL_checkstack(L, 20, nullptr);
  // What Lutra's own code opens.
  State::push(L, kPrivate);
  lua_getfield(L, -1, "io");
  set_function<open_file_of>(L, state, "open", "open");
  lua_pop(L, 1);
  lua_getfield(L, -1, "os");
  set_function<remove_file>(L, state, "remove", "remove");
  lua_pop(L, 1);
  // Lutra has put its own functions into coroutine.
  lua_getfield(L, -1, "coroutine");
  lua_getglobal(L, "coroutine");
  for (lua_pushnil(L); lua_next(L, -2) != 0;) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, -5);
  }
  lua_pop(L, 3);

  remove_globals(L, {"package", "debug", "dofile", "loadfile"});
  copy_fields(L, "os", {"clock", "date", "difftime", "time"});
  lua_getfield(L, -1, "date");
  lua_pushcclosure(L, date, 1);
  lua_setfield(L, -2, "date");
  lua_setglobal(L, "os");
  lua_newtable(L);  // io
  lua_newtable(L);  // io.stdout
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, write, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "write");
  lua_setfield(L, -3, "write");
  lua_setfield(L, -2, "stdout");
  lua_setglobal(L, "io");
  lua_getglobal(L, "string");
  lua_pushnil(L);
  lua_setfield(L, -2, "dump");
  lua_pop(L, 1);
  protect_string_metatable(L);
  push_bounded_load(L, limits);
  lua_setglobal(L, "load");
  for (luaL_Reg entry : {luaL_Reg{"collectgarbage", collectgarbage},
                         {"getmetatable", get_metatable},
                         {"require", require_part},
                         {"setmetatable", set_metatable},
                         {"xpcall", xpcall}}) {
    lua_pushcfunction(L, entry.func);
    lua_setglobal(L, entry.name);
  }
  state.is_sandbox = true;
}

}  // namespace lutra
