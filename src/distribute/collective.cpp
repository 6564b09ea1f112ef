#include "distribute/collective.h"

#include <set>

#include "eager/executor.h"

namespace lutra {
namespace {

// Whether the devices are different cards of one kind. Replicas on the same card share its memory.
bool are_own_cards(std::span<LogicalDevice* const> devices) {
  std::set<const Device*> cards;
  for (const LogicalDevice* device : devices) {
    if (device->is_host() || device->backend != devices[0]->backend) return false;
    cards.insert(device->physical);
  }
  return cards.size() == devices.size() && devices.size() > 1;
}

// Whether every replica has a part, in memory of its own card.
bool are_there(std::span<const std::optional<Tensor>* const> parts, std::span<LogicalDevice* const> devices) {
  for (std::size_t r = 0; r < parts.size(); ++r) {
    if (!parts[r]->has_value() || (*parts[r])->rep().device != devices[r]->id || (*parts[r])->rep().size == 0) {
      return false;
    }
  }
  return true;
}

// A copy of the part, which the sum overwrites.
Tensor copy_of(Context& context, const Tensor& part, LogicalDevice& device, Reduction how, std::size_t replicas) {
  const char* op = how == Reduction::Mean ? "RealDiv" : "Mul";
  double by = how == Reduction::Mean ? static_cast<double>(replicas) : 1.0;
  const Operand operands[] = {{&part.rep(), Scalar::of(false)}, {nullptr, Scalar::of(by)}};
  Call call(context.runtime().ops().get(op), operands, 2);
  ForcedPlace place{&device, Reason::Replicas};
  return run_op(context, call, &place);
}

// Each result depends on what any of the parts depends on.
void unite_faults(FaultSets& faults, std::span<const Tensor> sums) {
  uint32_t all = 0;
  for (const Tensor& sum : sums) {
    uint32_t united = faults.unite(all, sum.rep().storage->fault_set);
    faults.release(all);
    all = united;
  }
  for (const Tensor& sum : sums) {
    faults.retain(all);
    faults.release(sum.rep().storage->fault_set);
    sum.rep().storage->fault_set = all;
  }
  faults.release(all);
}

}  // namespace

std::optional<std::vector<Tensor>> sum_by_backend(Context& context, std::span<const std::optional<Tensor>* const> parts,
                                                  std::span<LogicalDevice* const> devices, Reduction how) {
  // Tapes see ordinary ops.
  if (context.ledger().is_recording() || !are_own_cards(devices) || !are_there(parts, devices)) return std::nullopt;
  const DType dtype = (*parts[0])->rep().dtype;
  const Backend& backend = *devices[0]->backend;
  std::vector<Stream*> streams;
  for (LogicalDevice* device : devices) streams.push_back(device->compute.get());
  if (!backend.can_sum_over(streams, dtype)) return std::nullopt;
  std::vector<Tensor> sums;
  std::vector<std::byte*> data;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    sums.push_back(copy_of(context, **parts[r], *devices[r], how, devices.size()));
    data.push_back(sums.back().rep().data);
  }
  unite_faults(context.runtime().faults(), sums);
  backend.sum_over(streams, data, sums[0].rep().size, dtype);
  return sums;
}

}  // namespace lutra
