// Functions for lutra.distribute: sums over replicas, variables that swap values, and the random bits of a part of a
// batch.

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "distribute/all_reduce.h"
#include "eager/variable.h"
#include "lua/bindings/ranks.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"
#include "lua/ops/result_list.h"

namespace lutra {
namespace {

// device_name(device): its full name, and its type.
int device_name(Args& args) {
  const LogicalDevice& device = args.logical_device(1, "devices");
  push_text(args, device.full_name);
  push_text(args, name(device.type));
  return 2;
}

// Updates the tensor that the out-of-memory report shows for a storage.
void follow_storage(Box& now, const Box& before) {
  Storage* storage = now.tensor.storage;
  if (storage != nullptr && storage->tensor == &before.tensor) storage->tensor = &now.tensor;
}

// Swaps values and identities of the variables of two lists, entry by entry of `count`; skips entries where a list has
// a hole.
void swap_variables(lua_State* L, int variables, int others, lua_Integer count) {
  const int top = lua_gettop(L);
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_settop(L, top);
    lua_rawgeti(L, variables, i);
    lua_rawgeti(L, others, i);
    VariableBox *a = to_variable(L, top + 1), *b = to_variable(L, top + 2);
    if (a == nullptr || b == nullptr) continue;
    std::swap(a->box.tensor, b->box.tensor);
    know_variable(L, top + 1);
    know_variable(L, top + 2);
    uint64_t booked = a->box.booked_bytes, viewed = a->box.is_viewed;
    a->box.booked_bytes = b->box.booked_bytes;
    a->box.is_viewed = b->box.is_viewed;
    b->box.booked_bytes = booked & Box::kNotBooked;
    b->box.is_viewed = viewed & 1;
    std::swap(a->box.made_at, b->box.made_at);
    // Both may have the same storage, which then keeps its tensor.
    if (a->box.tensor.storage == b->box.tensor.storage) continue;
    follow_storage(a->box, b->box);
    follow_storage(b->box, a->box);
  }
  lua_settop(L, top);
}

// place_components(book, id): gives the variables the values of replica `id`'s components, instead of those of replica
// book.placed (1: their own). A book has `variables`, `parts[id]` for the replicas from the second on, `count`,
// `placed`. No Lua code runs in it, so that Ctrl-C comes before or after it.
int place_components(Args& args) {
  lua_State* L = args.L;
  const int64_t id = args.integer(2, "id");
  lua_settop(L, 1);
  auto integer = [&](const char* name) {
    lua_getfield(L, 1, name);
    lua_Integer number = lua_tointeger(L, -1);
    lua_pop(L, 1);
    return number;
  };
  const lua_Integer before = integer("placed"), count = integer("count");
  if (before == id) return 0;
  ++args.state.runtime().epoch;
  lua_getfield(L, 1, "variables");
  lua_getfield(L, 1, "parts");
  for (lua_Integer replica : {before, static_cast<lua_Integer>(id)}) {
    if (replica <= 1) continue;
    lua_rawgeti(L, 3, replica);
    args.state.context().cannot_repeat("it runs replicas");
    swap_variables(L, 2, 4, count);
    lua_settop(L, 3);
  }
  lua_pushinteger(L, id);
  lua_setfield(L, 1, "placed");
  return 0;
}

// Where the arguments stand.
enum : int { kLists = 1, kDevices, kHow, kLends, kFirsts, kOwners = kFirsts + 4 };

lua_Integer checked_length(Args& args, int index, const char* name) {
  if (lua_type(args.L, index) != LUA_TTABLE) args.wrong(index, name, "a list");
  return static_cast<lua_Integer>(lua_rawlen(args.L, index));
}

ReplicaTensors read_list(Args& args, lua_Integer replica, lua_Integer count) {
  lua_State* L = args.L;
  Context& context = args.state.context();
  ReplicaTensors list(static_cast<std::size_t>(count));
  lua_rawgeti(L, kLists, replica);
  const int at = lua_gettop(L);
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, at, i);
    if (lua_toboolean(L, -1) != 0) {
      Tensor& read = list[static_cast<std::size_t>(i - 1)].emplace();
      const TensorRep& tensor = args.tensor(at + 1, "value").tensor;
      if (is_variable(tensor)) read_variable(context, tensor, &read.rep());
      else share(read.rep(), tensor);
    }
    lua_settop(L, at);
  }
  lua_pop(L, 1);
  return list;
}

std::vector<LogicalDevice*> read_devices(Args& args, int index) {
  lua_State* L = args.L;
  std::vector<LogicalDevice*> devices;
  const lua_Integer count = checked_length(args, index, "devices");
  const int top = lua_gettop(L);
  for (lua_Integer r = 1; r <= count; ++r) {
    lua_rawgeti(L, index, r);
    devices.push_back(&args.logical_device(top + 1, "devices"));
    lua_settop(L, top);
  }
  return devices;
}

// take_back(devices): ends the lending of sums to these devices.
int give_back(Args& args) {
  take_back(read_devices(args, 1));
  return 0;
}

// The arguments of all_reduce and gather_owned: how many lists there are, and how long each is.
struct Sizes {
  lua_Integer lists = 0, each = 0;
};
Sizes read_sizes(Args& args) {
  lua_State* L = args.L;
  Sizes sizes;
  lua_settop(L, kOwners);
  sizes.lists = checked_length(args, kLists, "lists");
  for (lua_Integer r = 1; r <= sizes.lists; ++r) {
    lua_rawgeti(L, kLists, r);
    const lua_Integer here = checked_length(args, kOwners + 1, "lists");
    require(r == 1 || here == sizes.each, args.who(), ": replica ", r, " has ", here, " tensors, and replica 1 ",
            sizes.each);
    sizes.each = here;
    lua_settop(L, kOwners);
  }
  return sizes;
}

// Pushes compute(args), lists of tensors, as a list of `count` lists, in phases create, run and tell.
template <class Compute>
void push_lists(lua_State* L, State& state, const char* who, lua_Integer count, lua_Integer each, Compute&& compute) {
  lua_createtable(L, static_cast<int>(count), 0);
  const int all = lua_gettop(L);
  for (lua_Integer r = 1; r <= count; ++r) {
    push_results(L, state, static_cast<int>(each));
    lua_rawseti(L, all, r);
  }
  auto results_of = [&](lua_Integer r) {
    lua_rawgeti(L, all, r);
    return lua_gettop(L);
  };
  bool ok = state.attempt([&] {
    state.enter(L);
    Args args(L, state, who);
    std::vector<ReplicaTensors> lists = compute(args);
    for (lua_Integer r = 1; r <= count; ++r) {
      int results = results_of(r);
      for (lua_Integer i = 1; i <= each; ++i) {
        set_result(L, results, static_cast<int>(i),
                   &lists[static_cast<std::size_t>(r - 1)][static_cast<std::size_t>(i - 1)]);
      }
      lua_settop(L, all);
    }
  });
  const Error* error = ok ? nullptr : state.set_aside();
  for (lua_Integer r = 1; ok && r <= count; ++r) {
    hand_over(L, state, results_of(r), static_cast<int>(each));
    lua_settop(L, all);
  }
  state.tell(L, error);
  if (error != nullptr) state.raise(L, error);
}

// all_reduce(lists, devices, how[, lends[, firsts, what, equal, seconds[, owners]]]): lists[r] has a replica's tensors,
// or false. Returns lists of the sums. lends: the sums may be read only until take_back. firsts: the sums are over the
// replicas of all ranks. owners: of each sum, the only rank that gets it.
int reduce_all(lua_State* L) {
  State& state = state_of(L);
  Sizes sizes;
  read_phase(L, state, "all_reduce", [&](Args& args) {
    sizes = read_sizes(args);
    require(checked_length(args, kDevices, "devices") == sizes.lists, "all_reduce: lists and devices differ in length");
  });
  push_lists(L, state, "all_reduce", sizes.lists, sizes.each, [&](Args& args) {
    Context& context = args.state.context();
    std::vector<ReplicaTensors> lists;
    std::vector<LogicalDevice*> devices = read_devices(args, kDevices);
    Reduction how = args.string(kHow, "how") == "mean" ? Reduction::Mean : Reduction::Sum;
    for (lua_Integer r = 1; r <= sizes.lists; ++r) lists.push_back(read_list(args, r, sizes.each));
    if (args.has(kFirsts)) return all_reduce_over_ranks(context, lists, devices, how, read_ranks(args, kFirsts));
    if (lua_toboolean(L, kLends) != 0) return lend_sums(context, lists, devices, how);
    return all_reduce(context, lists, devices, how);
  });
  return 1;
}

// gather_owned({tensors}, devices, agrees, nil, firsts, what, equal, seconds, owners): the tensors of other ranks that
// own them, as lists by device, with false for this rank's own; and whether `agrees` is true on all ranks.
int gather_owned(lua_State* L) {
  State& state = state_of(L);
  Sizes sizes;
  lua_Integer devices = 0;
  read_phase(L, state, "gather_owned", [&](Args& args) {
    sizes = read_sizes(args);
    require(sizes.lists == 1, "gather_owned: expected one list");
    devices = checked_length(args, kDevices, "devices");
  });
  bool agrees = lua_toboolean(L, kHow) != 0;
  push_lists(L, state, "gather_owned", devices, sizes.each, [&](Args& args) {
    std::vector<Tensor> mine;
    for (std::optional<Tensor>& tensor : read_list(args, 1, sizes.each)) {
      require(tensor.has_value(), "gather_owned: a tensor is missing");
      mine.push_back(std::move(*tensor));
    }
    return gather_from_owners(args.state.context(), mine, read_devices(args, kDevices), read_ranks(args, kFirsts),
                              &agrees);
  });
  lua_pushboolean(L, agrees);
  return 2;
}

// random_counter(): the position in set_seed's sequence.
int random_counter(Args& args) {
  lua_pushinteger(args.L, static_cast<lua_Integer>(args.state.context().random_counter()));
  return 1;
}

// draw_part(skip, whole[, began]): the next random op draws a part of a larger range (Context::RandomPart). Without
// arguments, cancels that.
int draw_part(Args& args) {
  Context::RandomPart part;
  if (args.has(1)) {
    part.skip = static_cast<uint64_t>(args.integer(1, "skip"));
    part.whole = static_cast<uint64_t>(args.integer(2, "whole"));
    if (args.has(3)) part.began = static_cast<uint64_t>(args.integer(3, "began"));
  }
  args.state.context().draw_part(part);
  return 0;
}

// queued(device): the number of the last queued command; 0 for the CPU.
int queued(Args& args) {
  const LogicalDevice& device = args.logical_device(1, "device");
  lua_pushinteger(args.L, device.compute != nullptr ? static_cast<lua_Integer>(device.compute->tail()) : 0);
  return 1;
}

// finishes(device, number, seconds): waits at most `seconds` until that command is done. Returns whether it is.
int finishes(Args& args) {
  const LogicalDevice& device = args.logical_device(1, "device");
  const auto number = static_cast<uint64_t>(args.integer(2, "number"));
  const double seconds = args.number(3, "seconds");
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  bool done = device.compute == nullptr || device.compute->done(number);
  for (auto pause = std::chrono::microseconds(20); !done;
       pause = std::min(2 * pause, std::chrono::microseconds(2000))) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds) break;
    if (args.state.context().take_interrupt()) fail(ErrorCode::Cancelled, "interrupted!");
    std::this_thread::sleep_for(pause);
    done = device.compute->done(number);
  }
  lua_pushboolean(args.L, done);
  return 1;
}

}  // namespace

void open_replicas(lua_State* L, State& state) {
  set_function<device_name>(L, state, "device_name", "MirroredStrategy");
  set_function<place_components>(L, state, "place_components", "place_components");
  set_function<give_back>(L, state, "take_back", "take_back");
  set_function<queued>(L, state, "queued", "queued");
  set_function<finishes>(L, state, "finishes", "finishes");
  set_function<random_counter>(L, state, "random_counter", "random_counter");
  set_function<draw_part>(L, state, "draw_part", "draw_part");
  set_unguarded(L, state, "all_reduce", reduce_all);
  set_unguarded(L, state, "gather_owned", gather_owned);
  open_variable_hooks(L, state);
}

}  // namespace lutra
