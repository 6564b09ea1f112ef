#include "eager/placer.h"

#include "eager/context.h"

namespace lutra {
namespace {

[[noreturn]] void fail_without_kernel(Context& context, const OpDef& op, DType key) {
  const KernelRegistry& kernels = context.runtime().kernels();
  DTypes known = kernels.dtypes(DeviceType::CPU, op);
  fail(ErrorCode::InvalidArgument, op.called(), ": no kernel for ", key, "; there is one for ", text_of(known),
       ": cast first");
}

// CPU:0, since no device that was meant has a kernel. `asked`: the name of what was meant.
Placement fall_back(Context& context, const OpDef& op, DType key, const std::string& asked) {
  LogicalDevice& cpu = context.runtime().cpu();
  if (context.runtime().kernels().find(DeviceType::CPU, op, key).run == nullptr) fail_without_kernel(context, op, key);
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
  return {&cpu, Reason::NoKernel};
}

}  // namespace

Placement place(Context& context, const OpDef& op, DType key, LogicalDevice* input, bool converts) {
  const KernelRegistry& kernels = context.runtime().kernels();
  uint32_t spec = context.scopes->spec();
  if (spec == 0 && input != nullptr) {
    return {input->retired ? &context.runtime().successor(*input) : input, Reason::StaysOnInput};
  }
  if (input != nullptr) {
    // Nothing is computed, so the first device meant will do.
    const Context::Target& target = context.target(spec);
    return {target.devices.front(), target.reason};
  }
  const Context::Target& target = context.target(spec);
  bool skipped = false;
  for (LogicalDevice* device : target.devices) {
    if (kernels.find(device->type, op, key).run == nullptr ||
        (converts && kernels.dtypes(device->type, kernels.ops().get("Cast")).empty())) {
      skipped = true;
      continue;
    }
    if (skipped && device->is_host() && target.devices.front()->type == DeviceType::GPU)
      return {device, Reason::NoKernel};
    return {device, target.reason};
  }
  return fall_back(context, op, key, context.spec_text(spec));
}

Placement place_on(Context& context, const OpDef& op, DType key, const ForcedPlace& forced, bool converts) {
  const KernelRegistry& kernels = context.runtime().kernels();
  DeviceType type = forced.device->type;
  bool can = kernels.find(type, op, key).run != nullptr &&
             (!converts || !kernels.dtypes(type, kernels.ops().get("Cast")).empty());
  if (can) return {forced.device, forced.reason};
  return fall_back(context, op, key, forced.device->full_name);
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
    case Reason::StaysOnInput: return "moves no data: stays on its input's device";
  }
  return "";
}

}  // namespace lutra
