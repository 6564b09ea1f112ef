#include "lua/border/step_budget.h"

namespace lutra {
namespace {

// A bad step adds two to bad_steps_, a good one subtracts one.
constexpr int kManyBadSteps = 4;
constexpr int kManyGoodSteps = 1024;
constexpr int64_t kManyCalmSteps = 1024;
// If calm steps made the budget too small, it shows within so many steps.
constexpr int kTrialSteps = 16;

}  // namespace

void StepBudget::after(const Step& step, int64_t most) {
  note(step);
  least_kept_ = std::min(least_kept_, step.kept);
  bool is_too_small;
  if (step.freed >= step.grown / 2) {
    // Much was freed, and still what is left grows: some garbage has become old.
    is_too_small = step.kept - least_kept_ > bytes_;
    bad_steps_ = std::max(0, bad_steps_ - 1);
  } else {
    // New tensors may be permanent: inputs, or the first results of a loop.
    least_kept_ = step.kept;
    is_too_small = (bad_steps_ += 2) >= kManyBadSteps;
  }
  if (is_too_small) grow(step, most);
  else if (may_shrink(step)) try_less(step, most);
}

void StepBudget::note(const Step& step) {
  ++steps_since_calm_;
  if (has_let_go(step)) calm_steps_wanted_ = kFewCalmSteps;
}

void StepBudget::after_full(const Step& step, int64_t most) {
  note(step);
  least_kept_ = step.kept;
  if (may_shrink(step)) try_calm_budget(step, most);
}

void StepBudget::change(int64_t bytes, const Step& step, int64_t most) {
  has_shrunk_ = bytes < bytes_;
  bytes_ = std::clamp(bytes, kLeast, most);
  least_kept_ = step.kept;
  bad_steps_ = good_steps_ = 0;
  calm_bytes_ = calm_reach_ = 0;
}

// If a smaller budget turned out to be too small, more steps are needed before it shrinks again.
void StepBudget::grow(const Step& step, int64_t most) {
  if (has_shrunk_) good_steps_wanted_ = std::min(4 * good_steps_wanted_, kManyGoodSteps);
  change(2 * bytes_, step, most);
  if (steps_since_calm_ > kTrialSteps) calm_steps_wanted_ = kFewCalmSteps;  // another phase
  else if (bytes_ > calm_from_ / 2) calm_steps_wanted_ = std::min(4 * calm_steps_wanted_, kManyCalmSteps);
}

void StepBudget::try_less(const Step& step, int64_t most) {
  if (try_calm_budget(step, most) || ++good_steps_ < good_steps_wanted_) return;
  good_steps_wanted_ = std::max(good_steps_wanted_ / 2, kFewGoodSteps);
  change(bytes_ / 2, step, most);
}

bool StepBudget::try_calm_budget(const Step& step, int64_t most) {
  int64_t bytes = calm_budget(step);
  if (bytes >= bytes_) return false;
  calm_from_ = bytes_;
  steps_since_calm_ = 0;
  change(bytes, step, most);
  return true;
}

// The smallest budget that would have freed all garbage in the calm steps so far, if there were enough of them. A step
// is calm if its reach is at most half the budget: all tensors that were in use at the previous collection and are
// garbage now had been made shortly before it. With a budget of twice the reach they would not have survived two
// collections. Calm steps mean that the program phase that needed the larger budget is over.
int64_t StepBudget::calm_budget(const Step& step) {
  if (step.reach > bytes_ / 2) {
    calm_bytes_ = calm_reach_ = 0;
    return bytes_;
  }
  calm_bytes_ += step.grown;
  calm_reach_ = std::max(calm_reach_, step.reach);
  int64_t bytes = std::max(kLeast, std::min(2 * calm_reach_, bytes_ / 2));
  return calm_bytes_ >= calm_steps_wanted_ * bytes ? bytes : bytes_;
}

}  // namespace lutra
