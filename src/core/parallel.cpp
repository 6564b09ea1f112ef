#include "core/parallel.h"

#include <sched.h>

#include <pthread.h>
#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <thread>
#include <vector>

#if defined(LUTRA_PARALLEL_OPENMP)
#include <omp.h>
#endif

namespace lutra {
namespace {

std::atomic<int> g_threads{0};
std::atomic<bool> g_forked{false};
thread_local bool t_one_thread = false;

int default_threads() {
  if (const char* said = std::getenv("LUTRA_NUM_THREADS")) {
    // What is no number is refused where an interpreter starts: src/lua/environment.cpp.
    if (int threads = parse_threads(said).value_or(0); threads > 0) return threads;
  }
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return std::max(1, CPU_COUNT(&cores));
  return 1;
}

// libgomp's pool does not survive a fork: the child would wait for threads that are not there.
void mind_forks() {
  [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, [] { g_forked.store(true); });
}

}  // namespace

int max_threads() {
  if (t_one_thread || g_forked.load(std::memory_order_relaxed)) return 1;
  int threads = g_threads.load(std::memory_order_relaxed);
  if (threads == 0) {
    mind_forks();
    threads = default_threads();
    g_threads.store(threads, std::memory_order_relaxed);
  }
  return threads;
}

std::optional<int> parse_threads(std::string_view text) {
  int threads = 0;
  auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), threads);
  bool ok = problem == std::errc() && end == text.data() + text.size() && threads >= 0 && threads <= kMostThreads;
  return ok ? std::optional(threads) : std::nullopt;
}

void set_max_threads(int threads) {
  mind_forks();
  g_threads.store(threads > 0 ? threads : default_threads());
#if defined(LUTRA_PARALLEL_OPENMP)
  omp_set_num_threads(max_threads());
#endif
}

void use_one_thread_here() {
  t_one_thread = true;
#if defined(LUTRA_PARALLEL_OPENMP)
  omp_set_num_threads(1);
#endif
}

void detail::parallel_ranges(int64_t count, int64_t grain, void (*range)(const void*, int64_t, int64_t),
                             const void* body) {
  int64_t pieces = std::min<int64_t>(max_threads(), (count + grain - 1) / grain);
  if (pieces <= 1) {
    range(body, 0, count);
    return;
  }
  int64_t step = (count + pieces - 1) / pieces;
  step = (step + grain - 1) / grain * grain;
#if defined(LUTRA_PARALLEL_OPENMP)
#pragma omp parallel for num_threads(static_cast <int>(pieces)) schedule(static, 1)
  for (int64_t piece = 0; piece < pieces; ++piece) {
    int64_t begin = piece * step;
    if (begin < count) range(body, begin, std::min(count, begin + step));
  }
#elif defined(LUTRA_PARALLEL_THREADS)
  std::vector<std::thread> helpers;
  for (int64_t begin = step; begin < count; begin += step) {
    helpers.emplace_back([=] { range(body, begin, std::min(count, begin + step)); });
  }
  range(body, 0, std::min(count, step));
  for (std::thread& helper : helpers) helper.join();
#else
  range(body, 0, count);
#endif
}

}  // namespace lutra
