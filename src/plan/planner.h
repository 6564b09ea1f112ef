// Plans a graph: tries the policies, improves the best and reports what was found. Depends on core alone; the same
// planner serves recorded programs and graphs from files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/policies.h"

namespace lutra::plan {

enum class Policy { kBest, kGreedy, kEtf };
// "best", "greedy", "m-etf"; nothing for any other name.
std::optional<Policy> policy_named(std::string_view name);

struct Options {
  Policy policy = Policy::kBest;
  double budget_ms = -1;  // for local search (kBest); 0: none; below 0: 20, or 10 and 1 more per 1000 nodes beyond
                          // 10,000 for graphs of over 1000 nodes
};

// What a device alone would take.
struct Alternative {
  double makespan_us = 0;
  std::string reason;  // why it cannot; "": it can
};

struct Candidate {
  std::string name;  // "greedy", "m-etf", "rank", "runs", "all on A", "local search"
  Score score;
};

struct Plan {
  std::string policy;  // the candidate that won
  Placement placement;
  Simulation simulation;
  std::vector<Candidate> candidates;
  std::vector<Alternative> alone;  // per device
  int64_t search_steps = 0;
  bool search_ran_out_of_time = false;
};

// The same problem gives the same plan; only how far local search gets depends on the time (SearchLimits). Under
// kGreedy and kEtf peak_bytes counts as these policies do: nothing is freed. Fails (ResourceExhausted) if nothing fits,
// and says by how much.
Plan make_plan(const Problem& problem, const Options& options = {});

// What the device alone would take, or why it cannot.
Alternative run_alone(const Problem& problem, Simulator& simulator, int device);

}  // namespace lutra::plan
