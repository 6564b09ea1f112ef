#include "eager/placer.h"

#include "eager/placement_policy.h"

namespace lutra {
namespace {

[[noreturn]] void fail_without_kernel(Context& context, const OpDef& op, DType key) {
  const KernelRegistry& kernels = context.runtime().kernels();
  DTypes known = kernels.dtypes(DeviceType::CPU, op);
  fail(ErrorCode::InvalidArgument, op.called(), ": no kernel for ", key, "; there is one for ", text_of(known),
       ": cast first");
}

// The CPU, since no device that was asked for has a kernel. `asked`: the name of the scope or device.
Placement fall_back(Context& context, const OpDef& op, DType key, const std::string& asked) {
  LogicalDevice& cpu = context.runtime().cpu();
  const KernelEntry& kernel = context.runtime().kernels().find(DeviceType::CPU, op, key);
  if (kernel.run == nullptr) fail_without_kernel(context, op, key);
  KernelFallback fallback = context.runtime().kernel_fallback;
  if (fallback != KernelFallback::Allow) {
    std::string sentence =
        text(op.name, " has no GPU kernel for ", key, "; asked for ", asked, ", it runs on ", cpu.full_name);
    if (fallback == KernelFallback::Error) {
      throw Error(ErrorCode::InvalidArgument, text(op.called(), ": ", op.name, " has no GPU kernel for ", key,
                                                   " and the kernel fallback is \"error\"; run it in a CPU scope, or "
                                                   "lutra.debugging.set_kernel_fallback(\"allow\")"))
          .with("requested", asked);
    }
    context.runtime().log().line("WARNING: " + sentence);
  }
  return {&cpu, Reason::NoKernel, &kernel};
}

bool needs_casts(const Call& call, DType key) {
  for (int i = 0; i < call.n_in; ++i) {
    const TensorRep* tensor = call.in[i].tensor;
    if (tensor != nullptr && tensor->dtype != key && (call.op->input(i).flags & kOwnDType) == 0) return true;
  }
  return false;
}

// Null: the device has no kernel for it, or cannot cast its inputs.
inline const KernelEntry* kernel_on(Context& context, const LogicalDevice& device, const OpDef& op, DType key,
                                    const Call* call) {
  const KernelRegistry& kernels = context.runtime().kernels();
  const KernelEntry& kernel = kernels.find(device.type, op, key);
  if (kernel.run == nullptr) return nullptr;
  bool can_cast = device.is_host() || call == nullptr || !needs_casts(*call, key) ||
                  !kernels.dtypes(device.type, context.runtime().cast_op()).empty();
  return can_cast ? &kernel : nullptr;
}

// The first device of the target has no kernel: takes the next one that has, else falls back.
[[gnu::noinline]] Placement place_further(Context& context, const OpDef& op, DType key, const Call* call,
                                          const Context::Target& target) {
  for (LogicalDevice* device : std::span(target.devices).subspan(1)) {
    const KernelEntry* kernel = kernel_on(context, *device, op, key, call);
    if (kernel == nullptr) continue;
    bool is_fallback = device->is_host() && target.devices.front()->type == DeviceType::GPU;
    return {device, is_fallback ? Reason::NoKernel : target.reason, kernel};
  }
  return fall_back(context, op, key, context.spec_text(context.scopes->spec()));
}

// Where the policy puts it; without a device if it has no opinion, or if its device has no kernel.
[[gnu::noinline, gnu::cold]] Placement place_by(PlacementPolicy& policy, Context& context, const OpDef& op, DType key,
                                                const Call* call, std::span<LogicalDevice* const> allowed) {
  LogicalDevice* device = policy.place(op, key, call, allowed);
  if (device == nullptr) return {nullptr, Reason::Plan, nullptr};
  const KernelEntry* kernel = kernel_on(context, *device, op, key, call);
  return {kernel != nullptr ? device : nullptr, Reason::Plan, kernel};
}

}  // namespace

Placement detail::place_slow(Context& context, const OpDef& op, DType key, const Call* call,
                             const ForcedPlace* forced) {
  PlacementPolicy* policy = context.policy();
  if (forced != nullptr) [[unlikely]] {
    if (policy != nullptr && forced->reason == Reason::Gradient) {
      if (const Placement planned = place_by(*policy, context, op, key, call, context.devices());
          planned.device != nullptr)
        return planned;
    }
    const KernelEntry* kernel = kernel_on(context, *forced->device, op, key, call);
    if (kernel == nullptr) return fall_back(context, op, key, forced->device->full_name);
    return {forced->device, forced->reason, kernel};
  }
  const Context::Target& target = context.target(context.scopes->spec());
  if (policy != nullptr) [[unlikely]] {
    if (const Placement planned = place_by(*policy, context, op, key, call, target.devices); planned.device != nullptr)
      return planned;
  }
  LogicalDevice* first = target.devices.front();
  if (const KernelEntry* kernel = kernel_on(context, *first, op, key, call)) [[likely]] {
    return {first, target.reason, kernel};
  }
  return place_further(context, op, key, call, target);
}

Placement place_view(Context& context, LogicalDevice& input, const ForcedPlace* forced) {
  if (forced != nullptr) return {forced->device, forced->reason, nullptr};
  uint32_t spec = context.scopes->spec();
  if (spec == 0) {
    if (!input.retired) return {&input, Reason::StaysOnInput, nullptr};
    context.devices();  // a reset took them; another device of the name is found among new ones
    return {&context.runtime().successor(input), Reason::StaysOnInput, nullptr};
  }
  // Nothing is computed, so the scope's first device will do.
  const Context::Target& target = context.target(spec);
  return {target.devices.front(), target.reason, nullptr};
}

std::string reason_text(Reason reason, const char* op_name, const std::string& requested) {
  switch (reason) {
    case Reason::GpuFirst: return "no scope: GPU first";
    case Reason::OnlyCpu: return "no scope: no GPU here";
    case Reason::Scope: return text("scope ", requested);
    case Reason::SoftPlacement: return text("soft placement: ", requested, " is not here");
    case Reason::NoKernel: return text(op_name, " has no GPU kernel");
    case Reason::Variable: return "on its variable's device";
    case Reason::Gradient: return "where the op ran whose gradient it is part of";
    case Reason::Replicas: return "where a sum over replicas is made";
    case Reason::Plan: return "the plan puts it there";
    case Reason::StaysOnInput: return "moves no data: stays on its input's device";
  }
  return "";
}

}  // namespace lutra
