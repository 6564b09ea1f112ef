// The memory of one logical GPU: an Arena, with the rules that make its asynchronous use safe. A device has one compute
// stream, so memory can be reused as soon as it is freed: commands that reuse a block are queued behind those that used
// it. Copies run on other streams. So a block that is freed while a copy touches it is kept back until the copy is
// done; if memory is short before that, compute waits for the copy. And a copy into a reused block waits for the last
// compute command that touched it (idle).
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "memory/arena.h"
#include "memory/storage.h"
#include "memory/storage_hooks.h"

namespace lutra {

class DeviceHeap final : public StorageOwner {
 public:
  DeviceHeap(uint16_t device, PageSource& pages, ArenaOptions options, Stream& compute, StorageHooks hooks);
  ~DeviceHeap();

  // Null if full: the Context decides what to do then (collect, drain, trim, report).
  Storage* allocate(std::size_t bytes);
  void free(Storage* storage) override;

  // A copy that writes into `storage` must first wait for this.
  Ticket idle(const Storage& storage) const;

  // Waits for compute, then gives free pages back to the device.
  std::size_t trim();
  // Blocks until no copy touches memory that was freed. Call it before the heap is destroyed, while its streams and
  // those of other devices exist.
  void settle();
  void for_each_storage(StorageVisitor visit, void* user) const;
  std::string why_no_pages() const { return arena_.why_no_pages(); }
  std::size_t limit_bytes() const { return arena_.limit_bytes(); }
  // Memory that is kept back counts as free.
  ArenaStats stats() const;
  void reset_peak() { arena_.reset_peak(); }
  void poison_freed(bool on) { poison_ = on; }
  int64_t live() const { return live_; }

 private:
  // Freed, but a copy may still touch it.
  struct Kept {
    Arena::Chunk* chunk;
    Ticket ready, reading;
    uint64_t idle_seq;
    bool is_idle() const { return is_done(ready) && is_done(reading); }
  };
  bool keep_back(const Kept& kept) noexcept;
  void give_back(const Kept& kept);
  void give_back_idle() {
    while (!kept_.empty() && kept_.front().is_idle()) give_back(kept_.front());
  }
  bool make_compute_wait();
  void wait_for(Ticket ticket) noexcept;
  void poison(Arena::Chunk* chunk) noexcept;

  uint16_t device_;
  Stream& compute_;
  StorageHooks hooks_;
  Arena arena_;
  std::deque<Kept> kept_;  // in the order in which they were freed
  std::size_t kept_bytes_ = 0;
  bool poison_ = false;
  int64_t live_ = 0;
};

}  // namespace lutra
