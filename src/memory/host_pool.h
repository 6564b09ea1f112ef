// The CPU's memory. A Storage and its data are one block. Freed blocks are kept by size class and reused while they are
// still in the cache and have their pages. Large kept blocks are also cut for smaller ones. Blocks that stay unused go
// back to the system. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "memory/host_classes.h"
#include "memory/kept_pages.h"
#include "memory/storage.h"
#include "memory/storage_hooks.h"

namespace lutra {

struct HostPoolStats {
  std::size_t bytes_in_use = 0;  // of tensors, as requested
  std::size_t peak_bytes_in_use = 0;
  std::size_t reserved_bytes = 0;  // of blocks: in use, kept, and waiting for a copy that still reads them
  std::size_t limit_bytes = 0;     // for reserved_bytes
  bool system_refused = false;     // the last failed allocation was within the limit: the system had no pages
};

class HostPool final : public StorageOwner {
 public:
  explicit HostPool(std::size_t limit_bytes);
  // Waits for copies that still read freed blocks, so their streams must still exist. A Storage that outlives the pool
  // keeps its memory, which is never given back.
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  // Data aligned to 64 bytes, not cleared. Null past the limit (after giving kept blocks back), and if the system has
  // no more. 0 bytes give a valid Storage.
  Storage* allocate(std::size_t bytes);
  void free(Storage* storage) override;

  // Gives kept blocks back to the system and returns their bytes. Small ones share slabs, which go back when all their
  // blocks are free.
  std::size_t trim();
  // If it is below the memory in use, every allocation gives null until enough is freed.
  void set_limit(std::size_t limit_bytes);
  // Call it at start, before the first Storage is freed. The hooks are called without a lock.
  void set_hooks(const StorageHooks& hooks) { hooks_ = hooks; }

  void for_each_storage(StorageVisitor visit, void* user) const;
  HostPoolStats stats() const;
  void reset_peak();
  // Nine tenths of usable_ram_bytes().
  static std::size_t default_limit();

 private:
  using Steps = host_classes::Steps;
  struct Block;
  struct Region;
  using AnyLink = Link<0>;  // every region

  // These require mutex_.
  Block* take_small(unsigned step);
  Block* take_large(unsigned step);
  Region* cut_slab(unsigned step);
  Region* map_slab(unsigned step);
  Region* cut_kept(unsigned step, std::size_t bytes);
  Region* map_region(std::size_t bytes);
  bool make_room(std::size_t bytes);
  void put_back(Block* block);
  void reap_waiting(std::size_t most);
  void give_back_large(PageRange* range);
  std::size_t most_kept() const;
  void keep_range(Region* region);
  void forget_empty_slabs(bool all);
  void keep_empty_slabs();
  void give_back_slabs();
  std::size_t give_back_all();
  void delete_region(Region* region);
  void grow_older();

  mutable std::mutex mutex_;
  std::size_t limit_;
  std::size_t in_use_ = 0;
  std::size_t peak_in_use_ = 0;
  std::size_t reserved_ = 0;
  bool system_refused_ = false;
  StorageHooks hooks_;

  Block* small_[Steps::kCount] = {};     // kept blocks of each class, last freed first
  Region* carving_[Steps::kCount] = {};  // the slab that new blocks of each class are cut from
  KeptPages large_;
  AnyLink regions_;
  std::size_t small_kept_ = 0;  // bytes of kept small blocks
  std::size_t small_kept_limit_;

  // Freed blocks that a copy may still touch, first freed first.
  Block* waiting_ = nullptr;
  Block** waiting_end_ = &waiting_;

  // Time is counted in allocations: see Note [What the pool keeps].
  uint64_t clock_ = 0;
  uint64_t next_look_;
  std::size_t large_out_ = 0;  // bytes of large blocks in use or waiting, and its recent peaks
  std::size_t peak_now_ = 0;
  std::size_t peak_before_ = 0;
};

}  // namespace lutra
