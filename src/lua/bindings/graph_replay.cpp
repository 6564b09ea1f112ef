// Later calls of a graph: optimisers' numbers, the results' tensors, the replay itself.

#include <cstring>

#include "lua/bindings/graph_object.h"
#include "lua/border/variable_box.h"
#include "ops/optimisers.h"

namespace lutra {
namespace {

// Pushes the list of the values that the record keeps.
void push_refs(lua_State* L, int graph, int refs) {
  lua_getiuservalue(L, graph, GraphValues::kRefs);
  lua_rawgeti(L, -1, refs);
  lua_remove(L, -2);
}

// Pushes the list of the record's sources of numbers. Each is {numbers, next}.
void push_sources(lua_State* L, int refs) { lua_rawgeti(L, refs, 0); }

// Gives the step its numbers from the table at `numbers`.
void write_numbers(lua_State* L, const OpDef& op, std::byte* attrs, int numbers) {
  for (const AttrDef& def : op.attrs.defs) {
    if (def.type != AttrType::Bool && def.type != AttrType::Float) continue;
    lua_pushstring(L, def.name);
    const int type = lua_rawget(L, numbers);
    if (type == LUA_TNIL) {
      const std::size_t size = def.type == AttrType::Bool ? sizeof(bool) : sizeof(double);
      std::memcpy(attrs + def.offset, op.attrs.defaults.data() + def.offset, size);
    } else if (def.type == AttrType::Bool) {
      *reinterpret_cast<bool*>(attrs + def.offset) = lua_toboolean(L, -1) != 0;
    } else {
      *reinterpret_cast<double*>(attrs + def.offset) = lua_tonumber(L, -1);
    }
    lua_pop(L, 1);
  }
}

// Calls next(undo) of source i, from 0. Returns what it returns.
bool call_source(lua_State* L, int sources, int i, bool undo, graph::Replay* replay) {
  lua_rawgeti(L, sources, i + 1);
  const int source = lua_gettop(L);
  lua_rawgeti(L, source, 2);
  lua_pushboolean(L, undo);
  lua_call(L, 1, 1);
  const bool fits = lua_toboolean(L, -1) != 0;
  if (fits && replay != nullptr && replay->op_of(i) != nullptr) {
    lua_rawgeti(L, source, 1);
    for (std::byte* attrs : replay->steps_of(i)) write_numbers(L, *replay->op_of(i), attrs, source + 2);
  }
  lua_settop(L, source - 1);
  return fits;
}

// The optimisers' numbers for this replay. False: an optimiser's settings have changed, and nothing has been done.
bool take_numbers(lua_State* L, GraphRecord& record, int refs) {
  const int count = record.replay->program().number_sources;
  if (count == 0) return true;
  push_sources(L, refs);
  const int sources = lua_gettop(L);
  for (int i = 0; i < count; ++i) {
    if (call_source(L, sources, i, false, record.replay.get())) continue;
    while (i-- > 0) call_source(L, sources, i, true, nullptr);
    lua_settop(L, sources - 1);
    return false;
  }
  lua_settop(L, sources - 1);
  return true;
}

// After a replay that failed at a step: the optimisers that come after it have taken no step.
void untake_numbers(lua_State* L, GraphRecord& record, int refs) {
  const int count = record.replay->program().number_sources;
  if (count == 0) return;
  push_sources(L, refs);
  const int sources = lua_gettop(L);
  for (int i = 0; i < count; ++i) {
    if (record.replay->first_step_of(i) > record.replay->failed_step()) call_source(L, sources, i, true, nullptr);
  }
  lua_settop(L, sources - 1);
}

struct ReplayFrame {
  int last;  // argument
  int refs;
  int boxes;  // the first result
};

// Pushes the value of a node. Returns the next node's place.
std::size_t push_result(lua_State* L, Graph& graph, const GraphRecord& record, const ReplayFrame& frame,
                        std::size_t node) {
  luaL_checkstack(L, 6, nullptr);
  const ResultNode& result = record.results[node++];
  switch (result.kind) {
    case ResultNode::Kind::Tensor: lua_pushvalue(L, frame.boxes + result.index); break;
    case ResultNode::Kind::Kept: lua_rawgeti(L, frame.refs, result.index); break;
    case ResultNode::Kind::Argument: {
      const TensorRep* leaf = graph.leaves[static_cast<std::size_t>(result.index)];
      bool found = false;
      for (int i = 2; i <= frame.last && !found; ++i) found = push_leaf(L, leaf, i, 0);
      if (!found) lua_pushnil(L);
      break;
    }
    case ResultNode::Kind::Table: {
      lua_createtable(L, 0, result.count);
      const int table = lua_gettop(L);
      for (int i = 0; i < result.count; ++i) {
        node = push_result(L, graph, record, frame, node);
        node = push_result(L, graph, record, frame, node);
        lua_rawset(L, table);
      }
      break;
    }
  }
  return node;
}

void rebook(lua_State* L, State& state, const GraphRecord& record, int refs) {
  if (record.variables == 0) return;
  lua_rawgeti(L, refs, -1);
  for (int i = 1; i <= record.variables; ++i) {
    lua_rawgeti(L, -1, i);
    if (VariableBox* variable = to_variable(L, -1)) state.rebook_variable(L, &variable->box);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

}  // namespace

int replay_call(lua_State* L, State& state, Graph& graph, GraphRecord& record) {
  graph::Replay& replay = *record.replay;
  const graph::Program& program = replay.program();
  luaL_checkstack(L, static_cast<int>(program.results.size()) + record.values + 20, nullptr);
  ReplayFrame frame{};
  frame.last = lua_gettop(L);
  push_refs(L, 1, record.refs);
  frame.refs = lua_gettop(L);
  if (!take_numbers(L, record, frame.refs)) {
    lua_settop(L, frame.last);
    return -1;
  }
  frame.boxes = lua_gettop(L) + 1;
  for (const graph::Program::Result& result : program.results) {
    state.push_box(L, state.runtime().device(result.like.device).keeps_inline(result.like.nbytes()));
  }
  bool ok = state.attempt([&] {
    Context& context = state.enter(L);
    if (replay.is_busy())
      fail(ErrorCode::FailedPrecondition, "graph: it was called by a finalizer within its own call");
    graph.outs.clear();
    for (std::size_t i = 0; i < program.results.size(); ++i) {
      graph.outs.push_back(&static_cast<Box*>(lua_touserdata(L, frame.boxes + static_cast<int>(i)))->tensor);
    }
    replay.prepare();
    // Finalizers and schedules of learning rates may have changed the arguments.
    if (context.runtime().epoch != graph.epoch || graph.has_tables) {
      read_signature(L, graph, context, 2, frame.last);
      if (graph.key != record.key) {
        fail(ErrorCode::FailedPrecondition, "graph: a finalizer changed an argument while a replay was being set up");
      }
    }
    replay.run(graph.leaves, graph.outs);
  });
  const Error* error = ok ? nullptr : state.set_aside();
  replay.end();
  for (std::size_t i = 0; i < program.results.size(); ++i) {
    state.own(L, static_cast<Box*>(lua_touserdata(L, frame.boxes + static_cast<int>(i))));
  }
  rebook(L, state, record, frame.refs);
  if (error != nullptr) {
    untake_numbers(L, record, frame.refs);
    state.raise(L, error);
  }
  ++record.replays;
  std::size_t node = 0;
  for (int i = 0; i < record.values; ++i) node = push_result(L, graph, record, frame, node);
  return record.values;
}

}  // namespace lutra
