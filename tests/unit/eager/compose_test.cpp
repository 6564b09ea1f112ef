// Ops that are composed of others: where they run, what the log says of them, and what a failed inner op leaves behind.
#include <functional>

#include "core/text.h"
#include "support/catch.h"
#include "support/machine.h"

namespace lutra {
namespace {

using test::Machine;

// Whether the op takes one tensor as each of its inputs. tests/lua/indexed_updates.lua does the same with the others.
bool takes_vectors(const OpDef& op) {
  for (const InputDef& input : op.inputs) {
    if ((input.flags & kOwnDType) != 0 || std::string_view(input.shape).starts_with("[..., ")) return false;
  }
  for (const AttrDef& option : op.attrs.defs) {
    if (option.type == AttrType::Dims && option.is_required) return false;
  }
  const std::string_view name = op.name;
  return op.outputs == 1 && name != "Cross" && name != "Cdist";
}

std::vector<const OpDef*> composed_ops(const OpRegistry& ops) {
  std::vector<const OpDef*> found;
  for (int id = 0; id < ops.count(); ++id) {
    if (ops.at(id).has(kComposed) && takes_vectors(ops.at(id))) found.push_back(&ops.at(id));
  }
  return found;
}

Tensor cast(Machine& machine, const Tensor& tensor, DType dtype) {
  Operand operand{&tensor.rep(), Scalar::of(false)};
  Call call(machine.runtime.cast_op(), &operand, 1);
  std::memcpy(call.attrs, &dtype, sizeof dtype);  // CastAttrs
  return run_op(machine.context, call);
}

// As many inputs of one dtype as the op takes, and its default options.
Tensor run_on(Machine& machine, const OpDef& op, const Tensor& input) {
  std::vector<Operand> operands(op.inputs.size(), Operand{&input.rep(), Scalar::of(false)});
  Call call(op, operands.data(), static_cast<int>(operands.size()));
  return run_op(machine.context, call);
}

TEST_CASE("all of a composed op runs on a GPU, in each dtype that its entry names, and copies nothing", "[compose]") {
  Machine machine({.simulated_gpus = 1});
  machine.runtime.kernel_fallback = KernelFallback::Error;
  machine.context.devices();
  std::vector<const OpDef*> ops = composed_ops(machine.runtime.ops());
  REQUIRE(ops.size() >= 10);
  for (const OpDef* op : ops) {
    for (int i = 0; i < kDTypeCount; ++i) {
      DType dtype = static_cast<DType>(i);
      if (!op->gpu.has(dtype)) continue;
      INFO(op->name << " of " << text(dtype));
      Tensor input = cast(machine, machine.constant(std::vector<float>(100, 0.25F)), dtype);
      LogicalDevice& device = machine.runtime.device(input.rep().device);
      REQUIRE(device.type == DeviceType::GPU);
      host_wait(device.compute->tail_ticket());
      host_wait(device.copy->tail_ticket());
      const uint64_t copies = device.copy->tail();
      Tensor result = run_on(machine, *op, input);
      CHECK(machine.device_of(result) == "/device:GPU:0");
      CHECK(device.copy->tail() == copies);
    }
  }
}

TEST_CASE("a composed op has one line in the placement log, under its own name", "[compose]") {
  Machine machine({.simulated_gpus = 1});
  Tensor x = machine.constant({3, 1, 2, 5});
  machine.context.placement_log().set_handler(true);
  for (const OpDef* op : composed_ops(machine.runtime.ops())) {
    if (!op->input(0).dtypes.has(DType::Float32)) continue;
    machine.context.placement_log().events.clear();
    Tensor result = run_on(machine, *op, x);
    INFO(op->name);
    REQUIRE(machine.context.placement_log().events.size() == 1);
    CHECK(machine.context.placement_log().events[0].op == op->logged());
    const Origin* origin = machine.context.origins().find(result.rep());
    REQUIRE(origin != nullptr);
    CHECK(std::string(origin->op) == op->logged());
  }
}

TEST_CASE("a composed op whose inputs lie elsewhere fetches each once, and its line says so", "[compose]") {
  Machine machine({.simulated_gpus = 1});
  Tensor x;
  {
    Machine::Scope scope = machine.scope("/CPU:0");
    x = machine.constant(std::vector<float>(100, 2.0F));
  }
  machine.context.placement_log().set_handler(true);
  Tensor result = machine.run("LogAddExp", {&x, &x});
  CHECK(machine.device_of(result) == "/device:GPU:0");
  REQUIRE(machine.context.placement_log().events.size() == 1);
  CHECK(machine.context.placement_log().events[0].copies.size() == 1);
  CHECK(machine.values(result)[99] == 2.6931472F);
}

TEST_CASE("without a GPU kernel of its own a composed op runs on the CPU, without that of an inner op it comes back",
          "[compose]") {
  Machine machine({.simulated_gpus = 1});
  Tensor x = machine.constant({3, 1, 2, 5});
  machine.without_kernel("Sort", DeviceType::GPU);
  Tensor median = machine.run("Median", {&x});
  CHECK(machine.device_of(median) == "/device:GPU:0");
  CHECK(machine.values(median) == std::vector<float>{2.5F});
  machine.without_kernel("Median", DeviceType::GPU);
  CHECK(machine.place("Median", "/GPU:0").reason == "Median has no GPU kernel");
  Tensor again = machine.run("Median", {&x});
  CHECK(machine.device_of(again) == "/device:CPU:0");
  CHECK(machine.values(again) == std::vector<float>{2.5F});
}

TEST_CASE("a failed inner op names the composed op, and leaves no result", "[compose]") {
  Machine machine({.simulated_gpus = 1, .gpu_mb = 4});
  Tensor x = machine.constant(std::vector<float>(400'000, 1.0F));
  Operand operand{&x.rep(), Scalar::of(false)};
  Call call(machine.runtime.ops().get("L2Normalize"), &operand, 1);
  Prepared prepared;
  prepare(machine.context, call, &prepared);
  Tensor full = machine.constant(std::vector<float>(400'000, 1.0F));  // there is no room for the inner ops' results
  Tensor result;
  TensorRep* out = &result.rep();
  try {
    execute(machine.context, call, prepared, &out);
    FAIL("there was room");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::ResourceExhausted);
    CHECK(error.message().starts_with("l2_normalize: "));
  }
  CHECK(result.rep().storage == nullptr);
  CHECK(result.rep().size == 0);
}

// Runs LogAddExp of two inputs of 4 MB on a GPU of 64 MB until an inner op finds no memory. Then garbage is freed, and
// `finalizer` runs. What the op says then; "" if it succeeds.
std::string failure_after(Machine& machine, Tensor& a, Tensor& b, const std::function<void()>& finalizer) {
  struct Collector {
    std::vector<Tensor> garbage;
    const std::function<void()>& finalizer;
    bool has_run = false;
  } collector{{}, finalizer};
  machine.context.hooks.user = &collector;
  machine.context.hooks.collect = [](void* user) {
    Collector& self = *static_cast<Collector*>(user);
    self.garbage.clear();
    if (!std::exchange(self.has_run, true)) self.finalizer();
    return true;
  };
  std::string failure;
  try {
    while (!collector.has_run) collector.garbage.push_back(machine.run("LogAddExp", {&a, &b}));
  } catch (const Error& error) {
    failure = error.message();
  }
  CHECK(collector.has_run);
  machine.context.hooks = {};
  return failure;
}

// Devices cannot be reset meanwhile: the op's tensors live on them.
TEST_CASE("a composed op goes on after a finalizer that ran within it, unless that released an input", "[compose]") {
  const std::vector<float> ones(1 << 20, 1.0F);
  Machine machine({.simulated_gpus = 1, .gpu_mb = 64});
  Tensor a = machine.constant(ones), b = machine.constant(ones);
  CHECK(failure_after(machine, a, b, [] {}).empty());
  const std::string released = failure_after(machine, a, b, [&] {
    drop(b.rep());
    b.rep().size = -1;  // as State::release does
    ++machine.runtime.epoch;
  });
  CHECK(released == "logaddexp: b was released by a finalizer while the op was being set up");
  b.rep().size = 0;
}

TEST_CASE("a small result of a view holds no memory on the CPU", "[compose]") {
  Machine machine;
  Tensor x = machine.constant(std::vector<float>(1001, 1.0F));
  Tensor median = machine.run("Median", {&x});
  CHECK(median.rep().storage == nullptr);
  CHECK(machine.values(median) == std::vector<float>{1.0F});
}

}  // namespace
}  // namespace lutra
