#include "plan/report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/text.h"

namespace lutra::plan {
namespace {

// Microseconds with at most two decimals.
std::string us_text(double us) {
  std::string out;
  append(out, static_cast<double>(static_cast<int64_t>(us * 100 + 0.5)) / 100);
  return out + " us";
}

void pad(std::string& line, std::size_t width) { line.append(line.size() < width ? width - line.size() : 1, ' '); }

}  // namespace

std::string size_text(double bytes) { return bytes_text(static_cast<int64_t>(std::min(bytes, 9e18))); }

std::vector<int> by_start(const Simulation& simulation) {
  std::vector<int> order(simulation.start.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return simulation.start[at(a)] < simulation.start[at(b)]; });
  return order;
}

std::string plan_text(const Problem& problem, const Plan& plan) {
  const Simulation& run = plan.simulation;
  std::string out = text(problem.node_count(), " nodes on ", problem.device_count(),
                         " devices: ", us_text(run.makespan_us), ", found by ", plan.policy, "\n\n");
  std::vector<int> nodes(problem.devices.size(), 0);
  for (int device : run.device) ++nodes[at(device)];
  std::size_t width = 8;
  for (const DeviceSpec& device : problem.devices) width = std::max(width, device.name.size() + 2);
  constexpr std::size_t kColumns[] = {8, 18, 8, 24};
  auto row = [&](const std::string& name, const std::string& count, const std::string& busy, const std::string& share,
                 const std::string& peak, const std::string& alone) {
    std::string line = name;
    std::size_t end = width;
    pad(line, end);
    const std::string* cells[] = {&count, &busy, &share, &peak};
    for (int i = 0; i < 4; ++i) {
      line += *cells[i];
      pad(line, end += kColumns[i]);
    }
    out += line + alone + "\n";
  };
  row("device", "nodes", "busy", "share", "memory at most", "alone");
  constexpr int kMostRows = 64;
  for (int d = 0; d < std::min(problem.device_count(), kMostRows); ++d) {
    const DeviceSpec& device = problem.devices[at(d)];
    const double share = run.makespan_us > 0 ? 100 * run.busy_us[at(d)] / run.makespan_us : 0;
    const Alternative& alone = plan.alone[at(d)];
    row(device.name, text(nodes[at(d)]), us_text(run.busy_us[at(d)]), text(static_cast<int64_t>(share + 0.5), "%"),
        text(size_text(run.peak_bytes[at(d)]), device.memory < kUnlimited ? " of " + size_text(device.memory) : ""),
        alone.reason.empty() ? us_text(alone.makespan_us) : alone.reason);
  }
  if (problem.device_count() > kMostRows) append(out, text("... and ", problem.device_count() - kMostRows, " more\n"));
  double bytes = 0;
  for (const Copy& copy : run.copies) bytes += problem.bytes[at(copy.node)];
  append(out, text("\ncopies: ", run.copies.size(), " of ", size_text(bytes), " in all\ncritical path: "));
  constexpr std::size_t kEnds = 6;
  for (std::size_t i = 0; i < run.critical_path.size(); ++i) {
    if (i == kEnds && run.critical_path.size() > 2 * kEnds) {
      append(out, text(" -> ... (", run.critical_path.size() - 2 * kEnds, " more)"));
      i = run.critical_path.size() - kEnds;
    }
    const int node = run.critical_path[i];
    append(out, text(i > 0 ? " -> " : "", problem.names[at(node)], " (", problem.devices[at(run.device[at(node)])].name,
                     ")"));
  }
  out += "\ncandidates:";
  for (std::size_t i = 0; i < plan.candidates.size(); ++i) {
    const Candidate& candidate = plan.candidates[i];
    append(out, text(i > 0 ? ", " : " ", candidate.name, " "));
    if (candidate.score.fits()) append(out, us_text(candidate.score.makespan_us));
    else append(out, text("lacks ", size_text(candidate.score.missing_bytes)));
  }
  out += "\n";
  if (!problem.ignored.empty()) {
    append(out, text("ignored, as no output needs them: ", problem.ignored.size(), " nodes, the first '",
                     problem.ignored.front(), "'\n"));
  }
  return out;
}

std::string plan_json(const Problem& problem, const Plan& plan) {
  using Json = nlohmann::ordered_json;
  const Simulation& run = plan.simulation;
  auto device = [&](int d) { return problem.devices[at(d)].name; };
  Json json{{"makespan_us", run.makespan_us}, {"policy", plan.policy}};
  Json placement = Json::object();
  // By push, not by key: an ordered object of many nodes searches it each time.
  auto& pairs = placement.get_ref<Json::object_t&>();
  pairs.reserve(problem.names.size());
  for (int node = 0; node < problem.node_count(); ++node) {
    pairs.push_back({problem.names[at(node)], device(run.device[at(node)])});
  }
  json["placement"] = std::move(placement);
  json["schedule"] = Json::array();
  for (int node : by_start(run)) {
    json["schedule"].push_back({{"node", problem.names[at(node)]},
                                {"device", device(run.device[at(node)])},
                                {"start", run.start[at(node)]},
                                {"finish", run.finish[at(node)]}});
  }
  json["copies"] = Json::array();
  for (const Copy& copy : run.copies) {
    json["copies"].push_back({{"node", problem.names[at(copy.node)]},
                              {"from", device(copy.from)},
                              {"to", device(copy.to)},
                              {"start", copy.start},
                              {"finish", copy.finish}});
  }
  for (int d = 0; d < problem.device_count(); ++d) {
    json["devices"][device(d)] = {{"busy_us", run.busy_us[at(d)]}, {"peak_bytes", run.peak_bytes[at(d)]}};
    const Alternative& alone = plan.alone[at(d)];
    if (alone.reason.empty()) json["alternatives"][device(d)] = alone.makespan_us;
    else json["alternatives"][device(d)] = alone.reason;
  }
  json["critical_path"] = Json::array();
  for (int node : run.critical_path) json["critical_path"].push_back(problem.names[at(node)]);
  for (const Candidate& candidate : plan.candidates) {
    Json each{{"name", candidate.name}, {"makespan_us", candidate.score.makespan_us}};
    if (!candidate.score.fits()) each["missing_bytes"] = candidate.score.missing_bytes;
    json["candidates"].push_back(std::move(each));
  }
  if (!problem.ignored.empty()) json["ignored"] = problem.ignored;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lutra::plan
