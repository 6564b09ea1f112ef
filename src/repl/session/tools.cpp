#include "repl/session/tools.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>

#include "eager/launch.h"
#include "eager/memory_report.h"
#include "eager/observer.h"
#include "lua/border/guard.h"
#include "lua/border/lua_sources.h"
#include "lua/border/modules.h"
#include "repl/editor/characters.h"

namespace lutra {
namespace {

// show(kind, text); upvalue: the host. kind: "out", "note" or "error".
int show(lua_State* L) {
  const SessionHost& host = *static_cast<const SessionHost*>(lua_touserdata(L, lua_upvalueindex(1)));
  const char* kind = luaL_checkstring(L, 1);
  std::size_t size = 0;
  const char* text = luaL_checklstring(L, 2, &size);
  using Text = SessionHost::Text;
  host.show(host.user, *kind == 'o' ? Text::Output : *kind == 'n' ? Text::Note : Text::Error, {text, size});
  return 0;
}

// display(is_result, bundle); upvalue: the host.
int display(lua_State* L) {
  const SessionHost& host = *static_cast<const SessionHost*>(lua_touserdata(L, lua_upvalueindex(1)));
  std::size_t size = 0;
  const char* bundle = luaL_checklstring(L, 2, &size);
  host.display(host.user, lua_toboolean(L, 1) != 0, {bundle, size});
  return 0;
}

// parts(prefix): the names of Lutra's Lua files that begin so, without the prefix, sorted.
int parts(lua_State* L) {
  std::size_t size = 0;
  const char* prefix = luaL_checklstring(L, 1, &size);
  lua_newtable(L);
  lua_Integer count = 0;
  for (std::size_t i = 0; i < kLuaSourceCount; ++i) {
    const char* name = kLuaSources[i].name;
    if (std::strncmp(name, prefix, size) != 0) continue;
    lua_pushstring(L, name + size);
    lua_rawseti(L, -2, ++count);
  }
  return 1;
}

// source(name): the text of one of Lutra's Lua files, "lutra._meta.config"; nil if there is none.
int source(lua_State* L) {
  const char* name = luaL_checkstring(L, 1);
  lua_pushnil(L);
  for (std::size_t i = 0; i < kLuaSourceCount; ++i) {
    if (std::strcmp(kLuaSources[i].name, name) != 0) continue;
    lua_pushlstring(L, kLuaSources[i].text, kLuaSources[i].size);
    break;
  }
  return 1;
}

// tensor(value): nil if it is none of ours, else shape as text, dtype, device, bytes, whether a variable; or false
// if it was released.
int tensor(Args& args) {
  lua_State* L = args.L;
  const Box* box = lua_type(L, 1) == LUA_TUSERDATA ? to_box(L, 1) : nullptr;
  if (box == nullptr) {
    lua_pushnil(L);
    return 1;
  }
  if (box->is_released()) {
    lua_pushboolean(L, 0);
    return 1;
  }
  const TensorRep& rep = box->tensor;
  std::string shape = text(rep.shape());
  const std::string& device = args.state.runtime().device(rep.device).full_name;
  const std::string short_name =
      device.substr(device.rfind("device:") == std::string::npos ? 0 : device.rfind("device:") + 7);
  push_text(args, shape);
  push_text(args, name(rep.dtype));
  push_text(args, short_name);
  lua_pushinteger(L, static_cast<lua_Integer>(rep.nbytes()));
  lua_pushboolean(L, is_variable(rep));
  return 5;
}

// is_initialised(): whether the devices are; asking for their memory would initialise them.
int is_initialised(Args& args) {
  lua_pushboolean(args.L, args.state.runtime().is_initialised());
  return 1;
}

void push_list(Args& args, const std::vector<std::string>& list) {
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(list.size()), 0);
    lua_Integer count = 0;
    for (const std::string& each : list) {
      lua_pushlstring(L, each.data(), each.size());
      lua_rawseti(L, -2, ++count);
    }
    return 1;
  });
}

// largest(): a list of lines about the largest live tensors of each device, for devices that have some.
int largest(Args& args) {
  std::vector<std::string> lines;
  Context& context = args.state.context();
  bool has_host = false;  // all logical CPUs share one pool
  for (LogicalDevice* device : args.state.runtime().order()) {
    if (device->is_host() && std::exchange(has_host, true)) continue;
    std::vector<std::string> held = largest_tensors(context, *device);
    if (held.empty()) continue;
    lines.push_back(text(device->full_name));
    for (const std::string& line : held) lines.push_back(text("  ", line));
  }
  push_list(args, lines);
  return 1;
}

constexpr std::size_t kMostEntries = 10000;

bool is_folder(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// columns(text): how many columns a terminal shows it in.
int columns(Args& args) {
  std::string shown;
  lua_pushinteger(args.L, editor::append_line(args.string(1, "text"), shown));
  return 1;
}

// folder(path): the names in it, sorted, those of folders with a "/" at their end; nil if it cannot be read.
int folder(Args& args) {
  std::string path(args.string(1, "path"));
  DIR* open = opendir(path.c_str());
  if (open == nullptr) {
    lua_pushnil(args.L);
    return 1;
  }
  std::vector<std::string> names;
  while (const dirent* entry = readdir(open)) {
    std::string name = entry->d_name;
    if (name == "." || name == ".." || names.size() >= kMostEntries) continue;
    const bool asks = entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK;
    if (entry->d_type == DT_DIR || (asks && is_folder(text(path, "/", name)))) name += '/';
    names.push_back(std::move(name));
  }
  closedir(open);
  std::sort(names.begin(), names.end());
  push_list(args, names);
  return 1;
}

// Adds up what launches cost.
class Meter : public Observer {
 public:
  void launches(const Launch& launch) override {
    const Cost cost = cost_of(launch.args);
    sum.flops += cost.flops;
    sum.bytes += cost.bytes;
  }
  Cost sum;
};

// cost(f): calls f; returns the floating-point operations of what it computed, and the bytes that they touch, as the
// table of ops has them.
int cost(lua_State* L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  int status;
  Cost sum;
  {
    Context& context = State::find(L)->context();
    Meter meter;
    context.attach(meter);
    status = lua_pcall(L, 0, 0, 0);
    context.detach(meter);
    sum = meter.sum;
  }
  if (status != LUA_OK) return lua_error(L);
  lua_pushnumber(L, sum.flops);
  lua_pushnumber(L, sum.bytes);
  return 2;
}

// members(): the tables of the methods of tensors and variables.
int members(lua_State* L) {
  State::push(L, State::kMethods);
  State::push(L, State::kVariableMethods);
  return 2;
}

}  // namespace

void push_session_tools(lua_State* L, const SessionHost& host) {
  State& state = *State::find(L);
  lua_newtable(L);
  lua_pushlightuserdata(L, const_cast<SessionHost*>(&host));
  lua_pushcclosure(L, show, 1);
  lua_setfield(L, -2, "show");
  if (host.display != nullptr) {
    lua_pushlightuserdata(L, const_cast<SessionHost*>(&host));
    lua_pushcclosure(L, display, 1);
    lua_setfield(L, -2, "display");
  }
  constexpr luaL_Reg kFunctions[] = {
      {"parts", parts}, {"source", source}, {"members", members}, {"cost", cost}, {nullptr, nullptr}};
  luaL_setfuncs(L, kFunctions, 0);
  set_function<tensor>(L, state, "tensor", "tensor");
  set_function<is_initialised>(L, state, "is_initialised", "is_initialised");
  set_function<folder>(L, state, "folder", "folder");
  set_function<columns>(L, state, "columns", "columns");
  set_function<largest>(L, state, "largest", "largest");
  lua_pushboolean(L, host.is_interactive);
  lua_setfield(L, -2, "is_interactive");
  lua_pushboolean(L, host.is_terminal);
  lua_setfield(L, -2, "is_terminal");
}

}  // namespace lutra
