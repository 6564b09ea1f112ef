#include "core/stop_request.h"

#include <ctime>

namespace lutra {
namespace {

// Here and not in the header: kernels are compiled several times, for several levels of CPU, and must share them.
thread_local bool watches = false;
thread_local constinit std::atomic<bool> wanted{false};

thread_local int64_t again_at_us = 0;

int64_t now_us() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000 + now.tv_nsec / 1000;
}

}  // namespace

void StopRequest::watch(bool on) {
  watches = on;
  answer();
}
std::atomic<bool>& StopRequest::flag() { return wanted; }
bool StopRequest::is_watching() { return watches; }
void StopRequest::ask() { wanted.store(true, std::memory_order_relaxed); }
void StopRequest::answer(int64_t again_us) {
  wanted.store(false, std::memory_order_relaxed);
  again_at_us = again_us;
}
bool StopRequest::is_wanted() {
  if (!watches) return false;
  return wanted.load(std::memory_order_relaxed) || (again_at_us != 0 && now_us() >= again_at_us);
}

}  // namespace lutra
