// What simulated GPUs should have computed and could not, for want of memory: ranges of their memory. A command is
// queued long before it runs, so that no call is there to fail; what is computed or copied from such a range is not
// computed either, and whoever reads it is told. A range that is written anew is like any other.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

namespace lutra {

class Uncomputed {
 public:
  // Those of the process: a simulated GPU may read another one's memory.
  static Uncomputed& all();

  // Nearly always false, and cheap.
  bool any() const { return count_.load(std::memory_order_acquire) > 0; }
  // The op that should have written some of these bytes; null: they are well.
  const char* find(const std::byte* at, std::size_t bytes);
  // `who` stays where it is as long as the devices.
  void add(const std::byte* at, std::size_t bytes, const char* who);
  void remove(const std::byte* at, std::size_t bytes);

 private:
  // Where there are more, all memory counts as uncomputed from then on.
  static constexpr int kMost = 256;
  struct Range {
    const std::byte* begin;
    const std::byte* end;
    const char* who;
  };
  void put(const Range& range);

  std::mutex mutex_;
  std::atomic<int> count_{0};
  Range ranges_[kMost] = {};
};

}  // namespace lutra
