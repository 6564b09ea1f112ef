#include "device/sim/uncomputed.h"

#include <algorithm>
#include <cstdint>

namespace lutra {

Uncomputed& Uncomputed::all() {
  static constinit Uncomputed all;
  return all;
}

const char* Uncomputed::find(const std::byte* at, std::size_t bytes) const {
  if (bytes == 0) return nullptr;
  std::lock_guard lock(mutex_);
  const Range *begin = ranges_, *end = begin + count_.load(std::memory_order_relaxed);
  const Range* found =
      std::find_if(begin, end, [=](const Range& one) { return at < one.end && one.begin < at + bytes; });
  return found != end ? found->who : nullptr;
}

void Uncomputed::add(const std::byte* at, std::size_t bytes, const char* who) {
  std::lock_guard lock(mutex_);
  if (bytes > 0) put({at, at + bytes, who});
}

void Uncomputed::remove(const std::byte* at, std::size_t bytes) {
  std::lock_guard lock(mutex_);
  // Backwards: the rest of a split range, appended at the end, needs no second look.
  for (int i = count_.load(std::memory_order_relaxed); i-- > 0;) {
    const Range range = ranges_[i];
    if (at + bytes <= range.begin || range.end <= at) continue;
    const int last = count_.load(std::memory_order_relaxed) - 1;
    ranges_[i] = ranges_[last];
    count_.store(last, std::memory_order_release);
    if (range.begin < at) put({range.begin, at, range.who});
    if (at + bytes < range.end) put({at + bytes, range.end, range.who});
  }
}

void Uncomputed::put(const Range& range) {
  const int count = count_.load(std::memory_order_relaxed);
  if (count < kMost) {
    ranges_[count] = range;
    count_.store(count + 1, std::memory_order_release);
    return;
  }
  // Extend the range that grows least by including the new one and the memory between them.
  auto united = [&](const Range& one) {
    return Range{std::min(one.begin, range.begin), std::max(one.end, range.end), one.who};
  };
  auto growth = [&](const Range& one) {
    Range both = united(one);
    return (both.end - both.begin) - (one.end - one.begin);
  };
  Range* nearest = std::min_element(ranges_, ranges_ + kMost,
                                    [&](const Range& one, const Range& other) { return growth(one) < growth(other); });
  *nearest = united(*nearest);
}

}  // namespace lutra
