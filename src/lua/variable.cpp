#include "lua/variable_box.h"

#include <cstring>

#include "lua/guard.h"
#include "lua/literal.h"
#include "lua/modules.h"
#include "lua/named_options.h"
#include "lua/tensor_api.h"

// lutra.Variable and what variables can do beyond tensors.

namespace lutra {
namespace {

State& state_of(lua_State* L) { return *static_cast<State*>(lua_touserdata(L, lua_upvalueindex(1))); }

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

// Options of Variable(initial, {name, trainable, dtype}), with the name left on the stack.
struct VariableOptions {
  bool trainable = true;
  DType dtype = kNoDType;
};

void read_variable_options(Args& args, VariableOptions* out) {
  args.at_most(2);
  const std::initializer_list<const char*> known = {"name", "trainable", "dtype"};
  lua_settop(args.L, 2);
  if (push_option(args, 2, known, "trainable")) out->trainable = args.boolean(lua_gettop(args.L), "trainable");
  lua_settop(args.L, 2);
  if (push_option(args, 2, known, "dtype")) out->dtype = args.dtype(lua_gettop(args.L), "dtype");
  lua_settop(args.L, 2);
  if (push_option(args, 2, known, "name")) args.string(lua_gettop(args.L), "name");
}

// Variable(initial[, options])
int variable(lua_State* L) {
  State& state = state_of(L);
  VariableOptions options;
  bool ok = true, casts = false;
  try {
    if (state.is_closed()) fail(ErrorCode::FailedPrecondition, "Variable: this interpreter is being closed");
    state.enter(L);
    Args args(L, state, "Variable");
    read_variable_options(args, &options);
    if (to_live_box(L, 1) != nullptr) {
      const Box& box = args.tensor(1, "initial");
      casts = options.dtype != kNoDType && box.tensor.dtype != options.dtype;
    } else {
      int type = lua_type(L, 1);
      if (type != LUA_TTABLE && type != LUA_TNUMBER && type != LUA_TBOOLEAN) {
        args.wrong(1, "initial", "a tensor, a table, a number or a boolean");
      }
    }
  } catch (...) {
    state.keep_current_exception();
    ok = false;
  }
  if (!ok) state.raise(L);
  if (lua_isnil(L, 3)) {
    lua_pushliteral(L, "Variable");
    lua_replace(L, 3);
  }
  if (casts) {
    state.push(L, State::kMethods);
    lua_getfield(L, -1, "cast");
    lua_pushvalue(L, 1);
    lua_pushstring(L, name(options.dtype));
    lua_call(L, 2, 1);
    lua_replace(L, 1);
    lua_settop(L, 3);
  } else if (to_live_box(L, 1) == nullptr && !make_constant(L, state, 1, "Variable", options.dtype)) {
    state.raise(L);
  }
  auto* made = static_cast<VariableBox*>(lua_newuserdatauv(L, sizeof(VariableBox), 1));
  made->box.cookie = made->box.live_cookie();
  made->box.tensor.clear();
  made->trainable = options.trainable;
  state.push(L, State::kVariableMeta);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, 3);
  lua_setiuservalue(L, -2, 1);
  const Error* error = nullptr;
  try {
    Context& context = state.enter(L);
    Args args(L, state, "Variable");
    make_variable(context, args.tensor(1, "initial").tensor, options.trainable, &made->box.tensor);
  } catch (...) {
    state.keep_current_exception();
    error = state.set_aside();
  }
  if (error != nullptr) state.raise(L, error);
  state.own(L, &made->box);
  state.tell(L);
  return 1;
}

Operand operand_at(lua_State* L, int index) {
  if (Box* box = to_live_box(L, index)) return {&box->tensor, Scalar::of(false)};
  if (lua_isinteger(L, index)) return {nullptr, Scalar::of(static_cast<int64_t>(lua_tointeger(L, index)))};
  if (lua_type(L, index) == LUA_TBOOLEAN) return {nullptr, Scalar::of(lua_toboolean(L, index) != 0)};
  return {nullptr, Scalar::of(static_cast<double>(lua_tonumber(L, index)))};
}

void check_assigned(Args& args, int index) {
  switch (lua_type(args.L, index)) {
    case LUA_TTABLE:
    case LUA_TNUMBER:
    case LUA_TBOOLEAN: return;
    case LUA_TUSERDATA:
      if (to_box(args.L, index) != nullptr) {
        args.tensor(index, "value");
        return;
      }
  }
  args.wrong(index, "value", "a tensor, a table, a number or a boolean");
}

// v:assign(value), v:assign_add(value), v:assign_sub(value): upvalue 2 says which. They return v.
int assign_whole(lua_State* L) {
  static constexpr const char* kNames[] = {"assign", "assign_add", "assign_sub"};
  State& state = state_of(L);
  int how = static_cast<int>(lua_tointeger(L, lua_upvalueindex(2)));
  const Error* error = nullptr;
  for (int step = 0; step < 2 && error == nullptr; ++step) {
    try {
      if (state.is_closed()) fail(ErrorCode::FailedPrecondition, kNames[how], ": this interpreter is being closed");
      Context& context = state.enter(L);
      Args args(L, state, kNames[how]);
      args.at_most(2);
      VariableBox& self = variable_at(args, 1);
      check_assigned(args, 2);
      if (step == 1) assign(context, name_of(L, 1), self.box.tensor, operand_at(L, 2), static_cast<Assign>(how));
    } catch (...) {
      state.keep_current_exception();
      error = state.set_aside();
    }
    // Between reading and running a table becomes a tensor, which may raise.
    if (step == 0 && error == nullptr && lua_type(L, 2) == LUA_TTABLE &&
        !make_constant(L, state, 2, kNames[how], kNoDType)) {
      state.raise(L);
    }
  }
  if (error != nullptr) state.raise(L, error);
  state.tell(L);
  lua_settop(L, 1);
  return 1;
}

// v[...] = value
int assign_part(lua_State* L) {
  State& state = state_of(L);
  const Error* error = nullptr;
  for (int step = 0; step < 2 && error == nullptr; ++step) {
    try {
      if (state.is_closed()) fail(ErrorCode::FailedPrecondition, "v[...] = value: this interpreter is being closed");
      Context& context = state.enter(L);
      Args args(L, state, "v[...] = value");
      VariableBox& self = variable_at(args, 1);
      if (lua_type(L, 2) == LUA_TSTRING) {
        fail(ErrorCode::InvalidArgument, "a Variable has no field ", what_is(L, 2),
             " that can be set; v:assign(value) gives it a new value, v[{...}] = value a part");
      }
      SliceAttrs slice;
      read_slice(L, 2, &slice);
      check_assigned(args, 3);
      if (step == 1) assign_slice(context, name_of(L, 1), self.box.tensor, slice, operand_at(L, 3));
    } catch (...) {
      state.keep_current_exception();
      error = state.set_aside();
    }
    if (step == 0 && error == nullptr && lua_type(L, 3) == LUA_TTABLE &&
        !make_constant(L, state, 3, "v[...] = value", kNoDType)) {
      state.raise(L);
    }
  }
  if (error != nullptr) state.raise(L, error);
  state.tell(L);
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
  VariableBox& self = variable_at(args, 1);
  const TensorRep& tensor = self.box.tensor;
  std::string out = text("<lutra.Variable '", name_of(args.L, 1), "' shape=", tensor.shape(), " dtype=", tensor.dtype,
                         ", value=", tensor_as_text(args.state, tensor, true), ">");
  protect(args.L, 1, [&](lua_State* L) {
    lua_pushlstring(L, out.data(), out.size());
    return 1;
  });
  return 1;
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

void open_variables(lua_State* L, State& state) {
  int methods = lua_gettop(L), module = methods - 1;
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
    lua_pushlightuserdata(L, &state);
    lua_pushinteger(L, how);
    lua_pushcclosure(L, assign_whole, 2);
    lua_setfield(L, own, names[how]);
  }
  state.push(L, State::kVariableMeta);
  set_tensor_metamethods(L, state, own, "lutra.Variable", guarded<push_variable_field>);
  set_function<variable_text>(L, state, "__tostring", "tostring");
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, assign_part, 1);
  lua_setfield(L, -2, "__newindex");
  set_collected(L, state);
  lua_settop(L, methods);
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, variable, 1);
  lua_setfield(L, module, "Variable");
}

}  // namespace lutra
