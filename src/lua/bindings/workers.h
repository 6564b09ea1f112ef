// Functions for Dataset:map with num_parallel_calls: interpreters on threads of their own.
#pragma once

#include <lua.hpp>

namespace lutra {

class State;

void open_workers(lua_State* L, State& state);

}  // namespace lutra
