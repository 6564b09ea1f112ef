// Where an arena's pages come from, how they move, and what it does when the card refuses them.
#include <cstring>
#include <random>
#include <vector>

#include "unit/memory/watched_arena.h"

using namespace lutra;
using namespace lutra::test;

TEST_CASE("nothing is taken from the card before the first allocation", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB});
  CHECK(pages.mapped_bytes() == 0);
  CHECK(arena.stats().largest_free_bytes == 64 * MiB);
  arena.allocate(1);
  CHECK(pages.mapped_bytes() == 64 * MiB);
  CHECK(pages.pieces() == 1);
}

TEST_CASE("a growing arena takes whole pieces", "[arena]") {
  WatchedPages pages(1024 * MiB);
  Arena arena(pages, {.limit_bytes = 1000 * MiB, .growth = true, .piece_bytes = 32 * MiB});
  Arena::Chunk* small = arena.allocate(100);
  CHECK(arena.stats().reserved_bytes == 32 * MiB);
  CHECK(Arena::bytes(small) == 256);
  Arena::Chunk* large = arena.allocate(100 * MiB);
  CHECK(arena.stats().reserved_bytes == 128 * MiB);  // the rest of the first piece is used too
  CHECK(Arena::data(large) == Arena::data(small) + 256);
  arena.free(large, 1);
  CHECK(arena.trim() == 96 * MiB);
  CHECK(arena.stats().peak_reserved_bytes == 128 * MiB);
  arena.reset_peak();
  CHECK(arena.stats().peak_reserved_bytes == 32 * MiB);
  CHECK(arena.stats().peak_bytes_in_use == 256);
  CHECK(arena.stats().num_allocs == 2);
}

TEST_CASE("a growing arena takes a sixteenth more than it has, and 32 MiB at most", "[arena]") {
  WatchedPages pages(2048 * MiB);
  Arena arena(pages, {.limit_bytes = 2000 * MiB, .growth = true});
  auto taken_for_little_more = [&] {
    std::size_t before = arena.stats().reserved_bytes;
    while (arena.stats().reserved_bytes == before) arena.allocate(MiB / 2);
    return arena.stats().reserved_bytes - before;
  };
  CHECK(taken_for_little_more() == 2 * MiB);
  arena.allocate(126 * MiB);
  CHECK(taken_for_little_more() == 8 * MiB);
  arena.allocate(900 * MiB);
  CHECK(taken_for_little_more() <= 32 * MiB);
}

TEST_CASE("free pages are moved together before a growing arena takes more, so many times", "[arena]") {
  WatchedPages pages(2048 * MiB);
  Arena arena(pages, {.limit_bytes = 2000 * MiB, .growth = true});
  int waits = 0;
  arena.set_drain([](void* count) { ++*static_cast<int*>(count); }, &waits);
  // Every second of 8 MiB is free, and 16 MiB are wanted at once.
  for (int turn = 1; turn <= 20; ++turn) {
    std::vector<Arena::Chunk*> chunks;
    for (int i = 0; i < 8; ++i) chunks.push_back(arena.allocate(8 * MiB));
    for (std::size_t i = 1; i < 8; i += 2) arena.free(chunks[i], 0);
    std::size_t before = arena.stats().reserved_bytes;
    Arena::Chunk* wide = arena.allocate(16 * MiB);
    REQUIRE(wide != nullptr);
    if (turn <= 16) {
      CHECK(arena.stats().reserved_bytes == before);
      CHECK(waits == turn);
    } else {
      CHECK(arena.stats().reserved_bytes > before);
      CHECK(waits == 16);
    }
    arena.free(wide, 0);
    for (std::size_t i = 0; i < 8; i += 2) arena.free(chunks[i], 0);
    arena.trim();
  }
}

TEST_CASE("nothing is handed out without pages when only the limit's addresses can be reserved", "[arena]") {
  WatchedPages pages(64 * MiB);
  pages.most_addresses = 64 * MiB;
  {
    Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 8 * MiB});
    Checked checked(arena, pages);
    CHECK(checked.allocate(40 * MiB));
    CHECK(checked.allocate(24 * MiB));
  }
  pages.most_addresses = 0;
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true});
  CHECK(arena.allocate(1) == nullptr);
}

TEST_CASE("pages that come back are as good as new", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 4 * MiB});
  arena.free(arena.allocate(32 * MiB), 41);
  CHECK(arena.trim() == 32 * MiB);
  CHECK(arena.trim() == 0);
  CHECK(Arena::idle_seq(arena.allocate(MiB)) == 0);
  CHECK(arena.stats().reserved_bytes == 4 * MiB);
}

TEST_CASE("trim keeps every piece that holds something", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = false, .piece_bytes = 8 * MiB});
  std::vector<Arena::Chunk*> chunks;
  for (int i = 0; i < 16; ++i) chunks.push_back(arena.allocate(4 * MiB));
  for (std::size_t i : {0, 1, 2, 6, 7, 8, 9, 11}) arena.free(chunks[i], 1);
  std::memset(Arena::data(chunks[3]), 1, 4 * MiB);
  CHECK(arena.trim() == 24 * MiB);  // chunks 0 and 1, 6 and 7, 8 and 9
  CHECK(Arena::data(chunks[3])[4 * MiB - 1] == std::byte{1});
  // Without growth pages come back as they are needed.
  CHECK(arena.allocate(16 * MiB) != nullptr);
  CHECK(arena.stats().reserved_bytes == 56 * MiB);
}

TEST_CASE("free pieces elsewhere never refuse what the limit allows", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  std::vector<Arena::Chunk*> chunks;
  for (int i = 0; i < 8; ++i) chunks.push_back(arena.allocate(8 * MiB));
  for (std::size_t i : {0, 2, 4, 6}) arena.free(chunks[i], 5);
  CHECK(arena.stats().largest_free_bytes == 8 * MiB);
  // A queued command may still touch the free pieces, so somebody must wait before they can go.
  CHECK(arena.allocate(32 * MiB) == nullptr);
  int drains = 0;
  SECTION("the arena is told how to wait") {
    arena.set_drain([](void* count) { ++*static_cast<int*>(count); }, &drains);
    REQUIRE(arena.allocate(32 * MiB) != nullptr);
    CHECK(drains == 1);
  }
  SECTION("the caller waits and trims") {
    CHECK(arena.trim() == 32 * MiB);
    REQUIRE(arena.allocate(32 * MiB) != nullptr);
  }
  CHECK(arena.stats().reserved_bytes == 64 * MiB);
  CHECK(arena.allocate(1) == nullptr);
}

TEST_CASE("only as many pieces move as are needed, and none for a request that cannot be met", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  int drains = 0;
  arena.set_drain([](void* count) { ++*static_cast<int*>(count); }, &drains);
  std::vector<Arena::Chunk*> chunks;
  for (int i = 0; i < 16; ++i) chunks.push_back(arena.allocate(4 * MiB));
  for (std::size_t i : {0, 1, 3, 5, 6, 7, 10, 11}) arena.free(chunks[i], 5);
  // 32 MiB are free; 24 MiB of them in whole pieces, which start at 0, 6 and 10.
  CHECK(arena.allocate(28 * MiB) == nullptr);
  CHECK(drains == 0);
  CHECK(pages.maps == 8);
  REQUIRE(arena.allocate(16 * MiB) != nullptr);
  CHECK(drains == 1);
  CHECK(arena.stats().reserved_bytes == 64 * MiB);
  CHECK(pages.maps <= 10);
}

TEST_CASE("a window's own free pieces are no help to it", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  int drains = 0;
  arena.set_drain([](void* count) { ++*static_cast<int*>(count); }, &drains);
  std::vector<Arena::Chunk*> chunks;
  for (int i = 0; i < 16; ++i) chunks.push_back(arena.allocate(4 * MiB));
  for (std::size_t i : {1, 3, 5, 7, 9}) arena.free(chunks[i], 0);           // halves of pieces
  for (std::size_t i : {10, 11, 12, 13, 14, 15}) arena.free(chunks[i], 0);  // three whole pieces, at the end
  CHECK(arena.allocate(40 * MiB) == nullptr);
  CHECK(drains == 0);
}

TEST_CASE("pieces move from elsewhere into the holes of a window", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  arena.set_drain([](void*) {}, nullptr);
  std::vector<Arena::Chunk*> chunks;
  for (int i = 0; i < 8; ++i) chunks.push_back(arena.allocate(8 * MiB));
  std::byte* base = Arena::data(chunks[0]);
  arena.free(chunks[1], 0);
  arena.trim();
  arena.free(chunks[3], 0);
  Arena::Chunk* above = arena.allocate(16 * MiB);  // the third piece moves behind the eighth
  CHECK(Arena::data(above) == base + 64 * MiB);
  arena.free(above, 0);
  Arena::Chunk* low = arena.allocate(8 * MiB);
  CHECK(arena.allocate(8 * MiB) != nullptr);
  arena.free(low, 0);
  arena.free(chunks[0], 0);
  // Free: the first piece, and one above the last; no pages: the second.
  CHECK(Arena::data(arena.allocate(16 * MiB)) == base);
  CHECK(arena.stats().reserved_bytes == 64 * MiB);
}

TEST_CASE("free memory behind a hole is used for what fills the hole", "[arena]") {
  WatchedPages pages(128 * MiB);
  Arena arena(pages, {.limit_bytes = 128 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  std::vector<Arena::Chunk*> chunks;
  for (int i = 0; i < 5; ++i) chunks.push_back(arena.allocate(8 * MiB));
  arena.free(chunks[1], 0);
  arena.free(chunks[2], 0);
  CHECK(arena.trim() == 16 * MiB);
  arena.free(chunks[3], 0);
  CHECK(Arena::data(arena.allocate(16 * MiB)) == Arena::data(chunks[0]) + 16 * MiB);
  CHECK(arena.stats().reserved_bytes == 32 * MiB);
}

TEST_CASE("a card that has less than the limit lowers it by tenths", "[arena]") {
  WatchedPages pages(100 * MiB);
  Arena arena(pages, {.limit_bytes = 128 * MiB});
  REQUIRE(arena.allocate(MiB) != nullptr);
  // 128, 114, 102, 90 MiB: nine tenths each, rounded down to the granularity of 2 MiB
  CHECK(arena.stats().limit_bytes == 90 * MiB);
  CHECK(arena.stats().reserved_bytes == 90 * MiB);
  CHECK(pages.maps == 4);
  CHECK(arena.allocate(89 * MiB) != nullptr);
  CHECK(arena.allocate(1) == nullptr);
}

TEST_CASE("a card that has less than the request gives nothing, and the limit stays", "[arena]") {
  WatchedPages pages(20 * MiB);
  Arena arena(pages, {.limit_bytes = 128 * MiB, .growth = false, .piece_bytes = 8 * MiB});
  CHECK(arena.allocate(64 * MiB) == nullptr);
  CHECK(arena.stats().limit_bytes == 128 * MiB);
  CHECK(arena.stats().reserved_bytes == 0);
  CHECK(arena.stats().peak_reserved_bytes == 0);
  CHECK(arena.allocate(MiB) != nullptr);
  CHECK(arena.stats().limit_bytes <= 20 * MiB);
  CHECK(arena.stats().limit_bytes >= 16 * MiB);
}

TEST_CASE("a growing arena takes what it needs from a card that refuses a whole piece", "[arena]") {
  WatchedPages pages(64 * MiB);
  pages.most_bytes_at_once = 4 * MiB;
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 32 * MiB});
  CHECK(arena.allocate(3 * MiB) != nullptr);
  CHECK(arena.stats().reserved_bytes == 4 * MiB);
  CHECK(arena.allocate(8 * MiB) == nullptr);
  CHECK(arena.allocate(4 * MiB) != nullptr);
}

TEST_CASE("a card's refusal at any call leaves the arena whole", "[arena]") {
  for (bool growth : {false, true}) {
    int calls = 0;
    for (int refuse_at = 0; refuse_at <= calls; ++refuse_at) {
      CAPTURE(growth, refuse_at);
      WatchedPages pages(256 * MiB);
      pages.refuse_at = refuse_at;
      Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = growth, .piece_bytes = 4 * MiB});
      int drains = 0;
      arena.set_drain([](void* count) { ++*static_cast<int*>(count); }, &drains);
      Checked checked(arena, pages);
      std::mt19937_64 random(7);
      int refused = 0;
      for (int step = 0; step < 60; ++step) {
        if (random() % 3 != 0) {
          std::size_t bytes = (random() % 9 + 1) * MiB;
          if (!checked.allocate(bytes)) ++refused;
        } else if (checked.size() > 0) {
          checked.free(random() % checked.size(), 1);
        }
        if (step % 20 == 19) arena.trim();
        checked.check_stats();
      }
      if (refuse_at == 0) calls = pages.maps;
      while (checked.size() > 0) checked.free(0, 1);
      arena.trim();
      CHECK(pages.mapped_bytes() == 0);
      CHECK(checked.allocate(arena.stats().limit_bytes));
    }
    CHECK(calls > 10);
  }
}

TEST_CASE("two arenas share one card", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena a(pages, {.limit_bytes = 48 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  Arena b(pages, {.limit_bytes = 48 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  Arena::Chunk* first = a.allocate(40 * MiB);
  Arena::Chunk* second = b.allocate(24 * MiB);
  REQUIRE(first != nullptr);
  REQUIRE(second != nullptr);
  CHECK(b.allocate(8 * MiB) == nullptr);  // within b's limit, but the card is full
  a.free(first, 0);
  CHECK(b.allocate(8 * MiB) == nullptr);  // a keeps its pages until it is trimmed
  CHECK(a.trim() == 40 * MiB);
  CHECK(b.allocate(24 * MiB) != nullptr);
  CHECK(pages.mapped_bytes() == 48 * MiB);
}

TEST_CASE("a full card makes an arena move its own free pieces", "[arena]") {
  WatchedPages pages(32 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true, .piece_bytes = 8 * MiB});
  int drains = 0;
  arena.set_drain([](void* count) { ++*static_cast<int*>(count); }, &drains);
  std::vector<Arena::Chunk*> chunks;
  for (int i = 0; i < 4; ++i) chunks.push_back(arena.allocate(8 * MiB));
  arena.free(chunks[0], 0);
  arena.free(chunks[2], 0);
  REQUIRE(arena.allocate(16 * MiB) != nullptr);
  CHECK(drains == 1);
  CHECK(pages.mapped_bytes() == 32 * MiB);
}

TEST_CASE("where addresses are memory, trim gives all of it back, or none", "[arena]") {
  WatchedPages pages(64 * MiB);
  pages.on_demand = false;
  Arena arena(pages, {.limit_bytes = 40 * MiB});
  for (int round = 0; round < 3; ++round) {
    Arena::Chunk *first = arena.allocate(8 * MiB), *second = arena.allocate(12 * MiB);
    REQUIRE(first != nullptr);
    REQUIRE(second != nullptr);
    arena.free(first, 0);
    CHECK(arena.trim() == 0);
    CHECK(arena.stats().reserved_bytes == 40 * MiB);
    arena.free(second, 0);
    CHECK(arena.trim() == 40 * MiB);
    CHECK(arena.stats().reserved_bytes == 0);
    CHECK(pages.mapped_bytes() == 0);
    CHECK(pages.ranges() == 0);
    CHECK(arena.trim() == 0);
  }
  pages.most_addresses = 0;  // somebody else has taken it
  CHECK(arena.allocate(256) == nullptr);
  pages.most_addresses = SIZE_MAX;
  CHECK(arena.allocate(40 * MiB) != nullptr);
}

TEST_CASE("where addresses are memory, an arena takes its limit once, or the nine tenths that can be had", "[arena]") {
  WatchedPages pages(64 * MiB);
  pages.on_demand = false;
  {
    Arena arena(pages, {.limit_bytes = 40 * MiB});
    pages.most_addresses = 40 * MiB;  // twice the limit would be taken in vain
    REQUIRE(arena.allocate(40 * MiB) != nullptr);
    CHECK(arena.stats().limit_bytes == 40 * MiB);
  }
  pages.most_addresses = 30 * MiB;
  Arena arena(pages, {.limit_bytes = 40 * MiB});
  CHECK(arena.allocate(31 * MiB) == nullptr);
  Arena::Chunk* chunk = arena.allocate(8 * MiB);
  REQUIRE(chunk != nullptr);
  CHECK(arena.stats().limit_bytes <= 30 * MiB);
  CHECK(arena.stats().limit_bytes >= 24 * MiB);
  CHECK(arena.allocate(arena.stats().limit_bytes - 8 * MiB) != nullptr);
  CHECK(arena.allocate(256) == nullptr);
}
