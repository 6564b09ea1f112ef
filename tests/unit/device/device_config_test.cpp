// What lutra.config says of devices: device_config.cpp.
#include "device/device_registry.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/catch.h"
#include "unit/device/fake_machine.h"

using namespace lutra::test;
using lutra::Device;
using lutra::DeviceRegistry;
using lutra::DeviceType;
using lutra::LogicalDeviceConfig;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::string kVisibleFrozen = "Visible devices cannot be modified after being initialized";
const std::string kPhysicalFrozen = "Physical devices cannot be modified after being initialized";
const std::string kVirtualFrozen = "Virtual devices cannot be modified after being initialized";
const std::string kThreadsFrozen = "Intra op parallelism cannot be modified after initialization.";
const std::string kSecondLine = "\nThey were initialised by train.lua:7; lutra.config.reset() starts over";
const std::string kFractionWithLimit =
    "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.";

}  // namespace

TEST_CASE("visible devices are kept in physical order, once each, and renumbered", "[device_config]") {
  Machine machine(4);
  DeviceRegistry& registry = machine.registry;
  CHECK(names(registry.visible()) == "CPU:0 GPU:0 GPU:1 GPU:2 GPU:3 ");
  registry.set_visible({&machine.gpu(3), &machine.gpu(1), &machine.gpu(3)}, DeviceType::GPU);
  CHECK(names(registry.visible()) == "CPU:0 GPU:1 GPU:3 ");
  CHECK(names(registry.visible(DeviceType::GPU)) == "GPU:1 GPU:3 ");
  CHECK(names(registry.visible(DeviceType::CPU)) == "CPU:0 ");
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:1, GPU:1<GPU:3");
  registry.set_visible({}, DeviceType::GPU);
  CHECK(planned(registry) == "CPU:0<CPU:0");
  registry.set_visible({&machine.gpu(2), &machine.cpu()});
  CHECK(names(registry.visible()) == "CPU:0 GPU:2 ");
  registry.set_visible({&machine.cpu()});
  CHECK(names(registry.visible()) == "CPU:0 ");
}

TEST_CASE("a visible device must be of the type given, and one must be a CPU", "[device_config]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  CHECK(invalid([&] { registry.set_visible({&machine.gpu(0)}, DeviceType::CPU); }) ==
        "Unrecognized device: PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU') is no CPU");
  CHECK(invalid([&] { registry.set_visible({&machine.cpu()}, DeviceType::GPU); }) ==
        "Unrecognized device: PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU') is no GPU");
  const std::string no_cpu =
      "No CPU devices are available in this process; add one to the list, or give the type: "
      "set_visible_devices(gpus, \"GPU\")";
  CHECK(invalid([&] { registry.set_visible({&machine.gpu(0)}); }) == no_cpu);
  CHECK(invalid([&] { registry.set_visible({}); }) == no_cpu);
  CHECK(invalid([&] { registry.set_visible({}, DeviceType::CPU); }) == no_cpu);
  FakeGpu stranger(0, 0);
  CHECK(invalid([&] { registry.set_visible({&stranger}, DeviceType::GPU); }) ==
        "Unrecognized device: PhysicalDevice(name='/physical_device:GPU:0', device_type='GPU') is no device of this "
        "runtime, "
        "or no longer one");
  CHECK(names(registry.visible()) == "CPU:0 GPU:0 GPU:1 ");
}

TEST_CASE("visible devices are frozen by initialisation", "[device_config]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_visible({&machine.gpu(1)}, DeviceType::GPU);
  registry.freeze("train.lua:7");
  registry.set_visible({&machine.gpu(1)}, DeviceType::GPU);
  registry.set_visible({&machine.gpu(1), &machine.cpu(), &machine.gpu(1)});
  registry.set_visible({&machine.cpu()}, DeviceType::CPU);
  CHECK(too_late([&] { registry.set_visible({&machine.gpu(0)}, DeviceType::GPU); }) == kVisibleFrozen + kSecondLine);
  CHECK(too_late([&] { registry.set_visible({&machine.cpu()}); }) == kVisibleFrozen + kSecondLine);
  CHECK(invalid([&] { registry.set_visible({}); }) != "");
  CHECK(names(registry.visible()) == "CPU:0 GPU:1 ");
}

TEST_CASE("growth is set for each GPU, also differently", "[device_config]") {
  Machine machine(3);
  DeviceRegistry& registry = machine.registry;
  CHECK(registry.memory_growth(machine.gpu(0)) == std::nullopt);
  registry.set_memory_growth(machine.gpu(0), true);
  registry.set_memory_growth(machine.gpu(1), false);
  CHECK(registry.memory_growth(machine.gpu(0)) == true);
  CHECK(registry.memory_growth(machine.gpu(1)) == false);
  CHECK(registry.memory_growth(machine.gpu(2)) == std::nullopt);
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 growth, GPU:1<GPU:1, GPU:2<GPU:2");
  CHECK(invalid([&] { registry.set_memory_growth(machine.cpu(), true); }) ==
        "Cannot set memory growth on non-GPU and non-Pluggable devices");
  CHECK(registry.memory_growth(machine.cpu()) == std::nullopt);
  registry.freeze("train.lua:7");
  registry.set_memory_growth(machine.gpu(0), true);
  CHECK(too_late([&] { registry.set_memory_growth(machine.gpu(0), false); }) == kPhysicalFrozen + kSecondLine);
  CHECK(too_late([&] { registry.set_memory_growth(machine.gpu(2), true); }) == kPhysicalFrozen + kSecondLine);
  CHECK(invalid([&] { registry.set_memory_growth(machine.cpu(), true); }) ==
        "Cannot set memory growth on non-GPU and non-Pluggable devices");
}

TEST_CASE("entries make logical GPUs, numbered over all cards", "[device_config]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  CHECK(registry.logical_configuration(machine.gpu(0)) == std::nullopt);
  registry.set_logical_configuration(machine.gpu(0), limits({1024, 2048.5}));
  CHECK(registry.logical_configuration(machine.gpu(0)) == limits({1024, 2048.5}));
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 1024MB, GPU:1<GPU:0 2048.5MB, GPU:2<GPU:1");
  registry.set_visible({&machine.gpu(1)}, DeviceType::GPU);
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:1");
}

TEST_CASE("growth and a limit go together, in either order", "[device_config]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_memory_growth(machine.gpu(0), true);
  registry.set_logical_configuration(machine.gpu(0), limits({1024, 1024}));
  registry.set_logical_configuration(machine.gpu(1), limits({512}));
  registry.set_memory_growth(machine.gpu(1), true);
  CHECK(planned(registry) ==
        "CPU:0<CPU:0, GPU:0<GPU:0 1024MB growth, GPU:1<GPU:0 1024MB growth, GPU:2<GPU:1 512MB growth");
}

TEST_CASE("one entry without a limit, or none, is the default", "[device_config]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_logical_configuration(machine.gpu(0), {{}});
  registry.set_logical_configuration(machine.gpu(1), {});
  CHECK(registry.logical_configuration(machine.gpu(1))->empty());
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:1");
}

TEST_CASE("a GPU's limit is above zero and within the card", "[device_config]") {
  Machine machine(1);
  DeviceRegistry& registry = machine.registry;
  Device& gpu = machine.gpu(0);
  auto configure = [&](std::vector<LogicalDeviceConfig> entries) {
    return invalid([&] { registry.set_logical_configuration(gpu, std::move(entries)); });
  };
  CHECK(configure(limits({0})) == "memory_limit is 0 MB; /physical_device:GPU:0 needs one above 0, of at least a byte");
  CHECK(configure(limits({-1})) ==
        "memory_limit is -1 MB; /physical_device:GPU:0 needs one above 0, of at least a byte");
  CHECK(configure(limits({kNan})) ==
        "memory_limit is nan MB; /physical_device:GPU:0 needs one above 0, of at least a byte");
  CHECK(configure(limits({-kNan})) ==
        "memory_limit is nan MB; /physical_device:GPU:0 needs one above 0, of at least a byte");
  CHECK(configure(limits({-kInf})) ==
        "memory_limit is -inf MB; /physical_device:GPU:0 needs one above 0, of at least a byte");
  CHECK(configure(limits({1e-7})) ==
        "memory_limit is 1e-07 MB; /physical_device:GPU:0 needs one above 0, of at least a byte");
  CHECK(configure(limits({kInf})) == "memory_limit is inf MB, more than the 4096 MB of /physical_device:GPU:0");
  CHECK(configure(limits({1e300})) == "memory_limit is 1e+300 MB, more than the 4096 MB of /physical_device:GPU:0");
  CHECK(configure(limits({4097})) == "memory_limit is 4097 MB, more than the 4096 MB of /physical_device:GPU:0");
  CHECK(configure(limits({1024, 5000})) == "memory_limit is 5000 MB, more than the 4096 MB of /physical_device:GPU:0");
  CHECK(configure(limits({4096, 1})) ==
        "the memory limits of /physical_device:GPU:0 add up to 4097 MB, more than the 4096 MB it has");
  CHECK(configure({{1024}, {}}) == "Setting memory limit is required for GPU virtual devices");
  CHECK(configure({{}, {}}) == "Setting memory limit is required for GPU virtual devices");
  CHECK(configure(std::vector<LogicalDeviceConfig>(257, {1})) ==
        "257 logical devices on /physical_device:GPU:0; at most 256 fit");
  CHECK(registry.logical_configuration(gpu) == std::nullopt);
  CHECK(configure(limits({4096})) == "");
  CHECK(configure(limits({2048, 2048})) == "");
  CHECK(configure(limits({4096.0 / 3, 4096.0 / 3, 4096.0 / 3})) == "");
  CHECK(configure(limits({1.0 / kMB})) == "");
  CHECK(registry.plan()[1].limit_bytes == 1);
  CHECK(configure(std::vector<LogicalDeviceConfig>(256, {1})) == "");
}

TEST_CASE("entries without a limit make logical CPUs", "[device_config]") {
  Machine machine(1);
  DeviceRegistry& registry = machine.registry;
  registry.set_logical_configuration(machine.cpu(), {{}, {}});
  registry.set_memory_limit(machine.cpu(), 100);
  CHECK(planned(registry) == "CPU:0<CPU:0 100MB, CPU:1<CPU:0 100MB, GPU:0<GPU:0");
  CHECK(invalid([&] {
          registry.set_logical_configuration(machine.cpu(), {{}, {10}});
        }) ==
        "Setting memory limit on CPU virtual devices is currently not supported; "
        "lutra.config.set_memory_limit(\"CPU:0\", MB) limits all of them together");
  CHECK(invalid([&] { registry.set_logical_configuration(machine.cpu(), {}); }) ==
        "No CPU devices are available in this process; an entry {} makes one");
  CHECK(registry.logical_configuration(machine.cpu())->size() == 2);
}

TEST_CASE("logical devices are frozen by initialisation", "[device_config]") {
  Machine machine(1);
  DeviceRegistry& registry = machine.registry;
  registry.set_logical_configuration(machine.gpu(0), limits({1024, 1024}));
  registry.freeze("train.lua:7");
  registry.set_logical_configuration(machine.gpu(0), limits({1024, 1024}));
  CHECK(too_late([&] { registry.set_logical_configuration(machine.gpu(0), limits({1024})); }) ==
        kVirtualFrozen + kSecondLine);
  CHECK(too_late([&] { registry.set_logical_configuration(machine.cpu(), {{}, {}}); }) == kVirtualFrozen + kSecondLine);
  CHECK(invalid([&] { registry.set_logical_configuration(machine.gpu(0), limits({0})); }) != "");
}

TEST_CASE("the CPU's limit", "[device_config]") {
  Machine machine(0);
  DeviceRegistry& registry = machine.registry;
  for (double bad : {0.0, -1.0, kNan, 1e-9}) {
    CHECK(invalid([&] { registry.set_memory_limit(machine.cpu(), bad); }) ==
          lutra::text("set_memory_limit: memory_limit is ", std::isnan(bad) ? "nan" : lutra::text(bad),
                      " MB; /physical_device:CPU:0 needs one above 0, of at least a byte"));
  }
  for (double bad : {kInf, 1e18, 1025.0}) {
    CHECK(invalid([&] { registry.set_memory_limit(machine.cpu(), bad); }) ==
          lutra::text("set_memory_limit: memory_limit is ", bad,
                      " MB, more than the 1024 MB of /physical_device:CPU:0 (RAM, or the control group's limit)"));
  }
  registry.set_memory_limit(machine.cpu(), 1024);
  registry.set_memory_limit(machine.cpu(), 100.5);
  CHECK(planned(registry) == "CPU:0<CPU:0 100.5MB");
  registry.freeze("train.lua:7");
  registry.set_memory_limit(machine.cpu(), 100.5);
  CHECK(too_late([&] { registry.set_memory_limit(machine.cpu(), 101); }) == kPhysicalFrozen + kSecondLine);
  CHECK(invalid([&] { registry.set_memory_limit(machine.cpu(), 0); }) != "");
}

TEST_CASE("a GPU's limit is its configuration's, and set_memory_limit says so", "[device_config]") {
  Machine machine(1);
  DeviceRegistry& registry = machine.registry;
  for (double limit_mb : {2048.0, 5000.0, kNan}) {
    CHECK(invalid([&] { registry.set_memory_limit(machine.gpu(0), limit_mb); }) ==
          "set_memory_limit: /physical_device:GPU:0 is no CPU; lutra.config.set_logical_device_configuration(device, "
          "{ {memory_limit = MB} }) limits a GPU");
  }
  CHECK(registry.logical_configuration(machine.gpu(0)) == std::nullopt);
}

TEST_CASE("a fraction of a GPU's memory", "[device_config]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_memory_fraction(machine.gpu(0), 0.25);
  registry.set_memory_fraction(machine.gpu(1), 1);
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 0.25, GPU:1<GPU:1 1");
  for (double bad : {0.0, -0.5, 1.01, kInf, kNan}) {
    CHECK(invalid([&] { registry.set_memory_fraction(machine.gpu(0), bad); }) ==
          lutra::text("set_per_process_memory_fraction: the fraction is ", std::isnan(bad) ? "nan" : lutra::text(bad),
                      "; it must be above 0 and at most 1"));
  }
  CHECK(invalid([&] { registry.set_memory_fraction(machine.cpu(), 0.5); }) ==
        "set_per_process_memory_fraction: /physical_device:CPU:0 is no GPU; "
        "lutra.config.set_memory_limit(\"CPU:0\", MB) limits the CPU");
  registry.freeze("train.lua:7");
  registry.set_memory_fraction(machine.gpu(0), 0.25);
  CHECK(too_late([&] { registry.set_memory_fraction(machine.gpu(0), 0.5); }) == kPhysicalFrozen + kSecondLine);
  CHECK(invalid([&] { registry.set_memory_fraction(machine.gpu(0), 2); }) != "");
}

TEST_CASE("a fraction and a memory limit exclude each other, whichever comes first", "[device_config]") {
  Machine machine(3);
  DeviceRegistry& registry = machine.registry;
  registry.set_memory_fraction(machine.gpu(0), 0.5);
  for (const auto& entries : {limits({1, 2}), limits({3})}) {
    CHECK(invalid([&] { registry.set_logical_configuration(machine.gpu(0), entries); }) ==
          kFractionWithLimit + " /physical_device:GPU:0 has a fraction of 0.5; lutra.config.reset() takes it back");
    registry.set_logical_configuration(machine.gpu(1), entries);
    CHECK(invalid([&] { registry.set_memory_fraction(machine.gpu(1), 0.5); }) ==
          kFractionWithLimit +
              " /physical_device:GPU:1 has a memory_limit; "
              "lutra.config.set_logical_device_configuration(device, {}) takes it back");
  }
  // An entry without a limit says nothing of memory, and both ways back are open.
  registry.set_logical_configuration(machine.gpu(0), {{}});
  registry.set_logical_configuration(machine.gpu(1), {});
  registry.set_memory_fraction(machine.gpu(1), 0.25);
  registry.set_logical_configuration(machine.gpu(2), {{}});
  registry.set_memory_fraction(machine.gpu(2), 1);
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 0.5, GPU:1<GPU:1 0.25, GPU:2<GPU:2 1");
  registry.thaw();
  registry.set_logical_configuration(machine.gpu(0), limits({3}));
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 3MB, GPU:1<GPU:1, GPU:2<GPU:2");
}

TEST_CASE("threads", "[device_config]") {
  Machine machine(0);
  DeviceRegistry& registry = machine.registry;
  CHECK(registry.intra_op_threads() == 0);
  registry.set_intra_op_threads(16);
  registry.set_intra_op_threads(3);
  for (int bad : {-1, 1025, INT32_MAX, INT32_MIN}) {
    CHECK(invalid([&] { registry.set_intra_op_threads(bad); }) ==
          lutra::text("set_intra_op_parallelism_threads: ", bad,
                      " threads; it must be 0 (as many as the machine offers) to 1024"));
  }
  registry.freeze("train.lua:7");
  registry.set_intra_op_threads(3);
  CHECK(too_late([&] { registry.set_intra_op_threads(4); }) == kThreadsFrozen + kSecondLine);
  CHECK(registry.intra_op_threads() == 3);
}

TEST_CASE("a late setter names the line that initialised, if it is known", "[device_config]") {
  Machine machine(0);
  DeviceRegistry& registry = machine.registry;
  CHECK_FALSE(registry.frozen());
  registry.freeze("");
  CHECK(registry.frozen());
  CHECK(too_late([&] { registry.set_intra_op_threads(4); }) ==
        kThreadsFrozen + "\nThey were initialised; lutra.config.reset() starts over");
}
