// Random programs against a simple account of what lives where.
#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "memory/host_pool.h"
#include "support/catch.h"
#include "unit/memory/pool_storages.h"

using namespace lutra;
using namespace lutra::test;

TEST_CASE("random programs never overlap, lose bytes or miscount in the host pool", "[host_pool]") {
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    constexpr std::size_t kLimit = 48 * MiB;
    HostPool pool(kLimit);
    HeldStream stream;
    struct Live {
      Storage* storage;
      int mark;
    };
    std::map<std::byte*, Live> live;
    std::size_t in_use = 0;
    int marks = 0, refused = 0;
    std::mt19937_64 random(seed);
    for (int step = 0; step < 3000; ++step) {
      CAPTURE(seed, step);
      std::size_t action = random() % 100, birth = step / 300 % 2 == 0 ? 65 : 35;
      if (action < birth) {
        std::size_t bytes = random() % (std::size_t{1} << (6 + random() % (step % 40 == 0 ? 18 : 12)));
        int mark = ++marks % 251;
        Storage* storage = filled(pool, bytes, mark);
        if (storage == nullptr) {
          ++refused;
          continue;
        }
        auto after = live.lower_bound(storage->data);
        REQUIRE((after == live.end() || storage->data + bytes <= reinterpret_cast<std::byte*>(after->second.storage)));
        if (after != live.begin()) {
          const Storage* previous = std::prev(after)->second.storage;
          REQUIRE(previous->data + previous->bytes <= reinterpret_cast<std::byte*>(storage));
        }
        live[storage->data] = {storage, mark};
        in_use += bytes;
      } else if (action < 97 && !live.empty()) {
        auto it = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
        REQUIRE(all(it->second.storage, it->second.mark));
        in_use -= it->second.storage->bytes;
        if (random() % 8 == 0) it->second.storage->reading = stream.copy({}, false);
        it->second.storage->release();
        live.erase(it);
      } else if (action == 97) {
        stream.finish(stream.tail() - std::min<uint64_t>(stream.tail(), random() % 4));
      } else if (action == 98) {
        std::size_t reserved = pool.stats().reserved_bytes;
        std::size_t given = pool.trim();
        REQUIRE(given == reserved - pool.stats().reserved_bytes);
      }
      HostPoolStats stats = pool.stats();
      REQUIRE(stats.bytes_in_use == in_use);
      REQUIRE(stats.bytes_in_use <= stats.reserved_bytes);
      REQUIRE(stats.reserved_bytes <= kLimit);
      REQUIRE(stats.peak_bytes_in_use >= in_use);
    }
    for (auto& [data, entry] : live) entry.storage->release();
    stream.finish(stream.tail());
    pool.trim();
    CHECK(pool.stats().reserved_bytes == 0);
    CHECK(pool.stats().bytes_in_use == 0);
  }
}

TEST_CASE("random programs of large blocks never overlap, lose bytes or miscount", "[host_pool]") {
  constexpr std::size_t kLimit = 256 * MiB;
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    HostPool pool(kLimit);
    HeldStream stream;
    std::mt19937_64 random(seed);
    std::vector<std::pair<Storage*, int>> live;
    std::size_t in_use = 0;
    for (int step = 0; step < 4000; ++step) {
      CAPTURE(seed, step);
      std::size_t action = random() % 100, birth = step / 400 % 2 == 0 ? 60 : 40;
      if (action < birth) {
        std::size_t bytes = 5 * KiB + random() % (std::size_t{1} << (14 + random() % 10));
        Storage* storage = pool.allocate(bytes);
        if (storage == nullptr) continue;
        // Its first and last page show whether it is shared.
        int mark = step % 251;
        std::memset(storage->data, mark, 4 * KiB);
        std::memset(storage->data + bytes - 4 * KiB, mark, 4 * KiB);
        live.emplace_back(storage, mark);
        in_use += bytes;
      } else if (action < 99 && !live.empty()) {
        std::swap(live[random() % live.size()], live.back());
        auto [storage, mark] = live.back();
        live.pop_back();
        for (std::size_t at : {std::size_t{0}, 4 * KiB - 1, storage->bytes - 4 * KiB, storage->bytes - 1}) {
          REQUIRE(storage->data[at] == static_cast<std::byte>(mark));
        }
        in_use -= storage->bytes;
        if (random() % 8 == 0) storage->reading = stream.copy({}, false);
        storage->release();
        if (random() % 4 == 0) stream.finish(stream.tail());
      } else if (random() % 4 == 0) {
        pool.trim();
      }
      std::size_t seen = 0;
      if (step % 50 == 0) {
        pool.for_each_storage([](void* user, const Storage& s) { *static_cast<std::size_t*>(user) += s.bytes; }, &seen);
        REQUIRE(seen == in_use);
      }
      HostPoolStats stats = pool.stats();
      REQUIRE(stats.bytes_in_use == in_use);
      REQUIRE(stats.bytes_in_use <= stats.reserved_bytes);
      REQUIRE(stats.reserved_bytes <= kLimit);
    }
    for (auto [storage, mark] : live) storage->release();
    stream.finish(stream.tail());
    pool.trim();
    CHECK(pool.stats().reserved_bytes == 0);
  }
}
