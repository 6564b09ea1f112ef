// The parts of the module. Each open_ function adds its functions to the table on top of the stack.
#pragma once

#include <lua.hpp>

#include "lua/border/state.h"

namespace lutra {

void open_scopes(lua_State* L, State& state);      // coroutines' scopes
void open_device(lua_State* L, State& state);      // replaces the function form of device on top of the stack by device
void open_config(lua_State* L, State& state);      // lutra.config
void open_devices(lua_State* L);                   // metatables of device objects
void open_debugging(lua_State* L, State& state);   // lutra.debugging
void open_inspection(lua_State* L, State& state);  // more of lutra.debugging
void open_variables(lua_State* L,
                    State& state);              // Variable; the methods are on top of the stack, the module below them
void open_updates(lua_State* L, State& state);  // the same stack: index_put, where with one argument, newaxis
void open_tape(lua_State* L, State& state);     // GradientTape
void open_tape_methods(lua_State* L);           // the methods of tapes, for the prelude to add to
void open_parts(lua_State* L);                  // for the prelude, to load Lutra's Lua sources
void open_coroutines(lua_State* L, State& state);  // replaces coroutine.create, resume, wrap and close
void open_tidy(lua_State* L, State& state);        // for lutra.tidy
void open_help(lua_State* L, State& state);        // for lutra.help
void open_constants(lua_State* L, State& state);   // constant, from_bytes
void open_exchange(lua_State* L, State& state);    // to_dlpack, from_dlpack
void open_files(lua_State* L, State& state);       // load, save
void open_errors(lua_State* L, State& state);      // iserror, and the metatable of error objects
void open_shapes(lua_State* L, State& state);      // the metatable of shapes
void open_settings(lua_State* L, State& state);    // set_print_options, random.set_seed
void open_timing(lua_State* L, State& state);      // time, synchronize
void open_graphs(lua_State* L, State& state);      // graph

// Keeps the globals as they are now, for Lutra's own Lua. Not in a sandbox, which has kept others.
void keep_globals(lua_State* L);
// Loads a chunk of Lutra's own Lua, with these globals, and pushes it. May raise a Lua error.
void load_own(lua_State* L, const char* text, std::size_t size, const char* chunk);
// Pushes the submodule `name` that is written in Lua (lua/lutra/NAME/init.lua), loading it the first time. Returns
// false and pushes nothing if there is none. `module`: the stack index of the module. May raise a Lua error.
bool push_part(lua_State* L, int module, const char* name);
// Pushes the result of any file of lua/lutra, as `use` gives it: "repl.session". May raise a Lua error.
void push_used(lua_State* L, const char* name);
// These add to the table on top of the stack the C functions that those submodules use.
void open_datasets(lua_State* L, State& state);         // orders of shuffles, the position in the random sequence
void open_file_rows(lua_State* L, State& state);        // rows that stay in their file
void open_prefetch(lua_State* L, State& state);         // rows that a thread gathers ahead
void open_current_scope(lua_State* L, State& state);    // current_scope
void open_call_state(lua_State* L);                     // layer call state, per coroutine
void open_steps(lua_State* L, State& state);            // optimisers' steps
void open_replicas(lua_State* L, State& state);         // sums over replicas, variables that swap values
void open_ranks(lua_State* L, State& state);            // the processes of a launch
void open_finally(lua_State* L);                        // cleanup after errors
void open_tensor_questions(lua_State* L);               // queries of tensors in each training step
void open_items(lua_State* L, State& state);            // the numbers of many tensors at once
void open_deadline(lua_State* L);                       // limits how long Lua may run
void open_custom_gradient(lua_State* L, State& state);  // gradients computed by users' functions
void open_description(lua_State* L, State& state);      // the numbers of t:describe()
void open_pictures(lua_State* L, State& state);         // files of plots
void open_pixels(lua_State* L, State& state);           // pictures as bytes
void open_folders(lua_State* L, State& state);          // folders that are made and listed
void open_placement(lua_State* L, State& state);        // recordings of ops, planned runs
void open_plans(lua_State* L, State& state);            // plans of graphs, timelines
void open_graph_tools(lua_State* L, State& state);      // what Lutra's own Lua tells graphs
void open_terminal(lua_State* L, State& state);         // what stdout's terminal can show
// lutra.repl.listen. It is of a higher layer, and missing in programs that do not link that.
[[gnu::weak]] void open_listen(lua_State* L, State& state);
void open_profiler(lua_State* L, State& state);  // traces

// Suggestions in errors about a field that the finished module does not have.
void open_suggestions(lua_State* L, State& state);

// Pushes the shape as a table that prints and compares as one. May raise a Lua error.
void push_shape(lua_State* L, State& state, const Shape& shape);
bool is_shape(lua_State* L, int index);

// Whether the value is an error object of Lutra's.
bool is_own_error(lua_State* L, int index);

// The __concat of errors and shapes: concatenates the tostring of both sides.
int concat_as_text(lua_State* L);

// Pushes a list of device objects that prints as TensorFlow's. May raise a Lua error.
struct DeviceEntry {
  std::string name;
  const char* type;
};
void push_devices(lua_State* L, const std::vector<DeviceEntry>& devices, bool physical);
// Gives the table on top of the stack the metatable of a list of devices, or of a LogicalDeviceConfiguration.
void becomes_device_list(lua_State* L);
void becomes_logical_config(lua_State* L);

// Pushes a list of {source, target, shape, bytes}. May raise a Lua error.
void push_copies(lua_State* L, State& state, const std::vector<CopyEvent>& copies);

// Applies the environment variables LUTRA_*. Fails (InvalidArgument) with the name of an invalid one.
void apply_environment(Runtime& runtime);
void apply_environment(Context& context);
// In the registry, while the module is opened: the address of the shared_ptr<Runtime> that its State uses, or nil.
inline constexpr RegistryKey kSharedRuntime{};

// Runs lua/lutra/prelude.lua with the module and the table of C functions that it builds on.
void run_prelude(lua_State* L, State& state);

}  // namespace lutra

// The entry point of the module, for require and for the program.
extern "C" int luaopen_lutra(lua_State* L);
