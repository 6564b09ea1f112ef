// NVIDIA's cards: kernels come from the plugin, memory and queues from src/device/cuda. Nothing of either is opened
// before the first question about GPUs.

#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_stream.h"
#include "kernels/cuda/plugin_file.h"
#include "ops/backend.h"

namespace lutra {
namespace {

using cuda::CudaLaunch;
using cuda::CudaPlugin;

// Whether CUDA_VISIBLE_DEVICES alone says that there are none: then nothing is opened.
bool hides_all() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && (*visible == '\0' || std::string_view(visible) == "-1");
}

void tell_fault(void* record, const cuda::FaultSlot& slot) {
  static_cast<Fault*>(record)->raise(static_cast<FaultCode>(slot.code), slot.value, slot.limit);
}

class CudaBackend final : public Backend {
 public:
  const char* name() const override { return "cuda"; }

  std::vector<std::unique_ptr<Device>> discover(std::string* why) const override {
    if (hides_all()) {
      *why = "CUDA_VISIBLE_DEVICES hides all GPUs";
      return {};
    }
    std::string library = cuda::driver_library(why);
    if (library.empty()) return {};
    if (cuda::open_plugin(why) == nullptr) return {};
    const cuda::Driver* driver = cuda::open_driver(library.c_str(), why);
    if (driver == nullptr) {
      *why = text("WARNING: GPUs are not used: ", *why);
      return {};
    }
    cuda::Discovery found = cuda::discover(*driver);
    *why = found.why_none;
    return std::move(found.devices);
  }

  void register_kernels(KernelRegistry& kernels) const override {
    std::string why;
    const CudaPlugin* plugin = cuda::open_plugin(&why);
    if (plugin == nullptr) fail(ErrorCode::Internal, "the CUDA plugin is gone: ", why);
    for (std::size_t i = 0; i < plugin->count; ++i) {
      const cuda::CudaKernel& kernel = plugin->kernels[i];
      kernels.add(kernel.op, DeviceType::GPU, kernel.keys, kernel.entry);
    }
  }

  Ticket submit(Stream& stream, const KernelEntry& kernel, const KernelArgs& args) const override {
    cuda::CudaStream& queue = static_cast<cuda::CudaStream&>(stream);
    return queue.launch(args.op->called(), args.fault, tell_fault, [&](cuda::StreamHandle on, cuda::FaultSlot* slot) {
      CudaLaunch launch{args, on, slot, queue.card().multiprocessors, 0};
      kernel.run(launch);
      return launch.error;
    });
  }
};

}  // namespace

const Backend& cuda_backend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace lutra
