// The first call of a graph: calls the function and makes a record of what was launched and returned.

#include <algorithm>

#include "lua/bindings/graph.h"
#include "lua/bindings/graph_object.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"

namespace lutra {
namespace {

constexpr RegistryKey kStepSources{};  // while a function is recorded: the list of its optimisers' numbers

// The stack of a call that is recorded. The arguments are from 2 to `last`.
struct RecordingFrame {
  int last;
  int refs;     // the list of kept values
  int guard;    // ends the recording
  int copies;   // the arguments as the function gets them, a list
  int results;  // the first of them; up to the top
};

// Adds the value on top of the stack to the kept ones, pops it, and returns its index.
int keep(lua_State* L, int refs) {
  const auto index = static_cast<lua_Integer>(lua_rawlen(L, refs)) + 1;
  lua_rawseti(L, refs, index);
  return static_cast<int>(index);
}

// Pushes what the function gets in place of the value at `index`.
void push_copy(lua_State* L, State& state, Graph& graph, const RecordingFrame& frame, int index, int depth) {
  luaL_checkstack(L, 8, nullptr);
  if (const Box* box = to_live_box(L, index); box != nullptr && !is_variable(box->tensor)) {
    auto known = std::find(graph.leaves.begin(), graph.leaves.end(), &box->tensor);
    lua_rawgeti(L, frame.copies, known - graph.leaves.begin() + 1);
    return;
  }
  if (lua_type(L, index) != LUA_TTABLE || is_shape(L, index) || depth >= kMostTableDepth || !is_plain_table(L, index)) {
    lua_pushvalue(L, index);
    if (lua_type(L, index) > LUA_TSTRING) {
      lua_pushvalue(L, index);
      keep(L, frame.refs);
    }
    return;
  }
  lua_newtable(L);
  const int copy = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, index) != 0;) {
    lua_pushvalue(L, -2);
    push_copy(L, state, graph, frame, copy + 2, depth + 1);
    lua_rawset(L, copy);
    lua_pop(L, 1);
  }
}

// Whether the function has changed a table that it got. `given` is the caller's, `copy` the function's.
bool was_changed(lua_State* L, Graph& graph, const RecordingFrame& frame, int given, int copy, int depth) {
  luaL_checkstack(L, 8, nullptr);
  if (lua_type(L, given) != LUA_TTABLE || lua_rawequal(L, given, copy) != 0) return false;
  int entries = 0;
  for (lua_pushnil(L); lua_next(L, given) != 0; lua_pop(L, 1)) {
    ++entries;
    const int value = lua_gettop(L);
    lua_pushvalue(L, -2);
    lua_rawget(L, copy);
    bool differs = false;
    if (const Box* box = to_live_box(L, value); box != nullptr && !is_variable(box->tensor)) {
      auto known = std::find(graph.leaves.begin(), graph.leaves.end(), &box->tensor);
      lua_rawgeti(L, frame.copies, known - graph.leaves.begin() + 1);
      differs = lua_rawequal(L, -1, -2) == 0;
      lua_pop(L, 1);
    } else if (lua_type(L, -1) == LUA_TTABLE && lua_type(L, value) == LUA_TTABLE) {
      differs = was_changed(L, graph, frame, value, value + 1, depth + 1);
    } else {
      // A nan is another number than itself.
      const bool is_nan = lua_rawequal(L, value, value) == 0;
      differs = is_nan ? lua_rawequal(L, -1, -1) != 0 : lua_rawequal(L, -1, value) == 0;
    }
    lua_pop(L, 1);
    if (differs) return lua_pop(L, 2), true;
  }
  for (lua_pushnil(L); lua_next(L, copy) != 0; lua_pop(L, 1)) --entries;
  return entries != 0;
}

void add_node(State& state, lua_State* L, GraphRecord& record, ResultNode node) {
  state.attempt_or_raise(L, [&] { record.results.push_back(node); });
}

// Whether an object, such as a sparse matrix, holds a tensor, which would be the recording's in each replay.
bool holds_tensor(lua_State* L, int index, int depth) {
  constexpr int kMostDepth = 3;
  luaL_checkstack(L, 8, nullptr);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    const int value = lua_gettop(L);
    const Box* box = to_live_box(L, value);
    const bool is_tensor = box != nullptr && !is_variable(box->tensor);
    if (is_tensor || (lua_type(L, value) == LUA_TTABLE && depth < kMostDepth && holds_tensor(L, value, depth + 1))) {
      lua_pop(L, 2);
      return true;
    }
  }
  return false;
}

// Describes the result at `index`.
void describe(lua_State* L, State& state, Graph& graph, GraphRecord& record, const RecordingFrame& frame, int index,
              int depth) {
  luaL_checkstack(L, 8, nullptr);
  if (const Box* box = to_live_box(L, index); box != nullptr && !is_variable(box->tensor)) {
    for (std::size_t i = 0; i < graph.leaves.size(); ++i) {
      lua_rawgeti(L, frame.copies, static_cast<lua_Integer>(i) + 1);
      const bool is_argument = lua_rawequal(L, -1, index) != 0;
      lua_pop(L, 1);
      if (is_argument) return add_node(state, L, record, {ResultNode::Kind::Argument, static_cast<int>(i), 0});
    }
    // The same tensor in two places is one tensor again.
    lua_rawgetp(L, frame.copies, box);
    int known = lua_isnil(L, -1) ? -1 : static_cast<int>(lua_tointeger(L, -1));
    lua_pop(L, 1);
    if (known < 0) {
      graph::Recording::Returned returned{};
      state.attempt_or_raise(L, [&] { returned = graph.recording->add_result(box->tensor); });
      if (returned.kind == graph::Recording::Returned::Kind::Result) {
        known = returned.index;
        lua_pushinteger(L, known);
        lua_rawsetp(L, frame.copies, box);
      }
    }
    if (known >= 0) return add_node(state, L, record, {ResultNode::Kind::Tensor, known, 0});
  }
  if (depth < kMostTableDepth && lua_type(L, index) == LUA_TTABLE) {
    const bool is_plain = lua_getmetatable(L, index) == 0;
    if (!is_plain) lua_pop(L, 1);
    if (is_plain) {
      const std::size_t place = record.results.size();
      add_node(state, L, record, {ResultNode::Kind::Table, 0, 0});
      int count = 0;
      for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1), ++count) {
        lua_pushvalue(L, -2);
        add_node(state, L, record, {ResultNode::Kind::Kept, keep(L, frame.refs), 0});
        describe(L, state, graph, record, frame, lua_gettop(L), depth + 1);
      }
      record.results[place].count = count;
      return;
    }
    if (!is_shape(L, index) && holds_tensor(L, index, 0)) {
      state.attempt_or_raise(L, [&] { graph.recording->cannot_repeat("a result is an object that holds a tensor"); });
    }
  }
  lua_pushvalue(L, index);
  add_node(state, L, record, {ResultNode::Kind::Kept, keep(L, frame.refs), 0});
}

// The guard's __close and __gc: ends a recording that was left by an error.
int close_guard(lua_State* L) {
  State& state = state_of(L);
  Held<Graph>* held = nullptr;
  if (lua_getiuservalue(L, 1, 1) != LUA_TNIL) held = Held<Graph>::find(L, -1);
  if (held == nullptr || held->object() == nullptr || state.is_closed()) return 0;
  held->object()->recording.reset();
  lua_pushnil(L);
  State::set(L, kStepSources);
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

// Pushes the guard.
void push_guard(lua_State* L) {
  lua_newuserdatauv(L, 1, 1);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
}

// Collects, so that few variables share their memory with garbage, and gives each a storage of its own.
void begin_recording(lua_State* L, State& state, Graph& graph, GraphRecord& record) {
  if (lua_gc(L, LUA_GCISRUNNING) == 1) lua_gc(L, LUA_GCCOLLECT);
  push_all_variables(L);
  const int list = lua_gettop(L);
  state.is_recording_collector = lua_gc(L, LUA_GCISRUNNING) == 1;
  bool ok = state.attempt([&] {
    Context& context = state.enter(L);
    std::vector<TensorRep*> variables;
    for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; ++i) {
      if (VariableBox* variable = to_variable(L, -1)) variables.push_back(&variable->box.tensor);
      lua_pop(L, 1);
    }
    lua_pop(L, 1);
    graph.recording = std::make_unique<graph::Recording>(context);
    graph.recording->refuses_variables = record.made_variables;
    graph.recording->begin(variables);
  });
  const Error* error = ok ? nullptr : state.set_aside();
  for (lua_Integer i = 1; lua_rawgeti(L, list, i) != LUA_TNIL; ++i) {
    if (VariableBox* variable = to_variable(L, -1)) state.rebook_variable(L, &variable->box);
    lua_pop(L, 1);
  }
  lua_settop(L, list - 1);
  if (error != nullptr) state.raise(L, error);
}

// Pushes the list of the tensors that the function gets for graph.leaves.
void push_leaves(lua_State* L, State& state, Graph& graph) {
  lua_newtable(L);
  const int list = lua_gettop(L);
  for (std::size_t i = 0; i < graph.leaves.size(); ++i) {
    Box* box = state.push_box(L, false);
    state.attempt_or_raise(L, [&] {
      state.enter(L);
      graph.recording->add_argument(*graph.leaves[i], &box->tensor);
    });
    state.own(L, box);
    lua_rawseti(L, list, static_cast<lua_Integer>(i) + 1);
  }
}

// Ends the recording: the record becomes one that can be replayed, or one that says why it cannot.
void finish_recording(lua_State* L, State& state, Graph& graph, GraphRecord& record, const RecordingFrame& frame) {
  graph::Recording& recording = *graph.recording;
  lua_newtable(L);
  const int variables = lua_gettop(L);
  State::push(L, kStepSources);
  const auto sources = static_cast<int>(lua_rawlen(L, -1));
  lua_pushvalue(L, -1);
  lua_rawseti(L, frame.refs, 0);
  lua_pop(L, 1);
  graph::Program* program = nullptr;
  state.attempt_or_raise(L, [&] { program = new graph::Program(recording.finish()); });
  program->number_sources = sources;
  // From here to the end of this function nothing raises but for lack of memory, which loses the program.
  for (std::size_t i = 0; i < program->variables.size(); ++i) {
    push_variables(L, {&program->variables[i].identity, 1});
    lua_rawgeti(L, -1, 1);
    lua_rawseti(L, variables, static_cast<lua_Integer>(i) + 1);
    lua_settop(L, variables);
  }
  bool ok = state.attempt([&] {
    std::unique_ptr<graph::Program> owned(program);
    record.refused = recording.refused();
    record.made_variables = recording.made_variables();
    const std::unique_ptr<graph::Replay> checked = std::move(record.checked);
    if (checked != nullptr && !record.refused.empty()) record.difference = record.refused;
    else if (checked != nullptr && record.made_variables) record.difference = "it makes variables";
    if (!record.refused.empty() || record.made_variables) return;
    if (record.trial != nullptr && !graph::does_the_same(state.context(), *record.trial, *owned)) {
      record.refused = "two of its calls did different things";
      return;
    }
    if (++record.alike < graph.wanted) {
      record.trial = std::move(owned);
      return;
    }
    record.trial = nullptr;
    std::vector<TensorRep*> held;
    for (std::size_t i = 0; i < owned->variables.size(); ++i) {
      lua_rawgeti(L, variables, static_cast<lua_Integer>(i) + 1);
      VariableBox* variable = to_variable(L, -1);
      lua_pop(L, 1);
      if (variable == nullptr) {
        record.refused = "a variable that it uses does not live on";
        return;
      }
      held.push_back(&variable->box.tensor);
    }
    graph::plan_memory(state.context(), *owned);
    if (checked != nullptr) record.difference = graph::difference_of(state.context(), checked->as_recorded(), *owned);
    record.variables = static_cast<int>(held.size());
    record.replay = std::make_unique<graph::Replay>(state.context(), std::move(*owned), std::move(held));
  });
  if (!ok) state.raise(L);
  lua_rawseti(L, frame.refs, -1);
}

// Pushes what sees the function's other effects while it runs, to be closed, or nil.
int push_watch(lua_State* L, const Graph& graph) {
  if (graph.is_of_fit) {
    lua_pushnil(L);
    return lua_gettop(L);
  }
  push_used(L, "graph_effects");
  lua_getiuservalue(L, 1, GraphValues::kFunction);
  lua_call(L, 1, 1);
  lua_toclose(L, -1);
  return lua_gettop(L);
}

// Takes what the watch has seen.
void end_watch(lua_State* L, State& state, int watch, GraphRecord& record) {
  if (lua_isnil(L, watch)) return;
  lua_getfield(L, watch, "finish");
  lua_pushvalue(L, watch);
  lua_call(L, 1, 1);
  std::size_t length = 0;
  const char* seen = lua_tolstring(L, -1, &length);
  state.attempt_or_raise(L, [&] { record.effects.assign(seen != nullptr ? seen : "", length); });
  lua_pop(L, 1);
  lua_closeslot(L, watch);
}

// Tells once of a graph what its replays do not do.
void tell_effects(lua_State* L, State& state, Graph& graph, const GraphRecord& record) {
  if (record.replay == nullptr || record.effects.empty() || std::exchange(graph.told_effects, true)) return;
  lua_getiuservalue(L, 1, GraphValues::kName);
  const char* name = lua_tostring(L, -1);
  state.attempt_or_raise(L, [&] {
    state.runtime().log().line(text("WARNING: graph ", name, ": the function ", record.effects,
                                    "; replays do not. Pass what changes as an argument, and return what it gives"));
  });
  lua_pop(L, 1);
}

// Whether the results that are no tensors equal those of the record, whose list of kept values is at `old`. Objects
// count as equal.
bool are_kept_alike(lua_State* L, int old, int now) {
  const auto count = static_cast<lua_Integer>(std::max(lua_rawlen(L, old), lua_rawlen(L, now)));
  for (lua_Integer i = 1; i <= count; ++i) {
    const int kinds[] = {lua_rawgeti(L, old, i), lua_rawgeti(L, now, i)};
    const bool is_plain = std::max(kinds[0], kinds[1]) <= LUA_TSTRING;
    const bool is_nan = lua_rawequal(L, -1, -1) == 0 && lua_rawequal(L, -2, -2) == 0;
    const bool is_same = lua_rawequal(L, -1, -2) != 0 || is_nan;
    lua_pop(L, 2);
    if (is_plain && !is_same) return false;
  }
  return true;
}

void raise_difference(lua_State* L, State& state, const GraphRecord& record) {
  state.attempt_or_raise(L, [&] {
    fail(ErrorCode::FailedPrecondition,
         "graph: the function does something else than when it was recorded: ", record.difference,
         ". The replays since then did what was recorded; pass what changes as an argument");
  });
}

void require_unchanged(lua_State* L, State& state, Graph& graph, const RecordingFrame& frame, int copies) {
  for (int i = 2; i <= frame.last; ++i) {
    lua_rawgeti(L, copies, i);
    bool changed = lua_type(L, -1) == LUA_TTABLE && was_changed(L, graph, frame, i, lua_gettop(L), 0);
    lua_pop(L, 1);
    if (!changed) continue;
    state.attempt_or_raise(L, [&] {
      fail(ErrorCode::FailedPrecondition, "graph: the function changes the table that is its argument ", i - 1,
           ", which a replay would not do; return what changes");
    });
  }
}

}  // namespace

int record_call(lua_State* L, State& state, Graph& graph, GraphRecord* record) {
  luaL_checkstack(L, lua_gettop(L) + 20, nullptr);
  RecordingFrame frame{};
  frame.last = lua_gettop(L);
  const int arguments = frame.last - 1;
  lua_newtable(L);
  frame.refs = lua_gettop(L);
  push_guard(L);
  frame.guard = lua_gettop(L);
  lua_newtable(L);
  State::set(L, kStepSources);
  lua_toclose(L, frame.guard);
  const int watch = push_watch(L, graph);
  const bool is_check = record->checked != nullptr;
  record->difference.clear();
  begin_recording(L, state, graph, *record);
  push_leaves(L, state, graph);
  frame.copies = lua_gettop(L);
  // The tables that the function gets, to see whether it changes them.
  lua_newtable(L);
  const int tables = lua_gettop(L);
  lua_getiuservalue(L, 1, GraphValues::kFunction);
  frame.results = lua_gettop(L);
  for (int i = 2; i <= frame.last; ++i) {
    push_copy(L, state, graph, frame, i, 0);
    if (lua_type(L, -1) == LUA_TTABLE) {
      lua_pushvalue(L, -1);
      lua_rawseti(L, tables, i);
    }
  }
  lua_call(L, arguments, LUA_MULTRET);
  end_watch(L, state, watch, *record);
  require_unchanged(L, state, graph, frame, tables);
  const int last = lua_gettop(L);
  if (is_check) record->results.swap(record->checked_results);
  record->results.clear();
  record->values = last - frame.results + 1;
  luaL_checkstack(L, 20, nullptr);
  for (int i = frame.results; i <= last; ++i) describe(L, state, graph, *record, frame, i, 0);
  finish_recording(L, state, graph, *record, frame);
  // An argument that is returned is the caller's tensor.
  std::size_t node = 0;
  for (int i = frame.results; i <= last; ++i) {
    const ResultNode& result = record->results[node];
    if (result.kind == ResultNode::Kind::Argument) {
      int leaf = 0;
      for (int a = 2; a <= frame.last; ++a) {
        const Box* box = to_live_box(L, a);
        if (box == nullptr || &box->tensor != graph.leaves[static_cast<std::size_t>(result.index)]) continue;
        leaf = a;
      }
      if (leaf != 0) {
        lua_pushvalue(L, leaf);
        lua_replace(L, i);
      }
    }
    // Skips the entries of a table.
    for (int open = 1; open > 0; ++node, --open) open += 2 * record->results[node].count;
  }
  lua_getiuservalue(L, 1, GraphValues::kRefs);
  if (record->refs != 0) {
    lua_rawgeti(L, -1, record->refs);
    if (is_check && record->difference.empty()) {
      const bool are_alike = record->results == record->checked_results;
      if (!are_alike || !are_kept_alike(L, lua_gettop(L), frame.refs)) {
        state.attempt_or_raise(L, [&] {
          record->difference = are_alike ? "a result that is no tensor has another value" : "it returns other values";
        });
      }
    }
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_rawseti(L, -2, record->refs);
  }
  record->refs = ++graph.next_ref;
  record->kept = static_cast<int>(lua_rawlen(L, frame.refs));
  lua_pushvalue(L, frame.refs);
  lua_rawseti(L, -2, record->refs);
  lua_pop(L, 1);
  lua_closeslot(L, frame.guard);
  tell_effects(L, state, graph, *record);
  if (is_check && !record->difference.empty()) raise_difference(L, state, *record);
  return record->values;
}

void push_guard_meta(lua_State* L, State& state) {
  lua_newtable(L);
  for (const char* event : {"__close", "__gc"}) {
    set_unguarded(L, state, event, close_guard);
  }
}

void note_numbers(Args& args, const OpDef& op, int numbers) {
  lua_State* L = args.L;
  lua_pushvalue(L, numbers);
  int index = -1;
  protect_with(L, 1, [&](lua_State* inner) {
    // {numbers, next} with the function that the optimiser gives; without one the numbers stay as they are.
    State::push(inner, kStepSources);
    if (lua_isnil(inner, -1) || luaL_getmetafield(inner, 1, "repeated") == LUA_TNIL) return;
    lua_pushvalue(inner, 1);
    lua_call(inner, 1, 1);
    lua_createtable(inner, 2, 0);
    lua_pushvalue(inner, 1);
    lua_rawseti(inner, -2, 1);
    lua_insert(inner, -2);
    lua_rawseti(inner, -2, 2);
    index = static_cast<int>(lua_rawlen(inner, 2));
    lua_rawseti(inner, 2, index + 1);
  });
  args.state.context().tell_observers([&](Observer& each) { each.takes_numbers(&op, index); });
}

}  // namespace lutra
