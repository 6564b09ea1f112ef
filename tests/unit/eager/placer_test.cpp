#include "eager/placer.h"

#include "support/catch.h"
#include "support/machine.h"

using namespace lutra;
using lutra::test::Machine;

namespace {

// "NotFound: ..." that the action fails with, or "".
template <class Action> std::string failure(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("without a scope GPUs come before CPUs, lowest number first", "[placement]") {
  Machine none, two({.cpus = 2, .simulated_gpus = 2});
  CHECK(none.place("AddV2").device == "/device:CPU:0");
  CHECK(none.place("AddV2").reason == "no scope: no GPU here");
  CHECK(two.place("AddV2").device == "/device:GPU:0");
  CHECK(two.place("AddV2").reason == "no scope: GPU first");
}

TEST_CASE("a scope narrows the choice, a wildcard takes the lowest number", "[placement]") {
  Machine machine({.cpus = 2, .simulated_gpus = 3});
  CHECK(machine.place("AddV2", "/GPU:2").device == "/device:GPU:2");
  CHECK(machine.place("AddV2", "/gpu:*").device == "/device:GPU:0");
  CHECK(machine.place("AddV2", "/cpu:1").device == "/device:CPU:1");
  CHECK(machine.place("AddV2", "/cpu:*").device == "/device:CPU:0");
  CHECK(machine.place("AddV2", "/device:*:1").device == "/device:GPU:1");
  CHECK(machine.place("AddV2", "/job:localhost/task:0").device == "/device:GPU:0");
  Machine::Scope outer = machine.scope("/gpu:1");
  CHECK(machine.place("AddV2").device == "/device:GPU:1");
  CHECK(machine.place("AddV2", "/cpu:*").device == "/device:CPU:0");
  CHECK(machine.place("AddV2", "/gpu:2").device == "/device:GPU:2");
}

TEST_CASE("an op without a GPU kernel runs on the CPU, even inside device('/GPU:0')", "[placement]") {
  Machine machine({.cpus = 1, .simulated_gpus = 2});
  machine.without_kernel("Cast", DeviceType::GPU);
  for (const char* scope : {"", "/GPU:0", "/GPU:1", "/gpu:*"}) {
    Machine::Placed placed = machine.place("Cast", scope);
    CHECK(placed.device == "/device:CPU:0");
    CHECK(placed.reason == "Cast has no GPU kernel");
  }
  CHECK(machine.place("Cast", "/CPU:0").reason == "scope /device:CPU:0");
}

TEST_CASE("the kernel fallback can be refused, but only where a GPU was asked for", "[placement]") {
  Machine machine({.cpus = 1, .simulated_gpus = 1});
  machine.without_kernel("Cast", DeviceType::GPU);
  machine.runtime.kernel_fallback = KernelFallback::Error;
  CHECK(failure([&] { machine.place("Cast", "/GPU:0"); }).find("InvalidArgument: cast: Cast has no GPU kernel") == 0);
  CHECK(machine.place("Cast").device == "/device:CPU:0");
}

TEST_CASE("an unknown device is NotFound by its full name", "[placement]") {
  Machine machine({.cpus = 1, .simulated_gpus = 1});
  CHECK(failure([&] {
          machine.place("AddV2", "/GPU:3");
        }).find("NotFound: /job:localhost/replica:0/task:0/device:GPU:3 unknown device. Here: ") == 0);
  CHECK(failure([&] { machine.place("AddV2", "/device:tpu:*"); }).find("/device:TPU:* unknown device") !=
        std::string::npos);
}

TEST_CASE("soft placement takes the same type first, but no other job", "[placement]") {
  Machine machine({.cpus = 1, .simulated_gpus = 2});
  machine.runtime.set_soft_placement(true);
  CHECK(machine.place("AddV2", "/GPU:7").device == "/device:GPU:0");
  CHECK(machine.place("AddV2", "/GPU:7").reason == "soft placement: /device:GPU:7 is not here");
  CHECK(machine.place("AddV2", "/CPU:7").device == "/device:CPU:0");
  CHECK(machine.place("AddV2", "/device:TPU:0").device == "/device:GPU:0");
  CHECK(failure([&] { machine.place("AddV2", "/job:other/GPU:7"); }).find("NotFound: /job:other/replica:0") == 0);
  machine.runtime.set_soft_placement(false);
  CHECK(failure([&] { machine.place("AddV2", "/GPU:7"); }).find("NotFound") == 0);
}

TEST_CASE("what moves no data stays on its input's device unless a scope says otherwise", "[placement]") {
  Machine machine({.cpus = 1, .simulated_gpus = 2});
  machine.context.devices();
  LogicalDevice& input = machine.runtime.find("GPU:1");
  CHECK(machine.place("Reshape", "", DType::Float32, &input).device == "/device:GPU:1");
  CHECK(machine.place("Reshape", "", DType::Float32, &input).reason == "moves no data: stays on its input's device");
  CHECK(machine.place("Reshape", "/GPU:0", DType::Float32, &input).device == "/device:GPU:0");
}
