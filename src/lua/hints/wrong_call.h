// What is said of an op's call whose arguments do not stand as the op takes them, and what to write instead.
#pragma once

#include <string>
#include <string_view>

#include "lua/ops/op_call.h"

namespace lutra {

// "matmul(a, b, [options])" with `callee` before the bracket: what may be left out is in brackets. That of a method
// leaves out the tensor before the colon.
std::string signature(const OpDef& op, std::string_view callee, bool is_method = false);

// Whether the name is that of an argument which has its place in the op's signature, and is no option.
bool has_place(const OpDef& op, std::string_view name);

// "; options stand in a table of their own: zeros({...}, {dtype = "int32"})" where that key and value, on top of the
// stack, are among the entries of a list.
std::string options_apart(lua_State* L, const char* who);

// What is said where a table at `index` names an argument that has its place, "" of anything else.
std::string hint_at_place(lua_State* L, int index, const OpDef& op);

// Fails: too many or too few are given. `given` of them stand before the options table at `options` (0: there is none).
[[noreturn]] void fail_count(lua_State* L, const OpBinding& binding, int given, int options);

// Fails: what stands at `index` is no tensor, table or number. `entry`: its place in a list, from 1.
[[noreturn]] void fail_operand(lua_State* L, int index, const OpDef& op, const InputDef& def, int entry);

// Fails if the table at `index`, which has no list, has the op's options, or names of arguments, where an input is to
// be.
void refuse_options(lua_State* L, int index, const OpDef& op, const InputDef& def);

// Fails: what stands at `index` is no list of tensors.
[[noreturn]] void fail_list(lua_State* L, int index, const OpDef& op, const InputDef& def);

// Fails: the table at `index` has a hole, or a name among its entries, where `wanted` ("a list of integers") is to be.
[[noreturn]] void fail_no_list(lua_State* L, int index, const OpDef& op, const char* name, const char* wanted);

}  // namespace lutra
