// A small machine for tests of placement and execution: CPUs, simulated GPUs and one Context, on any computer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "eager/constant.h"
#include "eager/executor.h"
#include "eager/placer.h"

namespace lutra::test {

struct MachineOptions {
  int cpus = 1;
  int simulated_gpus = 0;
  double gpu_mb = 64;
  uint64_t fail_at = 0;
};

class Machine {
 public:
  explicit Machine(const MachineOptions& options = {}) : context(runtime) {
    runtime.set_simulated_gpus(options.simulated_gpus, {.memory_limit_mb = options.gpu_mb, .fail_at = options.fail_at});
    if (options.cpus > 1) {
      std::vector<LogicalDeviceConfig> entries(static_cast<std::size_t>(options.cpus));
      runtime.registry().set_logical_configuration(runtime.registry().find_physical("CPU:0"), entries);
    }
  }

  // From now on the op has no kernel on devices of this type.
  void without_kernel(const char* op, DeviceType type) {
    context.devices();
    runtime.own_kernels().remove(op, type);
  }

  // A device scope, open for the C++ scope's life.
  class Scope {
   public:
    Scope(Context& context, const std::string& name) : stack_(*context.scopes) {
      uint32_t inner = context.intern(DeviceSpec::parse(name));
      serial_ = stack_.push(context.scope_inside(stack_.spec(), inner));
    }
    ~Scope() { stack_.remove(serial_); }
    Scope(const Scope&) = delete;

   private:
    ScopeStack& stack_;
    uint64_t serial_;
  };
  Scope scope(const std::string& name) { return Scope(context, name); }

  struct Placed {
    std::string device;  // "/device:GPU:0"
    std::string reason;
  };
  // Where the op would run inside the scope, and why. `input`: the device whose memory its result would share.
  Placed place(const char* op_name, const std::string& scope_name = "", DType key = DType::Float32,
               LogicalDevice* input = nullptr) {
    Scope scope(context, scope_name);
    const OpDef& op = runtime.ops().get(op_name);
    Placement placement = input != nullptr ? place_view(context, *input) : lutra::place(context, op, key);
    std::string requested = context.spec_text(context.scopes->spec());
    return {placement.device->spec.local_name(), reason_text(placement.reason, op.name, requested)};
  }

  Tensor constant(const std::vector<float>& values) {
    Tensor tensor;
    make_host_tensor(context, DType::Float32, Shape{static_cast<int64_t>(values.size())}, &tensor.rep());
    std::byte* to = tensor.rep().storage != nullptr ? tensor.rep().data : tensor.rep().bytes;
    if (!values.empty()) std::memcpy(to, values.data(), values.size() * sizeof(float));
    place_constant(context, &tensor.rep());
    return tensor;
  }
  Tensor run(const char* op, std::initializer_list<const Tensor*> inputs) {
    std::vector<Operand> operands(inputs.size());
    std::size_t count = 0;
    for (const Tensor* input : inputs) operands[count++].tensor = &input->rep();
    Call call(runtime.ops().get(op), operands.data(), static_cast<int>(count));
    return run_op(context, call);
  }
  std::vector<float> values(const Tensor& tensor) {
    std::vector<float> out(static_cast<std::size_t>(tensor.rep().size));
    runtime.transfer().read(context, tensor.rep(), reinterpret_cast<std::byte*>(out.data()), 0, tensor.rep().nbytes());
    return out;
  }
  std::string device_of(const Tensor& tensor) { return runtime.device(tensor.rep().device).spec.local_name(); }

  Runtime runtime;
  Context context;
};

}  // namespace lutra::test
