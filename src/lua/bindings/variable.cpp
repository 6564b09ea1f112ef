// lutra.Variable, and what variables have in addition to tensors.

#include "lua/border/variable_box.h"

#include "lua/bindings/tensor_api.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/ops/advanced_indexing.h"
#include "lua/ops/constants.h"
#include "lua/ops/elements.h"
#include "ops/slice.h"

namespace lutra {
namespace {

constexpr RegistryKey kHooks{};
// A function that is called with each variable before it is assigned, or nil.
constexpr RegistryKey kNoter{};

int give_result(lua_State*, int, lua_KContext) { return 1; }

// Pushes the hook with that name, unless this function was called by a hook, as its upvalue `flag` says. False if there
// is none.
bool push_hook(lua_State* L, const char* name, int flag) {
  if (lua_toboolean(L, lua_upvalueindex(flag)) != 0) return false;
  State::push(L, kHooks);
  if (!lua_isnil(L, -1)) {
    lua_pushstring(L, name);
    lua_rawget(L, -2);
    lua_remove(L, -2);
    return true;
  }
  lua_pop(L, 1);
  return false;
}

// Calls the hook on top of the stack with all values below it. It may yield.
int call_hook(lua_State* L) {
  lua_insert(L, 1);
  lua_callk(L, lua_gettop(L) - 1, 1, 0, give_result);
  return 1;
}

bool is_mirrored(lua_State* L) {
  VariableBox* variable = to_variable(L, 1);
  return variable != nullptr && variable->is_mirrored;
}

// May raise a Lua error; nothing has been done by then.
void note_assignment(lua_State* L) {
  State::push(L, kNoter);
  if (!lua_isnil(L, -1) && to_variable(L, 1) != nullptr) {
    lua_pushvalue(L, 1);
    lua_call(L, 1, 0);
  } else {
    lua_pop(L, 1);
  }
}

// A weak table of variables by identity.
constexpr RegistryKey kAllVariables{};

std::string_view name_of(lua_State* L, int index) {
  // The userdata keeps the string alive.
  lua_getiuservalue(L, index, 1);
  std::size_t length = 0;
  const char* name = lua_tolstring(L, -1, &length);
  lua_pop(L, 1);
  return name != nullptr ? std::string_view(name, length) : std::string_view();
}

VariableBox& variable_at(Args& args, int index) {
  VariableBox* variable = to_variable(args.L, index);
  if (variable == nullptr) args.wrong(index, "variable", "a Variable");
  return *variable;
}

// Variable(initial[, {name, trainable, dtype, aggregation}])
int variable(lua_State* L) {
  State& state = state_of(L);
  if (push_hook(L, "make", 2)) return call_hook(L);
  bool trainable = true, casts = false;
  DType dtype = kNoDType;
  std::string_view name = "Variable", aggregation = "none";
  read_phase(L, state, "Variable", [&](Args& args) {
    args.at_most(2);
    args.options(2, {{"name", &name}, {"trainable", &trainable}, {"dtype", &dtype}, {"aggregation", &aggregation}});
    require(
        aggregation == "none" || aggregation == "sum" || aggregation == "mean" || aggregation == "only_first_replica",
        "Variable: aggregation is \"", aggregation,
        "\", expected \"none\", \"sum\", \"mean\" or \"only_first_replica\"");
    lua_settop(L, 2);
    if (to_box(L, 1) != nullptr) {
      casts = dtype != kNoDType && args.tensor(1, "initial").tensor.dtype != dtype;
    } else if (!is_literal(L, 1)) {
      args.wrong(1, "initial", "a tensor, a table, a number or a boolean");
    }
  });
  lua_pushlstring(L, name.data(), name.size());
  if (casts) {
    state.push(L, State::kMethods);
    lua_getfield(L, -1, "cast");
    lua_pushvalue(L, 1);
    lua_pushstring(L, lutra::name(dtype));
    lua_call(L, 2, 1);
    lua_replace(L, 1);
    lua_settop(L, 3);
  } else if (to_box(L, 1) == nullptr && !make_constant(L, state, 1, {"Variable", "initial"}, dtype)) {
    state.raise(L);
  }
  auto* made = static_cast<VariableBox*>(lua_newuserdatauv(L, sizeof(VariableBox), 1));
  made->box.cookie = made->box.live_cookie();
  made->box.tensor.clear();
  made->box.booked_bytes = Box::kNotBooked;
  made->trainable = trainable;
  made->is_mirrored = false;
  state.push(L, State::kVariableMeta);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, 1);
  read_phase(L, state, "Variable", [&](Args& args) {
    make_variable(state.context(), args.tensor(1, "initial").tensor, trainable, &made->box.tensor);
  });
  state.own_variable(L, &made->box);
  know_variable(L, lua_gettop(L));
  state.tell(L);
  return 1;
}

Operand operand_at(lua_State* L, int index) {
  if (Box* box = to_live_box(L, index)) return {&box->tensor, Scalar::of(false)};
  if (lua_type(L, index) == LUA_TBOOLEAN) return {nullptr, Scalar::of(lua_toboolean(L, index) != 0)};
  return {nullptr, number_at(L, index)};
}

// Replaces a table that is assigned to the variable at 1 by its tensor. May raise a Lua error.
void make_value(lua_State* L, State& state, const char* who, int index, DType dtype, bool is_logged) {
  std::string_view variable = name_of(L, 1);
  if (!make_constant(L, state, index, {who, "value", 0, &variable}, dtype, is_logged)) state.raise(L);
}

// Reads the value to assign: a table becomes a tensor of the variable's dtype, so that it keeps all digits; numbers
// stay numbers. May raise a Lua error. Returns Call::literals.
OriginRange read_assigned(lua_State* L, State& state, const char* who, int index) {
  DType dtype = kNoDType;
  read_phase(L, state, who, [&](Args& args) {
    args.at_most(index);
    dtype = variable_at(args, 1).box.tensor.dtype;
    if (is_literal(L, index)) return;
    if (to_box(L, index) == nullptr) args.wrong(index, "value", "a tensor, a table, a number or a boolean");
    args.tensor(index, "value");
  });
  const Origins& origins = state.context().origins();
  uint32_t before = origins.last();
  if (lua_type(L, index) == LUA_TTABLE) make_value(L, state, who, index, dtype, false);
  return {before, origins.last()};
}

// assigned_table(v, table, who): the tensor that v:assign(table) assigns.
int assigned_table(lua_State* L) {
  State& state = state_of(L);
  const char* who = lua_tostring(L, 3);
  DType dtype = kNoDType;
  read_phase(L, state, who, [&](Args& args) { dtype = variable_at(args, 1).box.tensor.dtype; });
  make_value(L, state, who, 2, dtype, true);
  lua_settop(L, 2);
  return 1;
}

// The second half: the assignment itself, then the log handlers.
template <class Run> void run_assigned(lua_State* L, State& state, const char* who, const Run& run) {
  Box* box = nullptr;
  bool ok = state.attempt([&] {
    Context& context = state.enter(L);
    Args args(L, state, who);
    box = &variable_at(args, 1).box;
    run(context, box->tensor);
  });
  if (box != nullptr) state.rebook_variable(L, box);
  if (!ok) {
    const Error* error = state.set_aside();
    state.tell(L, error);
    state.raise(L, error);
  }
  state.tell(L);
}

// v:assign(value), v:assign_add(value), v:assign_sub(value): upvalue 3 says which. They return v.
int assign_whole(lua_State* L) {
  static constexpr const char* kNames[] = {"assign", "assign_add", "assign_sub"};
  State& state = state_of(L);
  int how = static_cast<int>(lua_tointeger(L, lua_upvalueindex(3)));
  if (is_mirrored(L) && push_hook(L, kNames[how], 2)) return call_hook(L);
  OriginRange literals = read_assigned(L, state, kNames[how], 2);
  note_assignment(L);
  run_assigned(L, state, kNames[how], [&](Context& context, TensorRep& variable) {
    assign(context, name_of(L, 1), variable, operand_at(L, 2), static_cast<Assign>(how), literals);
  });
  lua_settop(L, 1);
  return 1;
}

// v[...] = value. Upvalues: the State, the metatables of inline and of stored tensors, and whether a hook calls it.
int assign_part(lua_State* L) {
  static constexpr const char* kName = "v[...] = value";
  State& state = state_of(L);
  if (is_mirrored(L) && push_hook(L, "assign_part", 4)) return call_hook(L);
  SliceAttrs slice;
  bool is_basic = false;
  read_phase(L, state, kName, [&](Args& args) {
    if (lua_type(L, 2) == LUA_TSTRING) {
      fail(ErrorCode::InvalidArgument, "a Variable has no field ", what_is(L, 2),
           " that can be set; v:assign(value) gives it a new value, v[{...}] = value a part");
    }
    variable_at(args, 1);
    is_basic = to_box(L, 2) == nullptr && read_slice(L, 2, &slice);
  });
  OriginRange literals = read_assigned(L, state, kName, 3);
  AdvancedIndex index;
  if (!is_basic) read_advanced_index(L, state, kIndexing, 2, to_variable(L, 1)->box.tensor.shape(), &index);
  note_assignment(L);
  run_assigned(L, state, kName, [&](Context& context, TensorRep& variable) {
    if (is_basic) return assign_slice(context, name_of(L, 1), variable, slice, operand_at(L, 3), literals);
    assign_indexed(context, name_of(L, 1), variable, index.attrs,
                   {index.tensors, static_cast<std::size_t>(index.count)}, operand_at(L, 3), literals);
  });
  return 0;
}

// v:value()
int read_value(Args& args) {
  args.at_most(1);
  VariableBox* self = &variable_at(args, 1);
  Box* out = nullptr;
  State& state = args.state;
  bool is_inline = self->box.tensor.is_inline();
  protect(args.L, 1, [&](lua_State* L) {
    out = state.push_box(L, is_inline);
    return 1;
  });
  read_variable(state.enter(args.L), variable_at(args, 1).box.tensor, &out->tensor);
  state.own(args.L, out);
  return 1;
}

int variable_text(Args& args) {
  if (Box* box = to_box(args.L, 1); box != nullptr && box->is_released()) {
    push_text(args, "lutra.Variable(released)");
    return 1;
  }
  VariableBox& self = variable_at(args, 1);
  const TensorRep& tensor = self.box.tensor;
  push_text(args, text("<lutra.Variable '", name_of(args.L, 1), "' shape=", tensor.shape(), " dtype=", tensor.dtype,
                       ", value=", tensor_as_text(args.state, tensor, true), ">"));
  return 1;
}

int mark_mirrored(Args& args) {
  variable_at(args, 1).is_mirrored = true;
  return 0;
}

int set_variable_hooks(lua_State* L) {
  lua_settop(L, 1);
  State::set(L, kHooks);
  return 0;
}

int set_assign_noter(lua_State* L) {
  lua_settop(L, 1);
  State::set(L, kNoter);
  return 0;
}

// Upvalues: those of a guarded function, and whether it is called by a hook.
int text_of_variable(lua_State* L) {
  if (is_mirrored(L) && push_hook(L, "text", 3)) return call_hook(L);
  return guarded<variable_text>(L);
}

void push_text_function(lua_State* L, State& state, Called called) {
  lua_pushlightuserdata(L, &state);
  lua_pushliteral(L, "tostring");
  lua_pushboolean(L, called == Called::ByHook);
  lua_pushcclosure(L, text_of_variable, 3);
}

void push_assign_part(lua_State* L, State& state, Called called) {
  lua_pushlightuserdata(L, &state);
  state.push(L, State::kTensorMeta);
  state.push(L, State::kStoredTensorMeta);
  lua_pushboolean(L, called == Called::ByHook);
  lua_pushcclosure(L, assign_part, 4);
}

void push_function(lua_State* L, State& state, lua_CFunction function, Called called, int how = 0) {
  lua_pushlightuserdata(L, &state);
  lua_pushboolean(L, called == Called::ByHook);
  lua_pushinteger(L, how);
  lua_pushcclosure(L, function, 3);
}

int push_variable_field(Args& args) {
  lua_State* L = args.L;
  VariableBox* self = to_variable(L, 1);
  if (self != nullptr && lua_type(L, 2) == LUA_TSTRING) {
    std::string_view key = args.string(2, "field");
    if (key == "name") {
      lua_getiuservalue(L, 1, 1);
      return 1;
    }
    if (key == "trainable") {
      lua_pushboolean(L, self->trainable);
      return 1;
    }
  }
  return push_tensor_field(args);
}

int refuse_release(Args& args) {
  fail(ErrorCode::InvalidArgument, args.who(),
       ": a Variable is released when nothing refers to it any more; v:value() gives a tensor that can be released");
}

}  // namespace

void know_variable(lua_State* L, int index) {
  State::push(L, kAllVariables);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, static_cast<lua_Integer>(to_variable(L, index)->box.tensor.value));
  lua_pop(L, 1);
}

void push_variables(lua_State* L, std::span<const uint64_t> identities) {
  State::push(L, kAllVariables);
  lua_newtable(L);
  lua_Integer count = 0;
  for (uint64_t identity : identities) {
    if (lua_rawgeti(L, -2, static_cast<lua_Integer>(identity)) != LUA_TNIL) lua_rawseti(L, -2, ++count);
    else lua_pop(L, 1);
  }
}

void push_all_variables(lua_State* L) {
  State::push(L, kAllVariables);
  lua_newtable(L);
  lua_Integer count = 0;
  for (lua_pushnil(L); lua_next(L, -3) != 0;) lua_rawseti(L, -3, ++count);
  lua_remove(L, -2);
}

bool notes_assignments(lua_State* L) {
  State::push(L, kNoter);
  const bool notes = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return notes;
}

void open_variables(lua_State* L, State& state) {
  int methods = lua_gettop(L), module = methods - 1;
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  state.set(L, kAllVariables);
  // A variable's methods: the tensors' and its own.
  lua_newtable(L);
  int own = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, methods) != 0;) {
    lua_pushvalue(L, -2);
    lua_insert(L, -2);
    lua_rawset(L, own);
  }
  set_function<read_value>(L, state, "value", "value");
  set_function<refuse_release>(L, state, "release", "release");
  const char* const names[] = {"assign", "assign_add", "assign_sub"};
  for (int how = 0; how < 3; ++how) {
    push_function(L, state, assign_whole, Called::ByUser, how);
    lua_setfield(L, own, names[how]);
  }
  lua_pushvalue(L, own);
  state.set(L, State::kVariableMethods);
  state.push(L, State::kVariableMeta);
  set_tensor_metamethods(L, state, own, "lutra.Variable", guarded<push_variable_field>);
  push_text_function(L, state, Called::ByUser);
  lua_setfield(L, -2, "__tostring");
  push_assign_part(L, state, Called::ByUser);
  lua_setfield(L, -2, "__newindex");
  set_collected(L, state);
  lua_settop(L, methods);
  push_function(L, state, variable, Called::ByUser);
  lua_setfield(L, module, "Variable");
}

void open_variable_hooks(lua_State* L, State& state) {
  push_function(L, state, variable, Called::ByHook);
  lua_setfield(L, -2, "raw_variable");
  const char* const names[] = {"raw_assign", "raw_assign_add", "raw_assign_sub"};
  for (int how = 0; how < 3; ++how) {
    push_function(L, state, assign_whole, Called::ByHook, how);
    lua_setfield(L, -2, names[how]);
  }
  push_assign_part(L, state, Called::ByHook);
  lua_setfield(L, -2, "raw_assign_part");
  push_function(L, state, assigned_table, Called::ByHook);
  lua_setfield(L, -2, "assigned_table");
  push_text_function(L, state, Called::ByHook);
  lua_setfield(L, -2, "raw_text");
  set_function<mark_mirrored>(L, state, "mark_mirrored", "mark_mirrored");
  lua_pushcfunction(L, set_variable_hooks);
  lua_setfield(L, -2, "set_variable_hooks");
  lua_pushcfunction(L, set_assign_noter);
  lua_setfield(L, -2, "set_assign_noter");
}

}  // namespace lutra
