#include "memory/device_heap.h"

#include <cstring>
#include <new>

#include "device/stream_times.h"

namespace lutra {

DeviceHeap::DeviceHeap(uint16_t device, PageSource& pages, ArenaOptions options, Stream& compute, StorageHooks hooks)
    : device_(device), compute_(compute), hooks_(hooks), arena_(pages, options) {
  arena_.set_drain([](void* user) { host_wait(static_cast<Stream*>(user)->tail_ticket(), "memory"); }, &compute_);
}

DeviceHeap::~DeviceHeap() { host_wait(compute_.tail_ticket()); }

Storage* DeviceHeap::allocate(std::size_t bytes) {
  Arena::Chunk* chunk = arena_.allocate(bytes);
  if (chunk == nullptr) return nullptr;
  Storage* storage = new (std::nothrow) Storage;
  if (storage == nullptr) {
    arena_.free(chunk, 0);
    throw std::bad_alloc();
  }
  storage->device = device_;
  storage->data = Arena::data(chunk);
  storage->bytes = bytes;
  storage->owner = this;
  storage->chunk = chunk;
  chunk->holder = storage;
  detail::storage_count.fetch_add(1, std::memory_order_relaxed);
  ++live_;
  return storage;
}

// Makes compute wait; if that cannot be queued for lack of memory, blocks the caller. Freeing must not fail.
void DeviceHeap::wait_for(Ticket ticket) noexcept {
  if (is_done(ticket)) return;
  try {
    compute_.wait_for(ticket);
  } catch (...) {
    host_wait(ticket);
  }
}

void DeviceHeap::poison(Arena::Chunk* chunk) noexcept {
  struct Fill {
    std::byte* at;
    std::size_t bytes;
  } fill{Arena::data(chunk), Arena::bytes(chunk)};
  try {
    compute_.submit(
        [](void* args) {
          const Fill* what = static_cast<const Fill*>(args);
          std::memset(what->at, 0xa5, what->bytes);
        },
        &fill, sizeof fill, nullptr);
  } catch (...) {
    // Only tests poison memory: leave this block as it is.
  }
}

void DeviceHeap::free(Storage* storage) {
  hooks_.before_free(storage);
  wait_for(storage->ready);
  wait_for(storage->reading);
  Arena::Chunk* chunk = static_cast<Arena::Chunk*>(storage->chunk);
  if (poison_) poison(chunk);
  arena_.free(chunk, compute_.tail());
  detail::storage_count.fetch_sub(1, std::memory_order_relaxed);
  --live_;
  delete storage;
}

Ticket DeviceHeap::idle(const Storage& storage) const {
  uint64_t seq = Arena::idle_seq(static_cast<const Arena::Chunk*>(storage.chunk));
  return seq == 0 ? Ticket{} : Ticket{&compute_, seq};
}

void DeviceHeap::for_each_storage(StorageVisitor visit, void* user) const {
  arena_.for_each_in_use([&](const Arena::Chunk* chunk) { visit(user, *static_cast<const Storage*>(chunk->holder)); });
}

std::size_t DeviceHeap::trim() {
  host_wait(compute_.tail_ticket(), "memory");
  return arena_.trim();
}

}  // namespace lutra
