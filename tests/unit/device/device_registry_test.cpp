#include "device/device_registry.h"

#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "support/catch.h"
#include "unit/device/fake_machine.h"

using namespace lutra::test;
using lutra::Device;
using lutra::DeviceRegistry;
using lutra::DeviceType;
using lutra::ErrorCode;

namespace {

const std::string kPhysicalFrozen = "Physical devices cannot be modified after being initialized";
const std::string kSecondLine = "\nThey were initialised by train.lua:7; lutra.config.reset() starts over";

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
  // A duplicate index hides all cards, unless the list ended before it.
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
      "Unrecognized device: PhysicalDevice(name='/physical_device:GPU:1', device_type='GPU') is no device of this "
      "runtime, or no longer one";
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
    // Without a GPU ours is still a mistake; theirs may be meant for another program.
    registry.set_visible({}, DeviceType::GPU);
    CHECK(warning("TF_FORCE_GPU_ALLOW_GROWTH", "1").starts_with("The LUTRA_FORCE_GPU_ALLOW_GROWTH environment"));
  }
  registry.plan();
  CHECK(registry.warnings().empty());
}

TEST_CASE("a thawed registry has nothing said of it, and its GPUs still", "[device_registry]") {
  Machine machine(2);
  DeviceRegistry& registry = machine.registry;
  Device& gpu = machine.gpu(1);
  registry.set_visible({&gpu}, DeviceType::GPU);
  registry.set_memory_growth(gpu, true);
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

TEST_CASE("a GPU that cannot be opened is left out of the plan until it can", "[device_registry]") {
  Machine machine(3);
  DeviceRegistry& registry = machine.registry;
  FakeDevice& closed = static_cast<FakeDevice&>(machine.gpu(1));
  closed.why_closed = "somebody has it";
  registry.set_logical_configuration(closed, limits({10, 20}));
  CHECK(registry.open_gpus() == std::vector<std::string>{"/physical_device:GPU:1 is left out: somebody has it"});
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:2");
  CHECK(names(registry.visible()) == "CPU:0 GPU:0 GPU:1 GPU:2 ");
  closed.why_closed = "";
  CHECK(registry.open_gpus().empty());
  CHECK(planned(registry) == "CPU:0<CPU:0, GPU:0<GPU:0, GPU:1<GPU:1 10MB, GPU:2<GPU:1 20MB, GPU:3<GPU:2");
  // What is not visible is not opened.
  closed.why_closed = "somebody has it";
  registry.set_visible({&machine.gpu(0)}, DeviceType::GPU);
  CHECK(registry.open_gpus().empty());
}
