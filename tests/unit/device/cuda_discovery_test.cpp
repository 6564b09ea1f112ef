// Finding cards, without one: behind the driver's functions is tests/support/cuda_stub.
#include "core/error.h"
#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;

TEST_CASE("cards are numbered in the driver's order, and tell what they are", "[cuda]") {
  Stubbed stub("cards:3");
  cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
  CHECK(found.why_none.empty());
  REQUIRE(found.devices.size() == 3);
  for (int i = 0; i < 3; ++i) {
    const Device& device = *found.devices[static_cast<std::size_t>(i)];
    CHECK(device.name() == "/physical_device:GPU:" + std::to_string(i));
    auto details = device.details();
    REQUIRE(details.size() == 4);
    CHECK(details[0] == std::pair<std::string, std::string>("device_name", "Stub " + std::to_string(i)));
    CHECK(details[1].second == "9.0");
    CHECK(details[2].second == "0000:0" + std::to_string(i) + ":00.0");
    CHECK(details[3].second == std::to_string(64 << 20));
  }
  // Lists of devices need no context.
  CHECK(count_of(stub.calls(), "cuDevicePrimaryCtxRetain") == 0);
  CHECK(stub.live() == 0);
}

TEST_CASE("no card, and a driver that does not start, are told in the driver's words", "[cuda]") {
  Stubbed stub("cards:0");
  cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
  CHECK(found.devices.empty());
  CHECK(found.why_none == "the driver shows no GPU: cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected");
  setenv("CUDA_VISIBLE_DEVICES", "7", 1);
  CHECK(cuda::discover(stub.driver(), "sm_90 compute_80").why_none == "CUDA_VISIBLE_DEVICES hides all GPUs");
  unsetenv("CUDA_VISIBLE_DEVICES");
  Stubbed there;
  there.fail("cuDeviceGetCount", 1, 100);
  CHECK(cuda::discover(there.driver(), "sm_90 compute_80").why_none ==
        "the driver shows no GPU: cuDeviceGetCount: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected");
  there.fail("cuInit", 1, 46);
  CHECK(cuda::discover(there.driver(), "sm_90 compute_80").why_none ==
        "the driver does not start: cuInit: CUDA_ERROR_DEVICE_UNAVAILABLE: CUDA-capable device(s) is/are busy or "
        "unavailable");
}

TEST_CASE("a library that is not there, or is no driver's, is said with its reason", "[cuda]") {
  std::string why;
  CHECK(cuda::open_driver("/nowhere/libcuda.so.1", &why) == nullptr);
  CHECK(why.find("the driver's library cannot be opened: /nowhere/libcuda.so.1") == 0);
  CHECK(cuda::open_driver("libm.so.6", &why) == nullptr);
  CHECK(why == "the driver's library libm.so.6 has no cuInit: it is older than CUDA 11.2");
}

TEST_CASE("the environment can name the driver's library, or none", "[cuda]") {
  std::string why;
  setenv("LUTRA_CUDA_DRIVER", "/some/libcuda.so", 1);
  CHECK(cuda::driver_library(&why) == "/some/libcuda.so");
  setenv("LUTRA_CUDA_DRIVER", "none", 1);
  CHECK(cuda::driver_library(&why).empty());
  CHECK(why == "LUTRA_CUDA_DRIVER is none: GPUs are not looked for");
}

TEST_CASE("a card's context begins with its first use and ends with the last of its objects", "[cuda]") {
  Stubbed stub;
  {
    cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
    std::unique_ptr<Stream> stream = found.devices[0]->new_stream();
    CHECK(found.devices[0]->memory().total_bytes == 64u << 20);
    CHECK(found.devices[0]->memory().free_bytes == 64u << 20);
    found.devices.clear();
    CHECK(stub.live() == 2);  // the stream and the context
  }
  CHECK(stub.live() == 0);
}

TEST_CASE("the usual limit leaves what TensorFlow leaves for libraries, by the card's age and free memory", "[cuda]") {
  auto limit_mib = [](const std::string& options) {
    Stubbed stub(options);
    return cuda::discover(stub.driver(), "compute_50").devices[0]->usual_limit_bytes() >> 20;
  };
  CHECK(limit_mib("memory:81559") == 81559 - 1800);
  CHECK(limit_mib("memory:24576,taken:4096") == 20480 - 1800);
  CHECK(limit_mib("memory:24576,capability:86") == 24576 - 1536);
  CHECK(limit_mib("memory:16384,capability:75") == 16384 - 1050);
  CHECK(limit_mib("memory:11264,capability:61") == 11264 - 500);
  CHECK(limit_mib("memory:1024") == 1024 - 225);
  // Where that is half of it or more, half.
  CHECK(limit_mib("memory:3000") == 1500);
  CHECK(limit_mib("memory:256") == 128);
}

TEST_CASE("a card that the plugin has no code for is left out, in TensorFlow's words", "[cuda]") {
  Stubbed stub("cards:3,old:1");
  cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
  REQUIRE(found.devices.size() == 2);
  CHECK(found.why_none.empty());
  CHECK(found.devices[1]->name() == "/physical_device:GPU:1");
  CHECK(found.devices[1]->details()[0].second == "Stub 2");
  REQUIRE(found.ignored.size() == 1);
  CHECK(found.ignored[0] ==
        "Ignoring visible gpu device (device: 1, name: Stub 1, pci bus id: 0000:01:00.0, compute capability: 7.0) with "
        "Cuda compute capability 7.0. The minimum required Cuda capability is 8.0.");
  // Newer than machine code is for: no minimum would help.
  cuda::Discovery newer = cuda::discover(Stubbed("capability:100").driver(), "sm_80 sm_90");
  CHECK(newer.devices.empty());
  CHECK(newer.why_none == "the plugin has no code for any of the cards");
  REQUIRE(newer.ignored.size() == 1);
  CHECK(
      newer.ignored[0] ==
      "Ignoring visible gpu device (device: 0, name: Stub 0, pci bus id: 0000:00:00.0, compute capability: 10.0) with "
      "Cuda compute capability 10.0. The plugin has no code for it, only for sm_80 sm_90.");
}

TEST_CASE("a card whose code an older driver would have to compile is left out, with both versions", "[cuda]") {
  Stubbed stub("capability:86,driver:12040");
  CHECK(cuda::discover(stub.driver(), "sm_90 compute_80", 12040).devices.size() == 1);
  cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80", 12080);
  CHECK(found.devices.empty());
  REQUIRE(found.ignored.size() == 1);
  CHECK(found.ignored[0] ==
        "Ignoring visible gpu device (device: 0, name: Stub 0, pci bus id: 0000:00:00.0, compute capability: 8.6) with "
        "Cuda compute capability 8.6. The plugin's code for it must be compiled by the driver, which is for CUDA 12.4, "
        "older than the toolkit that the code was made with (12.8).");
  CHECK(cuda::discover(Stubbed("driver:12040").driver(), "sm_90 compute_80", 12080).devices.size() == 1);
}

TEST_CASE("a card that gives no context says why, and may be asked again", "[cuda]") {
  Stubbed stub("cards:2,closed:1");
  cuda::Discovery found = cuda::discover(stub.driver(), "sm_90 compute_80");
  REQUIRE(found.devices.size() == 2);
  CHECK(found.devices[0]->open().empty());
  const std::string why =
      "the card gives no context: CUDA_ERROR_DEVICE_UNAVAILABLE: CUDA-capable device(s) is/are busy or unavailable";
  CHECK(found.devices[1]->open() == why);
  CHECK(found.devices[1]->memory().total_bytes == 64u << 20);
  CHECK(found.devices[1]->memory().free_bytes == 0);
  CHECK(found.devices[0]->memory().free_bytes == 64u << 20);
  std::string told;
  try {
    found.devices[1]->new_stream();
  } catch (const Error& error) {
    told = error.message();
  }
  CHECK(told == "GPU:1: " + why);
  // Whoever had it has gone.
  Stubbed free("cards:2");
  CHECK(found.devices[1]->open().empty());
  CHECK(found.devices[1]->memory().free_bytes == 64u << 20);
}
