#include "eager/steps.h"

#include <algorithm>

#include "core/parallel.h"
#include "ops/optimisers.h"

namespace lutra {
namespace {

// The kernel's view of a number of steps, which grows until there is room for no more.
class Batch {
 public:
  Batch(Context& context, const Call& call, int slots, const TensorRep* scale)
      : context_(context), call_(call), slots_(slots), scale_(scale) {}

  // Whether the step can be made together with those that are there.
  bool fits(const VariableStep& step) const {
    const TensorRep& variable = *step.changed[0];
    if (count_ == 0) return true;
    return count_ < kMostSteps && variable.device == first_->device && variable.dtype == first_->dtype;
  }

  void add(VariableStep& step) {
    const TensorRep& variable = *step.changed[0];
    if (count_ == 0) first_ = &variable;
    Array* in = in_ + count_ * (2 + slots_);
    in[0] = array_of(variable);
    in[1] = array_of(*step.gradient);
    for (int k = 1; k <= slots_; ++k) in[k + 1] = array_of(*step.changed[k]);
    steps_[count_++] = &step;
  }

  void run() {
    if (count_ == 0) return;
    LogicalDevice& device = context_.runtime().device(first_->device);
    const KernelEntry& kernel = context_.runtime().kernels().find(device.type, *call_.op, first_->dtype);
    for (int i = 0; i < count_; ++i) make_ready(device, *steps_[i]);
    int n_in = count_ * (2 + slots_);
    Array out[kMostSteps * kMaxOutputs];
    for (int i = 0; i < count_; ++i) {
      const Array* in = in_ + i * (2 + slots_);
      out[i * (1 + slots_)] = in[0];
      std::copy_n(in + 2, slots_, out + i * (1 + slots_) + 1);
    }
    if (scale_ != nullptr) {
      wait_for(device, *scale_);
      in_[n_in++] = array_of(*scale_);
    }
    KernelArgs args{call_.op, call_.attrs, in_, out, nullptr, nullptr, nullptr, n_in, count_ * (1 + slots_)};
    if (device.is_host()) {
      kernel.run(args);
    } else {
      ++device.launches;
      device.backend->submit(*device.compute, kernel, args);
    }
    finish(device);
  }

 private:
  static Array array_of(const TensorRep& tensor) {
    return {const_cast<std::byte*>(tensor.address()), tensor.dims, tensor.size, tensor.dtype, tensor.rank, false};
  }

  void wait_for(LogicalDevice& device, const TensorRep& input) {
    if (device.is_host() || input.storage == nullptr) return;
    context_.runtime().transfer().make_ready(device, *input.storage);
  }

  void make_ready(LogicalDevice& device, VariableStep& step) {
    Transfer& transfer = context_.runtime().transfer();
    wait_for(device, *step.gradient);
    for (int k = 0; k <= slots_; ++k) {
      if (Storage* storage = step.changed[k]->storage) transfer.before_overwrite(device, *storage);
    }
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
  int count_ = 0;
  VariableStep* steps_[kMostSteps];
  Array in_[kMostSteps * (kMaxOutputs + 1) + 1];
};

bool may_be_written(const TensorRep& tensor, const TensorRep& variable) {
  const Storage* storage = tensor.storage;
  if (tensor.dtype != variable.dtype || tensor.device != variable.device || tensor.size != variable.size) return false;
  return storage == nullptr || (storage->refs.load(std::memory_order_acquire) == 1 && tensor.data == storage->data &&
                                storage->fault_set == 0);
}

// Whether an input of the step lies beside the variable, and is sure to hold no mistake.
bool may_be_read(const TensorRep& tensor, const TensorRep& variable) {
  return tensor.dtype == variable.dtype && tensor.device == variable.device &&
         (tensor.storage == nullptr || tensor.storage->fault_set == 0);
}

bool can_step(Context& context, const Call& call, const VariableStep& step, int slots, const TensorRep* scale) {
  const TensorRep &variable = *step.changed[0], &gradient = *step.gradient;
  const LogicalDevice& device = context.runtime().device(variable.device);
  if (!device.is_host() && (device.heap == nullptr || device.fail_at != 0)) return false;
  if (context.runtime().kernels().find(device.type, *call.op, variable.dtype).run == nullptr) return false;
  if (gradient.size != variable.size || !may_be_read(gradient, variable)) return false;
  if (scale != nullptr && !may_be_read(*scale, variable)) return false;
  for (int k = 0; k <= slots; ++k) {
    if (!may_be_written(*step.changed[k], variable)) return false;
  }
  return true;
}

}  // namespace

void step_in_place(Context& context, const Call& call, std::span<VariableStep> steps, int slots,
                   const TensorRep* scale) {
  if (context.placement_log().listens()) return;
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
