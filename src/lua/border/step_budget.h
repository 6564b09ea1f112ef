// By how much the bytes of Lua's tensors grow from one collection of what is young to the next. What lives through two
// of them counts as old, and only a full collection frees it; but the less there is between two, the more results are
// made from memory that is still in a core's caches. See docs/decisions/collector-budget.md.
#pragma once

#include <algorithm>
#include <cstdint>

namespace lutra {

class StepBudget {
 public:
  // A few results of this size or less are made from memory that is still in a core's second cache.
  static constexpr int64_t kLeast = int64_t{1} << 18;

  // What a collection found, in bytes.
  struct Step {
    int64_t grown;  // since the one before
    int64_t freed;
    int64_t kept;   // what there is now
    int64_t reach;  // made before the collection before, and after the oldest of what it left and this one freed
  };

  int64_t bytes() const { return bytes_; }
  // Changes it, to `most` at most.
  void after(const Step& step, int64_t most);
  // The same after a full collection. It frees what grew old too, so only calm steps of it say something.
  void after_full(const Step& step, int64_t most);

 private:
  int64_t bytes_ = kLeast;
  // Since it changed last:
  int64_t least_kept_ = 0;
  bool has_shrunk_ = false;  // when it did
  int bad_steps_ = 0;
  int good_steps_ = 0;
  int64_t calm_bytes_ = 0, calm_reach_ = 0;  // of calm steps: what had grown in all, and the most

  static constexpr int kFewGoodSteps = 16;
  static constexpr int64_t kFewCalmSteps = 64;
  int good_steps_wanted_ = kFewGoodSteps;  // before it shrinks
  // The same of calm steps: so many times the smaller budget must have grown in them.
  int64_t calm_steps_wanted_ = kFewCalmSteps;
  int64_t calm_from_ = INT64_MAX;  // the budget before they shrank it last
  int steps_since_calm_ = 0;       // since then

  void change(int64_t bytes, const Step& step, int64_t most);
  void grow(const Step& step, int64_t most);
  // Whether the step freed so much that a smaller budget may do.
  bool may_shrink(const Step& step) const { return step.freed >= step.grown - step.grown / 8 && bytes_ > kLeast; }
  void try_less(const Step& step, int64_t most);
  bool try_calm_budget(const Step& step, int64_t most);
  int64_t calm_budget(const Step& step);
};

}  // namespace lutra
