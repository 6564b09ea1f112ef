// How many bytes Lua's tensors may grow between two young collections. A tensor that survives two of them becomes old,
// and only a full collection frees it; so the budget must not be too small. But with a smaller budget, more results
// reuse memory that is still in a core's caches. See docs/decisions/collector-budget.md.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lutra {

class StepBudget {
 public:
  // With this budget, small results reuse memory that is still in a core's second-level cache.
  static constexpr int64_t kLeast = int64_t{1} << 18;

  // The result of a collection, in bytes.
  struct Step {
    int64_t grown;  // since the previous collection
    int64_t freed;
    int64_t kept;  // in use now
    // From the oldest tensor freed now to the previous collection; 0 if all freed ones are newer. After a full
    // collection: to the previous full one.
    int64_t reach;
  };

  int64_t bytes() const { return bytes_; }
  // Adapts the budget after a young collection, to `most` at most.
  void after(const Step& step, int64_t most);
  // The same after a full collection. That frees old tensors, too, so that only the test for calm steps applies.
  void after_full(const Step& step, int64_t most);

 private:
  int64_t bytes_ = kLeast;
  // Since the budget changed last:
  int64_t least_kept_ = 0;
  bool has_shrunk_ = false;  // whether that change made it smaller
  int bad_steps_ = 0;
  int good_steps_ = 0;
  int64_t calm_bytes_ = 0, calm_reach_ = 0;  // of calm steps: the sum of `grown`, the maximum of `reach`

  static constexpr int kFewGoodSteps = 16;
  static constexpr int64_t kFewCalmSteps = 64;
  int good_steps_wanted_ = kFewGoodSteps;  // before it shrinks
  // The same for calm steps: their sum of `grown` must reach so many times the smaller budget.
  int64_t calm_steps_wanted_ = kFewCalmSteps;
  int64_t calm_from_ = INT64_MAX;  // the budget before calm steps last made it smaller
  int steps_since_calm_ = 0;       // steps since then

  // Whether the program has released most of what it held. Then another phase has begun, and what was learned about
  // calm steps in the earlier one no longer holds.
  bool has_let_go(const Step& step) const {
    return step.kept < least_kept_ / 2 && least_kept_ - step.kept > bytes_ / 2;
  }
  // What each kind of step begins with.
  void note(const Step& step);
  void change(int64_t bytes, const Step& step, int64_t most);
  void grow(const Step& step, int64_t most);
  // Whether the step freed so much that a smaller budget may be enough.
  bool may_shrink(const Step& step) const { return step.freed >= step.grown - step.grown / 8 && bytes_ > kLeast; }
  void try_less(const Step& step, int64_t most);
  bool try_calm_budget(const Step& step, int64_t most);
  int64_t calm_budget(const Step& step);
};

}  // namespace lutra
