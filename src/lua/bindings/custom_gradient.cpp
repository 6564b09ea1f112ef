// Functions for lutra.custom_gradient, recompute_grad and the tapes' jacobian (lua/lutra/autograd.lua): users'
// functions as gradient rules, paused tapes, tapes whose gradient is called several times.

#include <bit>

#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/tape_object.h"
#include "lua/border/variable_box.h"

namespace lutra {
namespace {

constexpr RegistryKey kUndoMeta{};

// Undoes something at the end of a block. Only Lutra's own Lua uses these.
struct Undo {
  enum Kind : uint8_t { Nothing, Pause, Hold, Replay } kind;
  Ledger::Tapes tapes;
  Context::RandomPlace random;
};

// Its first user value is the tape that is held.
Undo* push_undo(lua_State* L, State& state) {
  auto* undo = new (lua_newuserdatauv(L, sizeof(Undo), 1)) Undo{};
  state.push(L, kUndoMeta);
  lua_setmetatable(L, -2);
  return undo;
}

void end_undo(lua_State* L, bool in_time) {
  State& state = state_of(L);
  auto* undo = static_cast<Undo*>(lua_touserdata(L, 1));
  Undo::Kind kind = std::exchange(undo->kind, Undo::Nothing);
  if (kind == Undo::Nothing || state.is_closed()) return;
  Context& context = state.context();
  if (kind == Undo::Pause) context.ledger().unpause(undo->tapes);
  if (kind == Undo::Replay && in_time) context.set_random_place(undo->random);
  if (kind != Undo::Hold) return;
  lua_getiuservalue(L, 1, 1);
  TapeObject* object = to_tape(L, -1);
  if (object == nullptr || object->tape == nullptr) return;
  object->tape->let_go();
  if (!object->tape->is_open()) forget_functions(L, lua_gettop(L));
}

int close_undo(lua_State* L) {
  end_undo(L, true);
  return 0;
}
int collect_undo(lua_State* L) {
  end_undo(L, false);
  return 0;
}

// pause([tape]): the tape, or all open ones, record nothing until the returned object is closed.
int pause(lua_State* L) {
  State& state = state_of(L);
  lua_settop(L, 1);
  Undo* undo = push_undo(L, state);
  read_phase(L, state, "stop_recording", [&](Args& args) {
    Ledger::Tapes tapes = ~Ledger::Tapes{0};
    if (args.has(1)) {
      Tape& tape = tape_at(args, 1);
      if (!tape.is_recording()) fail(ErrorCode::FailedPrecondition, args.who(), ": the tape has stopped recording");
      tapes = tape.bit();
    }
    undo->tapes = state.context().ledger().pause(tapes);
    undo->kind = Undo::Pause;
  });
  return 1;
}

// hold(tape, who): the tape's gradient may be called several times until the returned object is closed.
int hold(lua_State* L) {
  State& state = state_of(L);
  Undo* undo = push_undo(L, state);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  const char* who = luaL_checkstring(L, 2);
  read_phase(L, state, who, [&](Args& args) {
    tape_at(args, 1).hold(who);
    undo->kind = Undo::Hold;
  });
  return 1;
}

// random_place(): the position in the sequence of random numbers. replay(place): the sequence continues from that
// position until the returned object is closed, and then from where it was.
int random_place(lua_State* L) {
  Undo* undo = push_undo(L, state_of(L));
  undo->random = state_of(L).context().random_place();
  return 1;
}
int replay(lua_State* L) {
  Context& context = state_of(L).context();
  auto* from = static_cast<Undo*>(lua_touserdata(L, 1));
  Undo* undo = push_undo(L, state_of(L));
  undo->random = context.random_place();
  undo->kind = Undo::Replay;
  context.set_random_place(from->random);
  return 1;
}

// variable_watcher(): a tape that only notes which variables are used.
int variable_watcher(lua_State* L) {
  TapeOptions options;
  options.records = false;
  push_tape(L, state_of(L), options);
  return 1;
}

const Box& box_in(Args& args, int list, lua_Integer i, const char* name) {
  lua_rawgeti(args.L, list, i);
  const Box& box = args.tensor(lua_gettop(args.L), name);
  lua_pop(args.L, 1);
  return box;
}

// Phase run: the results become copies of the outputs, recorded as computed from the inputs.
Ledger::Custom make_results(Args& args, int count, int results) {
  lua_State* L = args.L;
  std::vector<const TensorRep*> in;
  std::vector<TensorRep*> out;
  for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, 2)); ++i) {
    in.push_back(&box_in(args, 2, i, "inputs").tensor);
  }
  for (int i = 1; i <= count; ++i) {
    const TensorRep& made = box_in(args, 3, i, "results").tensor;
    lua_rawgeti(L, results, i);
    out.push_back(&static_cast<Box*>(lua_touserdata(L, -1))->tensor);
    lua_pop(L, 1);
    share(*out.back(), made);
  }
  return args.state.context().ledger().record_custom(in, out);
}

// record_custom(gradient, inputs, results): returns a list of the results, which tapes see as computed from the inputs
// by one function whose gradients `gradient` computes; and the number of tapes that have recorded it.
int record_custom(lua_State* L) {
  State& state = state_of(L);
  lua_settop(L, 3);
  int count = static_cast<int>(lua_rawlen(L, 3));
  lua_createtable(L, count, 0);
  int results = lua_gettop(L);
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, 3, i);
    Box* made = to_live_box(L, -1);
    lua_pop(L, 1);
    state.push_box(L, made != nullptr && made->tensor.is_inline());
    lua_rawseti(L, results, i);
  }
  Ledger::Custom custom{};
  bool ok = state.attempt([&] {
    state.enter(L);
    Args args(L, state, "custom_gradient");
    custom = make_results(args, count, results);
  });
  const Error* error = ok ? nullptr : state.set_aside();
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, results, i);
    state.own(L, static_cast<Box*>(lua_touserdata(L, -1)));
    lua_pop(L, 1);
  }
  if (error != nullptr) state.raise(L, error);
  if (custom.tapes != 0) keep_function(L, 1, custom);
  lua_settop(L, results);
  lua_pushinteger(L, std::popcount(custom.tapes));
  return 2;
}

}  // namespace

void forget_functions(lua_State* L, int index) {
  lua_pushnil(L);
  lua_setiuservalue(L, index, 1);
}

void keep_function(lua_State* L, int function, const Ledger::Custom& custom) {
  for (Ledger::Tapes left = custom.tapes; left != 0; left &= left - 1) {
    push_tape_of(L, left & -left);
    if (!lua_isnil(L, -1)) {
      if (lua_getiuservalue(L, -1, 1) == LUA_TNIL) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_setiuservalue(L, -3, 1);
      }
      lua_pushvalue(L, function);
      lua_rawseti(L, -2, static_cast<lua_Integer>(custom.number));
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
  }
}

std::vector<std::optional<Tensor>> LuaGradients::call(uint64_t number, std::span<const Tensor> dy, int inputs) {
  int top = lua_gettop(L_);
  protect(L_, 1, [&](lua_State* L) {
    luaL_checkstack(L, static_cast<int>(dy.size()) + LUA_MINSTACK, nullptr);
    push_tape_of(L, tape_);
    if (lua_getiuservalue(L, -1, 1) != LUA_TTABLE) return luaL_error(L, "gradient: the tape was closed");
    lua_rawgeti(L, -1, static_cast<lua_Integer>(number));
    if (forgets_) {
      lua_pushnil(L);
      lua_rawseti(L, -3, static_cast<lua_Integer>(number));
    }
    for (const Tensor& each : dy) {
      Box* box = state_.push_box(L, each.rep().is_inline());
      share(box->tensor, each.rep());
      box->tensor.value = each.rep().value;
      state_.own(L, box);
    }
    lua_pushboolean(L, forgets_);  // whether this is the tape's last call
    lua_call(L, static_cast<int>(dy.size()) + 1, 1);
    return 1;
  });
  Context& context = state_.enter(L_);
  std::vector<std::optional<Tensor>> found(static_cast<std::size_t>(inputs));
  for (int i = 0; i < inputs; ++i) {
    lua_rawgeti(L_, top + 1, i + 1);
    if (const Box* box = to_live_box(L_, -1)) {
      Tensor& gradient = found[static_cast<std::size_t>(i)].emplace();
      share(gradient.rep(), box->tensor);
      gradient.rep().value = is_variable(box->tensor) ? context.ledger().of_read(box->tensor) : box->tensor.value;
    }
    lua_pop(L_, 1);
  }
  lua_settop(L_, top);
  return found;
}

void open_custom_gradient(lua_State* L, State& state) {
  lua_newtable(L);
  const std::pair<const char*, lua_CFunction> ends[] = {{"__close", close_undo}, {"__gc", collect_undo}};
  for (const auto& [event, function] : ends) {
    set_unguarded(L, state, event, function);
  }
  state.set(L, kUndoMeta);
  const std::pair<const char*, lua_CFunction> functions[] = {
      {"pause", pause},
      {"hold", hold},
      {"random_place", random_place},
      {"replay", replay},
      {"variable_watcher", variable_watcher},
      {"record_custom", record_custom},
  };
  for (const auto& [name, function] : functions) {
    set_unguarded(L, state, name, function);
  }
}

}  // namespace lutra
