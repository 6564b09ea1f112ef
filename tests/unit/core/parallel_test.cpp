#include "core/parallel.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "core/stop_request.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// What happens on the thread is over when this returns, the thread included.
template <class Body> void on_another_thread(const Body& body) { std::thread(body).join(); }

// The exit status of a process in which the system gives no more memory for threads' stacks. 99: it was killed.
template <class Body> int without_memory_for_threads(const Body& body) {
  pid_t child = fork();
  if (child == 0) {
    rlimit none{std::size_t{1} << 20, std::size_t{1} << 20};
    _exit(setrlimit(RLIMIT_AS, &none) == 0 ? body() : 98);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

}  // namespace

TEST_CASE("a loop covers its range once, whatever the number of threads", "[parallel]") {
  for (int threads : {1, 2, 3, 7}) {
    set_max_threads(threads);
    for (int64_t count : {0, 1, 99, 100, 101, 1000, 12345}) {
      CAPTURE(threads, count);
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      parallel_for(count, 100, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
      });
      CHECK(std::all_of(seen.begin(), seen.end(), [](const std::atomic<int>& n) { return n == 1; }));
    }
  }
  set_max_threads(0);
}

TEST_CASE("what a range throws reaches the caller when all have ended", "[parallel]") {
  for (int threads : {1, 2, 7}) {
    CAPTURE(threads);
    set_max_threads(threads);
    std::atomic<int> ended = 0;
    auto refuse = [&](int64_t begin, int64_t) {
      ++ended;
      throw std::length_error(begin == 0 ? "first" : "other");
    };
    for (int i = 0; i < 3; ++i) {
      ended = 0;
      CHECK_THROWS_AS(parallel_for(700, 100, refuse), std::length_error);
      CHECK(ended >= 1);
      CHECK(ended <= 7);
    }
    // One alone, and the loop after it.
    CHECK_THROWS_AS(parallel_for(700, 1,
                                 [](int64_t, int64_t end) {
                                   if (end == 700) throw std::bad_alloc();
                                 }),
                    std::bad_alloc);
    std::atomic<int64_t> sum = 0;
    parallel_for(700, 100, [&](int64_t begin, int64_t end) { sum += end - begin; });
    CHECK(sum == 700);
  }
  set_max_threads(0);
}

TEST_CASE("a long loop ends early when its thread is asked to stop", "[parallel]") {
  StopRequest::watch(true);
  for (int threads : {1, 4}) {
    set_max_threads(threads);
    constexpr int64_t kCount = 1 << 20;
    std::atomic<int64_t> done = 0;
    auto body = [&](int64_t begin, int64_t end) {
      done += end - begin;
      StopRequest::ask();
    };
    CHECK_THROWS_AS(parallel_for(kCount, 16, body), LoopStopped);
    CHECK(done < kCount / 4);
    CHECK(StopRequest::was_heeded());
    StopRequest::answer();
    done = 0;
    parallel_for(kCount, 16, [&](int64_t begin, int64_t end) { done += end - begin; });
    CHECK(done == kCount);
  }
  StopRequest::watch(false);
  set_max_threads(0);
}

TEST_CASE("ranges begin at multiples of the unit", "[parallel]") {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  auto note = [&](int64_t begin, int64_t end) {
    std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  };
  constexpr int64_t kCount = 1'000'000;
  for (int threads : {2, 3, 4}) {
    set_max_threads(threads);
    for (int64_t unit : {64, 1000}) {
      CAPTURE(threads, unit);
      ranges.clear();
      if (unit == 64) parallel_for(kCount, 10, note);
      else parallel_for(kCount, 10, unit, note);
      std::sort(ranges.begin(), ranges.end());
      int64_t next = 0;
      for (auto [begin, end] : ranges) {
        CHECK(begin == next);
        CHECK(begin % unit == 0);
        next = end;
      }
      CHECK(next == kCount);
    }
  }
  set_max_threads(0);
}

TEST_CASE("loops of any length are run by the same threads", "[parallel]") {
  set_max_threads(4);
  std::mutex mutex;
  std::set<pid_t> tasks;
  auto note = [&](int64_t, int64_t) {
    std::lock_guard lock(mutex);
    tasks.insert(static_cast<pid_t>(syscall(SYS_gettid)));
  };
  for (int i = 0; i < 20; ++i) {
    parallel_for(1024, 1, note);
    parallel_for(512, 256, note);
  }
  CHECK(tasks.size() <= 4);
  set_max_threads(0);
}

TEST_CASE("a loop inside a shared loop stays on its thread", "[parallel]") {
  set_max_threads(2);
  std::atomic<int> most{0};
  // Long, so that it is shared even if helpers came late before.
  parallel_for(4096, 1, [&](int64_t, int64_t) {
    int here = max_threads();
    int before = most;
    while (here > before && !most.compare_exchange_weak(before, here)) {
    }
  });
  CHECK(most == 1);
  set_max_threads(0);
}

TEST_CASE("the number of threads belongs to the thread that says it", "[parallel]") {
  set_max_threads(3);
  on_another_thread([] {
    set_max_threads(2);
    CHECK(max_threads() == 2);
  });
  CHECK(max_threads() == 3);
  set_max_threads(1);
  CHECK(max_threads() == 1);
  set_max_threads(0);
}

TEST_CASE("threads that say no number share what the process may use", "[parallel]") {
  set_max_threads(0);
  int alone = max_threads();
  on_another_thread([alone] {
    CHECK(max_threads() == std::max(1, alone / 2));
    on_another_thread([alone] { CHECK(max_threads() == std::max(1, alone / 3)); });
  });
  CHECK(max_threads() == alone);
  // One that says its number takes nobody's share.
  on_another_thread([] {
    set_max_threads(2);
    CHECK(max_threads() == 2);
  });
  CHECK(max_threads() == alone);
}

TEST_CASE("the system gives the threads that are asked for", "[parallel]") {
  CHECK(obtainable_threads(0) == 0);
  for (int i = 0; i < 20; ++i) CHECK(obtainable_threads(4) == 4);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a system that refuses threads makes loops use fewer, and the process goes on", "[parallel]") {
  // The C library keeps the stacks of a few threads that have ended.
  CHECK(without_memory_for_threads([] { return obtainable_threads(64) < 32 ? 0 : 1; }) == 0);
}
#endif

#if !defined(__SANITIZE_THREAD__)
TEST_CASE("a forked child has helpers of its own", "[parallel]") {
  set_max_threads(2);
  auto sum = [] {
    std::atomic<int64_t> sum{0};
    parallel_for(4096, 1, [&](int64_t begin, int64_t end) { sum += end - begin; });
    return sum.load();
  };
  CHECK(sum() == 4096);
  pid_t child = fork();
  if (child == 0) _exit(sum() == 4096 && sum() == 4096 && max_threads() == 2 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  set_max_threads(0);
}
#endif
