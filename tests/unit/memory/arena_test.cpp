#include "memory/arena.h"

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "support/catch.h"

using namespace lutra;

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

// HostPages that count, refuse the n-th map, and see to it that every unmap takes what one map gave.
class WatchedPages final : public PageSource {
 public:
  explicit WatchedPages(std::size_t capacity) : pages_(capacity) {}
  ~WatchedPages() { CHECK(pieces_.empty()); }

  std::byte* reserve(std::size_t bytes) override {
    if (bytes > most_addresses) return nullptr;
    return pages_.reserve(bytes);
  }
  void release(std::byte* base, std::size_t bytes) override { pages_.release(base, bytes); }
  bool map(std::byte* at, std::size_t bytes) override {
    ++maps;
    if (maps == refuse_at || bytes > most_bytes_at_once || !pages_.map(at, bytes)) return false;
    auto after = pieces_.lower_bound(at);
    REQUIRE((after == pieces_.end() || at + bytes <= after->first));
    if (after != pieces_.begin()) REQUIRE(std::prev(after)->first + std::prev(after)->second <= at);
    pieces_[at] = bytes;
    return true;
  }
  void unmap(std::byte* at, std::size_t bytes) override {
    REQUIRE(pieces_.count(at) == 1);
    REQUIRE(pieces_[at] == bytes);
    pieces_.erase(at);
    pages_.unmap(at, bytes);
  }
  std::size_t granularity() const override { return pages_.granularity(); }
  std::string why() const override { return pages_.why(); }

  std::size_t mapped_bytes() const { return pages_.mapped_bytes(); }
  std::size_t pieces() const { return pieces_.size(); }

  int maps = 0;
  int refuse_at = 0;
  std::size_t most_addresses = SIZE_MAX;
  std::size_t most_bytes_at_once = SIZE_MAX;

 private:
  HostPages pages_;
  std::map<std::byte*, std::size_t> pieces_;
};

// An arena beside a plain list of what it handed out: no two chunks overlap, contents stay, numbers add up.
class Checked {
 public:
  Checked(Arena& arena, WatchedPages& pages) : arena_(arena), pages_(pages) {}

  bool allocate(std::size_t bytes) {
    Arena::Chunk* chunk = arena_.allocate(bytes);
    if (chunk == nullptr) return false;
    std::byte* data = Arena::data(chunk);
    std::size_t rounded = Arena::bytes(chunk);
    REQUIRE(rounded == std::max<std::size_t>(256, (bytes + 255) / 256 * 256));
    REQUIRE(reinterpret_cast<uintptr_t>(data) % 256 == 0);
    auto after = live_.lower_bound(data);
    REQUIRE((after == live_.end() || data + rounded <= after->first));
    if (after != live_.begin()) REQUIRE(std::prev(after)->first + Arena::bytes(std::prev(after)->second.chunk) <= data);
    std::byte mark = static_cast<std::byte>(++marks_);
    // The ends and the page borders: enough to meet memory that is not there, and any overlap.
    for (std::size_t at = 0; at < rounded; at += 64 * KiB) data[at] = mark;
    data[rounded - 1] = mark;
    live_[data] = {chunk, mark};
    in_use_ += rounded;
    return true;
  }

  void free(std::size_t index, uint64_t seq) {
    auto it = std::next(live_.begin(), static_cast<std::ptrdiff_t>(index));
    auto [chunk, mark] = it->second;
    std::byte* data = it->first;
    std::size_t rounded = Arena::bytes(chunk);
    for (std::size_t at = 0; at < rounded; at += 64 * KiB) REQUIRE(data[at] == mark);
    REQUIRE(data[rounded - 1] == mark);
    in_use_ -= rounded;
    live_.erase(it);
    arena_.free(chunk, seq);
  }

  void check_stats() const {
    ArenaStats stats = arena_.stats();
    REQUIRE(stats.bytes_in_use == in_use_);
    REQUIRE(stats.reserved_bytes == pages_.mapped_bytes());
    REQUIRE(stats.bytes_in_use <= stats.limit_bytes);
    REQUIRE(stats.bytes_in_use <= stats.reserved_bytes);
    REQUIRE(stats.peak_bytes_in_use >= stats.bytes_in_use);
    REQUIRE(stats.peak_reserved_bytes >= stats.reserved_bytes);
  }

  std::size_t size() const { return live_.size(); }
  std::size_t in_use() const { return in_use_; }

 private:
  struct Live {
    Arena::Chunk* chunk;
    std::byte mark;
  };
  Arena& arena_;
  WatchedPages& pages_;
  std::map<std::byte*, Live> live_;
  std::size_t in_use_ = 0;
  unsigned marks_ = 0;
};

void random_program(uint64_t seed, ArenaOptions options, std::size_t largest, bool moves_pages) {
  CAPTURE(seed, options.limit_bytes, options.growth, options.piece_bytes, largest, moves_pages);
  WatchedPages pages(options.limit_bytes + 2 * MiB);  // the last granule may be larger than what is left of the limit
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
  CHECK(arena.stats().largest_free_bytes == options.limit_bytes / 256 * 256);
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
    random_program(seed, {.limit_bytes = MiB, .growth = true}, 8 * KiB, true);
  }
}

TEST_CASE("nothing is taken from the card before the first allocation", "[arena]") {
  WatchedPages pages(64 * MiB);
  Arena arena(pages, {.limit_bytes = 64 * MiB});
  CHECK(pages.mapped_bytes() == 0);
  CHECK(arena.stats().largest_free_bytes == 64 * MiB);
  arena.allocate(1);
  CHECK(pages.mapped_bytes() == 64 * MiB);
  CHECK(pages.pieces() == 1);
}

TEST_CASE("a growing arena takes 32 MiB at a time", "[arena]") {
  WatchedPages pages(1024 * MiB);
  Arena arena(pages, {.limit_bytes = 1000 * MiB, .growth = true});
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
  std::byte* lowest = Arena::data(chunks[0]);
  for (std::size_t i = 0; i < kChunks; i += 2) arena.free(chunks[i], 0);
  CHECK(arena.allocate(513) == nullptr);
  CHECK(arena.stats().largest_free_bytes == 512);
  for (std::size_t i = 0; i < kChunks; i += 2) {
    REQUIRE(Arena::data(arena.allocate(512)) == lowest + i * 512);
  }
  CHECK(arena.allocate(1) == nullptr);
}

TEST_CASE("the limit is exact to 256 bytes, with and without growth", "[arena]") {
  for (bool growth : {false, true}) {
    for (std::size_t limit : {std::size_t{256}, std::size_t{1000}, 3 * MiB + 700, 100 * MiB + 256, 2 * MiB}) {
      CAPTURE(growth, limit);
      std::size_t usable = limit / 256 * 256;
      WatchedPages pages(limit + 2 * MiB);
      Arena arena(pages, {.limit_bytes = limit, .growth = growth});
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
      CHECK(arena.stats().limit_bytes == limit);
    }
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

TEST_CASE("a limit between two granules uses the card's last granule only if it is there", "[arena]") {
  WatchedPages pages(7 * MiB);  // the third granule fits, the fourth does not
  Arena arena(pages, {.limit_bytes = 7 * MiB});
  CHECK(arena.allocate(MiB) != nullptr);
  CHECK(arena.stats().limit_bytes == 6 * MiB);
}

TEST_CASE("a growing arena takes what it needs from a card that refuses a whole piece", "[arena]") {
  WatchedPages pages(64 * MiB);
  pages.most_bytes_at_once = 4 * MiB;
  Arena arena(pages, {.limit_bytes = 64 * MiB, .growth = true});
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

TEST_CASE("poison makes a use after free visible", "[arena]") {
  WatchedPages pages(2 * MiB);
  Arena arena(pages, {.limit_bytes = 2 * MiB});
  Arena::Chunk* chunk = arena.allocate(300);
  std::byte* data = Arena::data(chunk);
  std::memset(data, 1, 512);
  arena.set_poison(true);
  arena.free(chunk, 0);
  CHECK(data[0] == std::byte{0xA5});
  CHECK(data[511] == std::byte{0xA5});
  CHECK(data[512] == std::byte{0});
}
