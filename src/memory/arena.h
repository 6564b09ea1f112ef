// The memory of one logical GPU: best fit with coalescing over one reserved address range, in which pages are mapped
// and unmapped. It does not access the device itself and waits for nothing, except as set_drain says. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device/page_source.h"
#include "memory/free_chunks.h"

namespace lutra {

struct ArenaOptions {
  std::size_t limit_bytes = 0;  // only whole pages of it count
  bool growth = false;          // pages as needed; otherwise all of the limit at the first allocation
  std::size_t piece_bytes =
      0;  // pages are mapped and unmapped in pieces of this size; 0: at most 32 MiB when growing, else 1 GiB
};

struct ArenaStats {
  std::size_t bytes_in_use = 0;  // of chunks, so rounded up to 256
  std::size_t peak_bytes_in_use = 0;
  std::size_t reserved_bytes = 0;  // pages taken from the card
  std::size_t peak_reserved_bytes = 0;
  std::size_t limit_bytes = 0;
  uint64_t num_allocs = 0;
  std::size_t largest_free_bytes = 0;  // the largest request that can be met if the card still provides the pages
};

class Arena {
 public:
  using Chunk = ArenaChunk;  // stays at its address while in use

  // Takes no memory from the card yet.
  Arena(PageSource& pages, ArenaOptions options);
  // Gives all memory back, even chunks in use.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Null if full: the Context decides what to do then (collect, drain, trim, report). 0 bytes give a valid chunk.
  Chunk* allocate(std::size_t bytes);
  // idle_seq: the compute stream's last command that may still touch the chunk.
  void free(Chunk* chunk, uint64_t idle_seq);

  static std::byte* data(const Chunk* chunk) { return chunk->data; }
  static std::size_t bytes(const Chunk* chunk) { return chunk->bytes; }
  // The compute command that last touched the memory of a chunk in use before it was handed out. A copy into the chunk
  // waits for it.
  static uint64_t idle_seq(const Chunk* chunk) { return chunk->idle_seq; }

  // Every chunk in use, by address.
  template <class Visit> void for_each_in_use(const Visit& visit) const {
    for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
      if (chunk->state == State::InUse) visit(chunk);
    }
  }

  // Gives back the pieces that are wholly free and returns their bytes. If pages are not on demand, gives back either
  // all memory, once all is free, or nothing. The caller has made sure that the device's streams have passed.
  std::size_t trim();
  // Lets allocate move pages: if the limit (or the card) refuses more pages but free pieces exist elsewhere, and now
  // and then when growing, allocate calls drain, which must return once the device's streams have passed, and then
  // takes those pages. Without it allocate returns null.
  void set_drain(void (*drain)(void* user), void* user);

  std::size_t limit_bytes() const { return limit_; }
  ArenaStats stats() const;
  void reset_peak();
  // Why the device last refused to give pages.
  std::string why_no_pages() const;

 private:
  using State = Chunk::State;
  struct Piece {  // the memory of one map() call, unmapped by one unmap()
    std::byte* at;
    std::size_t bytes;
  };
  struct Window {  // an address range without a chunk in use; null if none
    std::byte* begin = nullptr;
    std::byte* end = nullptr;
    std::size_t unmapped = 0;  // bytes of pages that it lacks
  };

  Chunk* new_node();
  void keep_spare_nodes();
  Chunk* take(std::size_t bytes);
  Chunk* cut_slab(Chunk* chunk);
  bool dissolve_slabs();
  FreeChunks& free_like(const Chunk* chunk) { return chunk->in_slab ? free_in_slabs_ : free_; }
  Chunk* split(Chunk* chunk, std::size_t bytes);
  Chunk* join(Chunk* chunk);
  Chunk* retype(Chunk* chunk, std::byte* begin, std::byte* end, State state);

  bool reserve(std::size_t wanted);
  bool fill(std::size_t wanted);
  std::size_t piece_bytes(std::size_t needed) const;
  bool grow(std::size_t bytes);
  bool move_pages(std::size_t bytes);
  Window find_window(std::size_t bytes, std::size_t spare, bool moving) const;
  bool map_window(const Window& window);
  bool map_range(Chunk* chunk, std::byte* begin, std::byte* need_end, std::byte* end);
  bool map_piece(std::byte* at, std::size_t bytes);
  std::size_t release_pieces(const Window& keep, std::size_t enough);
  std::size_t whole_pieces(const Chunk* chunk) const;
  std::size_t first_piece(const std::byte* at) const;
  std::size_t spare_bytes() const;
  std::size_t largest_free() const;

  PageSource& pages_;
  std::size_t limit_;
  bool growth_;
  bool filled_ = false;
  std::size_t granularity_;
  std::size_t piece_bytes_;  // 0: piece_bytes() decides
  uint64_t moves_ = 0;       // times pages were moved although the card might have given more

  FreeChunks free_;
  FreeChunks free_in_slabs_;
  std::size_t slab_bytes_;
  bool has_slabs_ = false;
  Chunk* spare_nodes_ = nullptr;  // linked by `left`
  std::size_t spare_node_count_ = 0;
  std::size_t bytes_in_use_ = 0;
  std::size_t peak_in_use_ = 0;
  uint64_t num_allocs_ = 0;

  std::byte* base_ = nullptr;
  std::size_t range_bytes_ = 0;
  Chunk* first_ = nullptr;     // the chunk at base_
  std::vector<Piece> pieces_;  // by address
  std::size_t reserved_ = 0;
  std::size_t peak_reserved_ = 0;
  void (*drain_)(void* user) = nullptr;
  void* drain_user_ = nullptr;

  std::vector<std::unique_ptr<Chunk[]>> nodes_;
};

}  // namespace lutra
