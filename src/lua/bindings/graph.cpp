// lutra.graph: a function whose launches are recorded at its first call and replayed at later ones. Here are its
// userdata, its call and its methods.

#include "lua/bindings/graph.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "lua/bindings/graph_object.h"
#include "lua/border/modules.h"
#include "lua/border/variable_box.h"

namespace lutra {
namespace {

constexpr RegistryKey kGraphMeta{};

constexpr std::size_t kMostRecords = 64;

Graph& graph_at(Args& args, int index) {
  Held<Graph>* held = Held<Graph>::find(args.L, index);
  if (held == nullptr) args.wrong(index, "graph", "what lutra.graph returns");
  if (held->object() == nullptr) fail(ErrorCode::FailedPrecondition, args.who(), ": this interpreter is being closed");
  return *held->object();
}

GraphRecord* find_record(Graph& graph) {
  if (graph.last != nullptr && graph.last->key == graph.key) return graph.last;
  for (auto& record : graph.records) {
    if (record->key == graph.key) return graph.last = record.get();
  }
  return nullptr;
}

// Removes the record. Its kept values stay in GraphValues::kRefs until forget_refs.
void drop(Graph& graph, GraphRecord* record) {
  graph.last = nullptr;
  std::erase_if(graph.records, [&](const auto& each) { return each.get() == record; });
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
    lua_getiuservalue(L, 1, GraphValues::kRefs);
    lua_pushnil(L);
    lua_rawseti(L, -2, forgotten);
    lua_pop(L, 1);
  }
  return made;
}

// Calls the function as if there were no graph.
int end_call(lua_State* L, int, lua_KContext) { return lua_gettop(L); }
int call_eagerly(lua_State* L) {
  lua_getiuservalue(L, 1, GraphValues::kFunction);
  lua_replace(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, end_call);
  return end_call(L, LUA_OK, 0);
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
    read_signature(L, *graph, context, 2, lua_gettop(L));
    record = find_record(*graph);
    if (record == nullptr) return;
    record->used = ++graph->clock;
    eager = !record->refused.empty() || (record->replay != nullptr && record->replay->is_busy());
    // A reset of the devices, also one that was refused, has taken what the replay held on them.
    if (!eager && record->replay != nullptr && !record->replay->is_valid()) record->replay.reset();
  });
  if (!eager && record != nullptr && record->replay != nullptr && record->variables > 0) eager = notes_assignments(L);
  if (eager) return call_eagerly(L);
  if (graph->check > 0 && record != nullptr && record->replay != nullptr && ++record->since_check >= graph->check) {
    record->since_check = 0;
    record->checked = std::move(record->replay);
    record->checked->release_idle(nullptr);
  }
  if (record != nullptr && record->replay != nullptr) {
    int results = replay_call(L, state, *graph, *record);
    if (results >= 0) return results;
    record->replay.reset();
  }
  if (record == nullptr) record = new_record(L, state, *graph);
  return record_call(L, state, *graph, record);
}

// ---- The object ----

// graph(function[, {name, check}])
int make_graph(lua_State* L) {
  State& state = state_of(L);
  std::string_view name;
  int64_t wanted = 1, check = 0;
  // checked_graph(function, recordings): for fit.
  const bool is_checked = lua_toboolean(L, lua_upvalueindex(2)) != 0;
  read_phase(L, state, "graph", [&](Args& args) {
    args.at_most(2);
    if (lua_type(L, 1) != LUA_TFUNCTION) args.wrong(1, "f", "a function");
    if (is_checked) wanted = args.integer(2, "recordings");
    else args.options(2, {{"name", &name}, {"check", &check}});
    if (check < 0 || check > INT32_MAX)
      fail(ErrorCode::InvalidArgument, "graph: check is ", check, ", expected a number of calls, or 0");
  });
  lua_settop(L, 2);
  lua_pushlstring(L, name.data(), name.size());
  Held<Graph>* held = Held<Graph>::push(L, kGraphMeta, GraphValues::kCount);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, GraphValues::kFunction);
  lua_newtable(L);
  lua_setiuservalue(L, -2, GraphValues::kRefs);
  if (name.empty()) {
    lua_Debug info;
    lua_pushvalue(L, 1);
    lua_getinfo(L, ">S", &info);
    lua_pushfstring(L, "%s:%d", info.short_src, info.linedefined);
  } else {
    lua_pushvalue(L, 3);
  }
  lua_setiuservalue(L, -2, GraphValues::kName);
  read_phase(L, state, "graph", [&](Args&) {
    Graph& graph = held->make(state);
    graph.wanted = static_cast<int>(wanted);
    graph.is_of_fit = is_checked;
    graph.check = static_cast<int>(check);
  });
  return 1;
}

std::string name_of(lua_State* L) {
  lua_getiuservalue(L, 1, GraphValues::kName);
  std::size_t length = 0;
  const char* name = lua_tolstring(L, -1, &length);
  lua_pop(L, 1);
  return {name != nullptr ? name : "", length};
}

int reset_graph(Args& args) {
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
    lua_setiuservalue(inner, 1, GraphValues::kRefs);
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
      if (!record->effects.empty())
        append(out, text("  the function also ", record->effects, ", which replays do not\n"));
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
    lua_getiuservalue(args.L, 1, GraphValues::kName);
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
  args.state.context().cannot_repeat(std::string(args.string(1, "reason")).c_str());
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

void open_graphs(lua_State* L, State& state) {
  const int module = lua_gettop(L);
  lua_newtable(L);
  const int meta = lua_gettop(L);
  lua_newtable(L);
  set_function<summary>(L, state, "summary", "summary");
  set_function<dot>(L, state, "dot", "dot");
  set_function<reset_graph>(L, state, "reset", "reset");
  lua_setfield(L, meta, "methods");
  set_function<field>(L, state, "__index", "graph");
  set_function<graph_text>(L, state, "__tostring", "tostring");
  Held<Graph>::set_finalizer(L, "__gc");
  lua_pushlightuserdata(L, &state);
  push_guard_meta(L, state);
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
