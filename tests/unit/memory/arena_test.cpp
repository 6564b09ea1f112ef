#include "memory/arena.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "unit/memory/watched_arena.h"

using namespace lutra;
using namespace lutra::test;

namespace {

void random_program(uint64_t seed, ArenaOptions options, std::size_t largest, bool moves_pages) {
  CAPTURE(seed, options.limit_bytes, options.growth, options.piece_bytes, largest, moves_pages);
  WatchedPages pages(options.limit_bytes);
  Arena arena(pages, options);
  int drains = 0;
  if (moves_pages) arena.set_drain([](void* count) { ++*static_cast<int*>(count); }, &drains);
  Checked checked(arena, pages);
  std::mt19937_64 random(seed);
  uint64_t seq = 0;
  for (int step = 0; step < 1500; ++step) {
    std::size_t action = random() % 100;
    // Waves, so that the arena is at times nearly full and at times nearly empty.
    std::size_t birth = step / 150 % 2 == 0 ? 65 : 30;
    if (action < birth) {
      double scale = static_cast<double>(random() % 1000) / 1000;
      std::size_t bytes = static_cast<std::size_t>(std::exp(scale * std::log(static_cast<double>(largest))));
      ArenaStats before = arena.stats();
      bool got = checked.allocate(bytes);
      // What stats() calls possible is.
      if (bytes <= before.largest_free_bytes) REQUIRE(got);
    } else if (action < 98) {
      if (checked.size() > 0) checked.free(random() % checked.size(), ++seq);
    } else {
      std::size_t mapped = pages.mapped_bytes();
      std::size_t given = arena.trim();
      REQUIRE(given == mapped - pages.mapped_bytes());
    }
    if (step % 10 == 0) checked.check_stats();
  }
  while (checked.size() > 0) checked.free(random() % checked.size(), ++seq);
  checked.check_stats();
  arena.trim();
  CHECK(pages.mapped_bytes() == 0);
  CHECK(arena.stats().reserved_bytes == 0);
  CHECK(arena.stats().largest_free_bytes == options.limit_bytes / (2 * MiB) * (2 * MiB));
}

}  // namespace

TEST_CASE("random programs never overlap, lose bytes or miscount", "[arena]") {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    random_program(seed, {.limit_bytes = 64 * MiB, .growth = false}, 8 * MiB, false);
    random_program(seed, {.limit_bytes = 64 * MiB, .growth = false, .piece_bytes = 8 * MiB}, 24 * MiB, true);
    random_program(seed, {.limit_bytes = 256 * MiB, .growth = true}, 64 * MiB, true);
    random_program(seed, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 2 * MiB}, 8 * MiB, true);
    random_program(seed, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 4 * MiB}, 16 * MiB, false);
    random_program(seed, {.limit_bytes = 33 * MiB + 1000, .growth = true, .piece_bytes = 4 * MiB}, 4 * MiB, true);
    random_program(seed, {.limit_bytes = 2 * MiB, .growth = true}, 8 * KiB, true);
  }
}

TEST_CASE("the smallest chunk that is large enough is taken, of equals the lowest", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB});
  std::vector<Arena::Chunk*> holes;
  for (std::size_t bytes : {4096, 1024, 2048, 1024, 1280}) {
    holes.push_back(arena.allocate(bytes));
    arena.allocate(256);  // keeps the holes apart
  }
  std::vector<std::byte*> at;
  for (Arena::Chunk* hole : holes) at.push_back(Arena::data(hole));
  for (int i : {3, 0, 4, 2, 1}) arena.free(holes[static_cast<std::size_t>(i)], 0);
  CHECK(Arena::data(arena.allocate(1000)) == at[1]);
  CHECK(Arena::data(arena.allocate(1000)) == at[3]);
  CHECK(Arena::data(arena.allocate(1024)) == at[4]);
  CHECK(Arena::data(arena.allocate(1024)) == at[2]);
  CHECK(Arena::data(arena.allocate(1024)) == at[2] + 1024);  // the rest of the one before
  CHECK(Arena::data(arena.allocate(256)) == at[4] + 1024);
  CHECK(Arena::data(arena.allocate(4096)) == at[0]);
}

TEST_CASE("freed neighbours become one chunk in whatever order they go", "[arena]") {
  for (int order = 0; order < 6; ++order) {
    WatchedPages pages(2 * MiB);
    Arena arena(pages, {.limit_bytes = 2 * MiB});
    Arena::Chunk* part[3];
    for (Arena::Chunk*& chunk : part) chunk = arena.allocate(512 * KiB);
    arena.allocate(512 * KiB);
    CHECK(arena.allocate(1) == nullptr);
    int first = order % 3, second = (first + 1 + order / 3) % 3;
    arena.free(part[first], 0);
    arena.free(part[second], 0);
    arena.free(part[3 - first - second], 0);
    CHECK(arena.stats().largest_free_bytes == 1536 * KiB);
    CHECK(arena.allocate(1536 * KiB) != nullptr);
  }
}

TEST_CASE("many chunks of one size keep the arena quick", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB});
  constexpr std::size_t kChunks = 64 * MiB / 512;
  std::vector<Arena::Chunk*> chunks;
  for (std::size_t i = 0; i < kChunks; ++i) chunks.push_back(arena.allocate(512));
  REQUIRE(chunks.back() != nullptr);
  // Every other one, ascending, so that none are joined and a list or an unbalanced tree would take 10^9 steps.
  std::sort(chunks.begin(), chunks.end(), [](auto* a, auto* b) { return Arena::data(a) < Arena::data(b); });
  std::byte* lowest = Arena::data(chunks[0]);
  for (std::size_t i = 0; i < kChunks; i += 2) arena.free(chunks[i], 0);
  CHECK(arena.allocate(513) == nullptr);
  CHECK(arena.stats().largest_free_bytes == 512);
  for (std::size_t i = 0; i < kChunks; i += 2) {
    REQUIRE(Arena::data(arena.allocate(512)) == lowest + i * 512);
  }
  CHECK(arena.allocate(1) == nullptr);
}

TEST_CASE("small chunks that stay do not keep the memory of large ones apart", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB});
  std::vector<Arena::Chunk*> small;
  for (int round = 0; round < 20; ++round) {
    // One beside each large chunk, another in the place of each, and some that come and go.
    std::vector<Arena::Chunk*> large;
    for (int i = 0; i < 12; ++i) {
      large.push_back(arena.allocate(5 * MiB));
      small.push_back(arena.allocate(256));
    }
    for (std::size_t i = 0; i < large.size(); ++i) {
      REQUIRE(large[i] != nullptr);
      arena.free(large[i], 0);
      small.push_back(arena.allocate(1024));
      if (i % 3 == 0) {
        arena.free(small[small.size() / 2], 0);
        small.erase(small.begin() + static_cast<std::ptrdiff_t>(small.size() / 2));
      }
    }
    CHECK(arena.stats().largest_free_bytes >= 63 * MiB);
    Arena::Chunk* most = arena.allocate(63 * MiB);
    REQUIRE(most != nullptr);
    arena.free(most, 0);
  }
}

TEST_CASE("what small chunks were cut from serves large ones when nothing else is left", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB});
  for (int round = 0; round < 3; ++round) {
    std::vector<Arena::Chunk*> small;
    for (int i = 0; i < 10'000; ++i) small.push_back(arena.allocate(512));
    for (Arena::Chunk* chunk : small) arena.free(chunk, 0);
    CHECK(arena.stats().largest_free_bytes == 64 * MiB);
    std::vector<Arena::Chunk*> large;
    for (int i = 0; i < 4; ++i) large.push_back(arena.allocate(16 * MiB));
    for (Arena::Chunk* chunk : large) {
      REQUIRE(chunk != nullptr);
      arena.free(chunk, 0);
    }
  }
}

TEST_CASE("all pages that the limit has room for can be used, and no more are taken", "[arena]") {
  for (bool growth : {false, true}) {
    for (std::size_t limit : {2 * MiB, 3 * MiB + 700, 5 * MiB, 100 * MiB + 256}) {
      CAPTURE(growth, limit);
      std::size_t usable = limit / (2 * MiB) * (2 * MiB);
      WatchedPages pages(limit + 2 * MiB);
      Arena arena(pages, {.limit_bytes = limit, .growth = growth});
      CHECK(arena.stats().largest_free_bytes == usable);
      CHECK(arena.allocate(usable + 1) == nullptr);
      Arena::Chunk* whole = arena.allocate(usable);
      REQUIRE(whole != nullptr);
      CHECK(arena.allocate(0) == nullptr);
      CHECK(arena.stats().bytes_in_use == usable);
      CHECK(arena.stats().largest_free_bytes == 0);
      arena.free(whole, 0);
      std::size_t chunks = 0;
      while (arena.allocate(256 * KiB) != nullptr) ++chunks;
      CHECK(chunks == usable / (256 * KiB));
      while (arena.allocate(1) != nullptr) {
      }
      CHECK(arena.stats().bytes_in_use == usable);
      CHECK(arena.stats().limit_bytes == usable);
      CHECK(arena.stats().reserved_bytes == usable);
    }
    WatchedPages pages(64 * MiB);
    Arena too_small(pages, {.limit_bytes = MiB, .growth = growth});
    CHECK(too_small.allocate(1) == nullptr);
    CHECK(too_small.stats().reserved_bytes == 0);
  }
}

TEST_CASE("sizes that no card has are refused", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true});
  for (std::size_t bytes : {SIZE_MAX, SIZE_MAX - 255, SIZE_MAX / 2, 64 * MiB + 1})
    CHECK(arena.allocate(bytes) == nullptr);
  CHECK(pages.maps == 0);
  Arena none(pages, {.limit_bytes = 0, .growth = true});
  CHECK(none.allocate(0) == nullptr);
}

TEST_CASE("a chunk remembers the last compute command of all its parts", "[arena]") {
  WatchedPages pages(2 * MiB);
  Arena arena(pages, {.limit_bytes = 2 * MiB});
  Arena::Chunk* a = arena.allocate(MiB);
  Arena::Chunk* b = arena.allocate(512 * KiB);
  Arena::Chunk* c = arena.allocate(512 * KiB);
  CHECK(Arena::idle_seq(a) == 0);
  arena.free(a, 7);
  arena.free(c, 3);
  c = arena.allocate(512 * KiB);
  CHECK(Arena::idle_seq(c) == 3);
  arena.free(b, 9);
  Arena::Chunk* both = arena.allocate(1536 * KiB);
  CHECK(Arena::idle_seq(both) == 9);
  arena.free(both, 8);
  arena.free(arena.allocate(256), 10);
  CHECK(Arena::idle_seq(arena.allocate(1536 * KiB)) == 10);
}
