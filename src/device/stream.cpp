#include "device/stream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

namespace lutra {

bool ends_within(Ticket ticket, int milliseconds) {
  using std::chrono::microseconds;
  // Naps begin late and grow, so that a wait takes at most about a tenth longer.
  constexpr microseconds kAwake(1000), kShortestNap(100), kLongestNap(1000);
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    if (is_done(ticket)) return true;
    const auto waited = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - begin);
    if (waited >= std::chrono::milliseconds(milliseconds)) return false;
    if (waited < kAwake) std::this_thread::yield();
    else std::this_thread::sleep_for(std::clamp(waited / 16, kShortestNap, kLongestNap));
  }
}

Ticket InlineStream::submit(void (*run)(void*), const void* args, std::size_t, void (*)(void*, const void*)) {
  run(const_cast<void*>(args));
  return {};
}

Ticket InlineStream::copy(const CopyRequest& request, bool) {
  if (request.bytes > 0) std::memcpy(request.to, request.from, request.bytes);
  return {};
}

}  // namespace lutra
