// The parts of the module, each of which fills the table on top of the stack.
#pragma once

#include <lua.hpp>

#include "lua/border/state.h"

namespace lutra {

void open_scopes(lua_State* L, State& state);     // what coroutines' scopes are made of
void open_device(lua_State* L, State& state);     // replaces the function form of device on top of the stack by device
void open_config(lua_State* L, State& state);     // lutra.config
void open_devices(lua_State* L);                  // what device objects can do
void open_debugging(lua_State* L, State& state);  // lutra.debugging
void open_variables(lua_State* L,
                    State& state);           // Variable; the methods lie on top of the stack, the module below them
void open_tape(lua_State* L, State& state);  // GradientTape
void open_tape_methods(lua_State* L);        // what tapes can do, for the prelude to add to
void open_parts(lua_State* L);               // what the prelude loads Lutra's own Lua by
void open_coroutines(lua_State* L);          // what coroutine.resume, wrap and close are made of
void open_tidy(lua_State* L, State& state);  // what lutra.tidy is made of
void open_help(lua_State* L, State& state);  // what lutra.help is made of
void open_constants(lua_State* L, State& state);  // constant, from_bytes
void open_files(lua_State* L, State& state);      // load, save
void open_errors(lua_State* L, State& state);     // iserror, and what error objects can do
void open_shapes(lua_State* L, State& state);     // what shapes can do
void open_settings(lua_State* L, State& state);   // set_print_options, random.set_seed
void open_timing(lua_State* L, State& state);     // time, synchronize

// The part of the module that is called so and written in Lua (lua/lutra/NAME/init.lua), loaded the first time; false,
// and nothing pushed, where there is none. `module`: where the module lies. May raise a Lua error.
bool push_part(lua_State* L, int module, const char* name);
// Adds to the table on top of the stack what those parts are made of.
void open_datasets(lua_State* L, State& state);         // orders of shuffles, the random sequence's place
void open_file_rows(lua_State* L, State& state);        // rows that stay in their file
void open_prefetch(lua_State* L, State& state);         // rows that a thread gathers ahead
void open_current_scope(lua_State* L, State& state);    // current_scope, for the prelude too
void open_steps(lua_State* L, State& state);            // optimisers' steps
void open_replicas(lua_State* L, State& state);         // sums over replicas, variables that change places
void open_finally(lua_State* L);                        // what is set right whatever happens
void open_tensor_questions(lua_State* L);               // what is asked of tensors at each step
void open_items(lua_State* L, State& state);            // the numbers of many tensors at once
void open_deadline(lua_State* L);                       // how long Lua may go on
void open_custom_gradient(lua_State* L, State& state);  // gradients that are functions of the user's

// What an error about a field that the finished module does not have tells.
void open_suggestions(lua_State* L, State& state);

// Pushes the shape as a table that prints and compares as one. May raise a Lua error.
void push_shape(lua_State* L, State& state, const Shape& shape);
bool is_shape(lua_State* L, int index);

// The __concat of errors and shapes: both sides as tostring gives them.
int concat_as_text(lua_State* L);

// Pushes a list of device objects that prints as TensorFlow's. May raise a Lua error.
struct DeviceEntry {
  std::string name;
  const char* type;
};
void push_devices(lua_State* L, const std::vector<DeviceEntry>& devices, bool physical);
// The table on top of the stack prints as a list of devices does, or as a LogicalDeviceConfiguration.
void becomes_device_list(lua_State* L);
void becomes_logical_config(lua_State* L);

// Pushes a list of {source, target, shape, bytes}. May raise a Lua error.
void push_copies(lua_State* L, State& state, const std::vector<CopyEvent>& copies);

// What the variables LUTRA_* say. Fails (InvalidArgument) with the name of one that cannot be read.
void apply_environment(Runtime& runtime, Context& context);

// Runs Lutra's own Lua (lua/lutra/prelude.lua) with the module and the table of C functions it is made of.
void run_prelude(lua_State* L, State& state);

}  // namespace lutra

// The entry point of the module, for require and for the program.
extern "C" int luaopen_lutra(lua_State* L);
