#include "autograd/tape.h"

#include <cstddef>
#include <new>

#include "lua/guard.h"
#include "lua/modules.h"

// lutra.GradientTape: its userdata, and reading what gradient is asked of.

namespace lutra {
namespace {

constexpr RegistryKey kTapeMeta{};

// The tape lies in its userdata: one that a finalizer makes while the interpreter closes is never finalized itself.
struct TapeObject {
  uintptr_t cookie;  // as a Box's, of another kind
  Tape* tape;        // null: closed; else in `place`
  alignas(Tape) std::byte place[sizeof(Tape)];

  uintptr_t live_cookie() const { return ~reinterpret_cast<uintptr_t>(this) ^ (Box::secret_ << 2); }
};

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

// GradientTape([{persistent, watch_accessed_variables}])
int new_tape(lua_State* L) {
  State& state = state_of(L);
  TapeOptions options;
  read_phase(L, state, "GradientTape", [&](Args& args) {
    args.at_most(1);
    args.options(
        1, {{"persistent", &options.persistent}, {"watch_accessed_variables", &options.watch_accessed_variables}});
  });
  auto* object = static_cast<TapeObject*>(lua_newuserdatauv(L, sizeof(TapeObject), 0));
  object->tape = nullptr;
  object->cookie = object->live_cookie();
  state.push(L, kTapeMeta);
  lua_setmetatable(L, -2);
  read_phase(L, state, "GradientTape",
             [&](Args&) { object->tape = new (object->place) Tape(state.context(), options); });
  return 1;
}

// __close and __gc
int close_tape(lua_State* L) {
  TapeObject* object = to_tape(L, 1);
  if (object == nullptr || object->tape == nullptr) return 0;
  // The Context is gone when the interpreter is.
  if (!state_of(L).is_closed()) object->tape->~Tape();
  object->tape = nullptr;
  return 0;
}

// tape:watch(tensor), tape:watch{tensors}
int watch(Args& args) {
  args.at_most(2);
  Tape& tape = tape_at(args, 1);
  lua_State* L = args.L;
  if (lua_type(L, 2) != LUA_TTABLE) {
    args.tensor(2, "tensor");
    tape.watch(to_live_box(L, 2)->tensor);
    return 0;
  }
  for (lua_Integer i = 1; i <= static_cast<lua_Integer>(lua_rawlen(L, 2)); ++i) {
    lua_rawgeti(L, 2, i);
    args.tensor(lua_gettop(L), text("tensors[", i, "]").c_str());
    tape.watch(to_live_box(L, -1)->tensor);
    lua_pop(L, 1);
  }
  return 0;
}

// Where gradient's values stand on the stack; the lists are copies of its own.
enum : int { kTape = 1, kTarget, kSources, kSeeds, kTargetList, kSourceList, kSeedList };

// What gradient reads; in a userdata, since there may be many.
struct Request {
  const TensorRep** sources;
  Tape::Target* targets;
  int n_sources, n_targets;
};

int length_of(lua_State* L, int index) {
  return lua_type(L, index) == LUA_TTABLE ? static_cast<int>(std::min<std::size_t>(lua_rawlen(L, index), 1 << 24)) : 1;
}

// A list of its own of the tensors at `index` (one, or a list), so that no finalizer takes them away.
void copy_list(lua_State* L, int index, int count) {
  lua_createtable(L, count, 0);
  if (lua_type(L, index) != LUA_TTABLE) {
    lua_pushvalue(L, index);
    lua_rawseti(L, -2, 1);
    return;
  }
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, index, i);
    lua_rawseti(L, -2, i);
  }
}

// Entry i of a list made by copy_list.
const TensorRep& entry_of(Args& args, int list, int i, bool is_list, const char* name) {
  lua_rawgeti(args.L, list, i);
  const Box& box = args.tensor(lua_gettop(args.L), is_list ? text(name, "[", i, "]").c_str() : name);
  lua_pop(args.L, 1);
  return box.tensor;
}

void read_request(Args& args, Request* request) {
  lua_State* L = args.L;
  tape_at(args, kTape);
  bool many_sources = lua_type(L, kSources) == LUA_TTABLE, many_targets = lua_type(L, kTarget) == LUA_TTABLE;
  for (int i = 0; i < request->n_sources; ++i) {
    request->sources[i] = &entry_of(args, kSourceList, i + 1, many_sources, "sources");
  }
  bool seeded = !lua_isnil(L, kSeeds);
  require(!seeded || length_of(L, kSeeds) == request->n_targets, args.who(), ": output_gradients has ",
          length_of(L, kSeeds), " entries, and there are ", request->n_targets, " targets");
  for (int i = 0; i < request->n_targets; ++i) {
    Tape::Target& target = request->targets[i];
    target = {&entry_of(args, kTargetList, i + 1, many_targets, "target"), nullptr};
    if (!seeded) continue;
    target.seed = &entry_of(args, kSeedList, i + 1, many_targets, "output_gradients");
    require(target.seed->shape() == target.tensor->shape() && target.seed->dtype == target.tensor->dtype, args.who(),
            ": output_gradients ", target.seed->shape(), " of ", target.seed->dtype, " does not match its target ",
            target.tensor->shape(), " of ", target.tensor->dtype);
  }
}

// The size of a result that becomes nil, as no source had a part in the target; see also State::kReleasedSize.
constexpr int64_t kUnconnectedSize = -2;
static_assert(kUnconnectedSize != State::kReleasedSize);

// Read: leaves the tape, target, sources and output_gradients or nil. Returns unconnected_gradients == "zero".
bool read_options(lua_State* L, State& state) {
  constexpr int option = kSeeds + 1;  // where output_gradients is put
  bool zeros = false;
  read_phase(L, state, "gradient", [&](Args& args) {
    args.at_most(4);
    tape_at(args, kTape);
    if (lua_type(L, kTarget) != LUA_TTABLE) args.tensor(kTarget, "target");
    if (lua_type(L, kSources) != LUA_TTABLE) args.tensor(kSources, "sources");
    std::string_view unconnected = "none";
    lua_settop(L, option);
    args.options(4, {{"output_gradients", StackSlot{option}}, {"unconnected_gradients", &unconnected}});
    require(unconnected == "none" || unconnected == "zero", "gradient: unconnected_gradients is \"", unconnected,
            "\", expected \"none\" or \"zero\"");
    zeros = unconnected == "zero";
  });
  lua_settop(L, option);
  lua_replace(L, kSeeds);
  return zeros;
}

// Create, first half: the lists, and room for what read_request finds in them.
Request make_request(lua_State* L) {
  Request request;
  request.n_targets = length_of(L, kTarget);
  request.n_sources = length_of(L, kSources);
  copy_list(L, kTarget, request.n_targets);
  copy_list(L, kSources, request.n_sources);
  copy_list(L, kSeeds, request.n_targets);
  request.sources = static_cast<const TensorRep**>(
      lua_newuserdatauv(L, sizeof(TensorRep*) * static_cast<std::size_t>(request.n_sources), 0));
  request.targets = static_cast<Tape::Target*>(
      lua_newuserdatauv(L, sizeof(Tape::Target) * static_cast<std::size_t>(request.n_targets), 0));
  return request;
}

// Create, second half: results come before the run, as for ops; those that turn out to be small lose their finalizer.
// Returns where their table stands.
int push_results(lua_State* L, State& state, int count) {
  lua_createtable(L, count, 0);
  int results = lua_gettop(L);
  for (int i = 1; i <= count; ++i) {
    state.push_box(L, false);
    lua_rawseti(L, results, i);
  }
  return results;
}

// Run: fills the results' boxes.
void find_gradients(lua_State* L, State& state, Request* request, bool zeros, int results) {
  Context& context = state.enter(L);
  Args args(L, state, "gradient");
  read_request(args, request);
  std::vector<std::optional<Tensor>> gradients =
      tape_at(args, kTape)
          .gradient({request->targets, static_cast<std::size_t>(request->n_targets)},
                    {request->sources, static_cast<std::size_t>(request->n_sources)});
  for (int i = 0; i < request->n_sources; ++i) {
    std::optional<Tensor>& found = gradients[static_cast<std::size_t>(i)];
    if (!found && zeros) found = zeros_like(context, *request->sources[i]);
    lua_rawgeti(L, results, i + 1);
    Box* box = static_cast<Box*>(lua_touserdata(L, -1));
    lua_pop(L, 1);
    if (found) {
      box->tensor = found->rep();
      found->rep().storage = nullptr;
    } else {
      box->tensor.size = kUnconnectedSize;
    }
  }
}

// From here on each tensor belongs to its box; false stands where there is none.
void hand_over(lua_State* L, State& state, int results, int count) {
  for (int i = 1; i <= count; ++i) {
    lua_rawgeti(L, results, i);
    Box* box = static_cast<Box*>(lua_touserdata(L, -1));
    if (box->tensor.size == kUnconnectedSize) {
      lua_pushboolean(L, 0);
      lua_rawseti(L, results, i);
    } else if (box->tensor.storage == nullptr) {
      state.push(L, State::kTensorMeta);
      lua_setmetatable(L, -2);
    } else {
      state.own(L, box);
    }
    lua_pop(L, 1);
  }
}

// tape:gradient(target, sources[, {output_gradients, unconnected_gradients}])
int gradient(lua_State* L) {
  State& state = state_of(L);
  bool zeros = read_options(L, state);
  Request request = make_request(L);
  int results = push_results(L, state, request.n_sources);
  bool ok = state.attempt([&] { find_gradients(L, state, &request, zeros, results); });
  const Error* error = ok ? nullptr : state.set_aside();
  hand_over(L, state, results, request.n_sources);
  state.tell(L, error);
  if (error != nullptr) state.raise(L, error);
  lua_settop(L, results);
  if (lua_type(L, kSources) == LUA_TTABLE) return 1;
  lua_rawgeti(L, results, 1);
  if (lua_isboolean(L, -1)) lua_pushnil(L);
  return 1;
}

}  // namespace

void open_tape(lua_State* L, State& state) {
  int module = lua_gettop(L);
  lua_newtable(L);
  lua_newtable(L);
  set_function<watch>(L, state, "watch", "watch");
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, gradient, 1);
  lua_setfield(L, -2, "gradient");
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, close_tape, 1);
  lua_setfield(L, -2, "close");
  lua_setfield(L, -2, "__index");
  for (const char* event : {"__close", "__gc"}) {
    lua_pushlightuserdata(L, &state);
    lua_pushcclosure(L, close_tape, 1);
    lua_setfield(L, -2, event);
  }
  for (const char* field : {"__name", "__metatable"}) {
    lua_pushliteral(L, "lutra.GradientTape");
    lua_setfield(L, -2, field);
  }
  state.set(L, kTapeMeta);
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, new_tape, 1);
  lua_setfield(L, module, "GradientTape");
}

}  // namespace lutra
