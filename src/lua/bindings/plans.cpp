// For lutra.placement: plans of graphs given as tables, and pages with timelines. lua/lutra/placement makes the tables.

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "io/sink.h"
#include "lua/border/fields.h"
#include "lua/border/guard.h"
#include "lua/border/modules.h"
#include "lua/border/table_reader.h"
#include "plan/graph_file.h"
#include "plan/planner.h"
#include "plan/report.h"
#include "plan/timeline_page.h"

namespace lutra {
namespace {

using plan::at;
using plan::Problem;
using plan::Spec;

// "node 3", "node 'conv'": for errors before the name is known, and after.
std::string entry_name(const char* kind, lua_Integer i, const std::string& name) {
  return name.empty() ? text(kind, " ", i) : text(kind, " '", name.substr(0, 60), "'");
}

class SpecReader {
 public:
  SpecReader(lua_State* L, const char* who) : read_(L, who), L_(L) {}

  void read(int table, Spec* spec, plan::Execution* execution, plan::Options* options) {
    // Links come before pairs, which default to them.
    read_.fields(table, "the argument", false,
                 [&](std::string_view key, int i) { link_field(key, i, "", &spec->link); });
    read_.fields(table, "the argument", false, [&](std::string_view key, int i) {
      if (key == "links") read_links(i, spec);
    });
    bool has_devices = false, has_nodes = false;
    read_.fields(table, "the argument", false, [&](std::string_view key, int i) {
      if (key == "devices") {
        has_devices = true;
        read_.entries(i, "devices", [&](lua_Integer n, int entry) { spec->devices.push_back(device(n, entry)); });
      } else if (key == "nodes") {
        has_nodes = true;
        read_.entries(i, "nodes", [&](lua_Integer n, int entry) { spec->nodes.push_back(node(n, entry)); });
      } else if (key == "outputs") {
        spec->outputs = read_.strings(i, "outputs");
      } else if (key == "policy") {
        std::string_view name = read_.string(i, "policy");
        auto policy = plan::policy_named(name);
        if (!policy) read_.wrong("policy", " is '", name.substr(0, 60), "', expected best, greedy or m-etf");
        options->policy = *policy;
      } else if (key == "budget_ms") {
        options->budget_ms = read_.number(i, "budget_ms");
        if (!(options->budget_ms >= 0)) read_.wrong("budget_ms", " is ", options->budget_ms, ", expected 0 or more");
      } else if (key == "execution") {
        read_execution(i, execution);
      } else if (key != "links" && key != "latency_us" && key != "bytes_per_us") {
        static constexpr const char* kKnown[] = {"devices",   "links",   "nodes",      "policy",
                                                 "budget_ms", "outputs", "latency_us", "bytes_per_us"};
        read_.wrong("unknown option '", key.substr(0, 60), "'", name_hint(key, kKnown),
                    "; there are devices, links, nodes, policy, budget_ms, outputs, latency_us, bytes_per_us");
      }
    });
    if (!has_devices) read_.wrong("devices", " is missing: a list of {name=, type=, memory=}");
    if (!has_nodes) read_.wrong("nodes", " is missing: a list of {name=, inputs=, time_us=, bytes=}");
  }

 private:
  bool link_field(std::string_view key, int i, const std::string& what, plan::Link* link) {
    const std::string prefix = what.empty() ? "" : what + ": ";
    if (key == "latency_us") link->latency_us = read_.number(i, prefix + "latency_us");
    else if (key == "bytes_per_us") link->bytes_per_us = read_.number(i, prefix + "bytes_per_us");
    else return false;
    return true;
  }

  void read_links(int table, Spec* spec) {
    read_.fields(table, "links", true, [&](std::string_view key, int i) {
      if (!link_field(key, i, "links", &spec->link)) {
        read_.wrong("links has '", key.substr(0, 60),
                    "', expected latency_us, bytes_per_us and entries {from=, to=, ...}");
      }
    });
    read_.entries(table, "links", [&](lua_Integer n, int entry) {
      plan::LinkSpec link{"", "", spec->link};
      const std::string what = text("link ", n);
      read_.fields(entry, what, false, [&](std::string_view key, int i) {
        if (key == "from") link.from = read_.string(i, what + ": from");
        else if (key == "to") link.to = read_.string(i, what + ": to");
        else if (!link_field(key, i, what, &link.link)) read_.wrong(what, ": unknown field '", key.substr(0, 60), "'");
      });
      spec->links.push_back(std::move(link));
    });
  }

  plan::DeviceSpec device(lua_Integer n, int entry) {
    plan::DeviceSpec made;
    read_.fields(entry, text("device ", n), false, [&](std::string_view key, int i) {
      const std::string what = text(entry_name("device", n, made.name), ": ", key.substr(0, 60));
      if (key == "name") made.name = read_.string(i, what);
      else if (key == "type") made.type = read_.string(i, what);
      else if (key == "memory") made.memory = read_.number(i, what);
      else read_.wrong(what, " is no field of a device; there are name, type, memory");
    });
    return made;
  }

  // Texts for errors are made only when they are needed: a graph may have a million fields.
  double number(int i, lua_Integer n, const plan::NodeSpec& node, std::string_view key) const {
    if (lua_type(L_, i) == LUA_TNUMBER) return lua_tonumber(L_, i);
    return read_.number(i, field(n, node, key));
  }
  std::vector<std::string> names(int i, lua_Integer n, const plan::NodeSpec& node, std::string_view key) const {
    bool is_plain = lua_type(L_, i) == LUA_TTABLE && lua_checkstack(L_, 4) != 0;
    std::vector<std::string> all;
    for (lua_Integer k = 1; is_plain && lua_rawgeti(L_, i, k) != LUA_TNIL; ++k) {
      is_plain = lua_type(L_, -1) == LUA_TSTRING;
      if (is_plain) all.emplace_back(lua_tostring(L_, -1), lua_rawlen(L_, -1));
      lua_pop(L_, 1);
    }
    if (!is_plain) return read_.strings(i, field(n, node, key));
    lua_pop(L_, 1);
    return all;
  }
  static std::string field(lua_Integer n, const plan::NodeSpec& node, std::string_view key) {
    return text(entry_name("node", n, node.name), ": ", key.substr(0, 60));
  }

  plan::NodeSpec node(lua_Integer n, int entry) {
    plan::NodeSpec made;
    read_.fields(entry, "node", false, [&](std::string_view key, int i) {
      if (key == "name") made.name = read_.string(i, "a node's name");
    });
    read_.fields(entry, "node", false, [&](std::string_view key, int i) {
      if (key == "inputs") made.inputs = names(i, n, made, key);
      else if (key == "time_us") read_times(i, n, &made);
      else if (key == "bytes") made.bytes = number(i, n, made, key);
      else if (key == "device") made.device = read_.string(i, field(n, made, key));
      else if (key == "colocate") made.colocate = names(i, n, made, key);
      else if (key == "resident") made.resident = read_.boolean(i, field(n, made, key));
      else if (key == "keep") made.keep = read_.boolean(i, field(n, made, key));
      else if (key == "mirrored") made.mirrored = read_.boolean(i, field(n, made, key));
      else if (key != "name")
        read_.wrong(field(n, made, key),
                    " is no field of a node; there are name, inputs, time_us, bytes, device, colocate, resident, keep");
    });
    return made;
  }

  void read_times(int i, lua_Integer n, plan::NodeSpec* node) {
    if (lua_type(L_, i) == LUA_TNUMBER) {
      node->time_us = {{"", lua_tonumber(L_, i)}};
      return;
    }
    if (lua_type(L_, i) != LUA_TTABLE) read_.check_table(i, field(n, *node, "time_us"));
    read_.fields(i, "time_us", false, [&](std::string_view type, int us) {
      if (lua_type(L_, us) != LUA_TNUMBER)
        read_.number(us, text(field(n, *node, "time_us"), " of ", type.substr(0, 60)));
      node->time_us.emplace_back(type, lua_tonumber(L_, us));
    });
  }

  void read_execution(int table, plan::Execution* execution) {
    execution->is_eager = true;
    read_.fields(table, "execution", false, [&](std::string_view key, int i) {
      if (key == "host") execution->host = static_cast<int>(read_.number(i, key)) - 1;
      else if (key == "issue_us") execution->issue_us = read_.number(i, key);
      else if (key == "finish_us") execution->finish_us = read_.number(i, key);
      else read_.wrong("execution has '", key.substr(0, 60), "'");
    });
  }

  TableReader read_;
  lua_State* L_;
};

void push_schedule(lua_State* L, const Problem& problem, const plan::Simulation& run, const std::vector<int>& order) {
  lua_createtable(L, static_cast<int>(order.size()), 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const int node = order[i];
    lua_createtable(L, 0, 4);
    set_string(L, "node", problem.names[at(node)]);
    set_string(L, "device", problem.devices[at(run.device[at(node)])].name);
    set_number(L, "start", run.start[at(node)]);
    set_number(L, "finish", run.finish[at(node)]);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  lua_setfield(L, -2, "schedule");
}

void push_copies(lua_State* L, const Problem& problem, const plan::Simulation& run) {
  lua_createtable(L, static_cast<int>(run.copies.size()), 0);
  lua_Integer count = 0;
  for (const plan::Copy& copy : run.copies) {
    lua_createtable(L, 0, 6);
    set_string(L, "node", problem.names[at(copy.node)]);
    set_string(L, "from", problem.devices[at(copy.from)].name);
    set_string(L, "to", problem.devices[at(copy.to)].name);
    set_number(L, "start", copy.start);
    set_number(L, "finish", copy.finish);
    set_number(L, "bytes", problem.bytes[at(copy.node)]);
    lua_rawseti(L, -2, ++count);
  }
  lua_setfield(L, -2, "copies");
}

void push_devices(lua_State* L, const Problem& problem, const plan::Plan& made) {
  lua_createtable(L, 0, problem.device_count());
  lua_createtable(L, 0, problem.device_count());
  lua_createtable(L, 0, problem.device_count());
  for (int d = 0; d < problem.device_count(); ++d) {
    const char* name = problem.devices[at(d)].name.c_str();
    lua_createtable(L, 0, 2);
    set_number(L, "busy_us", made.simulation.busy_us[at(d)]);
    set_number(L, "peak_bytes", made.simulation.peak_bytes[at(d)]);
    lua_setfield(L, -4, name);
    lua_pushnumber(L, made.simulation.peak_bytes[at(d)]);
    lua_setfield(L, -3, name);
    const plan::Alternative& alone = made.alone[at(d)];
    if (alone.reason.empty()) lua_pushnumber(L, alone.makespan_us);
    else lua_pushlstring(L, alone.reason.data(), alone.reason.size());
    lua_setfield(L, -2, name);
  }
  lua_setfield(L, -4, "alternatives");
  lua_setfield(L, -3, "peak_bytes");
  lua_setfield(L, -2, "devices");
}

void push_plan(lua_State* L, const Problem& problem, const plan::Plan& made, const std::vector<int>& order) {
  luaL_checkstack(L, 12, nullptr);
  lua_createtable(L, 0, 12);
  const plan::Simulation& run = made.simulation;
  set_number(L, "makespan_us", run.makespan_us);
  set_string(L, "policy", made.policy);
  lua_createtable(L, 0, problem.node_count());
  for (int node = 0; node < problem.node_count(); ++node) {
    const std::string& name = problem.names[at(node)];
    lua_pushlstring(L, name.data(), name.size());
    const std::string& device = problem.devices[at(run.device[at(node)])].name;
    lua_pushlstring(L, device.data(), device.size());
    lua_rawset(L, -3);
  }
  lua_setfield(L, -2, "placement");
  push_schedule(L, problem, run, order);
  push_copies(L, problem, run);
  push_devices(L, problem, made);
  lua_createtable(L, static_cast<int>(run.critical_path.size()), 0);
  for (std::size_t i = 0; i < run.critical_path.size(); ++i) {
    const std::string& name = problem.names[at(run.critical_path[i])];
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  lua_setfield(L, -2, "critical_path");
  lua_createtable(L, static_cast<int>(made.candidates.size()), 0);
  for (std::size_t i = 0; i < made.candidates.size(); ++i) {
    const plan::Candidate& candidate = made.candidates[i];
    lua_createtable(L, 0, 3);
    set_string(L, "name", candidate.name);
    set_number(L, "makespan_us", candidate.score.makespan_us);
    set_number(L, "missing_bytes", candidate.score.missing_bytes);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  lua_setfield(L, -2, "candidates");
  lua_createtable(L, static_cast<int>(problem.ignored.size()), 0);
  for (std::size_t i = 0; i < problem.ignored.size(); ++i) {
    lua_pushlstring(L, problem.ignored[i].data(), problem.ignored[i].size());
    lua_rawseti(L, -2, static_cast<lua_Integer>(i + 1));
  }
  lua_setfield(L, -2, "ignored");
}

// make_plan(spec): the plan as a table.
int make_plan(Args& args) {
  args.at_most(1);
  Spec spec;
  plan::Execution execution;
  plan::Options options;
  SpecReader(args.L, args.who()).read(1, &spec, &execution, &options);
  Problem problem = plan::compile(spec);
  problem.execution = execution;
  plan::Plan made = plan::make_plan(problem, options);
  const std::vector<int> order = plan::by_start(made.simulation);
  protect(args.L, 1, [&](lua_State* L) {
    push_plan(L, problem, made, order);
    return 1;
  });
  return 1;
}

// timeline_page(timeline, path): writes the page.
int write_timeline(Args& args) {
  args.at_most(2);
  const std::string path(args.string(2, "path"));
  TableReader read(args.L, args.who());
  plan::Timeline timeline;
  auto event = [&](int entry) {
    plan::TimelineEvent made;
    read.fields(entry, "event", false, [&](std::string_view key, int i) {
      if (key == "name") made.name = read.string(i, key);
      else if (key == "device") made.device = read.string(i, key);
      else if (key == "start_us") made.start_us = read.number(i, key);
      else if (key == "duration_us") made.duration_us = read.number(i, key);
      else if (key == "is_copy") made.is_copy = read.boolean(i, key);
      else if (key == "is_critical") made.is_critical = read.boolean(i, key);
      else if (key == "detail") made.detail = read.string(i, key);
    });
    timeline.events.push_back(std::move(made));
  };
  read.fields(1, "timeline", false, [&](std::string_view key, int i) {
    if (key == "title") timeline.title = read.string(i, key);
    else if (key == "lanes") timeline.lanes = read.strings(i, key);
    else if (key == "events") read.entries(i, key, [&](lua_Integer, int entry) { event(entry); });
    else if (key == "facts") {
      read.entries(i, key, [&](lua_Integer, int entry) {
        std::vector<std::string> pair = read.strings(entry, key);
        if (pair.size() == 2) timeline.facts.emplace_back(std::move(pair[0]), std::move(pair[1]));
      });
    }
  });
  AtomicFile file(args.who(), path, args.state.allowed_paths.get());
  file.write(plan::timeline_page(timeline));
  file.commit();
  return 0;
}

// read_text(path): all of a file.
int read_text(Args& args) {
  args.at_most(1);
  const std::string path(args.string(1, "path"));
  const AllowedFile found = allowed_file(args.state.allowed_paths.get(), path, path, AllowedPaths::Access::Read);
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(found.path.c_str(), "rb"), std::fclose);
  if (file == nullptr) fail(ErrorCode::NotFound, path, ": ", std::strerror(errno));
  std::string all;
  char block[1 << 16];
  while (std::size_t count = std::fread(block, 1, sizeof block, file.get())) all.append(block, count);
  if (std::ferror(file.get()) != 0) fail(ErrorCode::FailedPrecondition, path, ": ", std::strerror(errno));
  push_text(args, all);
  return 1;
}

}  // namespace

void open_plans(lua_State* L, State& state) {
  set_function<make_plan>(L, state, "make_plan", "placement.simulate");
  set_function<read_text>(L, state, "read_text", "load");
  set_function<write_timeline>(L, state, "write_timeline", "trace");
}

}  // namespace lutra
