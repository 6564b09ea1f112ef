// Address ranges, and the memory behind them. A range is reserved once; pages are mapped into parts of it and unmapped
// again. On the CPU and simulated GPUs this is mmap; on CUDA cuMemAddressReserve and cuMemMap. An Arena uses one range.
#pragma once

#include <cstddef>
#include <string>

namespace lutra {

class PageSource {
 public:
  virtual ~PageSource() = default;

  // Null if no addresses are available.
  virtual std::byte* reserve(std::size_t bytes) = 0;
  virtual void release(std::byte* base, std::size_t bytes) = 0;

  // Maps memory at [at, at + bytes), both multiples of granularity(). False if the device has no more; why() then gives
  // the reason in the driver's words.
  virtual bool map(std::byte* at, std::size_t bytes) = 0;
  // Gives the memory back; the addresses stay reserved. Nothing may use the range any longer.
  virtual void unmap(std::byte* at, std::size_t bytes) = 0;

  virtual std::size_t granularity() const = 0;
  // optional: false if reserve() itself takes the memory; then no more is reserved than will be used.
  virtual bool is_on_demand() const { return true; }
  virtual std::string why() const = 0;
};

// Host memory from mmap, with a capacity (the size of a simulated card). The system provides pages when they are first
// touched. Not thread-safe.
class HostPages final : public PageSource {
 public:
  explicit HostPages(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  std::byte* reserve(std::size_t bytes) override;
  void release(std::byte* base, std::size_t bytes) override;
  bool map(std::byte* at, std::size_t bytes) override;
  void unmap(std::byte* at, std::size_t bytes) override;
  // Smaller than a card's 2 MiB, so that small limits are nearly exact.
  std::size_t granularity() const override { return std::size_t{64} << 10; }
  std::string why() const override;

  std::size_t mapped_bytes() const { return mapped_bytes_; }
  std::size_t capacity_bytes() const { return capacity_bytes_; }

 private:
  std::size_t capacity_bytes_;
  std::size_t mapped_bytes_ = 0;
  std::size_t refused_bytes_ = 0;
};

}  // namespace lutra
