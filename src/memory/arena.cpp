// Note [Chunks, pieces, windows]
// Chunks cover the whole reserved range: in use, free (with pages, in a bin) or unmapped. Neighbours of the same state,
// except in use, are always joined, so a free chunk ends where something else begins. A piece is the memory of one call
// to the page source; a free chunk may span several pieces, and a piece may hold many chunks. The range is twice the
// limit, so if no free chunk is large enough there are addresses left: a window is a run of free and unmapped chunks
// long enough for a request, and the cheapest one gets the pages it lacks. The limit applies to pages as well as to
// chunks. Pieces and windows are in arena_pages.cpp.
//
// Note [Slabs]
// A small chunk that outlives its large neighbours would keep their memory from being joined. So if all pages are
// mapped from the start, small chunks are cut from slabs, ranges that large ones do not use; the first slab is at the
// end of the pages. A small chunk that fits into a hole smaller than two slabs is cut from that hole, where it does no
// harm. If a request finds no room, all slabs become ordinary memory, so slabs never cause a refusal. See
// docs/decisions/small-chunks-in-slabs.md.
#include "memory/arena.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/text.h"
#include "memory/rounding.h"

namespace lutra {

namespace {

// A slab is at most kMostSlabBytes and 1 / kSlabsInLimit of the limit; a small chunk is at most 1 / kSmallInSlab of a
// slab.
constexpr std::size_t kMostSlabBytes = std::size_t{1} << 20, kSlabsInLimit = 64, kSmallInSlab = 16;
constexpr std::size_t kMostChunkBytes = std::size_t{1} << 45;  // the bins have steps up to this size

}  // namespace

Arena::Arena(PageSource& pages, ArenaOptions options)
    : pages_(pages),
      limit_(round_down(std::min(options.limit_bytes, kMostChunkBytes), pages.granularity())),
      growth_(options.growth),
      granularity_(pages.granularity()) {
  assert(granularity_ % FreeChunks::kUnit == 0);
  piece_bytes_ = round_up(options.piece_bytes, granularity_);
  slab_bytes_ = growth_ ? 0 : std::min(kMostSlabBytes, round_down(limit_ / kSlabsInLimit, FreeChunks::kUnit));
}

Arena::~Arena() {
  for (const Piece& piece : pieces_) pages_.unmap(piece.at, piece.bytes);
  if (base_ != nullptr) pages_.release(base_, range_bytes_);
}

Arena::Chunk* Arena::allocate(std::size_t bytes) {
  if (bytes > limit_) return nullptr;
  bytes = bytes == 0 ? FreeChunks::kUnit : round_up(bytes, FreeChunks::kUnit);
  if (bytes > limit_ - bytes_in_use_) return nullptr;
  keep_spare_nodes();
  Chunk* chunk = take(bytes);
  if (chunk == nullptr && dissolve_slabs()) chunk = free_.take(bytes);
  if (chunk == nullptr) {
    if (!grow(bytes)) return nullptr;
    keep_spare_nodes();
    chunk = take(bytes);
    assert(chunk != nullptr);
  }
  if (chunk->bytes > bytes) free_like(chunk).insert(split(chunk, bytes));
  chunk->state = State::InUse;
  bytes_in_use_ += bytes;
  peak_in_use_ = std::max(peak_in_use_, bytes_in_use_);
  ++num_allocs_;
  return chunk;
}

void Arena::free(Chunk* chunk, uint64_t idle_seq) {
  assert(chunk->state == State::InUse);
  __builtin_prefetch(chunk->prev);
  __builtin_prefetch(chunk->next);
  bytes_in_use_ -= chunk->bytes;
  chunk->idle_seq = std::max(chunk->idle_seq, idle_seq);
  chunk->state = State::Free;
  chunk = join(chunk);
  free_like(chunk).insert(chunk);
}

std::size_t Arena::trim() {
  dissolve_slabs();
  if (pages_.is_on_demand()) return release_pieces(Window{}, SIZE_MAX);
  // A source that takes its memory with the addresses can only give back all of it.
  if (base_ == nullptr || bytes_in_use_ > 0) return 0;
  std::size_t released = release_pieces(Window{}, SIZE_MAX);
  assert(first_->state == State::Unmapped && first_->next == nullptr);
  first_->left = spare_nodes_;
  spare_nodes_ = std::exchange(first_, nullptr);
  ++spare_node_count_;
  pages_.release(std::exchange(base_, nullptr), range_bytes_);
  filled_ = false;
  return released;
}

void Arena::set_drain(void (*drain)(void* user), void* user) {
  drain_ = drain;
  drain_user_ = user;
}

ArenaStats Arena::stats() const {
  return {.bytes_in_use = bytes_in_use_,
          .peak_bytes_in_use = peak_in_use_,
          .reserved_bytes = reserved_,
          .peak_reserved_bytes = peak_reserved_,
          .limit_bytes = limit_,
          .num_allocs = num_allocs_,
          .largest_free_bytes = largest_free()};
}

void Arena::reset_peak() {
  peak_in_use_ = bytes_in_use_;
  peak_reserved_ = reserved_;
}

std::string Arena::why_no_pages() const {
  return base_ == nullptr && pages_.is_on_demand()
             ? text("no ", bytes_text(static_cast<int64_t>(limit_)), " of addresses could be reserved")
             : pages_.why();
}

// ---- chunks

Arena::Chunk* Arena::new_node() {
  Chunk* node = spare_nodes_;
  spare_nodes_ = node->left;
  --spare_node_count_;
  return node;
}

// Each change of the list needs at most two nodes. They are allocated here, where a failure does no harm.
void Arena::keep_spare_nodes() {
  constexpr std::size_t kNodes = 128;
  if (spare_node_count_ >= 2) return;
  nodes_.reserve(nodes_.size() + 1);
  nodes_.emplace_back(new Chunk[kNodes]);
  for (std::size_t i = kNodes; i-- > 0;) {
    Chunk* node = &nodes_.back()[i];
    // Any well-mixed number will do for a treap.
    uint64_t mixed = (nodes_.size() * kNodes + i) * 0x9E3779B97F4A7C15u;
    node->priority = static_cast<uint32_t>((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u >> 32);
    node->left = spare_nodes_;
    spare_nodes_ = node;
  }
  spare_node_count_ += kNodes;
}

// A free chunk of at least `bytes`, removed from its bin; null if there is none.
Arena::Chunk* Arena::take(std::size_t bytes) {
  if (bytes > slab_bytes_ / kSmallInSlab) return free_.take(bytes);
  if (Chunk* chunk = free_in_slabs_.take(bytes); chunk != nullptr) return chunk;
  Chunk* chunk = free_.take(bytes);
  return chunk == nullptr || chunk->bytes < 2 * slab_bytes_ ? chunk : cut_slab(chunk);
}

// Makes the end of the chunk a slab. The chunk is free and in no bin; so is the slab.
Arena::Chunk* Arena::cut_slab(Chunk* chunk) {
  Chunk* slab = split(chunk, chunk->bytes - slab_bytes_);
  free_.insert(chunk);
  slab->in_slab = true;
  has_slabs_ = true;
  return join(slab);
}

// Returns whether there were any.
bool Arena::dissolve_slabs() {
  if (!has_slabs_) return false;
  has_slabs_ = false;
  for (Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    if (!chunk->in_slab) continue;
    if (chunk->state == State::Free) free_in_slabs_.erase(chunk);
    chunk->in_slab = false;
    if (chunk->state != State::Free) continue;
    chunk = join(chunk);
    free_.insert(chunk);
  }
  return true;
}

// Cuts the chunk after `bytes` and returns the second part. Neither is in a bin.
Arena::Chunk* Arena::split(Chunk* chunk, std::size_t bytes) {
  Chunk* rest = new_node();
  rest->data = chunk->data + bytes;
  rest->bytes = chunk->bytes - bytes;
  rest->idle_seq = chunk->idle_seq;
  rest->state = chunk->state;
  rest->in_slab = chunk->in_slab;
  rest->prev = chunk;
  rest->next = chunk->next;
  if (rest->next != nullptr) rest->next->prev = rest;
  chunk->next = rest;
  chunk->bytes = bytes;
  return rest;
}

// Joins the chunk with neighbours that have the same state and are likewise in a slab, or not. The chunk and the result
// are in no bin.
Arena::Chunk* Arena::join(Chunk* chunk) {
  auto absorb_next = [this](Chunk* whole) {
    Chunk* next = whole->next;
    whole->bytes += next->bytes;
    whole->idle_seq = std::max(whole->idle_seq, next->idle_seq);
    whole->next = next->next;
    if (whole->next != nullptr) whole->next->prev = whole;
    next->left = spare_nodes_;
    spare_nodes_ = next;
    ++spare_node_count_;
  };
  auto is_alike = [chunk](const Chunk* neighbour) {
    return neighbour != nullptr && neighbour->state == chunk->state && neighbour->in_slab == chunk->in_slab;
  };
  if (Chunk* next = chunk->next; is_alike(next)) {
    if (next->state == State::Free) free_like(next).erase(next);
    absorb_next(chunk);
  }
  if (Chunk* prev = chunk->prev; is_alike(prev)) {
    if (prev->state == State::Free) free_like(prev).erase(prev);
    absorb_next(prev);
    chunk = prev;
  }
  return chunk;
}

// Turns [begin, end) of a chunk that is in no bin from free to unmapped, or back. Returns the resulting chunk.
Arena::Chunk* Arena::retype(Chunk* chunk, std::byte* begin, std::byte* end, State state) {
  if (end < chunk->end()) {
    Chunk* rest = split(chunk, static_cast<std::size_t>(end - chunk->data));
    if (rest->state == State::Free) free_.insert(rest);
  }
  if (begin > chunk->data) {
    Chunk* middle = split(chunk, static_cast<std::size_t>(begin - chunk->data));
    if (chunk->state == State::Free) free_.insert(chunk);
    chunk = middle;
  }
  chunk->state = state;
  chunk->idle_seq = 0;
  chunk = join(chunk);
  if (state == State::Free) free_.insert(chunk);
  return chunk;
}

}  // namespace lutra
