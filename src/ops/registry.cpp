// The op table's own functions; the ops themselves are defined family by family.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <utility>

#include "core/error.h"
#include "ops/kernel.h"
#include "ops/op.h"

namespace lutra {
namespace {

std::size_t in_steps_of_16(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

// The dtypes that an op can be computed in, by its entry.
DTypes keys_of(const OpDef& op) {
  for (const InputDef& input : op.inputs) {
    if ((input.flags & kOwnDType) != 0 || op.has(kKeyIsOutput)) continue;
    return op.compute == Compute::Float ? input.dtypes & kInexact : input.dtypes;
  }
  return kEveryDType;
}

// Stands in the table for an op that is composed, so that it is placed as others are. It is never run: the binder runs
// the composition.
void run_composed(const KernelArgs&) { assert(false); }

}  // namespace

std::size_t OpDef::attr_bytes(const void* attrs) const {
  const Ints* list = list_in(const_cast<void*>(attrs));
  std::size_t list_bytes = list != nullptr ? static_cast<std::size_t>(list->count) * sizeof(int64_t) : 0;
  return in_steps_of_16(this->attrs.defaults.size()) + in_steps_of_16(list_bytes);
}

void OpDef::copy_attrs(std::byte* to, const void* attrs) const {
  std::size_t own_bytes = this->attrs.defaults.size();
  if (own_bytes == 0) return;
  std::memcpy(to, attrs, own_bytes);
  Ints* list = list_in(to);
  if (list == nullptr) return;
  std::byte* entries = to + in_steps_of_16(own_bytes);
  if (list->count > 0) std::memcpy(entries, list->v, static_cast<std::size_t>(list->count) * sizeof(int64_t));
  list->v = reinterpret_cast<const int64_t*>(entries);
}

OpRegistry::OpRegistry() : OpRegistry(built_in()) {}

// Never destroyed: other threads may still read it when the process ends.
const OpRegistry::Table& OpRegistry::built_in() {
  static const Table& table = *[] {
    const Table none;
    OpRegistry ops(none);
    define_all_ops(ops);
    return new Table(std::move(ops.own_));
  }();
  return table;
}

const OpDef& OpRegistry::define(OpDef op) {
  assert(op.shape != nullptr && find(op.name) == nullptr);
  op.id = static_cast<uint16_t>(count());
  op.group = group_;
  if (op.fault != nullptr) op.flags |= kChecksValues;
  if (op.compose != nullptr) op.flags |= kComposed;
  op.plain_inputs = !op.inputs.empty() && std::all_of(op.inputs.begin(), op.inputs.end(), [&](const InputDef& input) {
    return (input.flags & kOwnDType) == 0 && input.dtypes == op.inputs[0].dtypes;
  });
  for (const AttrDef& attr : op.attrs.defs) {
    if (attr.type == AttrType::Ints) op.ints_at = attr.offset;
  }
  const OpDef& defined = *own_.ops.emplace_back(std::make_unique<const OpDef>(std::move(op)));
  own_.by_name.emplace(defined.name, &defined);
  return defined;
}

const OpDef* OpRegistry::Table::find(std::string_view name) const {
  auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

const OpDef* OpRegistry::find(std::string_view name) const {
  const OpDef* op = built_in_->find(name);
  return op != nullptr ? op : own_.find(name);
}

const OpDef& OpRegistry::get(std::string_view name) const {
  const OpDef* op = find(name);
  if (op == nullptr) fail(ErrorCode::Internal, "no op is called ", name);
  return *op;
}

KernelRegistry::KernelRegistry(const OpRegistry& ops)
    : ops_(ops), entries_(static_cast<std::size_t>(kDeviceTypes * ops.count() * kDTypeCount)) {
  for (int id = 0; id < ops.count(); ++id) {
    const OpDef& op = ops.at(id);
    if (!op.has(kComposed)) continue;
    // Without inputs, only the entry says of which dtypes its results may be.
    add(op.name, DeviceType::CPU, op.inputs.empty() ? op.gpu : keys_of(op), {.run = run_composed});
    add(op.name, DeviceType::GPU, op.gpu, {.run = run_composed});
  }
}

void KernelRegistry::add(const char* op, DeviceType type, DTypes keys, KernelEntry entry) {
  const OpDef& def = ops_.get(op);
  for (int i = 0; i < kDTypeCount; ++i) {
    DType key = static_cast<DType>(i);
    if (keys.has(key)) entries_[slot(type, def.id, key)] = entry;
  }
}

void KernelRegistry::remove(const char* op, DeviceType type) { add(op, type, kEveryDType, {}); }

DTypes KernelRegistry::dtypes(DeviceType type, const OpDef& op) const {
  DTypes out;
  for (int i = 0; i < kDTypeCount; ++i) {
    DType key = static_cast<DType>(i);
    if (find(type, op, key).run != nullptr) out = out | key;
  }
  return out;
}

Cost cost_of(const KernelArgs& args) {
  if (args.op->cost != nullptr) return args.op->cost(args);
  Cost cost;
  for (int i = 0; i < args.n_in; ++i) cost.bytes += args.in[i].bytes();
  for (int i = 0; i < args.n_out; ++i) {
    cost.bytes += args.out[i].bytes();
    cost.flops += static_cast<double>(args.out[i].size);
  }
  return cost;
}

}  // namespace lutra
