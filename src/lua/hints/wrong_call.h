// Errors for calls of ops with wrong arguments, with what to write instead.
#pragma once

#include <string>
#include <string_view>

#include "lua/ops/op_call.h"

namespace lutra {

// "matmul(a, b, [options])", with `callee` before the parenthesis; optional arguments are in brackets. A method's
// signature does not have the tensor before the colon.
std::string signature(const OpDef& op, std::string_view callee, bool is_method = false);

// Whether the name is that of a positional argument of the op, rather than of an option.
bool has_place(const OpDef& op, std::string_view name);

// "; options stand in a table of their own: zeros({...}, {dtype = "int32"})", for a key and value, on top of the stack,
// that are among the entries of a list.
std::string options_apart(lua_State* L, const char* who);

// A hint if the table at `index` names a positional argument; "" for anything else.
std::string hint_at_place(lua_State* L, int index, const OpDef& op);

// Fails: there are too many or too few arguments. `given`: how many come before the options table at `options` (0:
// there is none).
[[noreturn]] void fail_count(lua_State* L, const OpBinding& binding, int given, int options);

// Fails: the value at `index` is not a tensor, table or number. `entry`: its position in a list, from 1.
[[noreturn]] void fail_operand(lua_State* L, int index, const OpDef& op, const InputDef& def, int entry);

// Fails if the table at `index`, which should be an input and has no list, has the op's options or names of arguments.
void refuse_options(lua_State* L, int index, const OpDef& op, const InputDef& def);

// Fails: the value at `index` is not a list of tensors.
[[noreturn]] void fail_list(lua_State* L, int index, const OpDef& op, const InputDef& def);

// Fails: the table at `index`, which should be `wanted` ("a list of integers"), has a hole or a name among its entries.
[[noreturn]] void fail_no_list(lua_State* L, int index, const OpDef& op, const char* name, const char* wanted);

}  // namespace lutra
