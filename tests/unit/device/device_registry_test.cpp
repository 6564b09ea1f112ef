#include "device/device_registry.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/catch.h"

using lutra::Device;
using lutra::DeviceRegistry;
using lutra::DeviceType;
using lutra::ErrorCode;
using lutra::LogicalDeviceConfig;

namespace {

constexpr std::size_t kMB = std::size_t{1} << 20;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::string kVisibleFrozen = "Visible devices cannot be modified after being initialized";
const std::string kPhysicalFrozen = "Physical devices cannot be modified after being initialized";
const std::string kVirtualFrozen = "Virtual devices cannot be modified after being initialized";
const std::string kThreadsFrozen = "Intra op parallelism cannot be modified after initialization.";
const std::string kSecondLine = "\nThey were initialised by train.lua:7; lutra.config.reset() starts over";
const std::string kFractionWithSeveral =
    "It's invalid to set per_process_gpu_memory_fraction when virtual_devices is set.";

class FakeDevice : public Device {
 public:
  FakeDevice(DeviceType type, int number, std::size_t total_mb, int hardware_index = 0)
      : Device(type, number), hardware_index(hardware_index), total_bytes_(total_mb * kMB) {}
  lutra::MemoryInfo memory() const override { return {total_bytes_, total_bytes_}; }
  const int hardware_index;

 private:
  std::size_t total_bytes_;
};

class FakeGpu final : public FakeDevice {
 public:
  FakeGpu(int number, int hardware_index) : FakeDevice(DeviceType::GPU, number, 4096, hardware_index) {}
};

// A variable of the environment, set for a while; null unsets it.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    put(value);
  }
  ~Environment() { put(before_ ? before_->c_str() : nullptr); }
  Environment(const Environment&) = delete;

 private:
  void put(const char* value) { value != nullptr ? setenv(name_, value, 1) : unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

// A machine with one CPU and so many cards of 4096 MB, which sees no setting of the person who runs the tests.
struct Machine {
  explicit Machine(int gpus) { plug(gpus); }
  void plug(int gpus) {
    registry.set_gpu_source(lutra::picked_cards(gpus, [this](int number, int hardware_index) {
      ++discovered;
      return std::make_unique<FakeGpu>(number, hardware_index);
    }));
  }
  Device& cpu() { return registry.find_physical("CPU:0"); }
  Device& gpu(int number) { return registry.find_physical("GPU:" + std::to_string(number)); }

  Environment no_pick{"CUDA_VISIBLE_DEVICES", nullptr};
  Environment no_growth{"TF_FORCE_GPU_ALLOW_GROWTH", nullptr};
  Environment no_own_growth{"LUTRA_FORCE_GPU_ALLOW_GROWTH", nullptr};
  int discovered = 0;
  DeviceRegistry registry{std::make_unique<FakeDevice>(DeviceType::CPU, 0, 1024)};
};

std::string names(const std::vector<Device*>& devices) {
  std::string out;
  for (Device* device : devices) out += device->name().substr(std::string("/physical_device:").size()) + " ";
  return out;
}

// "GPU:0<GPU:1 1024MB" for each: logical name, physical name, limit, growth, fraction; what is not said is left out.
std::string planned(DeviceRegistry& registry) {
  std::string out;
  for (const lutra::LogicalDevicePlan& plan : registry.plan()) {
    CHECK(plan.spec.to_string() == "/job:localhost/replica:0/task:0" + plan.spec.local_name());
    if (!out.empty()) out += ", ";
    out += plan.spec.local_name().substr(8) + "<" + plan.physical->name().substr(17);
    if (plan.limit_bytes) out += lutra::text(" ", static_cast<double>(*plan.limit_bytes) / kMB, "MB");
    if (plan.growth) out += " growth";
    if (plan.memory_fraction != 0) out += lutra::text(" ", plan.memory_fraction);
  }
  return out;
}

// The text that `action` fails with, or "" when it does not.
template <class Action> std::string refusal(ErrorCode code, const Action& action) {
  try {
    action();
  } catch (const lutra::Error& error) {
    CHECK(std::string(name(error.code())) == name(code));
    return error.message();
  }
  return "";
}
template <class Action> std::string invalid(const Action& action) {
  return refusal(ErrorCode::InvalidArgument, action);
}
template <class Action> std::string too_late(const Action& action) {
  return refusal(ErrorCode::FailedPrecondition, action);
}

std::vector<LogicalDeviceConfig> limits(std::initializer_list<double> mb) {
  std::vector<LogicalDeviceConfig> entries;
  for (double limit : mb) entries.push_back({limit});
  return entries;
}

}  // namespace

TEST_CASE("a machine without GPUs has its CPU", "[device_registry]") {
  DeviceRegistry registry(std::make_unique<FakeDevice>(DeviceType::CPU, 0, 1024));
  CHECK(names(registry.list_physical()) == "CPU:0 ");
  CHECK(registry.list_physical(DeviceType::GPU).empty());
  CHECK(registry.find_physical("cpu:0").name() == "/physical_device:CPU:0");
  CHECK(planned(registry) == "CPU:0<CPU:0");
  CHECK(invalid([&] { registry.find_physical("GPU:0"); }) ==
        "Unrecognized device: 'GPU:0'. Here: /physical_device:CPU:0");
}

TEST_CASE("GPUs are discovered once, by the first question about them", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.list_physical(DeviceType::CPU);
  registry.find_physical("CPU:0");
  registry.set_visible({&machine.cpu()});
  registry.set_memory_limit(machine.cpu(), 100);
  CHECK(machine.discovered == 0);
  CHECK(names(registry.list_physical(DeviceType::GPU)) == "GPU:0 GPU:1 ");
  CHECK(names(registry.list_physical()) == "CPU:0 GPU:0 GPU:1 ");
  CHECK(registry.physical(DeviceType::GPU).size() == 2);
  CHECK(machine.discovered == 2);
}

TEST_CASE("a discovery that fails is tried again", "[device_registry]") {
  DeviceRegistry registry(std::make_unique<FakeDevice>(DeviceType::CPU, 0, 1024));
  int tries = 0;
  registry.set_gpu_source([&]() -> std::vector<std::unique_ptr<Device>> {
    if (++tries == 1) lutra::fail(ErrorCode::Internal, "the driver is busy");
    std::vector<std::unique_ptr<Device>> gpus;
    gpus.push_back(std::make_unique<FakeGpu>(0, 0));
    return gpus;
  });
  CHECK(refusal(ErrorCode::Internal, [&] { registry.list_physical(); }) == "the driver is busy");
  CHECK(names(registry.list_physical()) == "CPU:0 GPU:0 ");
}

TEST_CASE("a physical device is found by its names", "[device_registry]") {
  Machine machine(2);
  for (const char* name : {"/physical_device:GPU:1", "/physical_device:gpu:1", "GPU:1", "gpu:1", "/GPU:1", "/gpu:1",
                           "/device:GPU:1", "device:gpu:1"}) {
    CAPTURE(name);
    CHECK(&machine.registry.find_physical(name) == machine.registry.physical(DeviceType::GPU)[1].get());
  }
  const std::string here = ". Here: /physical_device:CPU:0, /physical_device:GPU:0, /physical_device:GPU:1";
  for (const std::string name :
       {"GPU:7", "", "GPU", "gpu:*", "/device:*:1", "/device:TPU:0", "TPU:0", "/", "/physical_device:GPU:2",
        "/physical_device:GPU", "/physical_device:", "GPU:2147483648", "/job:localhost/replica:0/task:0/device:GPU:1",
        "/physical_device:GPU:1/task:0"}) {
    CHECK(invalid([&] { machine.registry.find_physical(name); }) == "Unrecognized device: '" + name + "'" + here);
  }
  CHECK(invalid([&] { machine.registry.find_physical(std::string("GPU:1\0", 6)); }) ==
        "Unrecognized device: 'GPU:1\\x00'" + here);
  CHECK(invalid([&] { machine.registry.find_physical(std::string(1 << 20, 'G')); }) ==
        "Unrecognized device: '" + std::string(60, 'G') + "...'" + here);
}

TEST_CASE("CUDA_VISIBLE_DEVICES picks, in its order, up to the first invalid entry", "[device_registry]") {
  using List = std::vector<int>;
  CHECK(lutra::pick_visible("3,2", 4) == List{3, 2});
  CHECK(lutra::pick_visible("0,1,2,3", 4) == List{0, 1, 2, 3});
  CHECK(lutra::pick_visible(" 1 ,\t2 ", 4) == List{1, 2});
  CHECK(lutra::pick_visible("", 4) == List{});
  CHECK(lutra::pick_visible("-1", 4) == List{});
  CHECK(lutra::pick_visible("1,-1,2", 4) == List{1});
  CHECK(lutra::pick_visible("1,,2", 4) == List{1});
  CHECK(lutra::pick_visible("1,4,2", 4) == List{1});
  CHECK(lutra::pick_visible("1,99999999999999999999,2", 4) == List{1});
  CHECK(lutra::pick_visible("1,x,2", 4) == List{1});
  CHECK(lutra::pick_visible("1,2x", 4) == List{1});
  CHECK(lutra::pick_visible("1,+2", 4) == List{1});
  CHECK(lutra::pick_visible("1 2", 4) == List{});
  CHECK(lutra::pick_visible("0,", 4) == List{0});
  CHECK(lutra::pick_visible("GPU-8932f937-d72c-4106-c12f-20bd9faed9f6", 4) == List{});
  CHECK(lutra::pick_visible("0", 0) == List{});
  // An index that stands twice hides all, unless the list has ended before.
  CHECK(lutra::pick_visible("0,1,0", 4) == List{});
  CHECK(lutra::pick_visible("0,9,0", 4) == List{0});
}

TEST_CASE("cards picked by CUDA_VISIBLE_DEVICES are numbered from 0", "[device_registry]") {
  Machine machine(4);
  Environment pick("CUDA_VISIBLE_DEVICES", "3,2");
  const auto& gpus = machine.registry.physical(DeviceType::GPU);
  CHECK(names(machine.registry.list_physical(DeviceType::GPU)) == "GPU:0 GPU:1 ");
  CHECK(static_cast<FakeGpu&>(*gpus[0]).hardware_index == 3);
  CHECK(static_cast<FakeGpu&>(*gpus[1]).hardware_index == 2);
}

TEST_CASE("an empty CUDA_VISIBLE_DEVICES hides all cards", "[device_registry]") {
  Machine machine(4);
  Environment pick("CUDA_VISIBLE_DEVICES", "");
  CHECK(names(machine.registry.list_physical()) == "CPU:0 ");
}

TEST_CASE("another choice of GPUs forgets what was said of the earlier ones", "[device_registry]") {
  Machine machine(4);
  DeviceRegistry& registry = machine.registry;
  Device& old = machine.gpu(1);
  registry.set_visible({&old}, DeviceType::GPU);
  registry.set_memory_growth(old, true);
  registry.set_memory_limit(machine.cpu(), 100);
  machine.plug(2);
  CHECK(planned(registry) == "CPU:0<CPU:0 100MB, GPU:0<GPU:0, GPU:1<GPU:1");
  const std::string gone =
      "Unrecognized device: '/physical_device:GPU:1' is no device of this runtime, or no longer one";
  CHECK(invalid([&] { registry.set_memory_growth(old, true); }) == gone);
  CHECK(invalid([&] { registry.memory_growth(old); }) == gone);
  CHECK(invalid([&] { registry.set_visible({&old}); }) == gone);
  CHECK(invalid([&] { registry.set_logical_configuration(old, {}); }) == gone);
  CHECK(invalid([&] { registry.logical_configuration(old); }) == gone);
  CHECK(invalid([&] { registry.set_memory_fraction(old, 0.5); }) == gone);
  CHECK(invalid([&] { registry.set_memory_limit(old, 10); }) == gone);
  registry.freeze("train.lua:7");
  CHECK(too_late([&] { machine.plug(3); }) == kPhysicalFrozen + kSecondLine);
}

TEST_CASE("visible devices are kept in physical order, once each, and renumbered", "[device_registry]") {
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

TEST_CASE("a visible device must be of the type given, and one must be a CPU", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  CHECK(invalid([&] { registry.set_visible({&machine.gpu(0)}, DeviceType::CPU); }) ==
        "Unrecognized device: '/physical_device:GPU:0' is no CPU");
  CHECK(invalid([&] { registry.set_visible({&machine.cpu()}, DeviceType::GPU); }) ==
        "Unrecognized device: '/physical_device:CPU:0' is no GPU");
  const std::string no_cpu =
      "No CPU devices are available in this process; add one to the list, or give the type: "
      "set_visible_devices(gpus, \"GPU\")";
  CHECK(invalid([&] { registry.set_visible({&machine.gpu(0)}); }) == no_cpu);
  CHECK(invalid([&] { registry.set_visible({}); }) == no_cpu);
  CHECK(invalid([&] { registry.set_visible({}, DeviceType::CPU); }) == no_cpu);
  FakeGpu stranger(0, 0);
  CHECK(invalid([&] { registry.set_visible({&stranger}, DeviceType::GPU); }) ==
        "Unrecognized device: '/physical_device:GPU:0' is no device of this runtime, or no longer one");
  CHECK(names(registry.visible()) == "CPU:0 GPU:0 GPU:1 ");
}

TEST_CASE("visible devices are frozen by initialisation", "[device_registry]") {
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

TEST_CASE("growth is set for each GPU, also differently", "[device_registry]") {
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

TEST_CASE("entries make logical GPUs, numbered over all cards", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  CHECK(registry.logical_configuration(machine.gpu(0)) == std::nullopt);
  registry.set_logical_configuration(machine.gpu(0), limits({1024, 2048.5}));
  CHECK(registry.logical_configuration(machine.gpu(0)) == limits({1024, 2048.5}));
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 1024MB, GPU:1<GPU:0 2048.5MB, GPU:2<GPU:1");
  registry.set_visible({&machine.gpu(1)}, DeviceType::GPU);
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:1");
}

TEST_CASE("growth and a limit go together, in either order", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_memory_growth(machine.gpu(0), true);
  registry.set_logical_configuration(machine.gpu(0), limits({1024, 1024}));
  registry.set_logical_configuration(machine.gpu(1), limits({512}));
  registry.set_memory_growth(machine.gpu(1), true);
  CHECK(planned(registry) ==
        "CPU:0<CPU:0, GPU:0<GPU:0 1024MB growth, GPU:1<GPU:0 1024MB growth, GPU:2<GPU:1 512MB growth");
}

TEST_CASE("one entry without a limit, or none, is the default", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_logical_configuration(machine.gpu(0), {{}});
  registry.set_logical_configuration(machine.gpu(1), {});
  CHECK(registry.logical_configuration(machine.gpu(1))->empty());
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:1");
}

TEST_CASE("a GPU's limit is above zero and within the card", "[device_registry]") {
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

TEST_CASE("entries without a limit make logical CPUs", "[device_registry]") {
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

TEST_CASE("logical devices are frozen by initialisation", "[device_registry]") {
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

TEST_CASE("the CPU's limit", "[device_registry]") {
  Machine machine(0);
  DeviceRegistry& registry = machine.registry;
  for (double bad : {0.0, -1.0, kNan, 1e-9}) {
    CHECK(invalid([&] { registry.set_memory_limit(machine.cpu(), bad); }) ==
          lutra::text("memory_limit is ", std::isnan(bad) ? "nan" : lutra::text(bad),
                      " MB; /physical_device:CPU:0 needs one above 0, of at least a byte"));
  }
  for (double bad : {kInf, 1e18}) {
    CHECK(invalid([&] { registry.set_memory_limit(machine.cpu(), bad); }) ==
          lutra::text("memory_limit is ", bad, " MB, more than any machine has"));
  }
  registry.set_memory_limit(machine.cpu(), 100000);  // more than the machine has: there is swap
  registry.set_memory_limit(machine.cpu(), 100.5);
  CHECK(planned(registry) == "CPU:0<CPU:0 100.5MB");
  registry.freeze("train.lua:7");
  registry.set_memory_limit(machine.cpu(), 100.5);
  CHECK(too_late([&] { registry.set_memory_limit(machine.cpu(), 101); }) == kPhysicalFrozen + kSecondLine);
  CHECK(invalid([&] { registry.set_memory_limit(machine.cpu(), 0); }) != "");
}

TEST_CASE("a limit on a GPU is one logical device with it", "[device_registry]") {
  Machine machine(1);
  DeviceRegistry& registry = machine.registry;
  registry.set_memory_limit(machine.gpu(0), 2048);
  CHECK(registry.logical_configuration(machine.gpu(0)) == limits({2048}));
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 2048MB");
  CHECK(invalid([&] { registry.set_memory_limit(machine.gpu(0), 5000); }) ==
        "memory_limit is 5000 MB, more than the 4096 MB of /physical_device:GPU:0");
  registry.freeze("train.lua:7");
  registry.set_memory_limit(machine.gpu(0), 2048);
  CHECK(too_late([&] { registry.set_memory_limit(machine.gpu(0), 1024); }) == kVirtualFrozen + kSecondLine);
}

TEST_CASE("a fraction of a GPU's memory", "[device_registry]") {
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

TEST_CASE("a fraction and several logical devices exclude each other", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_memory_fraction(machine.gpu(0), 0.5);
  CHECK(invalid([&] { registry.set_logical_configuration(machine.gpu(0), limits({1, 2})); }) == kFractionWithSeveral);
  registry.set_logical_configuration(machine.gpu(1), limits({1, 2}));
  CHECK(invalid([&] { registry.set_memory_fraction(machine.gpu(1), 0.5); }) == kFractionWithSeveral);
  // One entry: its limit, if it has one, goes before the fraction.
  registry.set_logical_configuration(machine.gpu(0), {{}});
  registry.set_memory_limit(machine.gpu(1), 3);
  registry.set_memory_fraction(machine.gpu(1), 0.5);
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 0.5, GPU:1<GPU:1 3MB");
}

TEST_CASE("threads", "[device_registry]") {
  Machine machine(0);
  DeviceRegistry& registry = machine.registry;
  CHECK(registry.intra_op_threads() == 0);
  registry.set_intra_op_threads(1024);
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

TEST_CASE("the environment forces growth on or off", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  registry.set_memory_growth(machine.gpu(0), true);
  for (const char* variable : {"TF_FORCE_GPU_ALLOW_GROWTH", "LUTRA_FORCE_GPU_ALLOW_GROWTH"}) {
    CAPTURE(variable);
    {
      Environment forced(variable, "true");
      CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 growth, GPU:1<GPU:1 growth");
    }
    Environment forced(variable, "false");
    CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:1");
    CHECK(registry.warnings().empty());
  }
  Environment theirs("TF_FORCE_GPU_ALLOW_GROWTH", "false");
  Environment ours("LUTRA_FORCE_GPU_ALLOW_GROWTH", "true");
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0 growth, GPU:1<GPU:1 growth");
  CHECK(registry.memory_growth(machine.gpu(1)) == std::nullopt);
}

TEST_CASE("a growth variable that says neither true nor false is warned of and ignored", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  auto warning = [&](const char* variable, const char* value) {
    Environment forced(variable, value);
    registry.plan();
    REQUIRE(registry.warnings().size() == 1);
    return registry.warnings()[0];
  };
  CHECK(warning("TF_FORCE_GPU_ALLOW_GROWTH", "1") ==
        "The TF_FORCE_GPU_ALLOW_GROWTH environment variable is set but could not be parsed: \"1\". Valid values are "
        "\"true\" or \"false\". Using original config value of false.");
  CHECK(warning("LUTRA_FORCE_GPU_ALLOW_GROWTH", "True") ==
        "The LUTRA_FORCE_GPU_ALLOW_GROWTH environment variable is set but could not be parsed: \"True\". Valid values "
        "are \"true\" or \"false\". Using original config value of false.");
  CHECK(warning("TF_FORCE_GPU_ALLOW_GROWTH", "").find("parsed: \"\".") != std::string::npos);
  CHECK(warning("TF_FORCE_GPU_ALLOW_GROWTH", std::string(100000, '\x1b').c_str()).size() < 300);
  registry.set_memory_growth(machine.gpu(0), true);
  CHECK(warning("TF_FORCE_GPU_ALLOW_GROWTH", "1").find("config value of each GPU.") != std::string::npos);
  registry.set_memory_growth(machine.gpu(1), true);
  CHECK(warning("TF_FORCE_GPU_ALLOW_GROWTH", "1").find("config value of true.") != std::string::npos);
  {
    Environment ours("LUTRA_FORCE_GPU_ALLOW_GROWTH", "yes");
    Environment theirs("TF_FORCE_GPU_ALLOW_GROWTH", "false");
    CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:1");
    CHECK(registry.warnings().size() == 1);
    registry.set_visible({}, DeviceType::GPU);
    registry.plan();
    CHECK(registry.warnings().empty());
  }
}

TEST_CASE("a late setter names the line that initialised, if it is known", "[device_registry]") {
  Machine machine(0);
  DeviceRegistry& registry = machine.registry;
  CHECK_FALSE(registry.frozen());
  registry.freeze("");
  CHECK(registry.frozen());
  CHECK(too_late([&] { registry.set_intra_op_threads(4); }) ==
        kThreadsFrozen + "\nThey were initialised; lutra.config.reset() starts over");
}

TEST_CASE("a thawed registry has nothing said of it, and its GPUs still", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  Device& gpu = machine.gpu(1);
  registry.set_visible({&gpu}, DeviceType::GPU);
  registry.set_memory_growth(gpu, true);
  registry.set_memory_limit(gpu, 100);
  registry.set_memory_fraction(gpu, 0.5);
  registry.set_memory_limit(machine.cpu(), 100);
  registry.set_intra_op_threads(3);
  registry.freeze("train.lua:7");
  registry.thaw();
  CHECK_FALSE(registry.frozen());
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:1");
  CHECK(registry.memory_growth(gpu) == std::nullopt);
  CHECK(registry.intra_op_threads() == 0);
  CHECK(machine.discovered == 2);
  registry.set_logical_configuration(gpu, limits({10, 20}));
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:1 10MB, GPU:2<GPU:1 20MB");
}
