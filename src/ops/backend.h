// A kind of device that is not the CPU: its kernels, and how a launch gets onto its streams.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/log.h"
#include "device/device.h"
#include "ops/kernel.h"

namespace lutra {

class Backend {
 public:
  virtual const char* name() const = 0;
  // optional: the machine's own cards of this kind, numbered from 0. What the user should hear of without asking goes
  // to the log: why there are none, why one is left out, and, while they are used, what they do without. The log
  // outlives their work.
  virtual std::vector<std::unique_ptr<Device>> discover(const Log& log) const {
    static_cast<void>(log);
    return {};
  }
  // Adds what it has under DeviceType::GPU; the CPU's kernels are there already.
  virtual void register_kernels(KernelRegistry& kernels) const = 0;
  // Queues the kernel. `args` and what it points to, but for tensors' memory and the fault, may be gone on return.
  virtual Ticket submit(Stream& stream, const KernelEntry& kernel, const KernelArgs& args) const = 0;

  // optional: sums over several cards, each of which brings elements of that dtype on its stream: whether there is a
  // way for these.
  virtual bool can_sum_over(std::span<Stream* const> streams, DType dtype) const {
    static_cast<void>(streams), static_cast<void>(dtype);
    return false;
  }
  // Queues one, where there is: data[r], of `count` elements on the card of streams[r], becomes the sum of all, the
  // same bits on every card.
  virtual void sum_over(std::span<Stream* const> streams, std::span<std::byte* const> data, int64_t count,
                        DType dtype) const {
    static_cast<void>(streams), static_cast<void>(data), static_cast<void>(count), static_cast<void>(dtype);
  }

 protected:
  ~Backend() = default;
};

// Those of the build, from a generated file.
std::span<const Backend* const> linked_backends();

}  // namespace lutra
