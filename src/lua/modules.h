// The parts of the module, each of which fills the table on top of the stack.
#pragma once

#include <lua.hpp>

#include "lua/state.h"

namespace lutra {

void open_scopes(lua_State* L, State& state);     // what coroutines' scopes are made of
void open_device(lua_State* L, State& state);     // replaces the function form of device on top of the stack by device
void open_config(lua_State* L, State& state);     // lutra.config
void open_debugging(lua_State* L, State& state);  // lutra.debugging
void open_memory(lua_State* L, State& state);     // synchronize, and what lutra.tidy is made of
void open_variables(lua_State* L, State& state);  // Variable; the methods lie on top of the stack, the module below them
void open_tape(lua_State* L, State& state);       // GradientTape
void open_help(lua_State* L, State& state);       // help
void open_values(lua_State* L, State& state);     // constant, from_bytes, random.set_seed, iserror, time, version

// Pushes a list of device objects that prints as TensorFlow's. May raise a Lua error.
struct DeviceEntry {
  std::string name;
  const char* type;
};
void push_devices(lua_State* L, State& state, const std::vector<DeviceEntry>& devices, bool physical);

// Pushes a list of {source, target, shape, bytes}. May raise a Lua error.
void push_copies(lua_State* L, State& state, const std::vector<CopyEvent>& copies);

// LUTRA_SIM_GPUS and LUTRA_LOG_PLACEMENT.
void apply_environment(Runtime& runtime, Context& context);

// Runs Lutra's own Lua (lua/lutra/prelude.lua) with the module and the table of C functions it is made of.
void run_prelude(lua_State* L, State& state);

}  // namespace lutra

// The entry point of the module, for require and for the program.
extern "C" int luaopen_lutra(lua_State* L);
