// Improves a placement by small changes.
#pragma once

#include <cstdint>

#include "core/clock.h"
#include "plan/simulate.h"

namespace lutra::plan {

struct SearchLimits {
  int64_t deadline_ns = 0;  // on the clock of now_ns
  int64_t most_steps = 0;   // simulations
};

struct SearchOutcome {
  Placement placement;
  Score score;
  int64_t steps = 0;
  bool ran_out_of_time = false;
};

// First moves components off the critical path, one at a time, while that helps. Then simulated annealing on small
// graphs: a component moves to another device, two swap theirs, or a node moves within the order. The result is never
// worse than the start. The steps do not depend on the clock, which decides only how many of them are taken.
SearchOutcome improve(const Problem& problem, Simulator& simulator, const Placement& start, const SearchLimits& limits);

}  // namespace lutra::plan
