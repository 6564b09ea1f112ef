// Where an op runs, and why: the rules of docs/placement.md.
#pragma once

#include "eager/context.h"
#include "eager/placement.h"
#include "ops/kernel.h"

namespace lutra {

namespace detail {
// For every case but the most common one.
Placement place_slow(Context& context, const OpDef& op, DType key, const Call* call, const ForcedPlace* forced);
}  // namespace detail

// Where `op`, computed in `key`, runs, and its kernel: on the scope's first device that has one, else on the CPU.
// `forced` (or null) overrules the scopes. `call`: a device that cannot cast its inputs is passed over; null: no casts.
inline Placement place(Context& context, const OpDef& op, DType key, const Call* call = nullptr,
                       const ForcedPlace* forced = nullptr) {
  if (forced == nullptr) [[likely]] {
    const Context::Target& target = context.target(context.scopes->spec());
    LogicalDevice* first = target.devices.front();
    const KernelEntry& kernel = context.runtime().kernels().find(first->type, op, key);
    if (kernel.run != nullptr && first->is_host()) [[likely]]
      return {first, target.reason, &kernel};
  }
  return detail::place_slow(context, op, key, call, forced);
}

// The device of a result that shares the memory of a tensor on `input`. No kernel runs.
Placement place_view(Context& context, LogicalDevice& input, const ForcedPlace* forced = nullptr);

}  // namespace lutra
