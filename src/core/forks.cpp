#include "core/forks.h"

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace lutra {
namespace {

std::atomic<uint64_t> g_forks{0};
// Locked while the process forks.
std::mutex g_all_work_mutex;
UncutWork* g_all_work = nullptr;
std::atomic<bool> g_forking{false};

}  // namespace

uint64_t count_forks() {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { g_forks.fetch_add(1); });
  return g_forks.load(std::memory_order_relaxed);
}

UncutWork::UncutWork() {
  [[maybe_unused]] static const int registered = pthread_atfork(stop_all, go_on, go_on);
  std::lock_guard lock(g_all_work_mutex);
  next_ = g_all_work;
  place_ = &g_all_work;
  if (next_ != nullptr) next_->place_ = &next_;
  g_all_work = this;
}

UncutWork::~UncutWork() {
  std::lock_guard lock(g_all_work_mutex);
  *place_ = next_;
  if (next_ != nullptr) next_->place_ = place_;
}

void UncutWork::stop_all() {
  g_all_work_mutex.lock();
  g_forking.store(true, std::memory_order_relaxed);
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (UncutWork* work = g_all_work; work != nullptr; work = work->next_) {
    // Polled, because the thread sanitizer does not understand timed locks.
    while (!(work->is_stopped_ = work->piece_.try_lock()) && std::chrono::steady_clock::now() < latest) {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
}

void UncutWork::go_on() {
  for (UncutWork* work = g_all_work; work != nullptr; work = work->next_) {
    if (work->is_stopped_) work->piece_.unlock();
  }
  g_forking.store(false, std::memory_order_relaxed);
  g_all_work_mutex.unlock();
}

// Without this, a busy thread would lock its mutex again before the fork gets it.
void UncutWork::let_forks_pass() {
  if (!g_forking.load(std::memory_order_relaxed)) return;
  std::lock_guard until_forked(g_all_work_mutex);
}

}  // namespace lutra
