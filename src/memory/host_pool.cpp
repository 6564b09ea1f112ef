// Note [What the pool keeps]
// A loop that makes large tensors must find the pages of the last round (a page fault costs 2 us, 16,384 of them are
// 64 MB), and a program whose large phase is over must not keep them. So large blocks are kept up to their highest use
// of late, or 64 MiB, the longest unused going first, and not longer than kIdle ticks. A large allocation is
// kLargeTicks, a small one 1: the clock is the program's own work, so waiting at a prompt gives nothing back; trim()
// does. Small blocks are cut from slabs, first used first cut, so a slab's untouched rest costs addresses only.
#include "memory/host_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>

#include "memory/host_limit.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) (static_cast<void>(address), static_cast<void>(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) (static_cast<void>(address), static_cast<void>(bytes))
#endif

namespace lutra {

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
using Steps = SizeSteps<8>;
constexpr std::size_t kUnit = 64;     // classes are steps of it
constexpr std::size_t kHeader = 128;  // a block's, before its data
constexpr std::size_t kPage = 4 * KiB;
constexpr std::size_t kHugePage = 2 * MiB;
constexpr std::size_t kMostBytes = std::size_t{1} << 43;
static_assert(Steps::at_least(kMostBytes / kUnit) < Steps::kCount);
constexpr unsigned kFirstLarge = Steps::at_least(128 * KiB / kUnit + 1);  // from here on every block is its own mapping
constexpr std::size_t kKeepAnyway = 64 * MiB;
constexpr uint64_t kLargeTicks = 1024;
constexpr uint64_t kIdle = 1024 * kLargeTicks;

std::size_t class_bytes(unsigned step) { return Steps::units(step) * kUnit; }
std::size_t block_bytes(unsigned step) { return kHeader + class_bytes(step); }
std::size_t slab_bytes(unsigned step) { return class_bytes(step) <= 4 * KiB ? 64 * KiB : MiB; }
std::size_t mapping_bytes(unsigned step) { return (block_bytes(step) + kPage - 1) / kPage * kPage; }

void* map_memory(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

// On a 2 MiB boundary and in pages of 2 MiB where the system can.
void* map_huge(std::size_t bytes) {
  char* wide = static_cast<char*>(map_memory(bytes + kHugePage));
  if (wide == nullptr) return nullptr;
  std::size_t before = (kHugePage - reinterpret_cast<uintptr_t>(wide) % kHugePage) % kHugePage;
  if (before > 0) munmap(wide, before);
  munmap(wide + before + bytes, kHugePage - before);
  madvise(wide + before, bytes, MADV_HUGEPAGE);
  return wide + before;
}

// The owner of what outlives its pool. Its memory stays: whoever frees it may do so at any time.
class Orphans final : public StorageOwner {
 public:
  void free(Storage*) override { detail::storage_count.fetch_sub(1, std::memory_order_relaxed); }
};
constinit Orphans orphans;

}  // namespace

// One mapping: a slab of small blocks, or one large block.
struct HostPool::Region : AnyLink, ClassLink, AgeLink {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::size_t carved = 0;  // bytes from base on that are blocks
  std::size_t out = 0;     // blocks in use or waiting
  uint64_t freed_at = 0;   // clock; large
  unsigned step = 0;
};

// Before the data of every block.
struct alignas(64) HostPool::Block {
  struct Waiting {  // in the Storage's place
    Ticket ready, reading;
  };
  alignas(Storage) std::byte storage[sizeof(Storage)];
  Region* region;
  Block* next;  // in the list of kept or of waiting blocks
  bool in_use;

  std::byte* data() { return reinterpret_cast<std::byte*>(this) + kHeader; }
  Waiting& waiting() { return *std::launder(reinterpret_cast<Waiting*>(storage)); }
};

HostPool::HostPool(std::size_t limit_bytes)
    : limit_(limit_bytes), small_kept_limit_(kKeepAnyway), next_look_(kIdle / 2) {
  static_assert(sizeof(Block) == kHeader && sizeof(Block::Waiting) <= sizeof(Storage));
}

HostPool::~HostPool() {
  for (Block* block = waiting_; block != nullptr; block = block->next) {
    host_wait(block->waiting().ready);
    host_wait(block->waiting().reading);
  }
  reap_waiting(SIZE_MAX);
  give_back_all();
  while (!regions_.alone()) {
    Region* region = static_cast<Region*>(regions_.next);
    for (std::size_t at = 0; at < region->carved; at += block_bytes(region->step)) {
      Block* block = reinterpret_cast<Block*>(region->base + at);
      if (block->in_use) reinterpret_cast<Storage*>(block)->owner = &orphans;
    }
    region->AnyLink::remove();
    delete region;
  }
}

Storage* HostPool::allocate(std::size_t bytes) {
  if (bytes > kMostBytes) return nullptr;
  unsigned step = Steps::at_least(std::max<std::size_t>(1, (bytes + kUnit - 1) / kUnit));
  Block* block;
  {
    std::lock_guard lock(mutex_);
    if (waiting_ != nullptr) reap_waiting(4);
    block = step < kFirstLarge ? take_small(step) : take_large(step);
    if (block == nullptr) return nullptr;
    ++block->region->out;
    if (step >= kFirstLarge) {
      large_out_ += block->region->bytes;
      peak_now_ = std::max(peak_now_, large_out_);
    }
    block->in_use = true;
    in_use_ += bytes;
    peak_in_use_ = std::max(peak_in_use_, in_use_);
    clock_ += step < kFirstLarge ? 1 : kLargeTicks;
    if (clock_ >= next_look_) grow_older();
  }
  // Only what was asked for: a step beyond it is seen.
  ASAN_UNPOISON_MEMORY_REGION(block->data(), bytes);
  Storage* storage = new (block->storage) Storage;
  storage->data = block->data();
  storage->bytes = bytes;
  storage->owner = this;
  storage->chunk = block;
  detail::storage_count.fetch_add(1, std::memory_order_relaxed);
  return storage;
}

void HostPool::free(Storage* storage) {
  hooks_.before_free(storage);
  Block* block = static_cast<Block*>(storage->chunk);
  std::size_t bytes = storage->bytes;
  Ticket ready = is_done(storage->ready) ? Ticket{} : storage->ready;
  Ticket reading = is_done(storage->reading) ? Ticket{} : storage->reading;
  storage->~Storage();
  detail::storage_count.fetch_sub(1, std::memory_order_relaxed);

  std::lock_guard lock(mutex_);
  assert(block->in_use);
  block->in_use = false;
  in_use_ -= bytes;
  if (!ready && !reading) {
    put_back(block);
    return;
  }
  new (block->storage) Block::Waiting{ready, reading};
  block->next = nullptr;
  *waiting_end_ = block;
  waiting_end_ = &block->next;
}

std::size_t HostPool::trim() {
  std::lock_guard lock(mutex_);
  return give_back_all();
}

void HostPool::set_limit(std::size_t limit_bytes) {
  std::lock_guard lock(mutex_);
  limit_ = limit_bytes;
  if (reserved_ > limit_) give_back_all();
}

HostPoolStats HostPool::stats() const {
  std::lock_guard lock(mutex_);
  return {.bytes_in_use = in_use_,
          .peak_bytes_in_use = peak_in_use_,
          .reserved_bytes = reserved_,
          .limit_bytes = limit_,
          .system_refused = system_refused_};
}

void HostPool::for_each_storage(StorageVisitor visit, void* user) const {
  std::lock_guard lock(mutex_);
  for (const AnyLink* link = regions_.next; link != &regions_; link = link->next) {
    const Region* region = static_cast<const Region*>(link);
    for (std::size_t at = 0; at < region->carved; at += block_bytes(region->step)) {
      const Block* block = reinterpret_cast<const Block*>(region->base + at);
      if (block->in_use) visit(user, *std::launder(reinterpret_cast<const Storage*>(block->storage)));
    }
  }
}

void HostPool::reset_peak() {
  std::lock_guard lock(mutex_);
  peak_in_use_ = in_use_;
}

std::size_t HostPool::default_limit() { return usable_ram_bytes() / 10 * 9; }

// ---- blocks

HostPool::Block* HostPool::take_small(unsigned step) {
  std::size_t bytes = block_bytes(step);
  if (Block* block = small_[step]; block != nullptr && reserved_ <= limit_) {
    small_[step] = block->next;
    small_kept_ -= bytes;
    return block;
  }
  if (!make_room(bytes)) return nullptr;
  Region* slab = carving_[step];
  if (slab == nullptr || slab->carved + bytes > slab->bytes) {
    auto made = std::make_unique<Region>();  // first: it may throw
    std::byte* base = static_cast<std::byte*>(map_memory(slab_bytes(step)));
    if (base == nullptr) {
      give_back_all();
      base = static_cast<std::byte*>(map_memory(slab_bytes(step)));
      system_refused_ = base == nullptr;
      if (base == nullptr) return nullptr;
    }
    slab = made.release();
    slab->base = base;
    slab->bytes = slab_bytes(step);
    slab->step = step;
    slab->AnyLink::insert_after(&regions_);
    ASAN_POISON_MEMORY_REGION(base, slab->bytes);
    carving_[step] = slab;
  }
  Block* block = reinterpret_cast<Block*>(slab->base + slab->carved);
  ASAN_UNPOISON_MEMORY_REGION(block, kHeader);
  block->region = slab;
  slab->carved += bytes;
  reserved_ += bytes;
  return block;
}

HostPool::Block* HostPool::take_large(unsigned step) {
  if (ClassLink& kept = large_[step]; !kept.alone() && reserved_ <= limit_) {
    Region* region = static_cast<Region*>(kept.next);
    region->ClassLink::remove();
    region->AgeLink::remove();
    large_kept_ -= region->bytes;
    return reinterpret_cast<Block*>(region->base);
  }
  std::size_t bytes = mapping_bytes(step);
  if (!make_room(bytes)) return nullptr;
  auto made = std::make_unique<Region>();  // first: it may throw
  auto map = [&] { return bytes >= kHugePage ? map_huge(bytes) : map_memory(bytes); };
  void* base = map();
  if (base == nullptr) {
    give_back_all();
    base = map();
    system_refused_ = base == nullptr;
    if (base == nullptr) return nullptr;
  }
  Region* region = made.release();
  region->base = static_cast<std::byte*>(base);
  region->bytes = bytes;
  region->carved = block_bytes(step);
  region->step = step;
  region->AnyLink::insert_after(&regions_);
  reserved_ += bytes;
  Block* block = reinterpret_cast<Block*>(base);
  ASAN_POISON_MEMORY_REGION(block->data(), bytes - kHeader);
  block->region = region;
  return block;
}

// Whether `bytes` more may be taken from the system.
bool HostPool::make_room(std::size_t bytes) {
  auto fits = [&] { return reserved_ <= limit_ && bytes <= limit_ - reserved_; };
  system_refused_ = false;
  if (!fits()) give_back_all();
  return fits();
}

// The block is kept, unless the pool keeps enough.
void HostPool::put_back(Block* block) {
  Region* region = block->region;
  --region->out;
  ASAN_POISON_MEMORY_REGION(block->data(), class_bytes(region->step));
  if (region->step < kFirstLarge) {
    block->next = small_[region->step];
    small_[region->step] = block;
    small_kept_ += block_bytes(region->step);
    if (small_kept_ > small_kept_limit_) {
      give_back_slabs();
      // What is left sits in slabs with blocks in use: looked at again when there is as much more.
      small_kept_limit_ = std::max(kKeepAnyway, 2 * small_kept_);
    }
    return;
  }
  region->freed_at = clock_;
  region->ClassLink::insert_after(&large_[region->step]);
  region->AgeLink::insert_after(&ages_);
  large_kept_ += region->bytes;
  large_out_ -= region->bytes;
  std::size_t most = std::max({kKeepAnyway, peak_now_, peak_before_});
  while (large_kept_ > most) give_back_large(static_cast<Region*>(ages_.prev));
}

// Looks at the first `most` waiting blocks.
void HostPool::reap_waiting(std::size_t most) {
  Block** link = &waiting_;
  for (; *link != nullptr && most > 0; --most) {
    Block* block = *link;
    if (!is_done(block->waiting().ready) || !is_done(block->waiting().reading)) {
      link = &block->next;
      continue;
    }
    *link = block->next;
    if (*link == nullptr) waiting_end_ = link;
    put_back(block);
  }
}

// ---- giving back

void HostPool::give_back_large(Region* region) {
  region->ClassLink::remove();
  region->AgeLink::remove();
  large_kept_ -= region->bytes;
  reserved_ -= region->bytes;
  delete_region(region);
}

void HostPool::delete_region(Region* region) {
  region->AnyLink::remove();
  ASAN_UNPOISON_MEMORY_REGION(region->base, region->bytes);
  munmap(region->base, region->bytes);
  delete region;
}

std::size_t HostPool::give_back_slabs() {
  for (unsigned step = 0; step < kFirstLarge; ++step) {
    for (Block** link = &small_[step]; *link != nullptr;) {
      if ((*link)->region->out > 0) {
        link = &(*link)->next;
      } else {
        *link = (*link)->next;
        small_kept_ -= block_bytes(step);
      }
    }
    if (carving_[step] != nullptr && carving_[step]->out == 0) carving_[step] = nullptr;
  }
  std::size_t given = 0;
  for (AnyLink* link = regions_.next; link != &regions_;) {
    Region* region = static_cast<Region*>(link);
    link = link->next;
    if (region->step >= kFirstLarge || region->out > 0) continue;
    given += region->carved;
    reserved_ -= region->carved;
    delete_region(region);
  }
  return given;
}

std::size_t HostPool::give_back_all() {
  std::size_t before = reserved_;
  reap_waiting(SIZE_MAX);
  while (!ages_.alone()) give_back_large(static_cast<Region*>(ages_.prev));
  give_back_slabs();
  small_kept_limit_ = std::max(kKeepAnyway, 2 * small_kept_);
  return before - reserved_;
}

// Every half of kIdle: "of late" is this half and the one before.
void HostPool::grow_older() {
  next_look_ = clock_ + kIdle / 2;
  peak_before_ = peak_now_;
  peak_now_ = large_out_;
  while (!ages_.alone() && static_cast<Region*>(ages_.prev)->freed_at + kIdle < clock_) {
    give_back_large(static_cast<Region*>(ages_.prev));
  }
}

}  // namespace lutra
