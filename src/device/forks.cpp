#include "device/forks.h"

#include <pthread.h>

#include <atomic>

namespace lutra {
namespace {
std::atomic<uint64_t> g_forks{0};
}  // namespace

uint64_t count_forks() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1); });
  return g_forks.load(std::memory_order_relaxed);
}

}  // namespace lutra
