// Plans of generated graphs against a reference that tries all schedules, and against a checker of schedules.
#include "core/error.h"
#include "tests/support/catch.h"
#include "tests/unit/plan/graphs.h"

using namespace lutra;
using namespace lutra::plan;
using namespace lutra::plan::test;

TEST_CASE("plans of small graphs are at most 3% longer than the best schedule of all", "[plan]") {
  int compared = 0;
  for (uint32_t seed = 0; seed < 240; ++seed) {
    INFO("seed " << seed);
    Generator generator(seed);
    Generated kind;
    kind.tight_memory = seed % 3 == 2;
    Problem problem = compile(generator.spec(kind));
    Plan plan;
    try {
      plan = make_plan(problem, {Policy::kBest, 10000});
    } catch (const Error& error) {
      REQUIRE(error.code() == ErrorCode::ResourceExhausted);
      CHECK(BruteForce(problem).best() == kUnlimited);  // it does not fit at all
      continue;
    }
    REQUIRE(fault_of(problem, plan.simulation) == "");
    BruteForce reference(problem, plan.simulation.makespan_us + 1e-9);
    CHECK(plan.simulation.makespan_us <= reference.best() * 1.03 + 1e-9);
    ++compared;
  }
  CHECK(compared > 150);
}

TEST_CASE("schedules of all policies are valid", "[plan]") {
  int checked = 0;
  for (uint32_t seed = 1000; seed < 1150; ++seed) {
    INFO("seed " << seed);
    Generator generator(seed);
    Generated kind;
    kind.most_nodes = 60;
    kind.most_devices = 6;
    kind.tight_memory = seed % 2 == 1;
    Problem problem = compile(generator.spec(kind));
    for (Policy policy : {Policy::kBest, Policy::kGreedy, Policy::kEtf}) {
      try {
        Plan plan = make_plan(problem, {policy, 2});
        CHECK(fault_of(problem, plan.simulation, policy == Policy::kBest) == "");
        // What a policy that frees nothing counts is never too little.
        std::vector<double> peaks =
            peaks_of(problem, plan.simulation.device, plan.simulation.start, plan.simulation.finish);
        for (std::size_t d = 0; d < peaks.size(); ++d) CHECK(peaks[d] <= plan.simulation.peak_bytes[d] + 1e-6);
        ++checked;
        if (policy != Policy::kBest) continue;
        for (const Alternative& alone : plan.alone) {
          if (alone.reason.empty()) CHECK(plan.simulation.makespan_us <= alone.makespan_us + 1e-9);
        }
        for (const Candidate& candidate : plan.candidates) {
          if (candidate.score.fits()) CHECK(plan.simulation.makespan_us <= candidate.score.makespan_us + 1e-9);
        }
      } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::ResourceExhausted);
      }
    }
  }
  CHECK(checked > 250);
}

TEST_CASE("the same graph gives the same plan", "[plan]") {
  for (uint32_t seed = 2000; seed < 2010; ++seed) {
    Generator generator(seed);
    Generated kind;
    kind.most_nodes = 40;
    Problem problem = compile(generator.spec(kind));
    Plan first = make_plan(problem, {Policy::kBest, 60000}), second = make_plan(problem, {Policy::kBest, 60000});
    CHECK(first.simulation.device == second.simulation.device);
    CHECK(first.simulation.start == second.simulation.start);
    CHECK(first.search_steps == second.search_steps);
  }
}

// By the definition: of all pairs of a ready node and a device with room, the one that can start first.
static double etf_by_definition(const Problem& p) {
  std::vector<int> device(p.names.size(), -1), fixed(at(p.component_count()), -1);
  std::vector<double> finish(p.names.size()), free(at(p.device_count()));
  double longest = 0;
  for (int step = 0; step < p.node_count(); ++step) {
    std::tuple<double, double, int, int, int> best{kUnlimited, 0, 0, 0, -1};
    for (int v = 0; v < p.node_count(); ++v) {
      if (device[at(v)] >= 0) continue;
      bool ready = true;
      for (int u : p.inputs.of(v)) ready = ready && device[at(u)] >= 0;
      if (!ready) continue;
      for (int d : p.feasible(p.component[at(v)])) {
        const int only = fixed[at(p.component[at(v)])];
        if (only >= 0 && only != d) continue;
        double start = free[at(d)];
        for (int u : p.inputs.of(v)) {
          start = std::max(start, finish[at(u)] + (device[at(u)] == d ? 0 : p.copy_us(u, device[at(u)], d)));
        }
        best = std::min(best, {start, start + p.time(v, d), -p.priority[at(d)], d, v});
      }
    }
    auto [start, end, priority, d, v] = best;
    device[at(v)] = fixed[at(p.component[at(v)])] = d;
    finish[at(v)] = free[at(d)] = end;
    longest = std::max(longest, end);
  }
  return longest;
}

TEST_CASE("the queues of m-ETF give what its definition gives", "[plan]") {
  for (uint32_t seed = 3000; seed < 3100; ++seed) {
    INFO("seed " << seed);
    Generator generator(seed);
    Generated kind;
    kind.most_nodes = 30;
    kind.most_devices = 5;
    Problem problem = compile(generator.spec(kind));
    Construction built = place_by_etf(problem, EtfRule::kStart);
    double longest = 0;
    for (double finish : built.finish) longest = std::max(longest, finish);
    CHECK(longest == Approx(etf_by_definition(problem)));
  }
}
