// Simulated GPU memory whose kernel was refused host memory. A kernel runs after its op has returned, so it cannot
// raise: its output is marked, so is what is computed or copied from it, and reading that on the host raises
// ResourceExhausted. Writing clears the mark.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace lutra {

class Uncomputed {
 public:
  // Those of the process: a simulated GPU may read another one's memory.
  static Uncomputed& all();

  // False in nearly every process; cheap.
  bool any() const { return count_.load(std::memory_order_acquire) > 0; }
  // The op that failed to write one of these bytes; null if none.
  const char* find(const std::byte* at, std::size_t bytes) const;
  // `who` stays where it is as long as the devices.
  void add(const std::byte* at, std::size_t bytes, const char* who);
  void remove(const std::byte* at, std::size_t bytes);

 private:
  // Where there are more, the nearest ones are joined: memory between them counts as uncomputed until it is written.
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
