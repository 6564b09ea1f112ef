// Sums over several cards, by NCCL: one communicator a card, made together. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dtype.h"
#include "device/cuda/cuda_stream.h"
#include "device/cuda/nccl.h"

namespace lutra::cuda {

// What is told where there is no NCCL.
inline constexpr const char* kWithoutNccl = "sums over cards are made on the first of them and copied";

class Communicators {
 public:
  // Of the streams' cards, which are different ones. Null, and why, when the library gives none.
  static std::unique_ptr<Communicators> create(const Nccl& library, std::span<CudaStream* const> streams,
                                               std::string* why);
  // Nothing is queued any more.
  ~Communicators();
  Communicators(const Communicators&) = delete;

  // Whether sums of these can be made.
  static bool takes(DType dtype);
  // data[r] becomes the sum of all, `count` elements, on streams[r]; every card has the same bits then, in an order of
  // NCCL's. Fails (Internal) with NCCL's words.
  void sum(std::span<CudaStream* const> streams, std::span<std::byte* const> data, int64_t count, DType dtype);

 private:
  Communicators(const Nccl& library, const Driver& driver) : library_(library), driver_(driver) {}

  const Nccl& library_;
  const Driver& driver_;
  std::vector<Communicator> all_;
  std::vector<DeviceHandle> kept_;  // cards whose contexts must outlive them
};

}  // namespace lutra::cuda
