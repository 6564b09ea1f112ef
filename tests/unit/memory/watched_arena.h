// What arena_test.cpp and arena_pages_test.cpp look at an Arena with.
#pragma once

#include <cstring>
#include <map>

#include "memory/arena.h"
#include "support/catch.h"

namespace lutra::test {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

// HostPages that count, refuse the n-th map, and see to it that every unmap takes what one map gave.
class WatchedPages final : public PageSource {
 public:
  explicit WatchedPages(std::size_t capacity) : pages_(capacity) {}
  ~WatchedPages() { CHECK(pieces_.empty()); }

  std::byte* reserve(std::size_t bytes) override {
    if (bytes > most_addresses) return nullptr;
    std::byte* base = pages_.reserve(bytes);
    ranges_ += base != nullptr;
    return base;
  }
  void release(std::byte* base, std::size_t bytes) override {
    --ranges_;
    pages_.release(base, bytes);
  }
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
  std::size_t granularity() const override { return std::size_t{2} << 20; }  // as cards have
  std::string why() const override { return pages_.why(); }
  bool is_on_demand() const override { return on_demand; }

  std::size_t mapped_bytes() const { return pages_.mapped_bytes(); }
  std::size_t pieces() const { return pieces_.size(); }
  int ranges() const { return ranges_; }  // of addresses

  int maps = 0;
  int refuse_at = 0;
  std::size_t most_addresses = SIZE_MAX;
  bool on_demand = true;
  std::size_t most_bytes_at_once = SIZE_MAX;

 private:
  int ranges_ = 0;
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

}  // namespace lutra::test
