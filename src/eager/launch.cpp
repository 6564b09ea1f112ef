#include "eager/launch.h"

#include <utility>

#include "core/clock.h"
#include "ops/elementwise.h"

namespace lutra {
namespace {

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

Ticket queue(Context& context, Launch& launch) {
  LogicalDevice& device = *launch.device;
  FaultSets& faults = context.runtime().faults();
  HeldSet set(faults);  // the launches that the results depend on
  for (int i = 0; i < launch.args.n_in; ++i) {
    Storage* storage = launch.reads[i];
    if (storage == nullptr) continue;
    context.runtime().transfer().make_ready(device, *storage);
    if (storage->fault_set != 0) set.replace(faults.unite(set.get(), storage->fault_set));
  }
  if (launch.writes == nullptr) {
    return device.backend->submit(*device.compute, *launch.kernel, launch.args);
  }
  const bool is_injected = ++device.launches == device.fail_at;
  LaunchRecord* record = nullptr;
  const DType dtype = launch.args.n_in > 0 ? launch.args.in[0].dtype : launch.args.out[0].dtype;
  if (may_find_fault(*launch.args.op, dtype) || is_injected) {
    uint32_t with_it;
    record = faults.open(set.get(), &with_it);
    set.replace(with_it);
    record->op = launch.args.op;
    record->device = device.full_name;
    record->line = context.line();
    launch.args.fault = &record->fault;
  }
  Ticket ticket = device.backend->submit(*device.compute, *launch.kernel, launch.args);
  // Only now: if the command cannot be queued, the variable that it would overwrite stays as it was.
  for (int i = 0; i < launch.args.n_out; ++i) {
    faults.retain(set.get());
    uint32_t before = std::exchange(launch.writes[i]->fault_set, set.get());
    if (before != 0) faults.release(before);  // of a variable that is overwritten
  }
  if (record != nullptr) record->ticket = ticket;
  // The command fails, whatever it computes; nothing reads the record before the command is done.
  if (is_injected) record->fault.raise(FaultCode::Injected);
  return ticket;
}

[[gnu::noinline]] void submit_observed(Context& context, Launch& launch) {
  context.tell_observers([&](Observer& each) { each.launches(launch); });
  const int64_t begin_ns = now_ns();
  Ticket ticket;
  if (launch.device->is_host()) run_on_host(context, launch);
  else ticket = queue(context, launch);
  const Launched launched{launch, ticket, begin_ns, now_ns()};
  context.tell_observers([&](Observer& each) { each.launched(launched); });
}

}  // namespace

void submit(Context& context, Launch& launch, int64_t* out_count) {
  launch.args.out_count = out_count;
  if (context.is_observed()) [[unlikely]]
    return submit_observed(context, launch);
  if (launch.device->is_host()) run_on_host(context, launch);
  else static_cast<void>(queue(context, launch));
}

}  // namespace lutra
