// C functions for lua/lutra/repl: the front end's texts, tensors and devices without metamethods, the parts that exist.
#pragma once

#include "repl/session/session.h"

struct lua_State;

namespace lutra {

// Pushes the table of functions. The host must outlive their use. May raise a Lua error.
void push_session_tools(lua_State* L, const SessionHost& host);

}  // namespace lutra
