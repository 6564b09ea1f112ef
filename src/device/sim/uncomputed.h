// Simulated GPU memory that a kernel did not write because it was refused host memory. The kernel runs after its op has
// returned, so it cannot raise an error. Instead its output is marked, and so is everything computed or copied from it.
// Reading marked memory on the host raises ResourceExhausted. Writing clears the mark.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace lutra {

class Uncomputed {
 public:
  // One for the process: a simulated GPU may read another one's memory.
  static Uncomputed& all();

  // Cheap. False in nearly every process.
  bool any() const { return count_.load(std::memory_order_acquire) > 0; }
  // The op that failed to write any of these bytes; null if none.
  const char* find(const std::byte* at, std::size_t bytes) const;
  // `who` must live as long as the devices.
  void add(const std::byte* at, std::size_t bytes, const char* who);
  void remove(const std::byte* at, std::size_t bytes);

 private:
  // If there are more ranges, the nearest are joined: the memory between them counts as uncomputed until it is written.
  static constexpr int kMost = 256;
  struct Range {
    const std::byte* begin;
    const std::byte* end;
    const char* who;
  };
  void put(const Range& range);

  mutable std::mutex mutex_;
  std::atomic<int> count_{0};
  Range ranges_[kMost] = {};
};

}  // namespace lutra
