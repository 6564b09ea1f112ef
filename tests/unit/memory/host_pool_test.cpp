#include "memory/host_pool.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include "memory/host_limit.h"
#include "support/catch.h"

using namespace lutra;

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

// Commands that are done when the test says so.
class HeldStream final : public Stream {
 public:
  Ticket submit(void (*)(void*), const void*, std::size_t, void (*)(void*, const void*)) override {
    return Ticket{this, ++tail_};
  }
  Ticket copy(const CopyRequest&, bool) override { return Ticket{this, ++tail_}; }
  void wait_for(Ticket) override {}
  void host_wait(uint64_t seq) override {
    ++waits;
    done_ = std::max(done_, seq);
  }
  bool done(uint64_t seq) override { return seq <= done_; }
  uint64_t tail() const override { return tail_; }

  void finish(uint64_t seq) { done_ = seq; }
  int waits = 0;

 private:
  uint64_t tail_ = 0;
  uint64_t done_ = 0;
};

Storage* filled(HostPool& pool, std::size_t bytes, int mark) {
  Storage* storage = pool.allocate(bytes);
  if (storage != nullptr) std::memset(storage->data, mark, bytes);
  return storage;
}

bool all(const Storage* storage, int mark) {
  for (std::size_t i = 0; i < storage->bytes; ++i) {
    if (storage->data[i] != static_cast<std::byte>(mark)) return false;
  }
  return true;
}

}  // namespace

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
  // What the pool keeps does not stand in the way.
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
        // Its first and last page tell whether it is shared.
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
