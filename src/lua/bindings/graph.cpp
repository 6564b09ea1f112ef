// lutra.graph: a function whose launches are recorded at its first call and replayed at later ones.

#include "lua/bindings/graph.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "graph/recording.h"
#include "graph/replay.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"
#include "ops/optimisers.h"

// Note [Calls of a graph]
// A call's signature is a string of bytes: the scope, then each argument: dtype, shape and device of a tensor, any
// other value itself, or its address if it is an object, which the record then keeps alive. Tables without a metatable
// are read entry by entry. The same signature gives the same record. While a function is recorded it gets its arguments
// in memory of their own, so that the recording can tell them from other tensors, and tables as copies. C++ objects
// that must live across Lua calls belong to the GraphObject; a to-be-closed value ends a recording that leaves by an
// error.

namespace lutra {
namespace {

constexpr RegistryKey kGraphMeta{};
constexpr RegistryKey kSources{};  // while a function is recorded: the list of its optimisers' numbers

constexpr int kMostDepth = 32;
constexpr std::size_t kMostRecords = 64;

// User values of a graph.
enum : int { kFunction = 1, kRefs, kName, kUserValues = kName };

// How to make a result again.
struct ResultNode {
  enum class Kind : uint8_t { Tensor, Argument, Kept, Table } kind;
  int index;  // of the program's result, the argument, or the value kept; a table's metatable's, or 0
  int count;  // of a table's entries, which follow: a key, which is kept, and a value
};

struct GraphRecord {
  std::string key;
  std::unique_ptr<graph::Replay> replay;  // null: not yet, or refused
  std::string refused;                    // why it runs eagerly
  std::vector<ResultNode> results;
  int values = 0;     // results at the outermost level
  int refs = 0;       // the index in kRefs of the list of kept values
  int kept = 0;       // their number
  int variables = 0;  // of them, the program's variables, which come first
  bool made_variables = false;
  std::unique_ptr<graph::Program> trial;  // the last recording, while more are wanted that do the same
  int alike = 0;
  uint64_t used = 0;
  int64_t replays = 0;
};

struct Graph final : StateOwned {
  explicit Graph(State& owner) : StateOwned(owner), state(owner) {}
  State& state;
  std::vector<std::unique_ptr<GraphRecord>> records;
  GraphRecord* last = nullptr;
  std::unique_ptr<graph::Recording> recording;
  // Of the call in progress.
  std::string key;
  std::vector<const TensorRep*> leaves;
  std::vector<TensorRep*> outs;
  bool has_tables = false;  // among the arguments
  uint64_t epoch = 0;       // of the Runtime when they were read
  uint64_t clock = 0;
  int wanted = 1;  // how many recordings must do the same before the first replay
  int next_ref = 0;
  bool was_told = false;
};

struct GraphObject {
  uintptr_t cookie;
  Graph* graph;  // null: closed

  uintptr_t live_cookie() const { return ~reinterpret_cast<uintptr_t>(this) ^ (Box::secret_ << 3); }
};

GraphObject* to_graph(lua_State* L, int index) {
  void* block = lua_touserdata(L, index);
  if (block == nullptr || lua_rawlen(L, index) != sizeof(GraphObject)) return nullptr;
  auto* object = static_cast<GraphObject*>(block);
  return object->cookie == object->live_cookie() ? object : nullptr;
}

Graph& graph_at(Args& args, int index) {
  GraphObject* object = to_graph(args.L, index);
  if (object == nullptr) args.wrong(index, "graph", "what lutra.graph returns");
  if (object->graph == nullptr) fail(ErrorCode::FailedPrecondition, args.who(), ": this interpreter is being closed");
  return *object->graph;
}

// Whether a table is read entry by entry: one without a metatable whose keys are a list's or strings.
bool is_plain_table(lua_State* L, int index) {
  if (lua_type(L, index) != LUA_TTABLE) return false;
  if (lua_getmetatable(L, index) != 0) return lua_pop(L, 1), false;
  const auto length = static_cast<lua_Integer>(lua_rawlen(L, index));
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) == LUA_TSTRING) continue;
    if (lua_isinteger(L, -2) != 0 && lua_tointeger(L, -2) >= 1 && lua_tointeger(L, -2) <= length) continue;
    lua_pop(L, 2);
    return false;
  }
  return true;
}

// Reads the arguments into graph.key and graph.leaves. By Lua calls that cannot raise.
class SignatureReader {
 public:
  SignatureReader(lua_State* L, Graph& graph) : L_(L), graph_(graph), key_(graph.key) {}

  void read(Context& context, int first, int last) {
    key_.clear();
    graph_.leaves.clear();
    graph_.has_tables = false;
    Runtime& runtime = context.runtime();
    graph_.epoch = runtime.epoch;
    put(runtime.placement_stamp());
    put(runtime.float32_matmul_precision);
    if (uint32_t spec = context.scopes->spec(); spec != 0) key_ += context.spec_text(spec);
    for (int i = first; i <= last; ++i) value(i, 0);
  }

 private:
  template <class T> void put(const T& bytes) { key_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes); }

  void value(int index, int depth) {
    if (const Box* box = to_box(L_, index); box != nullptr) {
      if (box->is_released())
        fail(ErrorCode::FailedPrecondition, "graph: an argument is a tensor that has been released");
      if (!is_variable(box->tensor)) return tensor(box->tensor);
    }
    switch (lua_type(L_, index)) {
      case LUA_TNIL: key_ += 'n'; return;
      case LUA_TBOOLEAN: key_ += lua_toboolean(L_, index) != 0 ? 't' : 'f'; return;
      case LUA_TNUMBER:
        if (lua_isinteger(L_, index) != 0) key_ += 'i', put(lua_tointeger(L_, index));
        else key_ += 'd', put(lua_tonumber(L_, index));
        return;
      case LUA_TSTRING: {
        std::size_t length;
        const char* text = lua_tolstring(L_, index, &length);
        key_ += 's';
        put(length);
        key_.append(text, length);
        return;
      }
      case LUA_TTABLE:
        if (is_shape(L_, index)) return list('h', index, depth);
        if (depth < kMostDepth && lua_checkstack(L_, 8) != 0 && is_plain_table(L_, index)) return table(index, depth);
        break;
      default: break;
    }
    key_ += 'o';
    put(lua_topointer(L_, index));
  }

  void tensor(const TensorRep& tensor) {
    // The same tensor in two places is one argument.
    auto known = std::find(graph_.leaves.begin(), graph_.leaves.end(), &tensor);
    if (known != graph_.leaves.end()) {
      key_ += 'a';
      put(static_cast<int>(known - graph_.leaves.begin()));
      return;
    }
    graph_.leaves.push_back(&tensor);
    key_ += 'T';
    put(tensor.dtype);
    put(tensor.device);
    put(tensor.rank);
    key_.append(reinterpret_cast<const char*>(tensor.dims), tensor.rank * sizeof tensor.dims[0]);
  }

  void list(char kind, int index, int depth) {
    const auto length = static_cast<lua_Integer>(lua_rawlen(L_, index));
    key_ += kind;
    put(length);
    for (lua_Integer i = 1; i <= length; ++i) {
      lua_rawgeti(L_, index, i);
      value(lua_gettop(L_), depth + 1);
      lua_pop(L_, 1);
    }
  }

  // The list's entries, then the others by their sorted names.
  void table(int index, int depth) {
    graph_.has_tables = true;
    list('{', index, depth);
    std::vector<std::string_view> names;
    for (lua_pushnil(L_); lua_next(L_, index) != 0; lua_pop(L_, 1)) {
      if (lua_type(L_, -2) != LUA_TSTRING) continue;
      std::size_t length;
      const char* name = lua_tolstring(L_, -2, &length);
      names.emplace_back(name, length);
    }
    std::sort(names.begin(), names.end());
    for (std::string_view name : names) {
      key_ += 'k';
      put(name.size());
      key_ += name;
      // No string is made: it is in the table already, so only memory could run out.
      lua_pushnil(L_);
      bool found = false;
      while (!found && lua_next(L_, index) != 0) {
        if (lua_type(L_, -2) == LUA_TSTRING) {
          std::size_t length = 0;
          const char* key = lua_tolstring(L_, -2, &length);
          found = std::string_view(key, length) == name;
        }
        if (!found) lua_pop(L_, 1);
      }
      if (!found) continue;
      value(lua_gettop(L_), depth + 1);
      lua_pop(L_, 2);
    }
    key_ += '}';
  }

  lua_State* L_;
  Graph& graph_;
  std::string& key_;
};

GraphRecord* find_record(Graph& graph) {
  if (graph.last != nullptr && graph.last->key == graph.key) return graph.last;
  for (auto& record : graph.records) {
    if (record->key == graph.key) return graph.last = record.get();
  }
  return nullptr;
}

// Removes the record. Its kept values stay in kRefs until forget_refs.
void drop(Graph& graph, GraphRecord* record) {
  graph.last = nullptr;
  std::erase_if(graph.records, [&](const auto& each) { return each.get() == record; });
}

// Pushes the list of the values that the record keeps.
void push_refs(lua_State* L, int graph, int refs) {
  lua_getiuservalue(L, graph, kRefs);
  lua_rawgeti(L, -1, refs);
  lua_remove(L, -2);
}

// Calls the function as if there were no graph.
int after_call(lua_State* L, int, lua_KContext) { return lua_gettop(L); }
int call_eagerly(lua_State* L) {
  lua_getiuservalue(L, 1, kFunction);
  lua_replace(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, after_call);
  return after_call(L, LUA_OK, 0);
}

// ---- Recording ----

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
  if (lua_type(L, index) != LUA_TTABLE || is_shape(L, index) || depth >= kMostDepth || !is_plain_table(L, index)) {
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
  if (depth < kMostDepth && lua_type(L, index) == LUA_TTABLE) {
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
  }
  lua_pushvalue(L, index);
  add_node(state, L, record, {ResultNode::Kind::Kept, keep(L, frame.refs), 0});
}

// The guard's __close and __gc: ends a recording that was left by an error.
int close_guard(lua_State* L) {
  State& state = state_of(L);
  GraphObject* object = nullptr;
  if (lua_getiuservalue(L, 1, 1) != LUA_TNIL) object = to_graph(L, -1);
  if (object == nullptr || object->graph == nullptr || state.is_closed()) return 0;
  object->graph->recording.reset();
  lua_pushnil(L);
  State::set(L, kSources);
  lua_pushnil(L);
  lua_setiuservalue(L, 1, 1);
  return 0;
}

// Pushes the guard. Upvalue 2 of the graph's __call is its metatable.
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
  State::push(L, kSources);
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
    record.variables = static_cast<int>(held.size());
    record.replay = std::make_unique<graph::Replay>(state.context(), std::move(*owned), std::move(held));
  });
  if (!ok) state.raise(L);
  lua_rawseti(L, frame.refs, -1);
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
  State::set(L, kSources);
  lua_toclose(L, frame.guard);
  begin_recording(L, state, graph, *record);
  push_leaves(L, state, graph);
  frame.copies = lua_gettop(L);
  // The tables that the function gets, to see whether it changes them.
  lua_newtable(L);
  const int tables = lua_gettop(L);
  lua_getiuservalue(L, 1, kFunction);
  frame.results = lua_gettop(L);
  for (int i = 2; i <= frame.last; ++i) {
    push_copy(L, state, graph, frame, i, 0);
    if (lua_type(L, -1) == LUA_TTABLE) {
      lua_pushvalue(L, -1);
      lua_rawseti(L, tables, i);
    }
  }
  lua_call(L, arguments, LUA_MULTRET);
  require_unchanged(L, state, graph, frame, tables);
  const int last = lua_gettop(L);
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
  lua_getiuservalue(L, 1, kRefs);
  if (record->refs != 0) {
    lua_pushnil(L);
    lua_rawseti(L, -2, record->refs);
  }
  record->refs = ++graph.next_ref;
  record->kept = static_cast<int>(lua_rawlen(L, frame.refs));
  lua_pushvalue(L, frame.refs);
  lua_rawseti(L, -2, record->refs);
  lua_pop(L, 1);
  lua_closeslot(L, frame.guard);
  return record->values;
}

// A new record for graph.key. If there are many, the one that was not used for longest goes.
GraphRecord* new_record(lua_State* L, State& state, Graph& graph) {
  GraphRecord* made = nullptr;
  int forgotten = 0;
  state.attempt_or_raise(L, [&] {
    auto is_busy = [](const auto& record) { return record->replay != nullptr && record->replay->is_busy(); };
    if (graph.records.size() >= kMostRecords && !std::any_of(graph.records.begin(), graph.records.end(), is_busy)) {
      auto oldest = std::min_element(graph.records.begin(), graph.records.end(),
                                     [](const auto& a, const auto& b) { return a->used < b->used; });
      forgotten = (*oldest)->refs;
      drop(graph, oldest->get());
      if (!std::exchange(graph.was_told, true)) {
        state.runtime().log().line(
            text("WARNING: a graph has been recorded for more than ", kMostRecords,
                 " signatures: an argument that is not a tensor changes at each call, or tensors' shapes do; pass "
                 "numbers that change as tensors"));
      }
    }
    graph.records.push_back(std::make_unique<GraphRecord>());
    made = graph.records.back().get();
    made->key = graph.key;
    graph.last = made;
  });
  if (forgotten != 0) {
    lua_getiuservalue(L, 1, kRefs);
    lua_pushnil(L);
    lua_rawseti(L, -2, forgotten);
    lua_pop(L, 1);
  }
  return made;
}

// ---- Replaying ----

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

// Pushes argument tensor `leaf`: the box whose tensor it is.
bool push_leaf(lua_State* L, const TensorRep* leaf, int index, int depth) {
  if (const Box* box = to_live_box(L, index)) {
    if (&box->tensor != leaf) return false;
    lua_pushvalue(L, index);
    return true;
  }
  if (depth >= kMostDepth || !is_plain_table(L, index)) return false;
  luaL_checkstack(L, 8, nullptr);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    const int value = lua_gettop(L);
    if (!push_leaf(L, leaf, value, depth + 1)) continue;
    lua_replace(L, value - 1);
    lua_settop(L, value - 1);
    return true;
  }
  return false;
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

// -1: it must be recorded anew.
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
      SignatureReader(L, graph).read(context, 2, frame.last);
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

bool runs_eagerly(State& state, Context& context) {
  return context.is_observed() || context.has_policy() || context.ledger().is_recording() ||
         context.placement_log().listens() || state.graphs_off > 0 || graph_mode() == GraphMode::Never;
}

// g(...)
int call_graph(lua_State* L) {
  State& state = state_of(L);
  Graph* graph = nullptr;
  GraphRecord* record = nullptr;
  bool eager = false;
  read_phase(L, state, "graph", [&](Args& args) {
    graph = &graph_at(args, 1);
    Context& context = state.context();
    eager = runs_eagerly(state, context);
    if (eager) return;
    context.devices();
    SignatureReader(L, *graph).read(context, 2, lua_gettop(L));
    record = find_record(*graph);
    if (record == nullptr) return;
    record->used = ++graph->clock;
    eager = !record->refused.empty() || (record->replay != nullptr && record->replay->is_busy());
  });
  if (!eager && record != nullptr && record->replay != nullptr && record->variables > 0) eager = notes_assignments(L);
  if (eager) return call_eagerly(L);
  if (record != nullptr && record->replay != nullptr) {
    int results = replay_call(L, state, *graph, *record);
    if (results >= 0) return results;
    record->replay.reset();
  }
  if (record == nullptr) record = new_record(L, state, *graph);
  return record_call(L, state, *graph, record);
}

// ---- The object ----

// graph(function[, {name}])
int make_graph(lua_State* L) {
  State& state = state_of(L);
  std::string_view name;
  int64_t wanted = 1;
  // checked_graph(function, recordings): for fit.
  const bool is_checked = lua_toboolean(L, lua_upvalueindex(2)) != 0;
  read_phase(L, state, "graph", [&](Args& args) {
    args.at_most(2);
    if (lua_type(L, 1) != LUA_TFUNCTION) args.wrong(1, "f", "a function");
    if (is_checked) wanted = args.integer(2, "recordings");
    else args.options(2, {{"name", &name}});
  });
  lua_settop(L, 2);
  lua_pushlstring(L, name.data(), name.size());
  auto* object = static_cast<GraphObject*>(lua_newuserdatauv(L, sizeof(GraphObject), kUserValues));
  object->graph = nullptr;
  object->cookie = object->live_cookie();
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, kFunction);
  lua_newtable(L);
  lua_setiuservalue(L, -2, kRefs);
  if (name.empty()) {
    lua_Debug info;
    lua_pushvalue(L, 1);
    lua_getinfo(L, ">S", &info);
    lua_pushfstring(L, "%s:%d", info.short_src, info.linedefined);
  } else {
    lua_pushvalue(L, 3);
  }
  lua_setiuservalue(L, -2, kName);
  state.push(L, kGraphMeta);
  lua_setmetatable(L, -2);
  read_phase(L, state, "graph", [&](Args&) {
    object->graph = new Graph(state);
    object->graph->wanted = static_cast<int>(wanted);
  });
  return 1;
}

int collect_graph(lua_State* L) {
  GraphObject* object = to_graph(L, 1);
  if (object == nullptr || object->graph == nullptr) return 0;
  // When the interpreter closes, the State deletes the graph.
  if (!state_of(L).is_closed()) delete object->graph;
  object->graph = nullptr;
  return 0;
}

std::string name_of(lua_State* L) {
  lua_getiuservalue(L, 1, kName);
  std::size_t length = 0;
  const char* name = lua_tolstring(L, -1, &length);
  lua_pop(L, 1);
  return {name != nullptr ? name : "", length};
}

int reset(Args& args) {
  args.at_most(1);
  Graph& graph = graph_at(args, 1);
  if (graph.recording != nullptr) fail(ErrorCode::FailedPrecondition, "reset: the graph is being recorded");
  for (auto& record : graph.records) {
    if (record->replay != nullptr && record->replay->is_busy()) {
      fail(ErrorCode::FailedPrecondition, "reset: the graph is at work");
    }
  }
  graph.last = nullptr;
  graph.records.clear();
  protect(args.L, 0, [&](lua_State*) { return 0; });
  lua_State* L = args.L;
  lua_settop(L, 1);
  protect_with(L, 1, [](lua_State* inner) {
    lua_newtable(inner);
    lua_setiuservalue(inner, 1, kRefs);
  });
  return 0;
}

int summary(Args& args) {
  args.at_most(1);
  Graph& graph = graph_at(args, 1);
  std::string out = text("graph ", name_of(args.L), "\n");
  if (graph.records.empty()) append(out, "  nothing is recorded yet: call it\n");
  for (auto& record : graph.records) {
    if (!record->refused.empty()) {
      append(out, text("  runs eagerly: ", record->refused, "\n"));
    } else if (record->replay == nullptr) {
      append(out, record->made_variables ? "  is recorded at its next call: the first one made variables\n"
                                         : "  is recorded again at its next call, to see whether it does the same\n");
    } else {
      append(out, graph::summary_of(record->replay->program()));
      append(out, text("  replayed ", record->replays, record->replays == 1 ? " time\n" : " times\n"));
    }
  }
  push_text(args, out);
  return 1;
}

int dot(Args& args) {
  args.at_most(2);
  Graph& graph = graph_at(args, 1);
  std::string path = args.has(2) ? std::string(args.string(2, "path")) : std::string();
  const graph::Replay* replay = nullptr;
  for (auto& record : graph.records) {
    if (record->replay != nullptr && (replay == nullptr || record.get() == graph.last)) replay = record->replay.get();
  }
  if (replay == nullptr) {
    std::string why = graph.records.empty() ? "" : graph.records.back()->refused;
    fail(ErrorCode::FailedPrecondition, "dot: nothing is recorded", why.empty() ? ": call the graph first" : ", since ",
         why);
  }
  std::string drawing = graph::drawing_of(replay->program(), name_of(args.L));
  if (path.empty()) {
    push_text(args, drawing);
    return 1;
  }
  const AllowedFile found =
      allowed_file(args.state.allowed_paths.get(), "dot: " + path, path, AllowedPaths::Access::Write);
  FILE* file = std::fopen(found.path.c_str(), "wb");
  bool ok = file != nullptr && std::fwrite(drawing.data(), 1, drawing.size(), file) == drawing.size();
  if (file != nullptr) ok = std::fclose(file) == 0 && ok;
  if (!ok) fail(ErrorCode::NotFound, "dot: ", path, " cannot be written: ", std::strerror(errno));
  return 0;
}

int graph_text(Args& args) {
  const Graph& graph = graph_at(args, 1);
  const std::size_t records = graph.records.size();
  push_text(args, text("<lutra.graph ", name_of(args.L), ", ", records, records == 1 ? " record>" : " records>"));
  return 1;
}

int field(Args& args) {
  Graph& graph = graph_at(args, 1);
  std::string_view key = args.string(2, "field");
  if (key == "records") {
    lua_pushinteger(args.L, static_cast<lua_Integer>(graph.records.size()));
    return 1;
  }
  if (key == "name") {
    lua_getiuservalue(args.L, 1, kName);
    return 1;
  }
  lua_getmetatable(args.L, 1);
  lua_getfield(args.L, -1, "methods");
  lua_pushvalue(args.L, 2);
  if (lua_rawget(args.L, -2) != LUA_TNIL) return 1;
  fail(ErrorCode::InvalidArgument, "a graph has no field or method ", what_is(args.L, 2),
       "; it has name, records, summary, dot and reset");
}

// refuse_recording(reason): a recording in progress cannot be replayed.
int refuse_recording(Args& args) {
  if (LaunchObserver* observer = args.state.context().observer) {
    observer->refuse(std::string(args.string(1, "reason")).c_str());
  }
  return 0;
}

// graphs_off(more): while the sum of all `more` is above 0, graphs run eagerly.
int graphs_off(Args& args) {
  args.state.graphs_off += static_cast<int>(args.integer(1, "more"));
  return 0;
}

// graph_mode(): "auto", "always" or "never".
int push_graph_mode(Args& args) {
  static constexpr const char* kModes[] = {"auto", "always", "never"};
  lua_pushstring(args.L, kModes[static_cast<int>(graph_mode())]);
  return 1;
}

}  // namespace

GraphMode graph_mode() {
  static const GraphMode mode = [] {
    const char* value = std::getenv("LUTRA_GRAPH");
    if (value != nullptr && std::strcmp(value, "always") == 0) return GraphMode::Always;
    if (value != nullptr && std::strcmp(value, "never") == 0) return GraphMode::Never;
    return GraphMode::Auto;
  }();
  return mode;
}

void note_numbers(Args& args, const OpDef& op, int numbers) {
  LaunchObserver* observer = args.state.context().observer;
  lua_State* L = args.L;
  lua_pushvalue(L, numbers);
  int index = -1;
  protect_with(L, 1, [&](lua_State* inner) {
    // {numbers, next} with the function that the optimiser gives; without one the numbers stay as they are.
    State::push(inner, kSources);
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
  observer->takes_numbers(&op, index);
}

void open_graphs(lua_State* L, State& state) {
  const int module = lua_gettop(L);
  lua_newtable(L);
  const int meta = lua_gettop(L);
  lua_newtable(L);
  set_function<summary>(L, state, "summary", "summary");
  set_function<dot>(L, state, "dot", "dot");
  set_function<reset>(L, state, "reset", "reset");
  lua_setfield(L, meta, "methods");
  set_function<field>(L, state, "__index", "graph");
  set_function<graph_text>(L, state, "__tostring", "tostring");
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, collect_graph, 1);
  lua_setfield(L, meta, "__gc");
  lua_pushlightuserdata(L, &state);
  lua_newtable(L);
  for (const char* event : {"__close", "__gc"}) {
    lua_pushlightuserdata(L, &state);
    lua_pushcclosure(L, close_guard, 1);
    lua_setfield(L, -2, event);
  }
  lua_pushcclosure(L, call_graph, 2);
  lua_setfield(L, meta, "__call");
  for (const char* name : {"__name", "__metatable"}) {
    lua_pushliteral(L, "lutra.graph");
    lua_setfield(L, meta, name);
  }
  State::set(L, kGraphMeta);
  lua_pushlightuserdata(L, &state);
  lua_pushcclosure(L, make_graph, 1);
  lua_setfield(L, module, "graph");
}

void open_graph_tools(lua_State* L, State& state) {
  lua_pushlightuserdata(L, &state);
  lua_pushboolean(L, 1);
  lua_pushcclosure(L, make_graph, 2);
  lua_setfield(L, -2, "checked_graph");
  set_function<refuse_recording>(L, state, "refuse_recording", "graph");
  set_function<graphs_off>(L, state, "graphs_off", "graph");
  set_function<push_graph_mode>(L, state, "graph_mode", "graph");
}

}  // namespace lutra
