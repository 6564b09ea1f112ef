// What `lutra doctor` says of machines made of files, with the stub of the driver's library for a driver.
#include "kernels/cuda/diagnosis/diagnosis.h"

#include "support/cuda_stub/stubbed.h"
#include "unit/kernels/fake_system.h"

using namespace lutra;
using namespace lutra::test;
using cuda::PluginFacts;

namespace {

constexpr const char* kVersionFile =
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15\n";

// A machine with a driver and cards 0 to count - 1, all of it as it should be.
struct Server : FakeSystem {
  explicit Server(int count = 1) {
    file("/proc/driver/nvidia/version", kVersionFile);
    for (const char* name : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) file(name);
    for (int i = 0; i < count; ++i) {
      std::string number = std::to_string(i);
      file("/proc/driver/nvidia/gpus/0000:0" + number + ":00.0/information",
           "Model: X\nDevice Minor: \t " + number + "\n");
      file("/dev/nvidia" + number);
    }
  }
};

std::vector<Finding> findings_of(const FakeSystem& machine) {
  bool has_driver = false;
  return cuda::diagnose_system(machine.system, &has_driver);
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("without a card and a driver one sentence says so, and nothing is wrong", "[doctor]") {
  FakeSystem machine;
  machine.file("/sys/bus/pci/devices/0000:00:02.0/vendor", "0x8086\n");
  machine.file("/sys/bus/pci/devices/0000:00:02.0/class", "0x030000\n");
  bool has_driver = true;
  std::vector<Finding> findings = cuda::diagnose_system(machine.system, &has_driver);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].verdict == Verdict::Note);
  CHECK(findings[0].text == "no NVIDIA driver and no card of NVIDIA's are on this machine, so ops run on the CPU");
  CHECK_FALSE(has_driver);
}

TEST_CASE("a card without a driver is a failure, and what to do depends on where one is", "[doctor]") {
  FakeSystem machine;
  machine.file("/sys/bus/pci/devices/0000:65:00.0/vendor", "0x10de\n");
  machine.file("/sys/bus/pci/devices/0000:65:00.0/class", "0x030200\n");
  machine.file("/sys/bus/pci/devices/0000:65:00.1/vendor", "0x10de\n");  // its sound
  machine.file("/sys/bus/pci/devices/0000:65:00.1/class", "0x040300\n");
  std::vector<Finding> findings = findings_of(machine);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].verdict == Verdict::Failed);
  CHECK(findings[0].text ==
        "there is a card of NVIDIA's (PCI 0000:65:00.0) and its driver does not run: no /proc/driver/nvidia/version, "
        "no /dev/nvidiactl");
  CHECK(says(findings[0].advice, "install NVIDIA's driver"));
  machine.file("/.dockerenv");
  CHECK(says(findings_of(machine)[0].advice, "docker run --gpus all"));
}

TEST_CASE("a card that another driver of the kernel's has is told with its name", "[doctor]") {
  for (auto [driver, part] : {std::pair<const char*, const char*>{"nouveau", "blacklist nouveau"},
                              {"vfio-pci", "passed on to a virtual machine"},
                              {"nvidia", "modprobe nvidia"}}) {
    FakeSystem machine;
    machine.file("/sys/bus/pci/devices/0000:65:00.0/vendor", "0x10de\n");
    machine.file("/sys/bus/pci/devices/0000:65:00.0/class", "0x030000\n");
    machine.link("/sys/bus/pci/devices/0000:65:00.0/driver", std::string("../../../bus/pci/drivers/") + driver);
    Finding finding = findings_of(machine)[0];
    INFO(finding.text);
    CHECK(finding.verdict == Verdict::Failed);
    CHECK(says(finding.text, std::string("; ") + driver + " has the card") == (driver != std::string("nvidia")));
    CHECK(says(finding.advice, part));
  }
}

TEST_CASE("the driver's version is read in both of its forms", "[doctor]") {
  Server machine;
  CHECK(findings_of(machine)[0].text == "NVIDIA's driver 535.104.05 runs");
  machine.file("/proc/driver/nvidia/version",
               "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build  (x@y)\nGCC version: "
               "12.2.0\n");
  CHECK(findings_of(machine)[0].text == "NVIDIA's driver 580.95.05 runs");
  machine.file("/proc/driver/nvidia/version", "something else");
  CHECK(says(findings_of(machine)[0].text, "does not give its version"));
}

TEST_CASE("device files that may not be opened are named, with whose they are", "[doctor]") {
  Server machine(2);
  CHECK(findings_of(machine)[1].verdict == Verdict::Ok);
  CHECK(findings_of(machine)[1].text == "/dev/nvidia0, /dev/nvidia1 and the driver's own files can be opened");
  // One of several cards may be another's.
  machine.closed = {{"/dev/nvidia1", EACCES}};
  CHECK(findings_of(machine)[1].verdict == Verdict::Note);
  machine.closed = {{"/dev/nvidia0", EPERM}, {"/dev/nvidia1", EACCES}};
  Finding closed = findings_of(machine)[1];
  CHECK(closed.verdict == Verdict::Failed);
  CHECK(says(closed.text, "no permission to open /dev/nvidia0, /dev/nvidia1 ("));
  CHECK(says(closed.text, ", mode 6"));
  CHECK(says(closed.advice, "usermod"));
  machine.closed = {{"/dev/nvidia-uvm", EIO}};
  CHECK(findings_of(machine)[1].verdict == Verdict::Failed);
  CHECK(findings_of(machine)[1].text == "/dev/nvidia-uvm cannot be opened: Input/output error");
}

TEST_CASE("device files that are not there are named", "[doctor]") {
  Server machine;
  std::filesystem::remove(machine.system.at("/dev/nvidia-uvm"));
  // The driver makes it when it is needed.
  CHECK(findings_of(machine)[1].verdict == Verdict::Note);
  CHECK(findings_of(machine)[1].text == "/dev/nvidia-uvm is not there although the driver runs");
  std::filesystem::remove(machine.system.at("/dev/nvidia0"));
  Finding finding = findings_of(machine)[1];
  CHECK(finding.verdict == Verdict::Failed);
  CHECK(finding.text == "/dev/nvidia-uvm, /dev/nvidia0 are not there although the driver runs");
  CHECK(says(finding.advice, "nvidia-modprobe"));
}

TEST_CASE("CUDA_VISIBLE_DEVICES that hides all is a failure, in every way it can", "[doctor]") {
  Server machine(2);
  CHECK(cuda::diagnose_visible(machine.system).text == "CUDA_VISIBLE_DEVICES is not set: all cards are shown");
  for (const char* value : {"1", "1,0", "0,7", "GPU-8932f937-d72c", "MIG-1"}) {
    machine.variables["CUDA_VISIBLE_DEVICES"] = value;
    INFO(value);
    CHECK(cuda::diagnose_visible(machine.system).verdict == Verdict::Ok);
  }
  for (const char* value : {"", "-1", "2", "0,0", "-1,0"}) {
    machine.variables["CUDA_VISIBLE_DEVICES"] = value;
    Finding finding = cuda::diagnose_visible(machine.system);
    CHECK(finding.verdict == Verdict::Failed);
    CHECK(finding.text == "CUDA_VISIBLE_DEVICES is '" + std::string(value) + "' and hides all GPUs");
    CHECK_FALSE(finding.advice.empty());
  }
}

TEST_CASE("the driver's library is told with its version, or where it was looked for", "[doctor]") {
  Server machine;
  machine.file("/usr/lib64/other.so");
  std::string file;
  Finding finding = cuda::diagnose_driver_library(machine.system, &file);
  CHECK(finding.verdict == Verdict::Failed);
  CHECK(finding.text == "the driver's library libcuda.so.1 is missing (looked for in /usr/lib64)");
  CHECK(file.empty());
  machine.file("/usr/lib64/libcuda.so.580.95.05");
  machine.link("/usr/lib64/libcuda.so.1", "libcuda.so.580.95.05");
  CHECK(cuda::diagnose_driver_library(machine.system, &file).text == "/usr/lib64/libcuda.so.1 is version 580.95.05");
  CHECK(file == "/usr/lib64/libcuda.so.1");
  machine.variables["LUTRA_CUDA_DRIVER"] = "none";
  CHECK(cuda::diagnose_driver_library(machine.system, &file).verdict == Verdict::Note);
  CHECK(file.empty());
}

TEST_CASE("a missing cuBLASLt says where it was looked for, and which other one is there", "[doctor]") {
  FakeSystem machine;
  machine.file("/usr/local/cuda/lib64/libcublasLt.so.11");
  auto search = [&] {
    return cuda::search_library("cublasLt", cuda::kCublasLtMajors, "/opt/lutra/lib", machine.system);
  };
  Finding finding = cuda::diagnose_cublas(search(), true, 0);
  CHECK(finding.verdict == Verdict::Failed);
  CHECK(finding.text ==
        "libcublasLt is of another major version (/usr/local/cuda/lib64/libcublasLt.so.11), 13 or 12 is needed; it was "
        "looked for in /opt/lutra/lib, /usr/local/cuda/lib64");
  CHECK(says(finding.advice, "LUTRA_CUDA_PATH"));
  CHECK(cuda::diagnose_cublas(search(), false, 13000).verdict == Verdict::Note);
  std::filesystem::remove(machine.system.at("/usr/local/cuda/lib64/libcublasLt.so.11"));
  CHECK(says(cuda::diagnose_cublas(search(), true, 13000).text, "libcublasLt is missing; it was looked for in"));
}

TEST_CASE("cuDNN is told of, there or not, and no convolution needs it", "[doctor]") {
  FakeSystem machine;
  machine.file("/usr/local/cuda/lib64/libcudnn.so.8");
  auto told = [&] { return cuda::diagnose_cudnn(machine.system, "/opt/lutra/lib"); };
  CHECK(told().verdict == Verdict::Note);
  CHECK(told().text ==
        "libcudnn is of another major version (/usr/local/cuda/lib64/libcudnn.so.8), 9 is needed, so convolutions are "
        "laid out and multiplied by cuBLASLt; it was looked for in /opt/lutra/lib, /usr/local/cuda/lib64");
  machine.file("/opt/lutra/lib/libcudnn.so.9.19.0");
  machine.link("/opt/lutra/lib/libcudnn.so.9", "libcudnn.so.9.19.0");
  CHECK(told().verdict == Verdict::Ok);
  CHECK(told().text == "/opt/lutra/lib/libcudnn.so.9 is version 9.19.0, for convolutions");
  machine.variables["LUTRA_CUDNN"] = "0";
  CHECK(told().verdict == Verdict::Note);
  CHECK(told().text == "LUTRA_CUDNN is 0: convolutions are laid out and multiplied by cuBLASLt");
}

TEST_CASE("NCCL is told of, there or not", "[doctor]") {
  FakeSystem machine;
  machine.file("/usr/local/cuda/lib64/other");
  CHECK(cuda::diagnose_nccl(machine.system, "/opt/lutra/lib").verdict == Verdict::Note);
  CHECK(cuda::diagnose_nccl(machine.system, "/opt/lutra/lib").text ==
        "libnccl is not here, so sums over cards are made on the first of them and copied; it was looked for in "
        "/opt/lutra/lib, /usr/local/cuda/lib64");
  machine.file("/usr/local/cuda/lib64/libnccl.so.2.27.3");
  machine.link("/usr/local/cuda/lib64/libnccl.so.2", "libnccl.so.2.27.3");
  CHECK(cuda::diagnose_nccl(machine.system, "/opt/lutra/lib").text ==
        "/usr/local/cuda/lib64/libnccl.so.2 is version 2.27.3, for sums over cards");
}

TEST_CASE("a cuBLASLt that is newer than the driver is passed over, and told of", "[doctor]") {
  FakeSystem machine;
  machine.file("/usr/local/cuda/lib64/libcublasLt.so.13");
  auto told = [&](int driver_version) {
    return cuda::diagnose_cublas(
        cuda::search_library("cublasLt", cuda::cublas_lt_majors(driver_version), "/opt/lutra/lib", machine.system),
        true, driver_version);
  };
  CHECK(told(13010).text == "/usr/local/cuda/lib64/libcublasLt.so.13 is version 13");
  Finding none = told(12040);
  CHECK(none.verdict == Verdict::Failed);
  CHECK(says(none.text,
             "libcublasLt is of another major version (/usr/local/cuda/lib64/libcublasLt.so.13), 12 is needed by a "
             "driver for CUDA 12.4; it was looked for in /opt/lutra/lib, /usr/local/cuda/lib64"));
  machine.file("/usr/local/cuda-12.4/lib64/libcublasLt.so.12");
  Finding older = told(12040);
  CHECK(older.verdict == Verdict::Ok);
  CHECK(older.text ==
        "/usr/local/cuda-12.4/lib64/libcublasLt.so.12 is version 12; major version 12 is needed by a driver for "
        "CUDA 12.4, so these were ignored: /usr/local/cuda/lib64/libcublasLt.so.13");
}

TEST_CASE("a driver that is too old for Lutra, or for the plugin's toolkit, is told with both versions", "[doctor]") {
  Server machine;
  int count = 0;
  auto told = [&](const Stubbed& stub, int toolkit) {
    return cuda::diagnose_driver(stub.driver(), {"sm_90", toolkit, false}, machine.system, &count);
  };
  CHECK(told(Stubbed("driver:11080"), 0).text == "the driver is for CUDA 11.8; it must be for 12.0 or later");
  CHECK(count == 0);
  Finding older = told(Stubbed("driver:12040"), 13000);
  CHECK(older.verdict == Verdict::Failed);
  CHECK(older.text == "the driver is for CUDA 12.4, older than the toolkit that the plugin was built with (13.0)");
  CHECK(says(older.advice, "580"));
  CHECK(told(Stubbed("driver:12020"), 12040).verdict == Verdict::Ok);  // within one major version
  CHECK(told(Stubbed("cards:2"), 13000).text == "the driver is for CUDA 13.0 and shows 2 cards");
  CHECK(count == 2);
}

TEST_CASE("a driver that does not start, or shows nothing, says what to do", "[doctor]") {
  Server machine;
  int count = 0;
  for (auto [code, part] : {std::pair<int, const char*>{803, "restart the machine"},
                            {802, "fabric manager"},
                            {304, "device files"},
                            {999, "dmesg"}}) {
    Stubbed stub;
    stub.fail("cuInit", 1, code);
    Finding finding = cuda::diagnose_driver(stub.driver(), {}, machine.system, &count);
    CHECK(finding.verdict == Verdict::Failed);
    CHECK(says(finding.text, "the driver does not start: cuInit: "));
    CHECK(says(finding.advice, part));
  }
  machine.variables["CUDA_VISIBLE_DEVICES"] = "GPU-gone";
  Finding none = cuda::diagnose_driver(Stubbed("cards:0").driver(), {}, machine.system, &count);
  CHECK(says(none.text, "the driver shows no GPU: CUDA_ERROR_NO_DEVICE"));
  CHECK(says(none.advice, "unset CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("a card of too low a compute capability is told with what the plugin has", "[doctor]") {
  Server machine;
  PluginFacts plugin{"sm_90 compute_80", 13000, false};
  Stubbed stub("capability:75");
  std::vector<Finding> old = cuda::diagnose_cards(stub.driver(), 1, plugin, machine.system);
  REQUIRE(old.size() == 1);
  CHECK(old[0].device.empty());
  CHECK(old[0].verdict == Verdict::Failed);
  CHECK(old[0].text ==
        "Stub 0, compute capability 7.5, PCI 0000:00:00.0: left out, for the plugin has no code for it (it has sm_90 "
        "compute_80)");
  CHECK(says(old[0].advice, "sm_75"));
  // Those after it are numbered without it, as scripts find them.
  std::vector<Finding> cards = cuda::diagnose_cards(Stubbed("cards:2,old:0").driver(), 2, plugin, machine.system);
  REQUIRE(cards.size() == 3);
  CHECK(cards[0].verdict == Verdict::Failed);
  CHECK(cards[1].verdict == Verdict::Ok);
  CHECK(cards[1].device == "GPU:0");
  CHECK(says(cards[1].text, "Stub 1, compute capability 9.0"));
  CHECK(cards[2].device == "GPU:0");
}

TEST_CASE("a card whose code an older driver would have to compile is told with both versions", "[doctor]") {
  Server machine;
  PluginFacts plugin{"sm_90 compute_80", 12080, false};
  std::vector<Finding> old =
      cuda::diagnose_cards(Stubbed("capability:86,driver:12040").driver(), 1, plugin, machine.system);
  REQUIRE(old.size() == 1);
  CHECK(old[0].verdict == Verdict::Failed);
  CHECK(old[0].text ==
        "Stub 0, compute capability 8.6, PCI 0000:00:00.0: left out. The plugin's code for it must be compiled by the "
        "driver, which is for CUDA 12.4, older than the toolkit that the code was made with (12.8).");
  CHECK(says(old[0].advice, "install a driver for CUDA 12.8 or later, or build with -DLUTRA_CUDA_ARCHITECTURES=sm_86"));
  CHECK(cuda::diagnose_cards(Stubbed("driver:12040").driver(), 1, plugin, machine.system)[0].verdict == Verdict::Ok);
}

TEST_CASE("memory that others have is told with the programs that have the card open", "[doctor]") {
  Server machine(2);
  auto memory = [&](const char* options) {
    Stubbed stub(options);
    Finding finding = cuda::diagnose_cards(stub.driver(), 1, {}, machine.system)[1];
    CHECK(stub.live() == 0);
    return finding;
  };
  CHECK(memory("memory:8192").text == "8.00GiB of 8.00GiB are free");
  CHECK(memory("memory:8192,taken:2048").verdict == Verdict::Ok);
  CHECK(memory("memory:8192,taken:5000").verdict == Verdict::Note);
  CHECK(says(memory("memory:8192,taken:5000").text, "the rest is taken: by whom cannot be seen from here"));
  machine.link("/proc/4711/fd/7", "/dev/nvidia0");
  machine.link("/proc/4711/fd/8", "/dev/nvidia0");
  machine.file("/proc/4711/comm", "python3\n");
  machine.link("/proc/4712/fd/3", "/dev/nvidia1");
  machine.file("/proc/4712/comm", "other\n");
  Finding full = memory("memory:8192,taken:8000");
  CHECK(full.verdict == Verdict::Failed);
  CHECK(full.text == "192.00MiB of 8.00GiB are free, the rest is taken by python3 (process 4711)");
  // Where the management library is installed, it is preferred; what it does not report comes from files.
  machine.link("/usr/lib64/libnvidia-ml.so.1", LUTRA_NVML_STUB_LIBRARY);
  CHECK(memory("memory:8192,taken:8000").text ==
        "192.00MiB of 8.00GiB are free, the rest is taken by python3 (process 4711, 5.00GiB), other (process 4712)");
  Stubbed stub("memory:8192,taken:8000,cards:2");
  CHECK(says(cuda::diagnose_cards(stub.driver(), 2, {}, machine.system)[3].text, "taken by other (process 4712)"));
}

TEST_CASE("a card that gives no context says why", "[doctor]") {
  Server machine;
  for (auto [code, part] : {std::pair<int, const char*>{2, "end a program"}, {46, "to itself"}}) {
    Stubbed stub;
    stub.fail("cuDevicePrimaryCtxRetain", 1, code);
    Finding finding = cuda::diagnose_cards(stub.driver(), 1, {}, machine.system)[1];
    CHECK(finding.verdict == Verdict::Failed);
    CHECK(says(finding.text, "the card gives no context: CUDA_ERROR_"));
    CHECK(says(finding.advice, part));
    CHECK(stub.live() == 0);
  }
}
