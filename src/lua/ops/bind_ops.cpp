// Every op of the table becomes a function of the module ("random.normal" of a submodule) and, if its first argument is
// a tensor, a method. Arithmetic ops become metamethods of both metatables.

#include <cstring>

#include "core/error.h"
#include "lua/ops/op_call.h"

namespace lutra {
namespace {

// Pushes a userdata that contains the binding; the closures keep it alive.
void new_binding(lua_State* L, State& state, const OpDef& op) {
  using Place = OpBinding::Place;
  std::size_t most = op.inputs.size() + op.attrs.defs.size();
  void* block = lua_newuserdatauv(L, sizeof(OpBinding) + most * sizeof(Place), 0);
  OpBinding* binding = new (block) OpBinding{&state, &op, {}};
  Place* places = reinterpret_cast<Place*>(binding + 1);
  std::size_t count = 0;
  for (const AttrDef& def : op.attrs.defs) {
    if (def.is_before_inputs) new (&places[count++]) Place{&def, 0, true};
    if (def.type == AttrType::IndexBase) binding->base_attr = def.offset;
    if (def.type == AttrType::Part) binding->part_attr = def.offset;
  }
  bool inputs_first = count == 0;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    new (&places[count++]) Place{nullptr, static_cast<int>(i), (op.inputs[i].flags & kOptional) == 0};
  }
  for (const AttrDef& def : op.attrs.defs) {
    if (!def.is_positional || def.is_before_inputs) continue;
    if (def.is_leading_optional) binding->leading_optional = 1;
    if (def.type == AttrType::Ints) binding->ints_place = static_cast<int>(count);
    new (&places[count++]) Place{&def, 0, def.is_required};
  }
  binding->places = {places, count};
  for (const Place& place : binding->places) binding->required += place.required;
  int inputs = binding->inputs = static_cast<int>(op.inputs.size());
  if (inputs_first && !op.is_variadic() && inputs <= kFewOperands && binding->required <= inputs) {
    binding->plain_inputs = inputs;
  }
}

// Replaces the binding's userdata on top of the stack by its closure. The userdata becomes the fourth upvalue, which
// keeps it alive.
void push_closure(lua_State* L, State& state, lua_CFunction function) {
  lua_pushlightuserdata(L, lua_touserdata(L, -1));
  state.push(L, State::kTensorMeta);
  state.push(L, State::kStoredTensorMeta);
  lua_pushvalue(L, -4);
  lua_pushcclosure(L, function, 4);
  lua_replace(L, -2);
}

// Pushes the table that has the field `path` ("random.normal"), and returns the field's name.
const char* push_parent(lua_State* L, int module, const char* path) {
  lua_pushvalue(L, module);
  while (const char* dot = std::strchr(path, '.')) {
    lua_pushlstring(L, path, static_cast<std::size_t>(dot - path));
    lua_pushvalue(L, -1);
    if (lua_rawget(L, -3) == LUA_TNIL) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -2);
      lua_pushvalue(L, -2);
      lua_rawset(L, -5);
    }
    lua_replace(L, -3);
    lua_pop(L, 1);
    path = dot + 1;
  }
  return path;
}

struct Metamethod {
  const char* event;
  const char* op;
};
constexpr Metamethod kMetamethods[] = {
    {"__add", "AddV2"},       {"__sub", "Sub"},        {"__mul", "Mul"},         {"__div", "RealDiv"},
    {"__idiv", "FloorDiv"},   {"__mod", "FloorMod"},   {"__pow", "Pow"},         {"__unm", "Neg"},
    {"__band", "BitwiseAnd"}, {"__bor", "BitwiseOr"},  {"__bxor", "BitwiseXor"}, {"__bnot", "Invert"},
    {"__shl", "LeftShift"},   {"__shr", "RightShift"},
};

}  // namespace

void bind_ops(lua_State* L, State& state) {
  int module = lua_gettop(L);
  int methods = module - 1;
  const OpRegistry& ops = state.runtime().ops();
  for (int id = 0; id < ops.count(); ++id) bind_op(L, state, ops.at(id), module, methods);
  for (const RegistryKey* key : {&State::kTensorMeta, &State::kStoredTensorMeta, &State::kVariableMeta}) {
    State::push(L, *key);
    for (const Metamethod& metamethod : kMetamethods) {
      const OpDef* op = ops.find(metamethod.op);
      if (op == nullptr) continue;
      new_binding(L, state, *op);
      push_closure(L, state, call_op_as_metamethod);
      lua_setfield(L, -2, metamethod.event);
    }
    lua_pop(L, 1);
  }
}

void bind_op(lua_State* L, State& state, const OpDef& op, int module, int methods) {
  if (op.has(kHidden) || op.lua_name == nullptr) return;
  const char* name = push_parent(L, module, op.lua_name);
  lua_CFunction function = op.pieces != nullptr ? call_list_op : call_op;
  new_binding(L, state, op);
  bool takes_tensor_first = !op.inputs.empty() && (op.attrs.defs.empty() || !op.attrs.defs[0].is_before_inputs) &&
                            !op.is_variadic() && !op.has(kNoMethod);
  if (takes_tensor_first) {
    // A closure of its own, so that an error can tell t.sum(...) from lutra.sum(...).
    lua_pushvalue(L, -1);
    push_closure(L, state, function);
    lua_setfield(L, methods, name);
  }
  push_closure(L, state, function);
  lua_setfield(L, -2, name);
  lua_pop(L, 1);
}

}  // namespace lutra
