// A back end: the kernels of a kind of device that is not the CPU, and how a launch is queued on its streams.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/log.h"
#include "device/device.h"
#include "ops/kernel.h"

namespace lutra {

class Backend {
 public:
  virtual const char* name() const = 0;
  // optional: the machine's cards of this kind, numbered from 0. Logs what every user should know: why there are none,
  // why one is left out and, while they are used, what is missing for them. The log outlives their work.
  virtual std::vector<std::unique_ptr<Device>> discover(const Log& log) const {
    static_cast<void>(log);
    return {};
  }
  // Registers its kernels under DeviceType::GPU. The CPU's are already registered.
  virtual void register_kernels(KernelRegistry& kernels) const = 0;
  // Queues the kernel. Tensors' memory and the fault outlive the launch; `args` and all else it points to may be
  // freed on return.
  virtual Ticket submit(Stream& stream, const KernelEntry& kernel, const KernelArgs& args) const = 0;

  // optional: whether it can sum elements of `dtype` over several cards, each with its stream.
  virtual bool can_sum_over(std::span<Stream* const> streams, DType dtype) const {
    static_cast<void>(streams), static_cast<void>(dtype);
    return false;
  }
  // Queues such a sum; requires can_sum_over. data[r], `count` elements on the card of streams[r], becomes the sum of
  // all data, with the same bits on every card.
  virtual void sum_over(std::span<Stream* const> streams, std::span<std::byte* const> data, int64_t count,
                        DType dtype) const {
    static_cast<void>(streams), static_cast<void>(data), static_cast<void>(count), static_cast<void>(dtype);
  }

 protected:
  ~Backend() = default;
};

// The back ends of this build. The build writes the definition (scripts/cmake/generated.cmake).
std::span<const Backend* const> linked_backends();

}  // namespace lutra
