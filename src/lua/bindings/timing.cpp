// Functions for measuring: a clock, and waiting for queued work.

#include <ctime>

#include "lua/border/guard.h"
#include "lua/border/modules.h"

namespace lutra {
namespace {

int monotonic_time(Args& args) {
  args.at_most(0);
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(args.L, static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9);
  return 1;
}

int synchronize(Args& args) {
  args.at_most(1);
  LogicalDevice* device = args.has(1) ? &args.logical_device(1, "device") : nullptr;
  for (LogicalDevice* each : args.state.runtime().order()) {
    if (device == nullptr || each == device) args.state.context().wait_for(*each, "synchronize");
  }
  auto tell = [&] { args.state.context().tell_observers([](Observer& each) { each.waited(); }); };
  try {
    args.state.runtime().synchronize(device);
  } catch (...) {
    tell();
    throw;
  }
  tell();
  return 0;
}

}  // namespace

void open_timing(lua_State* L, State& state) {
  set_function<monotonic_time>(L, state, "time", "time");
  set_function<synchronize>(L, state, "synchronize", "synchronize");
}

}  // namespace lutra
