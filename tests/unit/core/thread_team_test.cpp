#include "core/thread_team.h"

#include <sys/sysinfo.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/usable_cores.h"
#include "support/catch.h"

using namespace lutra;

namespace {

template <class Body> ThreadTeam::Loop loop_of(int64_t count, int64_t chunk, const Body& body) {
  auto range = [](const void* b, int64_t begin, int64_t end) { (*static_cast<const Body*>(b))(begin, end); };
  return {range, &body, count, chunk};
}

// On a busy machine helpers are woken only between two chunks of the caller.
template <class Done> void await(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (!done() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace

TEST_CASE("an owner claims the first half of what is left, others the last", "[thread_team]") {
  ChunkShare share;
  CHECK(share.is_empty());
  share.give({3, 11});
  auto check = [](ChunkShare::Chunks chunks, int64_t first, int64_t end) {
    CHECK(chunks.first == first);
    CHECK(chunks.end == end);
  };
  check(share.claim_first(), 3, 7);
  check(share.claim_last(), 9, 11);
  check(share.claim_first(), 7, 8);
  check(share.claim_last(), 8, 9);
  CHECK(share.is_empty());
  CHECK(share.claim_first().count() == 0);
  share.give({0, 0});
  CHECK(share.claim_last().count() == 0);
  share.give({ChunkShare::kMostChunks - 1, ChunkShare::kMostChunks});
  check(share.claim_last(), ChunkShare::kMostChunks - 1, ChunkShare::kMostChunks);
}

TEST_CASE("every chunk is done once", "[thread_team]") {
  ThreadTeam team(3);
  REQUIRE(team.helpers() == 3);
  for (int64_t count : {1, 2, 7, 100, 1001}) {
    for (int64_t chunk : {1, 3, 64}) {
      for (int helpers : {0, 1, 3}) {
        std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
        auto body = [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
        };
        team.run(loop_of(count, chunk, body), helpers);
        CAPTURE(count, chunk, helpers);
        CHECK(std::all_of(seen.begin(), seen.end(), [](const std::atomic<int>& n) { return n == 1; }));
      }
    }
  }
}

TEST_CASE("short loops follow each other without a break", "[thread_team]") {
  ThreadTeam team(3);
  std::atomic<int64_t> sum{0};
  auto body = [&](int64_t begin, int64_t end) { sum += end - begin; };
  for (int i = 0; i < 20'000; ++i) team.run(loop_of(1 + i % 13, 1, body), i % 4);
  int64_t wanted = 0;
  for (int i = 0; i < 20'000; ++i) wanted += 1 + i % 13;
  CHECK(sum == wanted);
}

TEST_CASE("the caller waits for no chunk that is not begun", "[thread_team]") {
  ThreadTeam team(1);
  const auto caller = std::this_thread::get_id();
  std::atomic<int64_t> by_caller{0}, by_helper{0}, most{0};
  constexpr int64_t kChunks = 64;
  // A helper that has begun continues when all chunks that it has not claimed are done.
  auto body = [&](int64_t begin, int64_t end) {
    if (std::this_thread::get_id() == caller) {
      by_caller += end - begin;
      await([&] { return by_helper > 0; });
    } else {
      by_helper += end - begin;
      most = end - begin;
      while (by_caller + by_helper < kChunks) std::this_thread::yield();
    }
  };
  team.run(loop_of(kChunks, 1, body), 1);
  CHECK(by_caller + by_helper == kChunks);
  CHECK(by_helper <= kChunks / 4 + most);
}

TEST_CASE("sleeping helpers are woken for much work, and closed when the team ends", "[thread_team]") {
  for (int i = 0; i < 3; ++i) {
    ThreadTeam team(2);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // they sleep now
    CHECK(team.ready(2, 1) <= 2);
    CHECK(team.ready(2, 1000) == 2);
    const auto caller = std::this_thread::get_id();
    std::atomic<int64_t> others{0};
    // The caller's chunks take long as long as no helper has one: there are some left when it comes.
    auto body = [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != caller) ++others;
      await([&] { return others > 0; });
    };
    team.run(loop_of(64, 1, body), 2);
    CHECK(others > 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

TEST_CASE("no helper is woken for a short loop while all cores are taken", "[thread_team]") {
  if (running_threads() == 0) {
    WARN("the system does not say how many threads run");
    return;
  }
  ThreadTeam team(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the helper sleeps now
  std::atomic<bool> ends{false};
  std::vector<std::thread> others;
  for (int i = 0; i < get_nprocs(); ++i) {
    others.emplace_back([&] {
      while (!ends) {
      }
    });
  }
  while (running_threads() <= static_cast<int>(others.size())) std::this_thread::yield();
  const auto caller = std::this_thread::get_id();
  std::atomic<int> by_others{0};
  auto body = [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != caller) ++by_others;
  };
  for (int i = 0; i < 100; ++i) team.run(loop_of(32, 1, body), team.ready(1, 32));
  CHECK(by_others == 0);
  ends = true;
  for (std::thread& other : others) other.join();
}

TEST_CASE("what a chunk throws comes out once all are done", "[thread_team]") {
  ThreadTeam team(2);
  for (int i = 0; i < 100; ++i) {
    std::atomic<int64_t> done{0};
    auto body = [&](int64_t begin, int64_t end) {
      done += end - begin;
      if (begin >= 20) throw std::length_error("late chunk");
    };
    CHECK_THROWS_AS(team.run(loop_of(64, 1, body), 2), std::length_error);
    CHECK(done == 64);
  }
}
