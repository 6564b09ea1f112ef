// Sums over several cards by NCCL. Each card has one communicator; all are created together. Used by one thread at a
// time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "device/cuda/cuda_stream.h"
#include "kernels/cuda/libraries/nccl.h"

namespace lutra::cuda {

// Shown if there is no NCCL.
inline constexpr const char* kWithoutNccl = "sums over cards are made on the first of them and copied";

class Communicators {
 public:
  // For the cards of the streams, all of them different. Returns null, and sets *why, if the library fails.
  static std::unique_ptr<Communicators> create(const Nccl& library, std::span<CudaStream* const> streams,
                                               std::string* why);
  // Call it when no sum is queued any longer.
  ~Communicators();
  Communicators(const Communicators&) = delete;

  // Whether sums of this dtype are possible.
  static bool takes(DType dtype);
  // Queues on each streams[r]: data[r] becomes the sum over all r, `count` elements. NCCL chooses the order of
  // addition; all cards get the same bits. Fails (Internal), quoting NCCL.
  void sum(std::span<CudaStream* const> streams, std::span<std::byte* const> data, int64_t count, DType dtype);

 private:
  Communicators(const Nccl& library, const Driver& driver) : library_(library), driver_(driver) {}

  const Nccl& library_;
  const Driver& driver_;
  std::vector<Communicator> all_;
  std::vector<DeviceHandle> kept_;  // cards whose contexts must outlive them
};

}  // namespace lutra::cuda
