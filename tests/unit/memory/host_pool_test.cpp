#include "memory/host_pool.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "support/catch.h"
#include "unit/memory/pool_storages.h"

using namespace lutra;
using namespace lutra::test;

TEST_CASE("a new Storage is complete", "[host_pool]") {
  int64_t before = live_storages();
  {
    HostPool pool(64 * MiB);
    for (std::size_t bytes :
         {std::size_t{0}, std::size_t{1}, std::size_t{65}, 4 * KiB, 100 * KiB, 300 * KiB, 5 * MiB}) {
      Storage* storage = pool.allocate(bytes);
      REQUIRE(storage != nullptr);
      CHECK(reinterpret_cast<uintptr_t>(storage->data) % 64 == 0);
      CHECK(storage->data == reinterpret_cast<std::byte*>(storage) + 128);
      CHECK(storage->bytes == bytes);
      CHECK(storage->owner == &pool);
      CHECK(storage->refs == 1);
      CHECK(storage->mirrors == nullptr);
      CHECK(storage->fault_set == 0);
      CHECK(!storage->ready);
      CHECK(!storage->reading);
      CHECK(live_storages() == before + 1);
      if (bytes > 0) std::memset(storage->data, 1, bytes);
      CHECK(pool.stats().bytes_in_use == bytes);
      storage->retain();
      storage->release();
      CHECK(live_storages() == before + 1);
      storage->release();
      CHECK(live_storages() == before);
      CHECK(pool.stats().bytes_in_use == 0);
    }
    CHECK(pool.stats().peak_bytes_in_use == 5 * MiB);
    pool.reset_peak();
    CHECK(pool.stats().peak_bytes_in_use == 0);
  }
  CHECK(live_storages() == before);
}

TEST_CASE("no block is more than an eighth larger than asked for", "[host_pool]") {
  HostPool pool(std::size_t{8} << 30);
  for (std::size_t bytes = 1; bytes < 1024 * MiB; bytes += 1 + bytes / 5) {
    CAPTURE(bytes);
    Storage* storage = pool.allocate(bytes);
    REQUIRE(storage != nullptr);
    std::size_t block = pool.stats().reserved_bytes - 128;
    CHECK(block >= bytes);
    CHECK(block <= bytes + std::max<std::size_t>(64, bytes / 8) + (bytes > 128 * KiB ? 4 * KiB : 0));
    if (bytes >= 2 * MiB) CHECK(reinterpret_cast<uintptr_t>(storage) % (2 * MiB) == 0);
    storage->release();
    pool.trim();
    CHECK(pool.stats().reserved_bytes == 0);
  }
}

TEST_CASE("the block freed last is handed out first", "[host_pool]") {
  HostPool pool(256 * MiB);
  for (std::size_t bytes : {std::size_t{100}, 16 * KiB, 256 * KiB, 3 * MiB}) {
    Storage* a = pool.allocate(bytes);
    Storage* b = pool.allocate(bytes);
    std::byte *at_a = a->data, *at_b = b->data;
    a->release();
    b->release();
    Storage* first = pool.allocate(bytes);
    Storage* second = pool.allocate(bytes);
    CHECK(first->data == at_b);
    CHECK(second->data == at_a);
    first->release();
    second->release();
  }
}

TEST_CASE("past the limit there is null, and after a free memory again", "[host_pool]") {
  HostPool pool(16 * MiB);
  for (std::size_t bytes : {16 * MiB + 1, SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 46})
    CHECK(pool.allocate(bytes) == nullptr);
  Storage* large = pool.allocate(12 * MiB);
  REQUIRE(large != nullptr);
  CHECK(pool.allocate(5 * MiB) == nullptr);
  Storage* small = pool.allocate(3 * MiB);
  REQUIRE(small != nullptr);
  small->release();
  // Memory that the pool keeps does not make the allocation fail.
  CHECK(pool.stats().reserved_bytes > 15 * MiB);
  small = pool.allocate(7 * MiB / 2);
  REQUIRE(small != nullptr);
  CHECK(pool.stats().reserved_bytes <= 16 * MiB);
  small->release();
  large->release();
  // Small blocks are counted too.
  std::vector<Storage*> many;
  while (Storage* storage = pool.allocate(1000)) many.push_back(storage);
  CHECK(pool.stats().reserved_bytes <= 16 * MiB);
  CHECK(many.size() > 16 * MiB / 1200);
  many.back()->release();
  many.back() = pool.allocate(1000);
  CHECK(many.back() != nullptr);
  CHECK(pool.allocate(MiB) == nullptr);
  for (Storage* storage : many) storage->release();
  large = pool.allocate(12 * MiB);
  REQUIRE(large != nullptr);
  large->release();
}

TEST_CASE("a lowered limit holds at once for what comes", "[host_pool]") {
  HostPool pool(64 * MiB);
  Storage* a = pool.allocate(8 * MiB);
  Storage* b = pool.allocate(8 * MiB);
  b->release();
  pool.set_limit(10 * MiB);
  CHECK(pool.stats().limit_bytes == 10 * MiB);
  CHECK(pool.stats().reserved_bytes < 10 * MiB);
  CHECK(pool.allocate(8 * MiB) == nullptr);
  pool.set_limit(4 * MiB);
  CHECK(pool.allocate(64) == nullptr);
  CHECK(all(filled(*std::make_unique<HostPool>(MiB), 64, 3), 3));
  a->release();
  Storage* small = pool.allocate(64);
  REQUIRE(small != nullptr);
  small->release();
}

TEST_CASE("a block that a copy still touches waits for it", "[host_pool]") {
  HeldStream stream;
  HostPool pool(64 * MiB);
  for (bool reading : {true, false}) {
    for (std::size_t bytes : {std::size_t{100}, 3 * MiB}) {
      CAPTURE(reading, bytes);
      Storage* storage = pool.allocate(bytes);
      std::byte* data = storage->data;
      Ticket ticket = stream.copy({}, false);
      (reading ? storage->reading : storage->ready) = ticket;
      storage->release();
      CHECK(pool.stats().bytes_in_use == 0);
      CHECK(pool.stats().reserved_bytes >= bytes);
      Storage* other = pool.allocate(bytes);
      CHECK(other->data != data);
      pool.trim();
      std::memset(data, 1, 1);  // the copy may still do this
      stream.finish(ticket.seq);
      Storage* reused = pool.allocate(bytes);
      CHECK(reused->data == data);
      CHECK(!reused->reading);
      CHECK(!reused->ready);
      other->release();
      reused->release();
      pool.trim();
      CHECK(pool.stats().reserved_bytes == 0);
    }
  }
  CHECK(stream.waits == 0);
}

TEST_CASE("a done ticket delays nothing", "[host_pool]") {
  HeldStream stream;
  HostPool pool(64 * MiB);
  Storage* storage = pool.allocate(100);
  std::byte* data = storage->data;
  storage->reading = stream.copy({}, false);
  stream.finish(storage->reading.seq);
  storage->release();
  storage = pool.allocate(100);
  CHECK(storage->data == data);
  storage->release();
}

TEST_CASE("the pool's end waits for copies of freed blocks", "[host_pool]") {
  HeldStream stream;
  {
    HostPool pool(64 * MiB);
    Storage* storage = pool.allocate(3 * MiB);
    storage->reading = stream.copy({}, false);
    storage->release();
    CHECK(stream.waits == 0);
  }
  CHECK(stream.waits == 1);
}

TEST_CASE("a Storage that outlives its pool keeps its bytes and can be released", "[host_pool]") {
  int64_t before = live_storages();
  std::vector<Storage*> left;
  {
    HostPool pool(64 * MiB);
    for (std::size_t bytes : {std::size_t{100}, std::size_t{100}, 300 * KiB}) left.push_back(filled(pool, bytes, 7));
    pool.allocate(100)->release();
  }
  for (Storage* storage : left) {
    CHECK(all(storage, 7));
    storage->release();
  }
  CHECK(live_storages() == before);
}

TEST_CASE("mirrors and fault sets are let go of when a Storage dies", "[host_pool]") {
  HostPool pool(64 * MiB);
  struct Calls {
    HostPool& pool;
    std::vector<Storage*> mirrors;
    std::vector<int> sets;
  } calls{pool, {}, {}};
  StorageHooks hooks;
  hooks.set_mirror_hook(
      [](void* user, Storage* storage) {
        Calls& calls = *static_cast<Calls*>(user);
        calls.mirrors.push_back(storage);
        // No lock is held: the mirrors of mirrors may come back to this pool.
        calls.pool.allocate(100)->release();
      },
      &calls);
  hooks.set_fault_hook([](void* user, uint32_t set) { static_cast<Calls*>(user)->sets.push_back(set); }, &calls);
  pool.set_hooks(hooks);
  Storage* plain = pool.allocate(100);
  Storage* mirrored = pool.allocate(100);
  Storage* doubtful = pool.allocate(100);
  int mirror = 0;
  mirrored->mirrors = reinterpret_cast<Mirror*>(&mirror);
  doubtful->fault_set = 12;
  plain->release();
  CHECK(calls.mirrors.empty());
  CHECK(calls.sets.empty());
  mirrored->release();
  doubtful->release();
  CHECK(calls.mirrors == std::vector<Storage*>{mirrored});
  CHECK(calls.sets == std::vector<int>{12});
}

TEST_CASE("threads share the pool", "[host_pool]") {
  int64_t before = live_storages();
  HostPool pool(256 * MiB);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&pool, &wrong, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      std::vector<Storage*> live(16);
      for (int i = 0; i < 4000; ++i) {
        Storage*& storage = live[random() % live.size()];
        if (storage != nullptr) {
          if (storage->data[storage->bytes - 1] != static_cast<std::byte>(t)) ++wrong;
          storage->release();
        }
        storage = pool.allocate(1 + random() % (i % 16 == 0 ? 600 * KiB : 4 * KiB));
        storage->data[0] = storage->data[storage->bytes - 1] = static_cast<std::byte>(t);
        if (i % 500 == 0) pool.trim();
      }
      for (Storage* storage : live) {
        if (storage != nullptr) storage->release();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(pool.stats().bytes_in_use == 0);
  CHECK(live_storages() == before);
}
