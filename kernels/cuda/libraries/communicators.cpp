#include "kernels/cuda/libraries/communicators.h"

#include "core/error.h"

namespace lutra::cuda {
namespace {

std::string text_of(const Nccl& library, NcclResult result) {
  return library.result_text != nullptr ? library.result_text(result) : text("result ", result);
}

int type_of(DType dtype) {
  switch (dtype) {
    case DType::Float16: return kNcclFloat16;
    case DType::BFloat16: return kNcclBFloat16;
    case DType::Float64: return kNcclFloat64;
    default: return kNcclFloat32;
  }
}

}  // namespace

bool Communicators::takes(DType dtype) { return is_float(dtype); }

std::unique_ptr<Communicators> Communicators::create(const Nccl& library, std::span<CudaStream* const> streams,
                                                     std::string* why) {
  const Driver& driver = streams[0]->card().driver;
  std::unique_ptr<Communicators> made(new Communicators(library, driver));
  std::vector<int> devices;
  for (CudaStream* stream : streams) {
    Card& card = stream->card();
    card.use();
    Context context = nullptr;
    if (driver.retain_context(&context, card.device) == kSuccess) made->kept_.push_back(card.device);
    devices.push_back(card.device);
  }
  std::vector<Communicator> all(devices.size(), nullptr);
  NcclResult result = library.create_all(all.data(), static_cast<int>(all.size()), devices.data());
  if (result == kNcclSuccess) {
    made->all_ = std::move(all);
    return made;
  }
  *why = text("NCCL does not start on these cards (", text_of(library, result), ")");
  return nullptr;
}

Communicators::~Communicators() {
  for (Communicator communicator : all_) library_.abort(communicator);
  for (DeviceHandle device : kept_) driver_.release_context(device);
}

void Communicators::sum(std::span<CudaStream* const> streams, std::span<std::byte* const> data, int64_t count,
                        DType dtype) {
  for (CudaStream* stream : streams) stream->card().use();
  NcclResult result = library_.begin();
  for (std::size_t r = 0; r < streams.size() && result == kNcclSuccess; ++r) {
    streams[r]->card().use();
    result = library_.all_reduce(data[r], data[r], static_cast<std::size_t>(count), type_of(dtype), kNcclSum, all_[r],
                                 streams[r]->handle());
  }
  // A group that was begun must be ended, even after an error.
  NcclResult ended = library_.end();
  if (result == kNcclSuccess) result = ended;
  // Only now are commands on the streams.
  for (CudaStream* stream : streams) {
    stream->launch("ncclAllReduce", nullptr, nullptr, [](StreamHandle, FaultSlot*) { return kSuccess; });
  }
  if (result != kNcclSuccess) {
    fail(ErrorCode::Internal, streams[0]->card().name(), ": NCCL failed at a sum of ", count, " elements of ",
         lutra::name(dtype), " over ", streams.size(), " cards (", text_of(library_, result),
         "). LUTRA_NCCL=0 adds up on the first of them");
  }
}

}  // namespace lutra::cuda
