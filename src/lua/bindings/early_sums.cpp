// Functions for lutra.distribute: sums of gradients over ranks that begin during the backward pass.

#include "distribute/early_sums.h"

#include "lua/bindings/ranks.h"
#include "lua/border/guard.h"
#include "lua/border/held.h"
#include "lua/border/modules.h"
#include "lua/border/tape_object.h"
#include "lua/border/variable_box.h"
#include "lua/ops/result_list.h"

namespace lutra {
namespace {

constexpr RegistryKey kEarlySumsMeta{};

EarlySums& sums_at(Args& args) { return Held<EarlySums>::at(args, 1, "early sums"); }

// early_sums(): an object for the steps of one optimizer.
int make_sums(Args& args) {
  Held<EarlySums>::push_new(args, kEarlySumsMeta, args.state.context());
  return 1;
}

std::size_t length_of(Args& args, int index, const char* name) {
  if (lua_type(args.L, index) != LUA_TTABLE) args.wrong(index, name, "a list");
  return static_cast<std::size_t>(lua_rawlen(args.L, index));
}

// begin_sums(sums, tape, variables, order, firsts, what, equal, seconds[, owners]): before the backward pass of the
// tape, whose sources are the variables. order: their numbers in the order in which their gradients were ready in an
// earlier pass; empty: this pass only notes it. Returns the number of buckets, 0 if nothing is summed early.
int begin_sums(Args& args) {
  lua_State* L = args.L;
  EarlySums& sums = sums_at(args);
  Tape& tape = tape_at(args, 2);
  std::vector<EarlySums::Entry> entries(length_of(args, 3, "variables"));
  const int top = lua_gettop(L);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    lua_rawgeti(L, 3, static_cast<lua_Integer>(i + 1));
    const TensorRep& tensor = args.tensor(top + 1, "variables").tensor;
    entries[i] = {tensor.dtype, tensor.shape()};
    lua_settop(L, top);
  }
  std::vector<std::size_t> order(length_of(args, 4, "order"));
  for (std::size_t i = 0; i < order.size(); ++i) {
    lua_rawgeti(L, 4, static_cast<lua_Integer>(i + 1));
    order[i] = static_cast<std::size_t>(lua_tointeger(L, -1)) - 1;
    lua_settop(L, top);
  }
  lua_pushinteger(L, static_cast<lua_Integer>(sums.begin(std::move(entries), order, read_ranks(args, 5))));
  tape.tell(&sums);
  return 1;
}

// order_of_sums(sums): the numbers of the variables, in the order in which the last pass has computed their gradients.
int order_of_sums(Args& args) {
  const std::vector<std::size_t>& order = sums_at(args).order();
  protect(args.L, 1, [&](lua_State* L) {
    lua_createtable(L, static_cast<int>(order.size()), 0);
    for (std::size_t i = 0; i < order.size(); ++i) {
      lua_pushinteger(L, static_cast<lua_Integer>(order[i] + 1));
      lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
    }
    return 1;
  });
  return 1;
}

// stop_sums(sums, at_once): after an error.
int stop_sums(Args& args) {
  sums_at(args).stop(args.boolean(2, "at_once"));
  return 0;
}

// finish_sums(sums, count, left): waits. Returns a list of the sums by variable, false where this rank gets none. Adds
// the numbers of those that are left to do to the list `left`.
int finish_sums(lua_State* L) {
  State& state = state_of(L);
  lua_Integer count = 0;
  read_phase(L, state, "all_reduce", [&](Args& args) {
    sums_at(args);
    count = args.integer(2, "count");
  });
  const int results = push_results(L, state, static_cast<int>(count));
  const bool ok = state.attempt([&] {
    state.enter(L);
    Args args(L, state, "all_reduce");
    std::vector<std::size_t> left;
    ReplicaTensors sums = sums_at(args).finish(&left);
    lua_pushvalue(L, 3);
    protect_with(L, 1, [&](lua_State* inner) {
      for (std::size_t k = 0; k < left.size(); ++k) {
        lua_pushinteger(inner, static_cast<lua_Integer>(left[k] + 1));
        lua_rawseti(inner, -2, static_cast<lua_Integer>(k + 1));
      }
    });
    for (std::size_t i = 0; i < sums.size() && i < static_cast<std::size_t>(count); ++i)
      set_result(L, results, static_cast<int>(i + 1), &sums[i]);
  });
  const Error* error = ok ? nullptr : state.set_aside();
  if (ok) hand_over(L, state, results, static_cast<int>(count));
  state.tell(L, error);
  if (error != nullptr) state.raise(L, error);
  lua_settop(L, results);
  return 1;
}

}  // namespace

void open_early_sums(lua_State* L, State& state) {
  set_function<make_sums>(L, state, "early_sums", "all_reduce");
  set_function<begin_sums>(L, state, "begin_sums", "all_reduce");
  set_function<order_of_sums>(L, state, "order_of_sums", "all_reduce");
  set_function<stop_sums>(L, state, "stop_sums", "all_reduce");
  set_unguarded(L, state, "finish_sums", finish_sums);
  Held<EarlySums>::open(L, kEarlySumsMeta);
}

}  // namespace lutra
