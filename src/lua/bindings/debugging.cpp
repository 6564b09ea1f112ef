// lutra.debugging: the placement log, explain, the kernel fallback.

#include <cstring>

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

constexpr RegistryKey kExplanationMeta{};

int set_log_device_placement(Args& args) {
  args.at_most(2);
  PlacementLogOptions options;
  options.on = args.boolean(1, "on");
  args.options(2, {{"reasons", &options.reasons}, {"copies", &options.copies}, {"once", &options.once}});
  args.state.context().placement_log().set_options(options);
  return 0;
}

int get_log_device_placement(Args& args) {
  args.at_most(0);
  lua_pushboolean(args.L, args.state.context().placement_log().options().on);
  return 1;
}

int set_log_handler(Args& args) {
  args.at_most(1);
  if (args.count() == 0 || (!lua_isnil(args.L, 1) && !lua_isfunction(args.L, 1)))
    args.wrong(1, "handler", "a function or nil");
  bool on = lua_isfunction(args.L, 1);
  args.state.set_log_handler(args.L, 1);
  PlacementLog& log = args.state.context().placement_log();
  log.set_handler(on);
  log.events.clear();  // of an op whose handler call was interrupted
  return 0;
}

int set_kernel_fallback(Args& args) {
  args.at_most(1);
  std::string_view word = args.string(1, "mode");
  KernelFallback* setting = &args.state.runtime().kernel_fallback;
  if (word == "allow") *setting = KernelFallback::Allow;
  else if (word == "warn") *setting = KernelFallback::Warn;
  else if (word == "error") *setting = KernelFallback::Error;
  else args.wrong(1, "mode", "\"allow\", \"warn\" or \"error\"");
  return 0;
}

int get_kernel_fallback(Args& args) {
  args.at_most(0);
  const char* words[] = {"allow", "warn", "error"};
  lua_pushstring(args.L, words[static_cast<int>(args.state.runtime().kernel_fallback)]);
  return 1;
}

// explain(t): which op made it, on which device, and why there.
int explain(Args& args) {
  args.at_most(1);
  State& state = args.state;
  Context& context = state.context();
  const TensorRep& tensor = args.tensor(1, "tensor").tensor;
  const Origin* origin = context.origins().find(tensor);
  const OriginDetail* detail = context.origins().detail(tensor);
  std::string device = state.runtime().device(tensor.device).full_name;
  int64_t bytes = static_cast<int64_t>(tensor.nbytes());
  std::string op, requested, reason, chosen, line;
  std::vector<CopyEvent> copies;
  if (origin != nullptr) {
    op = origin->op;
    requested = context.spec_text(origin->spec);
    chosen = state.runtime().device(origin->device).full_name;
    reason = reason_text(origin->reason, op.c_str(), requested);
  } else {
    reason = tensor.origin == 0 ? "not made by an op: a copy to another device, or read from elsewhere"
                                : text("made more than ", kRememberedOps, " ops ago, which is as far as is remembered");
  }
  if (detail != nullptr) {
    line = detail->line;
    copies = detail->copies;
  }
  protect(args.L, 1, [&](lua_State* L) {
    auto field = [L](const char* key, const std::string& value) {
      lua_pushlstring(L, value.data(), value.size());
      lua_setfield(L, -2, key);
    };
    lua_createtable(L, 0, 8);
    if (!op.empty()) {
      field("op", op);
      field("requested", requested);
      field("chosen", chosen);
    }
    field("device", device);
    field("reason", reason);
    if (!line.empty()) field("line", line);
    lua_pushinteger(L, bytes);
    lua_setfield(L, -2, "bytes");
    if (detail != nullptr) {
      push_copies(L, state, copies);
      lua_setfield(L, -2, "copies");
    }
    state.push(L, kExplanationMeta);
    lua_setmetatable(L, -2);
    return 1;
  });
  return 1;
}

// tostring of an explanation: one sentence.
int explanation_text(lua_State* L) {
  lua_settop(L, 1);
  luaL_checktype(L, 1, LUA_TTABLE);
  auto get = [L](const char* key) {
    lua_pushstring(L, key);
    lua_rawget(L, 1);
    return lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : nullptr;
  };
  const char* op = get("op");
  const char* chosen = get("chosen");
  const char* device = get("device");
  const char* reason = get("reason");
  const char* line = get("line");
  if (device == nullptr) device = "?";
  if (chosen == nullptr) chosen = device;
  lua_pushfstring(L, "%s in %s (%s)%s%s", op != nullptr ? op : "a tensor", chosen, reason != nullptr ? reason : "?",
                  line != nullptr ? " at " : "", line != nullptr ? line : "");
  // t:to(device) moved it after the op.
  if (std::strcmp(chosen, device) != 0) {
    lua_pushfstring(L, ", now on %s", device);
    lua_concat(L, 2);
  }
  return 1;
}

int count_storages(Args& args) {
  args.at_most(0);
  lua_pushinteger(args.L, live_storages());
  return 1;
}

}  // namespace

void push_copies(lua_State* L, State& state, const std::vector<CopyEvent>& copies) {
  lua_createtable(L, static_cast<int>(copies.size()), 0);
  lua_Integer i = 0;
  for (const CopyEvent& copy : copies) {
    lua_createtable(L, 0, 4);
    lua_pushlstring(L, copy.source.data(), copy.source.size());
    lua_setfield(L, -2, "source");
    lua_pushlstring(L, copy.target.data(), copy.target.size());
    lua_setfield(L, -2, "target");
    push_shape(L, state, copy.shape);
    lua_setfield(L, -2, "shape");
    lua_pushinteger(L, copy.bytes);
    lua_setfield(L, -2, "bytes");
    lua_rawseti(L, -2, ++i);
  }
}

void open_debugging(lua_State* L, State& state) {
  lua_newtable(L);
  set_function<set_log_device_placement>(L, state, "set_log_device_placement", "set_log_device_placement");
  set_function<get_log_device_placement>(L, state, "get_log_device_placement", "get_log_device_placement");
  set_function<set_log_handler>(L, state, "set_log_handler", "set_log_handler");
  set_function<set_kernel_fallback>(L, state, "set_kernel_fallback", "set_kernel_fallback");
  set_function<get_kernel_fallback>(L, state, "get_kernel_fallback", "get_kernel_fallback");
  set_function<explain>(L, state, "explain", "explain");
  set_function<count_storages>(L, state, "live_storages", "live_storages");
  open_inspection(L, state);
  lua_setfield(L, -2, "debugging");

  lua_newtable(L);
  lua_pushcfunction(L, explanation_text);
  lua_setfield(L, -2, "__tostring");
  state.set(L, kExplanationMeta);
}

}  // namespace lutra
