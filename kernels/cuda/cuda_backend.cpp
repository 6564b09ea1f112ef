// NVIDIA's cards: kernels come from the plugin, memory and queues from src/device/cuda. Neither opens a library before
// the first question about GPUs.

#include <cstdlib>
#include <string_view>

#include "core/error.h"
#include "device/cuda/architectures.h"
#include "device/cuda/cuda_device.h"
#include "device/cuda/cuda_stream.h"
#include "kernels/cuda/libraries/vendor_libraries.h"
#include "kernels/cuda/plugin_file.h"
#include "kernels/cuda/plugin_host.h"
#include "ops/backend.h"

namespace lutra {
namespace {

using cuda::CudaLaunch;
using cuda::CudaPlugin;

// Whether CUDA_VISIBLE_DEVICES alone says that there are no cards: then no library is opened.
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

  std::vector<std::unique_ptr<Device>> discover(const Log& log) const override {
    std::string why;
    if (hides_all()) return {};
    std::string library = cuda::driver_library(&why);
    if (library.empty()) return {};
    const CudaPlugin* plugin = cuda::open_plugin(&why);
    if (plugin == nullptr) {
      if (why.starts_with("WARNING: ")) log.line(why);
      return {};
    }
    const cuda::Driver* driver = cuda::open_driver(library.c_str(), &why);
    if (driver == nullptr) {
      log.line(text("WARNING: GPUs are not used: ", why));
      return {};
    }
    int version = driver->version();
    if (version > 0 && version / 1000 < plugin->toolkit_version / 1000) {
      log.line(text("WARNING: GPUs are not used: the driver is for CUDA ", cuda::version_text(version),
                    " and the plugin was built with CUDA ", plugin->toolkit_version / 1000,
                    "; install a newer driver, or build the plugin with an older toolkit"));
      return {};
    }
    cuda::Discovery found = cuda::discover(*driver, plugin->for_architectures, plugin->toolkit_version, &log);
    for (const std::string& ignored : found.ignored) log.line(text("WARNING: ", ignored));
    return std::move(found.devices);
  }

  void register_kernels(KernelRegistry& kernels) const override {
    std::string why;
    const CudaPlugin* plugin = cuda::open_plugin(&why);
    if (plugin == nullptr) fail(ErrorCode::Internal, "the CUDA plugin is gone: ", why);
    // The cards were found through this driver.
    const cuda::Driver* driver = cuda::open_driver(cuda::driver_library(&why).c_str(), &why);
    if (driver == nullptr) fail(ErrorCode::Internal, "NVIDIA's driver is gone: ", why);
    cuda::add_plugin_kernels(kernels, *plugin, !cuda::cublas_lt_file(driver->version()).empty());
  }

  Ticket submit(Stream& stream, const KernelEntry& kernel, const KernelArgs& args) const override {
    cuda::CudaStream& queue = static_cast<cuda::CudaStream&>(stream);
    return queue.launch(args.op->called(), args.fault, tell_fault, [&](cuda::StreamHandle on, cuda::FaultSlot* slot) {
      cuda::ProductQueue products{queue.card(), on, cuda::kBlasSuccess, {}};
      CudaLaunch launch{args, on, slot, queue.card().multiprocessors, 0, &products};
      kernel.run(launch);
      if (launch.error < 0) [[unlikely]] {
        fail(products.status == cuda::kBlasAllocFailed ? ErrorCode::ResourceExhausted : ErrorCode::Internal,
             products.card.name(), ": ", args.op->called(), ": ", products.why,
             ". lutra.device(\"/CPU:0\", f) computes it on the CPU, lutra doctor tries every device");
      }
      return launch.error;
    });
  }

  bool can_sum_over(std::span<Stream* const> streams, DType dtype) const override {
    return cuda::Communicators::takes(dtype) && communicators_of(streams_of(streams)) != nullptr;
  }

  void sum_over(std::span<Stream* const> streams, std::span<std::byte* const> data, int64_t count,
                DType dtype) const override {
    std::vector<cuda::CudaStream*> queues = streams_of(streams);
    communicators_of(queues)->sum(queues, data, count, dtype);
  }

 private:
  static std::vector<cuda::CudaStream*> streams_of(std::span<Stream* const> streams) {
    std::vector<cuda::CudaStream*> queues;
    for (Stream* stream : streams) queues.push_back(static_cast<cuda::CudaStream*>(stream));
    return queues;
  }

  // The first card keeps them. Null, from then on, if NCCL is not available for these cards.
  static cuda::Communicators* communicators_of(const std::vector<cuda::CudaStream*>& queues) {
    std::vector<cuda::DeviceHandle> devices;
    for (cuda::CudaStream* queue : queues) devices.push_back(queue->card().device);
    auto [found, is_new] = cuda::libraries_of(queues[0]->card()).communicators.try_emplace(std::move(devices));
    if (!is_new) return found->second.get();
    std::string why, file = cuda::nccl_file();
    if (file.empty()) return nullptr;
    const cuda::Nccl* library = cuda::open_nccl(file, &why);
    if (library != nullptr) found->second = cuda::Communicators::create(*library, queues, &why);
    if (found->second == nullptr) {
      std::string cards;
      for (cuda::CudaStream* queue : queues) cards += text(cards.empty() ? "" : ", ", queue->card().name());
      queues[0]->card().warn(text("NCCL is not used over ", cards, ": ", why, "; ", cuda::kWithoutNccl));
    }
    return found->second.get();
  }
};

}  // namespace

const Backend& cuda_backend() {
  static const CudaBackend backend;
  return backend;
}

}  // namespace lutra
