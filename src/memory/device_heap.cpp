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
  if (!kept_.empty()) [[unlikely]]
    give_back_idle();
  Arena::Chunk* chunk = arena_.allocate(bytes);
  if (chunk == nullptr && make_compute_wait()) chunk = arena_.allocate(bytes);
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
  const Kept freed{static_cast<Arena::Chunk*>(storage->chunk), storage->ready, storage->reading, compute_.tail()};
  if (freed.is_idle() || !keep_back(freed)) {
    wait_for(freed.ready);
    wait_for(freed.reading);
    if (poison_) poison(freed.chunk);
    arena_.free(freed.chunk, compute_.tail());
  }
  detail::storage_count.fetch_sub(1, std::memory_order_relaxed);
  --live_;
  delete storage;
}

bool DeviceHeap::keep_back(const Kept& kept) noexcept {
  // The host may be far ahead of the device, and would take ever more memory.
  constexpr std::size_t kPart = 8;
  if (kept_bytes_ + Arena::bytes(kept.chunk) > arena_.limit_bytes() / kPart) return false;
  try {
    kept_.push_back(kept);
  } catch (const std::bad_alloc&) {
    return false;
  }
  kept.chunk->holder = nullptr;
  kept_bytes_ += Arena::bytes(kept.chunk);
  return true;
}

// The first of those kept back.
void DeviceHeap::give_back(const Kept& kept) {
  const Kept first = kept;
  kept_.pop_front();
  kept_bytes_ -= Arena::bytes(first.chunk);
  if (poison_) poison(first.chunk);
  arena_.free(first.chunk, poison_ ? compute_.tail() : first.idle_seq);
}

// Gives back all, for commands that are submitted from now on. Returns whether there was any.
bool DeviceHeap::make_compute_wait() {
  if (kept_.empty()) return false;
  for (const Kept& kept : kept_) {
    wait_for(kept.ready);
    wait_for(kept.reading);
  }
  for (Kept& kept : kept_) kept.idle_seq = compute_.tail();
  while (!kept_.empty()) give_back(kept_.front());
  return true;
}

void DeviceHeap::settle() {
  make_compute_wait();
  host_wait(compute_.tail_ticket());
}

ArenaStats DeviceHeap::stats() const {
  ArenaStats stats = arena_.stats();
  stats.bytes_in_use -= kept_bytes_;
  return stats;
}

Ticket DeviceHeap::idle(const Storage& storage) const {
  uint64_t seq = Arena::idle_seq(static_cast<const Arena::Chunk*>(storage.chunk));
  return seq == 0 ? Ticket{} : Ticket{&compute_, seq};
}

void DeviceHeap::for_each_storage(StorageVisitor visit, void* user) const {
  arena_.for_each_in_use([&](const Arena::Chunk* chunk) {
    if (chunk->holder != nullptr) visit(user, *static_cast<const Storage*>(chunk->holder));
  });
}

std::size_t DeviceHeap::trim() {
  make_compute_wait();
  host_wait(compute_.tail_ticket(), "memory");
  return arena_.trim();
}

}  // namespace lutra
