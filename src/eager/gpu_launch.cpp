#include "eager/gpu_launch.h"

#include <utility>

namespace lutra {
namespace {

void make_ready(Context& context, LogicalDevice& device, const DeviceInputs& inputs) {
  for (int i = 0; i < inputs.call.n_in; ++i) {
    if (Storage* storage = inputs.storage(i)) context.runtime().transfer().make_ready(device, *storage);
  }
}

// One reference to a fault set, released when the launch ends.
class HeldSet {
 public:
  explicit HeldSet(FaultSets& faults) : faults_(faults) {}
  ~HeldSet() { faults_.release(set_); }
  HeldSet(const HeldSet&) = delete;
  uint32_t get() const { return set_; }
  void replace(uint32_t set) { faults_.release(std::exchange(set_, set)); }

 private:
  FaultSets& faults_;
  uint32_t set_ = 0;
};

// The launches that the inputs depend on.
void unite_faults(FaultSets& faults, const DeviceInputs& inputs, HeldSet* set) {
  for (int i = 0; i < inputs.call.n_in; ++i) {
    Storage* storage = inputs.storage(i);
    if (storage == nullptr || storage->fault_set == 0) continue;
    set->replace(faults.unite(set->get(), storage->fault_set));
  }
}

}  // namespace

Storage* DeviceInputs::storage(int i) const {
  if (!fetched.empty() && fetched[static_cast<std::size_t>(i)] != nullptr) return fetched[static_cast<std::size_t>(i)];
  const TensorRep* tensor = call.in[i].tensor;
  return tensor != nullptr && tensor->device == device.id ? tensor->storage : nullptr;
}

void launch(Context& context, LogicalDevice& device, const DeviceInputs& inputs, const KernelEntry& kernel,
            TensorRep* const* outs, KernelArgs* args) {
  make_ready(context, device, inputs);
  const OpDef& op = *args->op;
  FaultSets& faults = context.runtime().faults();
  HeldSet set(faults);
  unite_faults(faults, inputs, &set);
  bool injected = ++device.launches == device.fail_at;
  LaunchRecord* record = nullptr;
  if ((op.flags & kChecksValues) != 0 || injected) {
    uint32_t with_it;
    record = faults.open(set.get(), &with_it);
    set.replace(with_it);
    record->op = &op;
    record->device = device.full_name;
    record->line = context.line();
    args->fault = &record->fault;
  }
  Ticket ticket = device.backend->submit(*device.compute, kernel, *args);
  // Not before: a command that cannot be queued leaves a variable that it would write over as it was.
  for (int i = 0; i < args->n_out; ++i) {
    faults.retain(set.get());
    uint32_t before = std::exchange(outs[i]->storage->fault_set, set.get());
    if (before != 0) faults.release(before);  // of a variable that is written over
  }
  if (record != nullptr) record->ticket = ticket;
  // The command fails, whatever it computed; nobody looks before it is done.
  if (injected) record->fault.raise(FaultCode::Injected);
}

void launch_cast(Context& context, LogicalDevice& device, const DeviceInputs& inputs, const KernelEntry& kernel,
                 const KernelArgs& args) {
  make_ready(context, device, inputs);
  device.backend->submit(*device.compute, kernel, args);
}

}  // namespace lutra
