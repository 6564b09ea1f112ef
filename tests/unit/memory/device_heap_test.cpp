// Memory that is freed while a copy still touches it.
#include "memory/device_heap.h"

#include <vector>

#include "device/page_source.h"
#include "support/catch.h"

using namespace lutra;

namespace {

constexpr std::size_t KiB = 1024, kLimit = 1024 * KiB;

// Ends its commands when the test says so, and notes what it was told to wait for.
class ToldStream final : public Stream {
 public:
  Ticket submit(void (*)(void*), const void*, std::size_t, void (*)(void*, const void*)) override {
    return {this, ++tail_};
  }
  Ticket copy(const CopyRequest&, bool) override { return {this, ++tail_}; }
  void wait_for(Ticket ticket) override {
    waits.push_back(ticket.seq);
    ++tail_;
  }
  void host_wait(uint64_t seq) override { done_ = seq > done_ ? seq : done_; }
  bool done(uint64_t seq) override { return seq <= done_; }
  uint64_t tail() const override { return tail_; }

  std::vector<uint64_t> waits;

 private:
  uint64_t tail_ = 0, done_ = 0;
};

struct Heap {
  HostPages pages{kLimit};
  ToldStream compute, copies;
  DeviceHeap heap{1, pages, {.limit_bytes = kLimit, .growth = false}, compute, StorageHooks{}};

  // Frees memory that a copy, which does not end yet, reads.
  std::byte* free_while_read(std::size_t bytes) {
    Storage* storage = heap.allocate(bytes);
    REQUIRE(storage != nullptr);
    std::byte* data = storage->data;
    storage->reading = copies.copy({nullptr, data, bytes}, false);
    storage->release();
    return data;
  }
};

}  // namespace

TEST_CASE("computing does not wait for a copy of memory that was freed", "[device_heap]") {
  Heap h;
  std::byte* freed = h.free_while_read(64 * KiB);
  CHECK(h.compute.waits.empty());
  CHECK(h.heap.stats().bytes_in_use == 0);
  int visited = 0;
  h.heap.for_each_storage([](void* count, const Storage&) { ++*static_cast<int*>(count); }, &visited);
  CHECK(visited == 0);

  // The memory is not handed out before the copy is done, and is after it.
  Storage* other = h.heap.allocate(64 * KiB);
  CHECK(other->data != freed);
  h.copies.host_wait(h.copies.tail());
  Storage* again = h.heap.allocate(64 * KiB);
  CHECK(again->data == freed);
  CHECK(h.compute.waits.empty());
  CHECK(h.heap.stats().bytes_in_use == 128 * KiB);
  other->release();
  again->release();
}

TEST_CASE("if memory is short, computing waits for the copies", "[device_heap]") {
  Heap h;
  h.free_while_read(64 * KiB);
  h.free_while_read(32 * KiB);
  Storage* all = h.heap.allocate(kLimit);
  REQUIRE(all != nullptr);
  CHECK(h.compute.waits == std::vector<uint64_t>{1, 2});
  // A copy into it waits for these waits.
  CHECK(h.heap.idle(*all).seq == h.compute.tail());
  all->release();
}

TEST_CASE("an eighth of the limit is kept back at most", "[device_heap]") {
  Heap h;
  for (int i = 0; i < 4; ++i) h.free_while_read(32 * KiB);
  CHECK(h.compute.waits.empty());
  std::byte* freed = h.free_while_read(32 * KiB);
  CHECK(h.compute.waits == std::vector<uint64_t>{5});
  Storage* next = h.heap.allocate(32 * KiB);
  CHECK(next->data == freed);
  next->release();
}

TEST_CASE("a heap that settles has waited for all copies, and trims everything", "[device_heap]") {
  Heap h;
  h.free_while_read(64 * KiB);
  h.heap.settle();
  CHECK(h.compute.waits.size() == 1);
  CHECK(h.compute.done(h.compute.tail()));
  h.free_while_read(64 * KiB);
  CHECK(h.heap.trim() >= kLimit);
  CHECK(h.heap.stats().reserved_bytes == 0);
}
