// lutra.GradientTape: its userdata, and the arguments of gradient.

#include <bit>
#include <cstddef>
#include <new>

#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/tape_object.h"
#include "lua/border/tensor_group.h"
#include "lua/border/variable_box.h"
#include "lua/ops/constants.h"
#include "lua/ops/result_list.h"

namespace lutra {
namespace {

constexpr RegistryKey kTapeMeta{};

// A weak table of tapes by their bit in the ledger.
constexpr RegistryKey kTapes{};

}  // namespace

TapeObject* to_tape(lua_State* L, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_rawlen(L, index) != sizeof(TapeObject)) return nullptr;
  auto* object = static_cast<TapeObject*>(block);
  return object->cookie == object->live_cookie() ? object : nullptr;
}

Tape& tape_at(Args& args, int index) {
  TapeObject* object = to_tape(args.L, index);
  if (object == nullptr) args.wrong(index, "tape", "a GradientTape");
  if (object->tape == nullptr) {
    fail(ErrorCode::FailedPrecondition, args.who(), ": the tape is closed; its block has ended");
  }
  return *object->tape;
}

namespace {

int place_of(Ledger::Tapes bit) { return 1 + std::countr_zero(bit); }

// From here on the tape at `index` can be found by its bit. May raise a Lua error.
void know_tape(lua_State* L, int index) {
  State::push(L, kTapes);
  lua_pushvalue(L, index);
  lua_rawseti(L, -2, place_of(to_tape(L, index)->tape->bit()));
  lua_pop(L, 1);
}

}  // namespace

void push_tape(lua_State* L, State& state, const TapeOptions& options) {
  state.tape_opens(L);
  auto* object = static_cast<TapeObject*>(lua_newuserdatauv(L, sizeof(TapeObject), 1));
  object->tape = nullptr;
  object->cookie = object->live_cookie();
  state.push(L, kTapeMeta);
  lua_setmetatable(L, -2);
  read_phase(L, state, "GradientTape",
             [&](Args&) { object->tape = new (object->place) Tape(state.context(), options); });
  know_tape(L, lua_gettop(L));
}

void push_tape_of(lua_State* L, Ledger::Tapes bit) {
  State::push(L, kTapes);
  lua_rawgeti(L, -1, place_of(bit));
  lua_remove(L, -2);
}

namespace {

// GradientTape([{persistent, watch_accessed_variables}])
int new_tape(lua_State* L) {
  State& state = state_of(L);
  TapeOptions options;
  read_phase(L, state, "GradientTape", [&](Args& args) {
    args.at_most(1);
    args.options(
        1, {{"persistent", &options.persistent}, {"watch_accessed_variables", &options.watch_accessed_variables}});
  });
  push_tape(L, state, options);
  return 1;
}

// __close and __gc
int close_tape(lua_State* L) {
  TapeObject* object = to_tape(L, 1);
  if (object == nullptr || object->tape == nullptr) return 0;
  // When the interpreter is closed, the Context is gone.
  if (!state_of(L).is_closed()) object->tape->~Tape();
  object->tape = nullptr;
  forget_functions(L, 1);
  return 0;
}

// tape:reset()
int reset(lua_State* L) {
  State& state = state_of(L);
  read_phase(L, state, "reset", [&](Args& args) {
    args.at_most(1);
    tape_at(args, 1).reset();
  });
  forget_functions(L, 1);
  know_tape(L, 1);
  return 0;
}

// tape:watched_variables()
int watched_variables(Args& args) {
  args.at_most(1);
  Tape& tape = tape_at(args, 1);
  if (!tape.is_open()) {
    fail(ErrorCode::FailedPrecondition, args.who(),
         ": the tape has computed gradients and is closed; call this before");
  }
  std::vector<uint64_t> identities = args.state.context().ledger().variables_of(tape.bit());
  protect(args.L, 1, [&](lua_State* L) {
    push_variables(L, identities);
    return 1;
  });
  return 1;
}

// Targets and sources must be float or complex tensors: for others the result would be nil, as if nothing depended on
// them.
void require_float(Args& args, int index, const std::string& name) {
  DType dtype = to_live_box(args.L, index)->tensor.dtype;
  if (is_inexact(dtype)) return;
  std::string which = name;
  if (to_variable(args.L, index) != nullptr) {
    lua_getiuservalue(args.L, index, 1);
    append(which, text(" (the Variable ", what_is(args.L, -1), ")"));
    lua_pop(args.L, 1);
  }
  fail(ErrorCode::InvalidArgument, args.who(), ": ", which, " is ", dtype,
       ", expected a float or complex dtype: only functions of these have gradients");
}

// tape:watch(tensor), tape:watch{tensors}, tape:watch{name = tensor}
int watch(Args& args) {
  args.at_most(2);
  Tape& tape = tape_at(args, 1);
  lua_State* L = args.L;
  auto watch_one = [&](int index, const std::string& name) {
    args.tensor(index, name.c_str());
    require_float(args, index, name);
    tape.watch(to_live_box(L, index)->tensor);
  };
  TensorGroup group;
  check_group(args, 2, "tensors", &group);
  if (!group.is_table) {
    watch_one(2, "tensor");
  } else if (group.is_named) {
    for (lua_pushnil(L); lua_next(L, 2) != 0; lua_pop(L, 1)) {
      watch_one(lua_gettop(L), text("tensors.", lua_tostring(L, -2)));
    }
  } else {
    for (int i = 1; i <= group.count; ++i) {
      lua_rawgeti(L, 2, i);
      watch_one(lua_gettop(L), text("tensors[", i, "]"));
      lua_pop(L, 1);
    }
  }
  return 0;
}

// Stack indices of gradient's arguments; the groups' lists come after them.
enum : int { kTape = 1, kTarget, kSources, kSeeds };

// The arguments of gradient. Its arrays are userdata, since they may be long.
struct Request {
  const TensorRep** source_tensors;
  Tape::Target* target_tensors;
  TensorGroup targets, sources, seeds;
  bool zeros = false;  // for sources that the targets do not depend on
};

const TensorRep& entry_of(Args& args, const TensorGroup& group, const char* name, int i) {
  lua_rawgeti(args.L, group.tensors, i);
  // Its name is only computed for an error.
  if (Box* known = to_live_box(args.L, lua_gettop(args.L)); known != nullptr && is_inexact(known->tensor.dtype))
      [[likely]] {
    lua_pop(args.L, 1);
    return known->tensor;
  }
  const Box& box = args.tensor(lua_gettop(args.L), entry_name(args.L, group, name, i).c_str());
  require_float(args, lua_gettop(args.L), entry_name(args.L, group, name, i));
  lua_pop(args.L, 1);
  return box.tensor;
}

void read_request(Args& args, Request* request) {
  tape_at(args, kTape);
  for (int i = 0; i < request->sources.count; ++i) {
    request->source_tensors[i] = &entry_of(args, request->sources, "sources", i + 1);
  }
  bool seeded = !lua_isnil(args.L, kSeeds);
  require(!seeded || request->seeds.count == request->targets.count, args.who(), ": output_gradients has ",
          request->seeds.count, " entries, and there are ", request->targets.count, " targets");
  for (int i = 0; i < request->targets.count; ++i) {
    Tape::Target& target = request->target_tensors[i];
    target = {&entry_of(args, request->targets, "target", i + 1), nullptr};
    if (!seeded) continue;
    target.seed = &entry_of(args, request->seeds, "output_gradients", i + 1);
    require(target.seed->shape() == target.tensor->shape() && target.seed->dtype == target.tensor->dtype, args.who(),
            ": output_gradients ", target.seed->shape(), " of ", target.seed->dtype, " does not match its target ",
            target.tensor->shape(), " of ", target.tensor->dtype);
  }
}

// The seed of a single target may be a number or a table of them, as tensors may elsewhere. May raise a Lua error.
void read_seed_literal(lua_State* L, State& state, TensorGroup* seeds) {
  if (!is_literal(L, kSeeds)) return;
  if (seeds->is_table) {
    bool holds_numbers = !seeds->is_named && lua_rawgeti(L, kSeeds, 1) != LUA_TNIL && to_box(L, -1) == nullptr;
    lua_settop(L, kSeeds);
    if (!holds_numbers) return;
  }
  DType dtype = to_box(L, kTarget)->tensor.dtype;
  if (!make_constant(L, state, kSeeds, {"gradient", "output_gradients"}, dtype)) state.raise(L);
  *seeds = TensorGroup();
}

// The same for each of several targets. read_request reports other wrong values.
void read_seed_literals(lua_State* L, State& state, const TensorGroup& targets, const TensorGroup& seeds) {
  if (seeds.count != targets.count) return;
  int top = lua_gettop(L);
  for (int i = 1; i <= seeds.count; ++i) {
    lua_rawgeti(L, targets.tensors, i);
    const Box* target = to_live_box(L, -1);
    int type = lua_rawgeti(L, seeds.tensors, i);
    if (target != nullptr && (type == LUA_TNUMBER || type == LUA_TTABLE)) {
      int entry = seeds.is_named ? 0 : i;
      if (!make_constant(L, state, -1, {"gradient", "output_gradients", entry}, target->tensor.dtype)) state.raise(L);
      lua_rawseti(L, seeds.tensors, i);
    }
    lua_settop(L, top);
  }
}

// Phase read: the forms of the arguments, and the options. Leaves the tape, target, sources, and output_gradients or
// nil.
void read_options(lua_State* L, State& state, Request* request) {
  constexpr int option = kSeeds + 1;  // where output_gradients is put
  TensorGroup &sources = request->sources, &targets = request->targets, &seeds = request->seeds;
  read_phase(L, state, "gradient", [&](Args& args) {
    args.at_most(4);
    tape_at(args, kTape);
    check_group(args, kTarget, "target", &targets);
    check_group(args, kSources, "sources", &sources);
    if (!targets.is_table) args.tensor(kTarget, "target");
    if (!sources.is_table && to_box(L, kSources) == nullptr) {
      args.wrong(kSources, "sources",
                 lua_isfunction(L, kSources)
                     ? "a variable or tensor, or a list of them; a method is called with a colon: "
                       "model:trainable_variables()"
                     : "a variable or tensor, or a list of them");
    }
    if (!sources.is_table) args.tensor(kSources, "sources");
    std::string_view unconnected = "none";
    lua_settop(L, option);
    args.options(4, {{"output_gradients", StackSlot{option}}, {"unconnected_gradients", &unconnected}});
    check_group(args, option, "output_gradients", &seeds);
    require(!seeds.is_table || seeds.count == 0 || seeds.is_named == targets.is_named, "gradient: output_gradients is ",
            seeds.is_named ? "a table of names, and target has none" : "a list, and target a table of names",
            "; both take the same form");
    require(unconnected == "none" || unconnected == "zero", "gradient: unconnected_gradients is \"", unconnected,
            "\", expected \"none\" or \"zero\"");
    request->zeros = unconnected == "zero";
  });
  lua_settop(L, option);
  lua_replace(L, kSeeds);
  if (!targets.is_table) read_seed_literal(L, state, &seeds);
}

// Phase create: the lists, and arrays for what read_request finds in them.
void make_request(lua_State* L, State& state, Request* request) {
  push_group(L, state, kTarget, &request->targets);
  push_group(L, state, kSources, &request->sources);
  push_group(L, state, kSeeds, &request->seeds, &request->targets);
  if (request->seeds.is_table) read_seed_literals(L, state, request->targets, request->seeds);
  request->source_tensors = static_cast<const TensorRep**>(
      lua_newuserdatauv(L, sizeof(TensorRep*) * static_cast<std::size_t>(request->sources.count), 0));
  request->target_tensors = static_cast<Tape::Target*>(
      lua_newuserdatauv(L, sizeof(Tape::Target) * static_cast<std::size_t>(request->targets.count), 0));
}

// Phase run: fills the results' boxes.
void find_gradients(lua_State* L, State& state, Request* request, int results) {
  Context& context = state.enter(L);
  Args args(L, state, "gradient");
  read_request(args, request);
  int count = request->sources.count;
  Tape& tape = tape_at(args, kTape);
  LuaGradients functions(L, state, tape.bit(), !tape.is_persistent() && !tape.is_held());
  std::vector<std::optional<Tensor>> gradients =
      tape.gradient({request->target_tensors, static_cast<std::size_t>(request->targets.count)},
                    {request->source_tensors, static_cast<std::size_t>(count)}, &functions);
  for (int i = 0; i < count; ++i) {
    std::optional<Tensor>& found = gradients[static_cast<std::size_t>(i)];
    if (!found && request->zeros) found = zeros_like(context, *request->source_tensors[i]);
    set_result(L, results, i + 1, &found);
  }
}

// Pushes the results in the form that the sources have.
void push_in_form(lua_State* L, const TensorGroup& sources, int results) {
  lua_settop(L, results);
  if (!sources.is_table) {
    lua_rawgeti(L, results, 1);
    if (lua_isboolean(L, -1)) lua_pushnil(L);
  } else if (sources.is_named) {
    lua_createtable(L, 0, sources.count);
    for (int i = 1; i <= sources.count; ++i) {
      push_key(L, sources, i);
      lua_rawgeti(L, results, i);
      lua_rawset(L, -3);
    }
  }
}

// tape:gradient(target, sources[, {output_gradients, unconnected_gradients}])
int gradient(lua_State* L) {
  State& state = state_of(L);
  Request request;
  read_options(L, state, &request);
  make_request(L, state, &request);
  int results = push_results(L, state, request.sources.count);
  int raised = 0;  // stack index of the error object that a user's gradient function has raised
  bool ok = state.attempt([&] {
    try {
      find_gradients(L, state, &request, results);
    } catch (const LuaRaised&) {
      raised = lua_gettop(L);
    }
  });
  const Error* error = ok ? nullptr : state.set_aside();
  hand_over(L, state, results, request.sources.count);
  if (TapeObject* object = to_tape(L, kTape); object->tape == nullptr || !object->tape->is_open()) {
    forget_functions(L, kTape);
  }
  state.tell(L, error);
  if (error != nullptr) state.raise(L, error);
  if (raised != 0) {
    lua_pushvalue(L, raised);
    return lua_error(L);
  }
  push_in_form(L, request.sources, results);
  return 1;
}

// tape.key, if there is no such method.
int no_method(Args& args) {
  NearestWord nearest(lua_type(args.L, 2) == LUA_TSTRING ? args.string(2, "key") : std::string_view());
  for (const char* name :
       {"gradient", "jacobian", "batch_jacobian", "watch", "watched_variables", "stop_recording", "reset", "close"}) {
    nearest.offer(name);
  }
  fail(ErrorCode::InvalidArgument, "a GradientTape has no field or method ", what_is(args.L, 2), nearest.hint(),
       "; it has gradient, jacobian, batch_jacobian, watch, watched_variables, stop_recording, reset and close");
}

}  // namespace

void open_tape(lua_State* L, State& state) {
  int module = lua_gettop(L);
  lua_newtable(L);
  lua_newtable(L);
  set_function<watch>(L, state, "watch", "watch");
  set_function<watched_variables>(L, state, "watched_variables", "watched_variables");
  set_unguarded(L, state, "gradient", gradient);
  set_unguarded(L, state, "reset", reset);
  set_unguarded(L, state, "close", close_tape);
  lua_createtable(L, 0, 1);
  set_function<no_method>(L, state, "__index", "GradientTape");
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  state.set(L, State::kTapeMethods);
  lua_setfield(L, -2, "__index");
  for (const char* event : {"__close", "__gc"}) {
    set_unguarded(L, state, event, close_tape);
  }
  for (const char* field : {"__name", "__metatable"}) {
    lua_pushliteral(L, "lutra.GradientTape");
    lua_setfield(L, -2, field);
  }
  state.set(L, kTapeMeta);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  state.set(L, kTapes);
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, new_tape, 1);
  lua_setfield(L, module, "GradientTape");
}

void open_tape_methods(lua_State* L) {
  State::push(L, State::kTapeMethods);
  lua_setfield(L, -2, "tape_methods");
}

}  // namespace lutra
