#include "eager/gpu_launch.h"

#include <utility>

namespace lutra {
namespace {

void make_ready(Context& context, LogicalDevice& device, const DeviceInputs& inputs) {
  for (int i = 0; i < inputs.call.n_in; ++i) {
    if (Storage* storage = inputs.storage(i)) context.runtime().transfer().make_ready(device, *storage);
  }
}

// The launches that the inputs depend on.
uint32_t united_faults(FaultSets& faults, const DeviceInputs& inputs) {
  uint32_t set = 0;
  for (int i = 0; i < inputs.call.n_in; ++i) {
    Storage* storage = inputs.storage(i);
    if (storage == nullptr || storage->fault_set == 0) continue;
    uint32_t united = faults.unite(set, storage->fault_set);
    faults.release(set);
    set = united;
  }
  return set;
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
  uint32_t set = united_faults(faults, inputs);
  bool injected = ++device.launches == device.fail_at;
  LaunchRecord* record = nullptr;
  if ((op.flags & kChecksValues) != 0 || injected) {
    uint32_t with_it;
    record = faults.open(set, &with_it);
    faults.release(set);
    set = with_it;
    record->op = &op;
    record->device = device.full_name;
    record->line = context.line();
    args->fault = &record->fault;
  }
  for (int i = 0; i < args->n_out; ++i) {
    uint32_t before = std::exchange(outs[i]->storage->fault_set, set);
    if (before != 0) faults.release(before);  // of a variable that is written over
    if (i > 0) faults.retain(set);
  }
  Ticket ticket = device.backend->submit(*device.compute, kernel, *args);
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
