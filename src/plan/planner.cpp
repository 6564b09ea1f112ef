#include "plan/planner.h"

#include <algorithm>
#include <array>

#include "core/clock.h"
#include "core/error.h"
#include "plan/local_search.h"
#include "plan/report.h"

namespace lutra::plan {
namespace {

// Beyond this many pairs of nodes and devices, m-ETF's queues would take too long where memory is tight (etf.cpp).
constexpr double kMostEtfPairs = 2e6;
// Local search has the time to use what this adds on small graphs only.
constexpr double kMostFinishPairs = 2e4;
// Graphs of more nodes are planned with fewer candidates and less local search.
constexpr int kLarge = 1000;

constexpr std::array<std::pair<std::string_view, Policy>, 3> kPolicies = {
    {{"best", Policy::kBest}, {"greedy", Policy::kGreedy}, {"m-etf", Policy::kEtf}}};

[[noreturn]] void fail_full(const Problem& problem, std::string_view policy, const Construction& built) {
  const DeviceSpec& device = problem.devices[at(built.nearest)];
  const double free = device.memory - built.used_bytes[at(built.nearest)];
  fail(ErrorCode::ResourceExhausted, "plan: ", policy, " finds no memory for '", problem.names[at(built.failed)],
       "': it needs ", size_text(built.need_bytes), ", and the nearest device, '", device.name, "', has ",
       size_text(free), " of ", size_text(device.memory), " left (", size_text(built.need_bytes - free),
       " too little); this policy frees nothing, policy \"best\" counts what is freed");
}

class Planner {
 public:
  Planner(const Problem& problem, const Options& options) : problem_(problem), options_(options), simulator_(problem) {}

  Plan run() {
    for (int d = 0; d < problem_.device_count(); ++d) {
      const int same = problem_.device_class[at(d)];
      bool is_known = same < d && same_constraints(same, d);
      plan_.alone.push_back(is_known ? plan_.alone[at(same)] : run_alone(problem_, simulator_, d));
    }
    if (options_.policy == Policy::kBest) return best();
    const bool is_greedy = options_.policy == Policy::kGreedy;
    plan_.policy = is_greedy ? "greedy" : "m-etf";
    Construction built = is_greedy ? place_greedily(problem_) : place_by_etf(problem_, EtfRule::kStart);
    if (built.failed >= 0) fail_full(problem_, plan_.policy, built);
    plan_.placement = std::move(built.placement);
    if (problem_.execution.is_eager) plan_.placement.order = problem_.order;
    plan_.simulation = simulator_.simulate(plan_.placement);
    plan_.simulation.peak_bytes = std::move(built.used_bytes);
    plan_.simulation.missing_bytes = 0;
    plan_.simulation.fullest = -1;
    plan_.candidates.push_back({plan_.policy, {0, plan_.simulation.makespan_us}});
    return std::move(plan_);
  }

 private:
  // Whether no component distinguishes the two devices.
  bool same_constraints(int a, int b) const {
    for (const std::vector<int>& set : problem_.sets) {
      if (std::binary_search(set.begin(), set.end(), a) != std::binary_search(set.begin(), set.end(), b)) return false;
    }
    return true;
  }

  Plan best() {
    // Devices that can have all come first: of two equal plans, the one that says so.
    for (const bool takes_all : {true, false}) {
      for (int d = 0; d < problem_.device_count(); ++d) {
        const int same = problem_.device_class[at(d)];
        if (same < d && same_constraints(same, d)) continue;
        if ((first_obstacle(problem_, d) < 0) != takes_all) continue;
        offer(text(takes_all ? "all on " : "all that is free on ", problem_.devices[at(d)].name),
              place_alone(problem_, d));
      }
    }
    offer("greedy", place_greedily(problem_));
    const double pairs = static_cast<double>(problem_.node_count()) * problem_.device_count();
    const bool greedy_fits = plan_.candidates.back().name == "greedy";
    // On a large graph where the greedy found no memory, m-ETF, which frees nothing either, is not tried.
    const bool may_fit = greedy_fits || problem_.node_count() <= kLarge;
    if (may_fit && (pairs <= kMostEtfPairs || !problem_.is_memory_tight())) {
      offer("m-etf", place_by_etf(problem_, EtfRule::kStart));
    }
    if (pairs <= kMostFinishPairs) offer("m-etf by finish", place_by_etf(problem_, EtfRule::kFinish));
    offer("rank", place_by_rank(problem_));
    if (std::find(problem_.resident.begin(), problem_.resident.end(), 1) != problem_.resident.end()) {
      offer("by affinity", place_by_affinity(problem_));
    }
    if (problem_.is_memory_tight()) {
      for (Memory memory : {Memory::kFreed, Memory::kIgnored}) {
        // On large graphs a simulation with its memory takes milliseconds: what fits already is enough.
        if (problem_.node_count() > kLarge && plan_.candidates[at(winner_)].score.fits()) break;
        const char* how = memory == Memory::kFreed ? "freeing" : "whatever the memory";
        offer(text("greedy, ", how), place_greedily(problem_, memory));
        offer(text("rank, ", how), place_by_rank(problem_, memory));
      }
      offer("runs", place_in_runs(problem_));
    }
    plan_.policy = plan_.candidates[at(winner_)].name;
    plan_.placement = placements_[at(winner_)];
    search();
    plan_.simulation = simulator_.simulate(plan_.placement);
    if (plan_.simulation.missing_bytes > 0) fail_missing();
    return std::move(plan_);
  }

  void offer(std::string name, Construction built) {
    if (built.failed < 0) offer(std::move(name), std::move(built.placement));
  }

  void offer(std::string name, Placement placement) {
    if (problem_.execution.is_eager) placement.order = problem_.order;
    Score score = simulator_.score(placement);
    if (winner_ < 0 || score < plan_.candidates[at(winner_)].score) winner_ = static_cast<int>(placements_.size());
    plan_.candidates.push_back({std::move(name), score});
    placements_.push_back(std::move(placement));
  }

  void search() {
    const int count = problem_.node_count();
    double budget_ms = options_.budget_ms;
    if (budget_ms < 0) budget_ms = count <= kLarge ? 20 : std::max(5.0, count / 2000.0);
    if (budget_ms == 0 || count == 0) return;
    const int64_t deadline = now_ns() + static_cast<int64_t>(std::min(budget_ms, 1e9) * 1e6);
    // The three best constructions, in turn.
    std::vector<int> ranking(placements_.size());
    for (std::size_t i = 0; i < ranking.size(); ++i) ranking[i] = static_cast<int>(i);
    std::stable_sort(ranking.begin(), ranking.end(),
                     [&](int a, int b) { return plan_.candidates[at(a)].score < plan_.candidates[at(b)].score; });
    Score best = plan_.candidates[at(winner_)].score;
    const std::size_t starts = std::min<std::size_t>(ranking.size(), count <= kLarge ? 3 : 1);
    for (std::size_t i = 0; i < starts; ++i) {
      SearchLimits limits{deadline, count <= 64 ? 16000 : 1000000};
      SearchOutcome outcome = improve(problem_, simulator_, placements_[at(ranking[i])], limits);
      plan_.search_steps += outcome.steps;
      plan_.search_ran_out_of_time |= outcome.ran_out_of_time;
      if (outcome.score < best) {
        best = outcome.score;
        plan_.placement = std::move(outcome.placement);
        plan_.policy = "local search";
      }
    }
    if (plan_.policy == "local search") plan_.candidates.push_back({plan_.policy, best});
  }

  [[noreturn]] void fail_missing() {
    const int d = plan_.simulation.fullest;
    const double peak = plan_.simulation.peak_bytes[at(d)], memory = problem_.devices[at(d)].memory;
    double biggest = 0;
    int node = 0;
    for (int i = 0; i < problem_.node_count(); ++i) {
      if (plan_.simulation.device[at(i)] != d || problem_.bytes[at(i)] <= biggest) continue;
      biggest = problem_.bytes[at(i)];
      node = i;
    }
    fail(ErrorCode::ResourceExhausted, "plan: the graph does not fit: the best placement found needs ", size_text(peak),
         " on '", problem_.devices[at(d)].name, "', which has ", size_text(memory), " (", size_text(peak - memory),
         " too little; ", size_text(plan_.simulation.missing_bytes),
         " over all devices); its largest result there is '", problem_.names[at(node)], "' with ", size_text(biggest));
  }

  const Problem& problem_;
  const Options& options_;
  Simulator simulator_;
  Plan plan_;
  std::vector<Placement> placements_;  // of the candidates
  int winner_ = -1;
};

}  // namespace

std::optional<Policy> policy_named(std::string_view name) {
  for (const auto& [known, policy] : kPolicies) {
    if (known == name) return policy;
  }
  return std::nullopt;
}

Alternative run_alone(const Problem& problem, Simulator& simulator, int device) {
  const int obstacle = first_obstacle(problem, device);
  if (obstacle >= 0) {
    const bool has_time = problem.time(obstacle, device) < kUnlimited;
    return {0, text("'", problem.names[at(obstacle)], "' ",
                    has_time ? "is fixed to another device, or colocated with a node that cannot run there"
                             : "cannot run there")};
  }
  const Score score = simulator.score(place_alone(problem, device));
  if (score.fits()) return {score.makespan_us, ""};
  return {0, text("it needs ", size_text(problem.devices[at(device)].memory + score.missing_bytes), " and has ",
                  size_text(problem.devices[at(device)].memory))};
}

Plan make_plan(const Problem& problem, const Options& options) { return Planner(problem, options).run(); }

}  // namespace lutra::plan
