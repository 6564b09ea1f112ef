// The parts of lutra.debugging that look at memory and values: live tensors, copies, checks for nan and inf.

#include "eager/memory_report.h"
#include "lua/border/held.h"
#include "lua/border/modules.h"
#include "profile/numerics.h"

namespace lutra {
namespace {

constexpr RegistryKey kNumerics{}, kNumericsMeta{};

// check_numerics(on)
int check_numerics(Args& args) {
  args.at_most(1);
  const bool on = args.boolean(1, "on");
  State::push(args.L, kNumerics);
  auto* held = Held<NumericsCheck>::find(args.L, -1);
  if (held == nullptr) {
    if (!on) return 0;
    protect(args.L, 0, [&](lua_State* L) {
      held = Held<NumericsCheck>::push(L, kNumericsMeta);
      State::set(L, kNumerics);
      return 0;
    });
  }
  if (!on) held->end();
  else if (held->object() == nullptr) held->make(args.state, args.state.context());
  return 0;
}

void put(lua_State* L, const char* key, std::string_view value) {
  lua_pushlstring(L, value.data(), value.size());
  lua_setfield(L, -2, key);
}
void put(lua_State* L, const char* key, int64_t value) {
  lua_pushinteger(L, value);
  lua_setfield(L, -2, key);
}

// copies(): a list of totals, most bytes first.
int copies(Args& args) {
  args.at_most(0);
  const std::vector<CopyTotal> totals = args.state.context().copy_totals().list();
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(totals.size()), 0);
    lua_Integer i = 0;
    for (const CopyTotal& total : totals) {
      lua_createtable(L, 0, 6);
      put(L, "line", total.line);
      put(L, "source", total.source);
      put(L, "target", total.target);
      put(L, "reason", text_of(total.reason));
      put(L, "count", total.count);
      put(L, "bytes", total.bytes);
      lua_rawseti(L, -2, ++i);
    }
    return 1;
  });
  return 1;
}

int reset_copies(Args& args) {
  args.at_most(0);
  args.state.context().copy_totals().clear();
  return 0;
}

// live_tensors{device=, n=}
int list_live_tensors(Args& args) {
  args.at_most(1);
  constexpr int kDevice = 2;
  int64_t most = 0;
  lua_settop(args.L, kDevice);
  args.options(1, {{"device", StackSlot{kDevice}}, {"n", &most}});
  require(most >= 0, "live_tensors: n is ", most, ", expected a number of tensors");
  State& state = args.state;
  const LogicalDevice* only = nullptr;
  if (args.has(kDevice)) only = &args.logical_device(kDevice, "device");
  const std::vector<LiveTensor> list =
      live_tensors(state.context(), only, most == 0 ? SIZE_MAX : static_cast<std::size_t>(most));
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(list.size()), 0);
    lua_Integer i = 0;
    for (const LiveTensor& each : list) {
      lua_createtable(L, 0, 6);
      if (each.is_known) {
        push_shape(L, state, each.shape);
        lua_setfield(L, -2, "shape");
        put(L, "dtype", lutra::name(each.dtype));
      }
      put(L, "device", each.device);
      put(L, "bytes", each.bytes);
      if (!each.op.empty()) put(L, "op", each.op);
      if (!each.line.empty()) put(L, "line", each.line);
      lua_rawseti(L, -2, ++i);
    }
    return 1;
  });
  return 1;
}

}  // namespace

void open_inspection(lua_State* L, State& state) {
  set_function<check_numerics>(L, state, "check_numerics", "check_numerics");
  set_function<copies>(L, state, "copies", "copies");
  set_function<reset_copies>(L, state, "reset_copies", "reset_copies");
  set_function<list_live_tensors>(L, state, "live_tensors", "live_tensors");
  Held<NumericsCheck>::open(L, kNumericsMeta);
}

}  // namespace lutra
