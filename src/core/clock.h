// The steady clock in nanoseconds: for lengths of time, not for the time of day.
#pragma once

#include <chrono>
#include <cstdint>

namespace lutra {

inline int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace lutra
