// Note [What the pool keeps]
// A loop that makes large tensors must find the pages of its last round again (a page fault costs 2 us, and 64 MB are
// 16,384 of them), but a program whose large phase is over must not keep them. So large blocks are kept up to their
// highest recent use or 64 MiB, whichever is more. The longest unused go first, and none is kept for more than kIdle
// ticks. A large allocation is kLargeTicks ticks, a small one 1: the clock measures the program's own work, so waiting
// at a prompt gives nothing back; trim() does. If the next phase's blocks are smaller, they are cut from those that the
// last one left (kept_pages.h). Small blocks are cut from slabs from the bottom up, so the untouched rest of a new slab
// costs only addresses; a slab that was cut from kept pages is counted whole until trim() gives its rest back.
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

using namespace host_classes;

namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;
constexpr std::size_t kHugePage = 2 * MiB;
constexpr std::size_t kMostPoolBytes = std::size_t{1} << 43;
static_assert(Steps::at_least(kMostPoolBytes / kUnit) < Steps::kCount);
constexpr std::size_t kKeepAnyway = 64 * MiB;
constexpr uint64_t kLargeTicks = 1024;
constexpr uint64_t kIdle = 1024 * kLargeTicks;

std::size_t slab_bytes(unsigned step) { return class_bytes(step) <= 4 * KiB ? 64 * KiB : MiB; }

void* map_memory(std::size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : at;
}

// Aligned to 2 MiB, and in pages of 2 MiB if the system can.
void* map_huge(std::size_t bytes) {
  char* wide = static_cast<char*>(map_memory(bytes + kHugePage));
  if (wide == nullptr) return nullptr;
  std::size_t before = (kHugePage - reinterpret_cast<uintptr_t>(wide) % kHugePage) % kHugePage;
  if (before > 0) munmap(wide, before);
  munmap(wide + before + bytes, kHugePage - before);
  madvise(wide + before, bytes, MADV_HUGEPAGE);
  return wide + before;
}

// Owns Storages that outlive their pool. Their memory is never freed: they may be released at any time.
class Orphans final : public StorageOwner {
 public:
  void free(Storage*) override { detail::storage_count.fetch_sub(1, std::memory_order_relaxed); }
};
constinit Orphans orphans;

}  // namespace

// Pages: a slab of small blocks, those of one large block, or kept ones.
struct HostPool::Region : AnyLink, PageRange {
  std::size_t carved = 0;   // bytes from base on that are blocks
  std::size_t counted = 0;  // of a slab: bytes from base on that have pages, as far as the pool knows
  std::size_t out = 0;      // blocks in use or waiting
  unsigned step = 0;        // for kept pages: any large class

  bool is_slab() const { return step < kFirstLarge; }
  bool is_empty_slab(bool all) const { return is_slab() && out == 0 && (all || counted == bytes); }
};

// Before the data of every block.
struct alignas(64) HostPool::Block {
  struct Waiting {  // stored in place of the Storage
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
    : limit_(limit_bytes), large_(kIdle, kKeepAnyway), small_kept_limit_(kKeepAnyway), next_look_(kIdle / 2) {
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
  if (bytes > kMostPoolBytes) return nullptr;
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
  // Only the requested bytes, so that the sanitizer sees an access beyond them.
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
  Region* slab = carving_[step];
  if (slab == nullptr || slab->carved + bytes > slab->bytes) slab = cut_slab(step);
  if (slab == nullptr || slab->carved + bytes > slab->counted) {
    if (!make_room(bytes)) return nullptr;
    slab = carving_[step];  // make_room may have deleted it
    if (slab == nullptr || slab->carved + bytes > slab->bytes) slab = map_slab(step);
    if (slab == nullptr) return nullptr;
  }
  Block* block = reinterpret_cast<Block*>(slab->base + slab->carved);
  ASAN_UNPOISON_MEMORY_REGION(block, kHeader);
  block->region = slab;
  slab->carved += bytes;
  if (slab->carved > slab->counted) {
    reserved_ += slab->carved - slab->counted;
    slab->counted = slab->carved;
  }
  return block;
}

// Small slabs are not cut from large blocks.
HostPool::Region* HostPool::cut_slab(unsigned step) {
  std::size_t bytes = slab_bytes(step);
  Region* slab = bytes < MiB ? nullptr : cut_kept(Steps::at_least(bytes / kUnit), bytes);
  if (slab == nullptr) return nullptr;
  slab->step = step;
  slab->counted = bytes;
  return carving_[step] = slab;
}

HostPool::Region* HostPool::map_slab(unsigned step) {
  Region* slab = map_region(slab_bytes(step));
  if (slab == nullptr) return nullptr;
  slab->step = step;
  return carving_[step] = slab;
}

HostPool::Block* HostPool::take_large(unsigned step) {
  std::size_t bytes = page_bytes(step);
  Region* region = cut_kept(step, bytes);
  // Empty slabs may separate kept ranges; keeping them as ranges too costs less than new pages.
  if (region == nullptr && large_.cut_lately(step, clock_) && small_kept_ > 0 && small_kept_ <= bytes) {
    keep_empty_slabs();
    region = cut_kept(step, bytes);
  }
  if (region == nullptr) {
    if (PageRange* rest = large_.missed(step, bytes, clock_); rest != nullptr) give_back_large(rest);
    if (!make_room(bytes)) return nullptr;
    region = map_region(bytes);
    if (region == nullptr) return nullptr;
    reserved_ += bytes;
  }
  region->carved = block_bytes(step);
  region->step = step;
  Block* block = reinterpret_cast<Block*>(region->base);
  ASAN_UNPOISON_MEMORY_REGION(block, kHeader);
  block->region = region;
  return block;
}

// Takes `bytes` of kept pages from a range that holds a block of the class; null if there is none.
HostPool::Region* HostPool::cut_kept(unsigned step, std::size_t bytes) {
  if (large_.bytes() < bytes || reserved_ > limit_) return nullptr;
  std::size_t may_lose = std::max(kKeepAnyway, most_kept() / 2);
  PageRange* range = large_.find(step, may_lose);
  if (range == nullptr) {
    while (PageRange* gone = large_.join()) {
      Region* region = static_cast<Region*>(gone);
      region->AnyLink::remove();
      delete region;
    }
    range = large_.find(step, may_lose);
    if (range == nullptr) return nullptr;
  }
  if (range->bytes == bytes) {
    large_.remove(range);
    return static_cast<Region*>(range);
  }
  Region* front = new Region;
  front->step = kFirstLarge;
  front->AnyLink::insert_after(&regions_);
  large_.cut(range, bytes, front, clock_);
  return front;
}

// Pages from the system, not yet counted; null if there are none.
HostPool::Region* HostPool::map_region(std::size_t bytes) {
  auto made = std::make_unique<Region>();  // first, because it may throw
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
  region->AnyLink::insert_after(&regions_);
  ASAN_POISON_MEMORY_REGION(base, bytes);
  return region;
}

// Whether `bytes` more may be taken from the system.
bool HostPool::make_room(std::size_t bytes) {
  auto fits = [&] { return reserved_ <= limit_ && bytes <= limit_ - reserved_; };
  system_refused_ = false;
  if (!fits()) give_back_all();
  return fits();
}

// Keeps the block, unless the pool keeps enough.
void HostPool::put_back(Block* block) {
  Region* region = block->region;
  --region->out;
  if (region->is_slab()) {
    ASAN_POISON_MEMORY_REGION(block->data(), class_bytes(region->step));
    block->next = small_[region->step];
    small_[region->step] = block;
    small_kept_ += block_bytes(region->step);
    if (small_kept_ > small_kept_limit_) {
      give_back_slabs();
      // The rest is in slabs with blocks in use. Try again when twice as much is kept.
      small_kept_limit_ = std::max(kKeepAnyway, 2 * small_kept_);
    }
    return;
  }
  keep_range(region);
  large_out_ -= region->bytes;
  while (large_.bytes() > most_kept()) give_back_large(large_.oldest());
}

// See Note [What the pool keeps]
std::size_t HostPool::most_kept() const { return std::max({kKeepAnyway, peak_now_, peak_before_}); }

void HostPool::keep_range(Region* region) {
  region->carved = 0;
  ASAN_POISON_MEMORY_REGION(region->base, region->bytes);
  large_.insert(region, clock_);
}

// Checks the first `most` waiting blocks.
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

void HostPool::give_back_large(PageRange* range) {
  Region* region = static_cast<Region*>(range);
  large_.remove(region);
  reserved_ -= region->bytes;
  delete_region(region);
}

void HostPool::delete_region(Region* region) {
  region->AnyLink::remove();
  KeptPages::forget(region);
  ASAN_UNPOISON_MEMORY_REGION(region->base, region->bytes);
  // If a mapping cannot be split any further (vm.max_map_count), the addresses stay but the pages are given back.
  if (munmap(region->base, region->bytes) != 0) madvise(region->base, region->bytes, MADV_DONTNEED);
  delete region;
}

// Drops the kept blocks of slabs without a block in use: of all such slabs, or only of those whose pages are all
// counted.
void HostPool::forget_empty_slabs(bool all) {
  for (unsigned step = 0; step < kFirstLarge; ++step) {
    for (Block** link = &small_[step]; *link != nullptr;) {
      if (!(*link)->region->is_empty_slab(all)) {
        link = &(*link)->next;
      } else {
        *link = (*link)->next;
        small_kept_ -= block_bytes(step);
      }
    }
    if (carving_[step] != nullptr && carving_[step]->is_empty_slab(all)) carving_[step] = nullptr;
  }
}

void HostPool::keep_empty_slabs() {
  forget_empty_slabs(false);
  for (AnyLink* link = regions_.next; link != &regions_; link = link->next) {
    Region* region = static_cast<Region*>(link);
    if (!region->is_empty_slab(false)) continue;
    region->step = kFirstLarge;
    keep_range(region);
  }
}

void HostPool::give_back_slabs() {
  forget_empty_slabs(true);
  for (AnyLink* link = regions_.next; link != &regions_;) {
    Region* region = static_cast<Region*>(link);
    link = link->next;
    if (!region->is_slab()) continue;
    if (region->out == 0) {
      reserved_ -= region->counted;
      delete_region(region);
    } else if (region->counted > region->carved) {
      std::size_t from = (region->carved + kPage - 1) / kPage * kPage;
      madvise(region->base + from, region->bytes - from, MADV_DONTNEED);
      reserved_ -= region->counted - region->carved;
      region->counted = region->carved;
    }
  }
}

std::size_t HostPool::give_back_all() {
  std::size_t before = reserved_;
  reap_waiting(SIZE_MAX);
  while (large_.oldest() != nullptr) give_back_large(large_.oldest());
  give_back_slabs();
  small_kept_limit_ = std::max(kKeepAnyway, 2 * small_kept_);
  return before - reserved_;
}

// Called every half of kIdle: recent peaks are those of this half and the one before.
void HostPool::grow_older() {
  next_look_ = clock_ + kIdle / 2;
  large_.grow_older();
  peak_before_ = peak_now_;
  peak_now_ = large_out_;
  while (large_.oldest() != nullptr && large_.oldest()->freed_at + kIdle < clock_) give_back_large(large_.oldest());
}

}  // namespace lutra
