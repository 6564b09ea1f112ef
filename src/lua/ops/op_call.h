// Ops as Lua functions: one loop over the op table binds them all.
#pragma once

#include <lua.hpp>

#include <span>

#include "lua/border/state.h"
#include "ops/op.h"

namespace lutra {

// Up to so many operands are read onto the C stack.
inline constexpr int kFewOperands = 8;

// The positions of an op's Lua arguments, computed once when it is bound. Owns nothing, so that it is valid as long as
// Lua keeps its userdata, also while the interpreter is being closed.
struct OpBinding {
  State* state;
  const OpDef* op;
  // Positional arguments in order: an attribute, or an input (attr null).
  struct Place {
    const AttrDef* attr;
    int input;
    bool required;
  };
  std::span<const Place> places;  // in the same userdata
  int inputs = 0;                 // of the op
  int required = 0;               // how many must be given
  int leading_optional = 0;       // 1 if the first place is skipped when only the required ones are given
  int plain_inputs = -1;          // how many arguments the hot path takes; -1: none
  int ints_place = -1;            // the place of an attribute that may be a list of any length
  int part_attr = -1;             // offset of the Part of an op that gives a list
  int base_attr = -1;             // offset of an IndexBase attribute
};

// The C function of every op; upvalues: OpBinding*, metatables of inline and of stored tensors.
int call_op(lua_State* L);
// The same for a function that calls another op if it gets one argument alone: upvalue 5 is that op's OpBinding*.
int call_op_by_count(lua_State* L);
// The same for ops that return a list: their results are in a table.
int call_list_op(lua_State* L);
// The same for metamethods, which Lua calls with more arguments than the op has inputs.
int call_op_as_metamethod(lua_State* L);

// Does the later phases of a call whose arguments another binding has read (indexing). The running closure's upvalues 2
// and 3 are the metatables, as for call_op. Leaves the results on the stack. May raise a Lua error.
int run_read_call(lua_State* L, State& state, Call& call);

// Pushes the functions into the module table on top of the stack and the methods into the table below it.
void bind_ops(lua_State* L, State& state);
// The same for one op, with the stack indices of both tables. May raise a Lua error.
void bind_op(lua_State* L, State& state, const OpDef& op, int module, int methods);

}  // namespace lutra
