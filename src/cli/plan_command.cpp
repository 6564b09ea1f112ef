#include "cli/plan_command.h"

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "cli/options.h"
#include "io/sink.h"
#include "plan/graph_file.h"
#include "plan/report.h"
#include "plan/timeline_page.h"

namespace lutra {
namespace {

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, Close>;

std::string contents(const std::string& path) {
  File file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (file == nullptr) fail(ErrorCode::NotFound, path, ": ", std::strerror(errno));
  std::string all;
  char block[1 << 16];
  while (std::size_t count = std::fread(block, 1, sizeof block, file.get())) all.append(block, count);
  if (std::ferror(file.get()) != 0) fail(ErrorCode::NotFound, path, ": ", std::strerror(errno));
  return all;
}

void write(const std::string& path, const std::string& text) {
  AtomicFile file("plan", path, nullptr);
  file.ByteSink::write(text);
  file.commit();
}

}  // namespace

PlanCommand read_plan_command(int argc, char** argv, int first) {
  PlanCommand command;
  for (int i = first; i < argc; ++i) {
    const std::string_view word = argv[i];
    // The value of "--name value" or "--name=value"; null: it is another option.
    auto value = [&](std::string_view name) -> const char* {
      if (word.substr(0, name.size()) != name) return nullptr;
      if (word.size() > name.size()) return word[name.size()] == '=' ? argv[i] + name.size() + 1 : nullptr;
      if (i + 1 >= argc) throw UsageError(text("'plan ", name, "' needs a value"));
      return argv[++i];
    };
    if (word == "--json") {
      command.json = true;
    } else if (const char* policy = value("--policy")) {
      std::optional<plan::Policy> known = plan::policy_named(policy);
      if (!known) throw UsageError(text("'plan --policy' is '", policy, "', expected best, greedy or m-etf"));
      command.options.policy = *known;
    } else if (const char* html = value("--html")) {
      command.html = html;
    } else if (const char* budget = value("--budget-ms")) {
      double ms = 0;
      auto [end, error] = std::from_chars(budget, budget + std::strlen(budget), ms);
      if (error != std::errc() || *end != '\0' || !std::isfinite(ms) || ms < 0) {
        throw UsageError(text("'plan --budget-ms' is '", budget, "', expected a number of milliseconds, 0 or more"));
      }
      command.options.budget_ms = ms;
    } else if (word.size() > 1 && word[0] == '-') {
      throw UsageError(text("'plan' takes --policy, --html, --json and --budget-ms, not '", word, "'"));
    } else if (command.graph.empty()) {
      command.graph = word;
    } else {
      throw UsageError(text("'plan' takes one graph, not '", word, "' as well"));
    }
  }
  if (command.graph.empty()) throw UsageError("'plan' needs a graph: lutra plan GRAPH.json");
  return command;
}

std::string run_plan_command(const PlanCommand& command) {
  const std::string source = command.graph == "-" ? "stdin" : command.graph;
  plan::Problem problem = plan::compile(plan::read_graph(contents(command.graph), source));
  plan::Plan made = plan::make_plan(problem, command.options);
  if (!command.html.empty()) write(command.html, plan::timeline_page(plan::timeline_of(problem, made, source)));
  return command.json ? plan::plan_json(problem, made) : plan::plan_text(problem, made);
}

}  // namespace lutra
