#include "eager/steps.h"

#include <algorithm>

#include "core/parallel.h"
#include "eager/call_arrays.h"
#include "eager/launch.h"
#include "ops/optimisers.h"

namespace lutra {
namespace {

// Collects steps for one Launch.
class Batch {
 public:
  Batch(Context& context, const Call& call, int slots, const TensorRep* scale)
      : context_(context), call_(call), slots_(slots), scale_(scale) {}

  // Whether the step can join the batch. All results of a launch depend on the same launches that may have failed, so
  // steps with other fault sets do not join. A recording must not depend on which failures are known by now.
  bool fits(const VariableStep& step) const {
    const TensorRep& variable = *step.changed[0];
    if (count_ == 0) return true;
    return count_ < kMostSteps && variable.device == first_->device && variable.dtype == first_->dtype &&
           (context_.is_observed() || have_equal_faults(step, *steps_[0]));
  }

  void add(VariableStep& step) {
    if (count_ == 0) {
      first_ = step.changed[0];
      n_in_ = n_out_ = 0;
    }
    read(*step.changed[0]);
    read(*step.gradient);
    for (int k = 1; k <= slots_; ++k) read(*step.changed[k]);
    for (int k = 0; k <= slots_; ++k) write(*step.changed[k]);
    steps_[count_++] = &step;
  }

  void run() {
    if (count_ == 0) return;
    LogicalDevice& device = context_.runtime().device(first_->device);
    for (int i = 0; i < n_out_; ++i) {
      if (writes_[i] != nullptr) context_.runtime().transfer().before_overwrite(device, *writes_[i]);
    }
    if (scale_ != nullptr) read(*scale_);
    const KernelEntry& kernel = context_.runtime().kernels().find(device.type, *call_.op, first_->dtype);
    Launch launch{&kernel,
                  &device,
                  {call_.op, call_.attrs, in_, out_, nullptr, nullptr, nullptr, n_in_, n_out_},
                  reads_,
                  writes_};
    if (context_.is_observed()) [[unlikely]]
      submit_as_op(launch);
    else submit(context_, launch);
    finish(device);
  }

 private:
  void submit_as_op(Launch& launch) {
    Prepared prepared{};
    prepared.op = call_.op;
    prepared.kernel = launch.kernel;
    prepared.device = launch.device;
    prepared.epoch = context_.runtime().epoch;
    prepared.spec = context_.scopes->spec();
    prepared.key = first_->dtype;
    prepared.reason = Reason::Variable;
    prepared.shared_from = -1;
    auto tell_end = [&](bool ok) {
      context_.tell_observers([&](Observer& each) { each.op_ends(call_, prepared, nullptr, ok); });
    };
    context_.tell_observers([&](Observer& each) { each.op_begins(call_, prepared); });
    try {
      submit(context_, launch);
    } catch (...) {
      tell_end(false);
      throw;
    }
    tell_end(true);
  }

  bool have_equal_faults(const VariableStep& a, const VariableStep& b) const {
    auto are_equal = [](const TensorRep& x, const TensorRep& y) {
      return (x.storage != nullptr ? x.storage->fault_set : 0) == (y.storage != nullptr ? y.storage->fault_set : 0);
    };
    bool equal = are_equal(*a.gradient, *b.gradient);
    for (int k = 0; k <= slots_; ++k) equal = equal && are_equal(*a.changed[k], *b.changed[k]);
    return equal;
  }

  void read(const TensorRep& tensor) {
    reads_[n_in_] = tensor.storage;
    in_[n_in_++] = array_of(tensor);
  }
  void write(const TensorRep& tensor) {
    writes_[n_out_] = tensor.storage;
    out_[n_out_++] = array_of(tensor);
  }

  void finish(LogicalDevice& device) {
    ++context_.runtime().epoch;
    Origins& origins = context_.origins();
    uint32_t number = origins.record(call_.op->logged(call_), context_.scopes->spec(), device, Reason::Variable);
    for (int i = 0; i < count_; ++i) {
      steps_[i]->done = true;
      for (int k = 0; k <= slots_; ++k) {
        TensorRep& changed = *steps_[i]->changed[k];
        changed.origin = number;
        if (changed.storage != nullptr && changed.storage->bytes >= kBigBytes) {
          origins.record_big(changed.storage, changed, {0, context_.line(), {}});
        }
      }
    }
    count_ = 0;
  }

  Context& context_;
  const Call& call_;
  const int slots_;
  const TensorRep* const scale_;
  const TensorRep* first_ = nullptr;
  int count_ = 0, n_in_ = 0, n_out_ = 0;
  VariableStep* steps_[kMostSteps];
  Array in_[kMostSteps * (kMaxOutputs + 1) + 1], out_[kMostSteps * kMaxOutputs];
  Storage *reads_[kMostSteps * (kMaxOutputs + 1) + 1], *writes_[kMostSteps * kMaxOutputs];
};

bool may_be_written(Runtime& runtime, const TensorRep& tensor, const TensorRep& variable) {
  const Storage* storage = tensor.storage;
  if (tensor.dtype != variable.dtype || tensor.device != variable.device || tensor.size != variable.size) return false;
  return storage == nullptr || (storage->refs.load(std::memory_order_acquire) == 1 && tensor.data == storage->data &&
                                !runtime.lent_memory().owns(*storage));
}

// Whether an input of the step is on the variable's device in its dtype.
bool may_be_read(const TensorRep& tensor, const TensorRep& variable) {
  return tensor.dtype == variable.dtype && tensor.device == variable.device;
}

bool can_step(Context& context, const Call& call, const VariableStep& step, int slots, const TensorRep* scale) {
  const TensorRep &variable = *step.changed[0], &gradient = *step.gradient;
  const LogicalDevice& device = context.runtime().device(variable.device);
  if (!device.is_host() && (device.heap == nullptr || device.fail_at != 0)) return false;
  if (context.runtime().kernels().find(device.type, *call.op, variable.dtype).run == nullptr) return false;
  if (gradient.size != variable.size || !may_be_read(gradient, variable)) return false;
  if (scale != nullptr && !may_be_read(*scale, variable)) return false;
  for (int k = 0; k <= slots; ++k) {
    if (!may_be_written(context.runtime(), *step.changed[k], variable)) return false;
  }
  return true;
}

}  // namespace

void step_in_place(Context& context, const Call& call, std::span<VariableStep> steps, int slots,
                   const TensorRep* scale) {
  if (context.placement_log().listens() || context.is_checked()) return;
  for (const VariableStep& step : steps) {
    if (is_variable(*step.gradient)) return;
  }
  set_max_threads(context.runtime().threads());
  Batch batch(context, call, slots, scale);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!can_step(context, call, steps[i], slots, scale)) continue;
    auto is_same = [&](const VariableStep& before) { return before.changed[0] == steps[i].changed[0]; };
    if (std::any_of(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(i), is_same)) continue;
    if (!batch.fits(steps[i])) batch.run();
    batch.add(steps[i]);
  }
  batch.run();
}

}  // namespace lutra
