// Functions for lutra.optim: one step for a list of variables. One call takes all variables of a model, and one kernel
// as many of them as possible.

#include <span>
#include <vector>

#include "eager/executor.h"
#include "eager/steps.h"
#include "eager/variable.h"
#include "lua/bindings/graph.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"
#include "ops/create.h"
#include "ops/optimisers.h"

namespace lutra {
namespace {

// Stack indices of the arguments; what is read from the lists comes after them.
enum : int { kOp = 1, kNumbers, kVariables, kGradients, kScale, kSlots };

constexpr int kMostSlots = kMaxOutputs - 1;

void read_numbers(Args& args, Call& call) {
  lua_State* L = args.L;
  for (lua_pushnil(L); lua_next(L, kNumbers) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) continue;
    std::string_view key = args.string(lua_gettop(L) - 1, "key");
    for (const AttrDef& def : call.op->attrs.defs) {
      if (key != def.name) continue;
      std::byte* place = call.attrs + def.offset;
      if (def.type == AttrType::Bool) *reinterpret_cast<bool*>(place) = args.boolean(lua_gettop(L), def.name);
      else *reinterpret_cast<double*>(place) = args.number(lua_gettop(L), def.name);
    }
  }
}

// The operands of the step of variable i. Null gradient: it has none.
struct Operands {
  VariableBox* variable;
  const Box* gradient;
  Box* slots[kMostSlots];
};

Operands operands_of(Args& args, lua_Integer i, int slots) {
  lua_State* L = args.L;
  Operands found{};
  lua_settop(L, kSlots);
  lua_rawgeti(L, kVariables, i);
  found.variable = to_variable(L, kSlots + 1);
  if (found.variable == nullptr) args.wrong(kSlots + 1, text("variables[", i, "]").c_str(), "a Variable");
  lua_rawgeti(L, kGradients, i);
  if (lua_toboolean(L, kSlots + 2) != 0) {
    found.gradient = to_live_box(L, kSlots + 2);
    if (found.gradient == nullptr) args.wrong(kSlots + 2, text("gradients[", i, "]").c_str(), "a tensor or false");
  }
  for (int k = 0; k < slots; ++k) {
    lua_rawgeti(L, kSlots, k + 1);
    lua_rawgeti(L, -1, i);
    VariableBox* slot = to_variable(L, -1);
    if (slot == nullptr) args.wrong(lua_gettop(L), "slots", "Variables");
    found.slots[k] = &slot->box;
  }
  return found;
}

void check_gradient(Args& args, const Operands& operands) {
  const TensorRep& variable = operands.variable->box.tensor;
  const TensorRep& gradient = operands.gradient->tensor;
  if (gradient.dtype == variable.dtype && gradient.size == variable.size && gradient.shape() == variable.shape())
    return;
  lua_getiuservalue(args.L, kSlots + 1, 1);
  fail(ErrorCode::InvalidArgument, args.who(), ": the gradient of the variable ", what_is(args.L, -1), " is ",
       gradient.dtype, " ", gradient.shape(), ", and the variable ", variable.dtype, " ", variable.shape());
}

void step(Args& args, Call& call, Operand* in, const Operands& operands, int slots, const TensorRep* scale) {
  Context& context = args.state.context();
  const TensorRep& variable = operands.variable->box.tensor;
  Tensor cast;
  if (scale != nullptr && scale->dtype != variable.dtype) {
    Operand operand[1] = {{scale, Scalar::of(false)}};
    Call to(context.runtime().cast_op(), operand, 1);
    to.as<CastAttrs>().dtype = variable.dtype;
    ForcedPlace place{&context.runtime().device(variable.device), Reason::Variable};
    cast = run_op(context, to, &place);
    scale = &cast.rep();
  }
  if (scale != nullptr) in[slots + 2].tensor = scale;
  in[0].tensor = &operands.variable->box.tensor;
  in[1].tensor = &operands.gradient->tensor;
  TensorRep* changed[kMaxOutputs] = {&operands.variable->box.tensor};
  for (int k = 0; k < slots; ++k) {
    in[k + 2].tensor = changed[k + 1] = &operands.slots[k]->tensor;
  }
  update(context, call, {changed, static_cast<std::size_t>(slots) + 1});
  args.state.rebook_variable(args.L, &operands.variable->box);
  for (int k = 0; k < slots; ++k) args.state.rebook_variable(args.L, operands.slots[k]);
}

// A tensor of one element, or null for nil.
const TensorRep* scale_at(Args& args) {
  if (!args.has(kScale)) return nullptr;
  const TensorRep& scale = args.tensor(kScale, "scale").tensor;
  require(scale.size == 1 && is_float(scale.dtype), args.who(), ": scale is ", scale.dtype, " ", scale.shape(),
          ", expected one float");
  return &scale;
}

// apply(op, numbers, variables, gradients, scale, slots): runs the step `op` for each variable that has a gradient (not
// false). `numbers` are its options by name; `scale` is nil or a factor for all gradients; `slots` has a list of
// Variables for each slot input of the op. Returns the number of steps.
int apply(Args& args) {
  lua_State* L = args.L;
  const OpDef& op = args.state.runtime().ops().get(args.string(kOp, "op"));
  for (int list : {kNumbers, kVariables, kGradients, kSlots}) {
    if (lua_type(L, list) != LUA_TTABLE) args.wrong(list, list == kGradients ? "gradients" : "variables", "a list");
  }
  const int slots = static_cast<int>(lua_rawlen(L, kSlots));
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, kVariables));
  require(slots <= kMostSlots, args.who(), ": ", slots, " slots, at most ", kMostSlots, " are possible");
  require(static_cast<lua_Integer>(lua_rawlen(L, kGradients)) == count, args.who(), ": there are ",
          lua_rawlen(L, kGradients), " gradients and ", count, " variables");
  const TensorRep* scale = scale_at(args);
  Operand in[kMaxOutputs + 2] = {};
  Call call(op, in, slots + 2 + (scale != nullptr), 1);
  call.as<StepAttrs>().scaled = scale != nullptr;
  call.as<StepAttrs>().slots = slots;
  read_numbers(args, call);
  std::vector<VariableStep> steps;
  steps.reserve(static_cast<std::size_t>(count));
  for (lua_Integer i = 1; i <= count; ++i) {
    Operands operands = operands_of(args, i, slots);
    if (operands.gradient == nullptr) continue;
    check_gradient(args, operands);
    VariableStep& step = steps.emplace_back();
    step.gradient = &operands.gradient->tensor;
    step.changed[0] = &operands.variable->box.tensor;
    for (int k = 0; k < slots; ++k) step.changed[k + 1] = &operands.slots[k]->tensor;
  }
  require(!steps.empty() || count == 0, args.who(),
          ": none of the variables has a gradient: the loss depends on none of them");
  Context& context = args.state.context();
  if (context.recording() != nullptr) [[unlikely]]
    note_numbers(args, op, kNumbers);
  step_in_place(context, call, steps, slots, scale);
  // The others one by one: finalizers may run in between, so that operands must be read from the lists again.
  std::size_t next = 0;
  for (lua_Integer i = 1; i <= count && next < steps.size(); ++i) {
    lua_rawgeti(L, kGradients, i);
    if (lua_toboolean(L, -1) != 0 && !steps[next++].done) {
      step(args, call, in, operands_of(args, i, slots), slots, scale);
    }
    lua_settop(L, kSlots);
  }
  context.tell_observers([](Observer& each) { each.takes_numbers(nullptr, -1); });
  lua_pushinteger(L, static_cast<lua_Integer>(steps.size()));
  return 1;
}

}  // namespace

void open_steps(lua_State* L, State& state) { set_function<apply>(L, state, "apply", "apply"); }

}  // namespace lutra
