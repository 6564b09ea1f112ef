// What the pool keeps of freed blocks, what it cuts them into, and what it gives back.
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "memory/host_pool.h"
#include "support/catch.h"
#include "unit/memory/pool_storages.h"

using namespace lutra;
using namespace lutra::test;

TEST_CASE("a steady loop of large tensors takes nothing new from the system", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  std::size_t after_first = 0;
  for (int i = 0; i < 200; ++i) {
    // All of a step is freed at once, and there are enough small steps in it for blocks to become old.
    std::vector<Storage*> step;
    for (std::size_t bytes : {64 * MiB, 51 * MiB, 3 * MiB, 400 * KiB}) step.push_back(pool.allocate(bytes + 1));
    for (Storage* storage : step) storage->release();
    for (int k = 0; k < 300; ++k) pool.allocate(200 * KiB)->release();
    if (i == 0) after_first = pool.stats().reserved_bytes;
    REQUIRE(pool.stats().reserved_bytes == after_first);
  }
}

TEST_CASE("what a past phase left is given back by the work that follows", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  std::vector<Storage*> phase;
  for (int i = 0; i < 64; ++i) phase.push_back(pool.allocate(16 * MiB));
  for (Storage* storage : phase) storage->release();
  CHECK(pool.stats().reserved_bytes >= 1024 * MiB);
  SECTION("large tensors") {
    for (int i = 0; i < 3000; ++i) pool.allocate(4 * MiB)->release();
    CHECK(pool.stats().reserved_bytes < 5 * MiB);
  }
  SECTION("small tensors") {
    for (int i = 0; i < 3'000'000; ++i) pool.allocate(1000)->release();
    CHECK(pool.stats().reserved_bytes < MiB);
  }
}

TEST_CASE("blocks of a new size are cut from what larger ones left, and join again", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  Storage* large = pool.allocate(40 * MiB);
  std::byte *from = large->data, *till = large->data + large->bytes;
  large->release();
  std::size_t reserved = pool.stats().reserved_bytes;
  for (std::size_t bytes : {MiB, 300 * KiB, 2 * MiB, 3 * MiB + 1, MiB}) {
    CAPTURE(bytes);
    std::vector<Storage*> results;
    for (int i = 0; i < 11; ++i) {
      results.push_back(filled(pool, bytes, i));
      CHECK(results.back()->data >= from);
      CHECK(results.back()->data + bytes <= till);
    }
    for (int i = 0; i < 11; ++i) CHECK(all(results[static_cast<std::size_t>(i)], i));
    CHECK(pool.stats().reserved_bytes == reserved);
    // Every second one first, so that there are gaps.
    for (std::size_t k : {0u, 1u}) {
      for (std::size_t i = k; i < results.size(); i += 2) results[i]->release();
    }
  }
  large = filled(pool, 40 * MiB, 5);
  CHECK(large->data == from);
  CHECK(pool.stats().reserved_bytes == reserved);
  large->release();
  CHECK(pool.trim() == reserved);
  CHECK(pool.stats().reserved_bytes == 0);
}

TEST_CASE("trim gives back the pages around a block that is in use", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  pool.allocate(40 * MiB)->release();
  std::vector<Storage*> results;
  for (int i = 0; i < 20; ++i) results.push_back(filled(pool, MiB, i));
  Storage* left = results[10];
  for (Storage* storage : results) {
    if (storage != left) storage->release();
  }
  CHECK(pool.trim() > 38 * MiB);
  CHECK(pool.stats().reserved_bytes < 2 * MiB);
  CHECK(all(left, 10));
  left->release();
  pool.trim();
  CHECK(pool.stats().reserved_bytes == 0);
}

TEST_CASE("slabs are cut from what large blocks left, and their rest is given back", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  Storage* large = pool.allocate(40 * MiB);
  std::byte *from = large->data, *till = large->data + large->bytes;
  large->release();
  std::size_t reserved = pool.stats().reserved_bytes;
  std::vector<Storage*> results;
  for (int i = 0; i < 100; ++i) {
    results.push_back(filled(pool, 100 * KiB, i));
    CHECK(results.back()->data >= from);
    CHECK(results.back()->data + 100 * KiB <= till);
  }
  CHECK(pool.stats().reserved_bytes == reserved);
  for (Storage* storage : results) storage->release();
  // They are no hindrance to the next large one.
  large = filled(pool, 40 * MiB, 5);
  CHECK(large->data == from);
  CHECK(pool.stats().reserved_bytes == reserved);
  large->release();
  for (int i = 0; i < 100; ++i) results[static_cast<std::size_t>(i)] = filled(pool, 100 * KiB, i);
  CHECK(pool.stats().reserved_bytes == reserved);
  for (std::size_t i = 1; i < results.size(); ++i) results[i]->release();
  pool.trim();
  // The slab of the one that is left.
  CHECK(pool.stats().reserved_bytes <= MiB);
  CHECK(all(results[0], 0));
  results[0]->release();
  pool.trim();
  CHECK(pool.stats().reserved_bytes == 0);

  pool.allocate(40 * MiB)->release();
  Storage* alone = filled(pool, 100 * KiB, 3);
  pool.trim();
  CHECK(pool.stats().reserved_bytes < 120 * KiB);
  Storage* second = filled(pool, 100 * KiB, 4);
  CHECK(pool.stats().reserved_bytes > 200 * KiB);
  CHECK(pool.stats().reserved_bytes < 240 * KiB);
  CHECK(all(alone, 3));
  alone->release();
  second->release();
  pool.trim();
  CHECK(pool.stats().reserved_bytes == 0);
}

TEST_CASE("what smaller blocks leave of a large one is given back while they stay", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  pool.allocate(40 * MiB)->release();
  std::set<const std::byte*> places;
  for (int i = 0; i < 3000; ++i) {
    Storage* one = pool.allocate(MiB);
    Storage* two = pool.allocate(MiB);
    places.insert({one->data, two->data});
    one->release();
    two->release();
  }
  CHECK(places.size() == 2);
  CHECK(pool.stats().reserved_bytes < 3 * MiB);
}

TEST_CASE("a large block is not made anew for every small one that lives on", "[host_pool]") {
  for (std::size_t bytes : {20 * MiB, 40 * MiB, 300 * MiB}) {
    CAPTURE(bytes);
    HostPool pool(std::size_t{4} << 30);
    std::vector<Storage*> small;
    int made = 0;
    for (int i = 0; i < 400; ++i) {
      Storage* large = pool.allocate(bytes);
      // Pages from the system are 0.
      std::byte& last = large->data[bytes - 1];
      made += last == std::byte{0};
      last = std::byte{1};
      // No more than without the cut, but for what may be kept anyway.
      CHECK(pool.stats().reserved_bytes < pool.stats().bytes_in_use + 70 * MiB);
      large->release();
      small.push_back(pool.allocate(200 * KiB));
    }
    CHECK(made < 10);
    for (Storage* storage : small) storage->release();
  }
}

TEST_CASE("results of another size come from what a phase of more and larger ones left", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  pool.allocate(80 * MiB)->release();
  Storage* input = pool.allocate(40 * MiB);  // cut, so that the next one is new; the others were never there
  std::vector<Storage*> results;
  for (int i = 0; i < 4; ++i) results.push_back(pool.allocate(80 * MiB));
  for (Storage* storage : results) storage->release();
  std::size_t reserved = pool.stats().reserved_bytes;
  for (std::size_t bytes : {41 * MiB, 10 * MiB, 39 * MiB, 21 * MiB}) {
    CAPTURE(bytes);
    results.clear();
    for (int i = 0; i < 4; ++i) results.push_back(pool.allocate(bytes));
    CHECK(pool.stats().reserved_bytes == reserved);
    for (Storage* storage : results) storage->release();
  }
  input->release();
}

TEST_CASE("what is kept stays within the highest use, whatever was cut from it", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  std::mt19937_64 random(7);
  std::vector<Storage*> live;
  std::size_t used = 0, peak = 0, most = 0;
  // A step makes results of all sizes, keeps a few of them for long, and drops the others in any order.
  for (int step = 0; step < 400; ++step) {
    for (int i = 0; i < 40; ++i) {
      std::size_t bytes = 140 * KiB + random() % (std::size_t{1} << (18 + random() % 7));
      live.push_back(pool.allocate(bytes));
      used += bytes;
    }
    peak = std::max(peak, used);
    most = std::max(most, pool.stats().reserved_bytes);
    std::shuffle(live.begin(), live.end(), random);
    for (; live.size() > 20; live.pop_back()) {
      used -= live.back()->bytes;
      live.back()->release();
    }
  }
  CAPTURE(peak, most);
  CHECK(most < 2 * (peak + peak / 8) + MiB);
  for (Storage* storage : live) storage->release();
  pool.trim();
  CHECK(pool.stats().reserved_bytes == 0);
}

TEST_CASE("many small blocks are not kept for ever either", "[host_pool]") {
  HostPool pool(std::size_t{4} << 30);
  std::vector<Storage*> many;
  for (int i = 0; i < 200'000; ++i) many.push_back(pool.allocate(1000));
  CHECK(pool.stats().reserved_bytes > 200 * MiB);
  // One in a thousand lives on and holds its slab.
  for (std::size_t i = 0; i < many.size(); ++i) {
    if (i % 1000 != 0) many[i]->release();
  }
  CHECK(pool.stats().reserved_bytes < 90 * MiB);
  pool.trim();
  CHECK(pool.stats().reserved_bytes < 15 * MiB);
  for (std::size_t i = 0; i < many.size(); i += 1000) many[i]->release();
  pool.trim();
  CHECK(pool.stats().reserved_bytes == 0);
}

TEST_CASE("trim leaves the free blocks of a slab that is in use to be handed out", "[host_pool]") {
  HostPool pool(64 * MiB);
  std::vector<Storage*> slab;
  for (int i = 0; i < 10; ++i) slab.push_back(pool.allocate(1000));
  for (std::size_t i = 1; i < slab.size(); ++i) slab[i]->release();
  std::size_t reserved = pool.stats().reserved_bytes;
  CHECK(pool.trim() == 0);
  for (std::size_t i = 1; i < slab.size(); ++i) slab[i] = pool.allocate(1000);
  CHECK(pool.stats().reserved_bytes == reserved);
  for (Storage* storage : slab) storage->release();
  CHECK(pool.trim() == reserved);
}
