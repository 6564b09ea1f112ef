// index_put, where with one argument, lutra.newaxis, and notes on methods of variables that sound as if they changed
// them.

#include "lua/bindings/tensor_api.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"
#include "lua/ops/advanced_indexing.h"
#include "lua/ops/constants.h"
#include "lua/ops/elements.h"
#include "lua/ops/op_call.h"

namespace lutra {
namespace {

constexpr RegistryKey kNotedLines{};

// Replaces the table, number or boolean at `index` by a tensor. May raise a Lua error.
void make_tensor(lua_State* L, State& state, int index, const char* name, DType dtype = kNoDType) {
  if (to_box(L, index) == nullptr && !make_constant(L, state, index, {"index_put", name}, dtype)) state.raise(L);
}

// Writes a message to stderr, once for each line of a script, if the method of a variable was called, which leaves the
// variable as it is. May raise a Lua error.
void note_method(lua_State* L, State& state, const char* name) {
  lua_Debug caller;
  if (to_variable(L, 1) == nullptr || lua_getstack(L, 1, &caller) == 0 || lua_getinfo(L, "Sl", &caller) == 0 ||
      caller.currentline < 0) {
    return;
  }
  luaL_checkstack(L, 4, nullptr);
  State::push(L, kNotedLines);
  lua_pushfstring(L, "%s:%d", caller.short_src, caller.currentline);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, -3) == LUA_TNIL) {
    lua_pushvalue(L, -2);
    lua_pushboolean(L, 1);
    lua_rawset(L, -5);
    const char* line = lua_tostring(L, -2);
    state.attempt_or_raise(L, [&] {
      state.runtime().log().line(text("WARNING: ", line, ": v:", name,
                                      "(...) gives a new tensor and leaves the variable v as it is; v:assign(lutra.",
                                      name, "(v, ...)) changes it, and lutra.", name,
                                      "(v, ...) gives the tensor without this message"));
    });
  }
  lua_pop(L, 3);
}

// Upvalue 5: the method's name.
int call_op_and_note(lua_State* L) {
  const OpBinding* binding = static_cast<const OpBinding*>(lua_touserdata(L, lua_upvalueindex(1)));
  note_method(L, *binding->state, lua_tostring(L, lua_upvalueindex(5)));
  return call_op(L);
}

// index_put(x, index, values[, {accumulate}]). Upvalues 2 and 3: the metatables, as for call_op; 4: whether it is a
// variable's method.
int index_put(lua_State* L) {
  State& state = state_of(L);
  if (lua_toboolean(L, lua_upvalueindex(4)) != 0) note_method(L, state, "index_put");
  bool accumulate = false;
  read_phase(L, state, "index_put", [&](Args& args) {
    args.at_most(4);
    args.options(4, {{"accumulate", &accumulate}});
    lua_settop(L, 3);
    for (int i : {1, 3}) {
      const char* name = i == 1 ? "x" : "values";
      if (to_box(L, i) == nullptr && !is_literal(L, i)) args.wrong(i, name, "a tensor, a table or a number");
      if (to_box(L, i) != nullptr) args.tensor(i, name);
    }
    int type = lua_type(L, 2);
    if (type != LUA_TTABLE && type != LUA_TNUMBER && to_box(L, 2) == nullptr) {
      args.wrong(2, "index",
                 "what t[...] takes: an integer, a list of entries per axis, a tensor of indices or a mask");
    }
  });
  make_tensor(L, state, 1, "x");
  bool is_number = lua_type(L, 3) == LUA_TNUMBER;
  if (!is_number) make_tensor(L, state, 3, "values");
  AdvancedIndex index;
  read_advanced_index(L, state, "index_put", 2, to_box(L, 1)->tensor.shape(), &index);
  Operand operands[kMaxRank + 2];
  operands[0].tensor = &to_box(L, 1)->tensor;
  operands[1] = is_number ? Operand{nullptr, number_at(L, 3)} : Operand{&to_box(L, 3)->tensor, Scalar::of(false)};
  for (int i = 0; i < index.count; ++i) operands[i + 2] = index.tensors[i];
  const char* name = accumulate ? "AdvancedIndexAdd" : "AdvancedIndexPut";
  Call call(state.runtime().ops().get(name), operands, index.count + 2, 1);
  call.as<AdvancedIndexAttrs>() = index.attrs;
  return run_read_call(L, state, call);
}

void push_index_put(lua_State* L, State& state, bool is_variables) {
  lua_pushlightuserdata(L, &state);
  state.push(L, State::kTensorMeta);
  state.push(L, State::kStoredTensorMeta);
  lua_pushboolean(L, is_variables);
  lua_pushcclosure(L, index_put, 4);
}

// Replaces the op function `name` of the table at `owner` by `function` with the same upvalues and `more` values from
// the top of the stack, which are popped.
void wrap(lua_State* L, int owner, const char* name, lua_CFunction function, int more) {
  int first = lua_gettop(L) - more + 1;
  lua_getfield(L, owner, name);
  lua_insert(L, first);
  for (int i = 1; i <= 4; ++i) {
    lua_getupvalue(L, first, i);
    lua_insert(L, first + i);
  }
  lua_pushcclosure(L, function, 4 + more);
  lua_setfield(L, owner, name);
  lua_settop(L, first - 1);
}

}  // namespace

void open_updates(lua_State* L, State& state) {
  int methods = lua_gettop(L), module = methods - 1;
  lua_newtable(L);
  state.set(L, kNotedLines);
  state.push(L, State::kVariableMethods);
  int own = methods + 1;
  for (int owner : {module, methods, own}) {
    push_index_put(L, state, owner == own);
    lua_setfield(L, owner, "index_put");
    if (owner == own) continue;
    // nonzero's binding, and what keeps it alive.
    lua_getfield(L, owner, "nonzero");
    lua_getupvalue(L, -1, 1);
    lua_insert(L, -2);
    wrap(L, owner, "where", call_op_by_count, 2);
  }
  lua_getfield(L, methods, "where");
  lua_setfield(L, own, "where");
  for (const char* name : {"scatter", "scatter_add", "index_add", "masked_fill", "tensor_scatter_nd_update",
                           "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min"}) {
    lua_pushstring(L, name);
    wrap(L, own, name, call_op_and_note, 1);
  }
  lua_settop(L, methods);
  lua_pushliteral(L, "newaxis");
  lua_setfield(L, module, "newaxis");
}

}  // namespace lutra
