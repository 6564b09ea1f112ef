// Note [Chunks, pieces, windows]
// Chunks cover the whole reserved range: in use, free (pages below, in a bin) or unmapped. Neighbours of one state,
// except in use, are always joined, so a free chunk ends where something else begins. Pieces are what the page source
// was asked for; a free chunk may span several and a piece may hold many chunks. The range is twice the limit, so when
// no free chunk is large enough there are addresses left: a window is a run of free and unmapped chunks long enough for
// a request, and the cheapest one gets the pages it lacks. The limit counts pages as well as chunks.
//
// Note [Slabs]
// A small chunk that outlives its large neighbours would keep their memory apart for good. So small ones are cut from
// slabs, stretches that large ones leave alone; where all pages are there from the start, the first slab is at their
// beginning. A small one that fits into a hole no larger than two slabs is cut from that: it does no harm there. When a
// request finds no room, all slabs become ordinary memory, so they never refuse anything. See
// docs/decisions/small-chunks-in-slabs.md.
#include "memory/arena.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "core/text.h"

namespace lutra {

namespace {

constexpr std::size_t kUnit = FreeChunks::kUnit;
// A slab has at most so many bytes and this part of the limit; a small chunk is at most a sixteenth of it.
constexpr std::size_t kMostSlabBytes = std::size_t{1} << 20, kSlabsInLimit = 64, kSmallInSlab = 16;
// Each move waits for the device: so many, and one more for so many allocations.
constexpr uint64_t kMoves = 16, kAllocationsPerMove = 4096;
constexpr std::size_t kMostBytes = std::size_t{1} << 45;  // what the bins have steps for

std::size_t round_down(std::size_t bytes, std::size_t step) { return bytes / step * step; }
std::size_t round_up(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

}  // namespace

Arena::Arena(PageSource& pages, ArenaOptions options)
    : pages_(pages),
      limit_(std::min(options.limit_bytes, kMostBytes)),
      growth_(options.growth),
      granularity_(pages.granularity()) {
  assert(granularity_ % kUnit == 0);
  piece_bytes_ = round_up(options.piece_bytes, granularity_);
  slab_bytes_ = growth_ ? 0 : std::min(kMostSlabBytes, round_down(limit_ / kSlabsInLimit, kUnit));
}

// Few and large ones cost less to map. But what is taken beyond the need is at most a sixteenth of what there is.
std::size_t Arena::piece_bytes(std::size_t needed) const {
  if (piece_bytes_ > 0) return piece_bytes_;
  if (!growth_) return round_up(std::size_t{1} << 30, granularity_);
  std::size_t wanted = std::bit_floor(std::max({reserved_ / 16, needed, granularity_}));
  return round_up(std::min(std::size_t{32} << 20, wanted), granularity_);
}

Arena::~Arena() {
  for (const Piece& piece : pieces_) pages_.unmap(piece.at, piece.bytes);
  if (base_ != nullptr) pages_.release(base_, range_bytes_);
}

Arena::Chunk* Arena::allocate(std::size_t bytes) {
  if (bytes > limit_) return nullptr;
  bytes = bytes == 0 ? kUnit : round_up(bytes, kUnit);
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
  // A source that takes its memory with the addresses gives all of it back, or none.
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

// What changes the list needs at most two nodes at a time; they are made here, where running out harms nothing.
void Arena::keep_spare_nodes() {
  constexpr std::size_t kNodes = 128;
  if (spare_node_count_ >= 2) return;
  nodes_.reserve(nodes_.size() + 1);
  nodes_.emplace_back(new Chunk[kNodes]);
  for (std::size_t i = kNodes; i-- > 0;) {
    Chunk* node = &nodes_.back()[i];
    // Any well mixed number does for a treap.
    uint64_t mixed = (nodes_.size() * kNodes + i) * 0x9E3779B97F4A7C15u;
    node->priority = static_cast<uint32_t>((mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u >> 32);
    node->left = spare_nodes_;
    spare_nodes_ = node;
  }
  spare_node_count_ += kNodes;
}

// A free chunk of at least `bytes`, which is in no bin; null when there is none.
Arena::Chunk* Arena::take(std::size_t bytes) {
  if (bytes > slab_bytes_ / kSmallInSlab) return free_.take(bytes);
  if (Chunk* chunk = free_in_slabs_.take(bytes); chunk != nullptr) return chunk;
  Chunk* chunk = free_.take(bytes);
  return chunk == nullptr || chunk->bytes < 2 * slab_bytes_ ? chunk : cut_slab(chunk);
}

// Makes the end of the chunk, which is free and in no bin, a slab, which is in none either.
Arena::Chunk* Arena::cut_slab(Chunk* chunk) {
  Chunk* slab = split(chunk, chunk->bytes - slab_bytes_);
  free_.insert(chunk);
  slab->in_slab = true;
  has_slabs_ = true;
  return join(slab);
}

// Whether there were any.
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

// Cuts the chunk, which is in no bin, after `bytes`; returns the second part, which is in no bin either.
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

// Joins the chunk, which is in no bin, with neighbours of its state that are in a slab as it is, or not; the whole is
// in no bin.
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

// Makes [begin, end) of a free or unmapped chunk, which is in no bin, the other of the two. Returns its chunk.
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

// ---- pages

bool Arena::reserve(std::size_t wanted) {
  if (base_ != nullptr) return true;
  std::size_t once = round_up(limit_, granularity_);
  bool on_demand = pages_.is_on_demand();
  std::size_t bytes = on_demand ? 2 * once : once;
  while ((base_ = pages_.reserve(bytes)) == nullptr) {
    // Fewer addresses do; a source that takes its memory here is asked for nine tenths, as pages are in fill().
    std::size_t less = on_demand ? once : round_down(bytes / 10 * 9, granularity_);
    if (less >= bytes || less < wanted) return false;
    bytes = less;
  }
  limit_ = std::min(limit_, bytes);
  range_bytes_ = bytes;
  first_ = new_node();
  first_->data = base_;
  first_->bytes = bytes;
  first_->idle_seq = 0;
  first_->prev = first_->next = nullptr;
  first_->state = State::Unmapped;
  first_->in_slab = false;
  return true;
}

// Bytes of pages the limit still allows.
std::size_t Arena::spare_bytes() const { return round_up(limit_, granularity_) - reserved_; }

// The index of the first piece at or after `at`.
std::size_t Arena::first_piece(const std::byte* at) const {
  auto found = std::lower_bound(pieces_.begin(), pieces_.end(), at,
                                [](const Piece& piece, const std::byte* where) { return piece.at < where; });
  return static_cast<std::size_t>(found - pieces_.begin());
}

bool Arena::map_piece(std::byte* at, std::size_t bytes) {
  if (pieces_.size() == pieces_.capacity()) pieces_.reserve(2 * pieces_.size() + 8);
  if (!pages_.map(at, bytes)) return false;
  pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(first_piece(at)), Piece{at, bytes});
  reserved_ += bytes;
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  return true;
}

// The first allocation without growth. A card that refuses is asked for nine tenths, again and again, as TensorFlow
// does (BFCAllocator::Extend); the limit becomes what it gave. Takes nothing when that would be less than wanted.
bool Arena::fill(std::size_t wanted) {
  keep_spare_nodes();
  std::size_t target = round_up(limit_, granularity_);
  std::size_t mapped = 0;
  std::size_t peak_before = peak_reserved_;
  while (true) {
    while (mapped < target) {
      std::size_t bytes = std::min(piece_bytes(0), target - mapped);
      if (!map_piece(base_ + mapped, bytes)) break;
      mapped += bytes;
    }
    if (mapped == target) break;
    target = target > limit_ ? round_down(limit_, granularity_) : round_down(target / 10 * 9, granularity_);
    if (target < wanted) target = 0;
    while (mapped > target) {
      pages_.unmap(pieces_.back().at, pieces_.back().bytes);
      mapped -= pieces_.back().bytes;
      reserved_ -= pieces_.back().bytes;
      pieces_.pop_back();
    }
  }
  peak_reserved_ = std::max(peak_before, reserved_);
  if (target == 0) return false;
  limit_ = std::min(limit_, target);
  filled_ = true;
  retype(first_, base_, base_ + target, State::Free);
  if (slab_bytes_ > 0 && wanted + slab_bytes_ < target) {
    free_.erase(first_);
    free_in_slabs_.insert(cut_slab(first_));
  }
  return true;
}

// Makes a free chunk of at least `bytes`. The limit allows as many bytes in use; whether it allows the pages is seen
// here.
bool Arena::grow(std::size_t bytes) {
  if (!reserve(bytes)) return false;
  if (!growth_ && !filled_) return fill(bytes);
  bool refused = false;
  if (move_pages(bytes)) return true;
  if (Window window = find_window(bytes, spare_bytes(), false); window.begin != nullptr) {
    if (map_window(window)) return true;
    refused = true;
  }
  if (drain_ == nullptr) return false;
  // The card gave no more: only what is taken from free pieces can be had.
  std::size_t spare = refused ? 0 : spare_bytes();
  Window window = find_window(bytes, spare, true);
  if (window.begin == nullptr) return false;
  drain_(drain_user_);
  release_pieces(window, window.unmapped - std::min(spare, window.unmapped));
  return map_window(window);
}

// Free pages that lie too far apart are moved together, rather than more taken: what a program takes while its sizes
// vary it would keep.
bool Arena::move_pages(std::size_t bytes) {
  if (!growth_ || drain_ == nullptr || moves_ >= kMoves + num_allocs_ / kAllocationsPerMove) return false;
  Window window = find_window(bytes, spare_bytes(), true);
  if (window.begin == nullptr) return false;
  std::size_t movable = 0;
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    if (chunk->end() <= window.begin || window.end <= chunk->data) movable += whole_pieces(chunk);
  }
  if (movable == 0) return false;
  ++moves_;
  drain_(drain_user_);
  release_pieces(window, window.unmapped);
  return map_window(window);
}

// The window for a request that lacks the fewest bytes of pages, not more than `spare` and, when moving, than the free
// pieces outside it can give. Windows begin or end where a chunk does: any other lacks no less.
Arena::Window Arena::find_window(std::size_t bytes, std::size_t spare, bool moving) const {
  std::size_t movable = 0;
  for (const Chunk* chunk = first_; moving && chunk != nullptr; chunk = chunk->next) movable += whole_pieces(chunk);
  Window best;
  auto try_from = [&](const Chunk* start, bool forward) {
    std::size_t length = 0, lacks = 0, inside = 0;
    for (const Chunk* chunk = start; chunk != nullptr && chunk->state != State::InUse;
         chunk = forward ? chunk->next : chunk->prev) {
      std::size_t part = std::min(chunk->bytes, bytes - length);
      length += part;
      if (chunk->state == State::Unmapped) {
        lacks += round_up(part, granularity_);
      } else if (moving) {
        inside += whole_pieces(chunk);
      }
      if (length < bytes) continue;
      std::size_t given = spare + (movable - std::min(movable, inside));
      if (lacks <= given && (best.begin == nullptr || lacks < best.unmapped)) {
        best.begin = forward ? start->data : start->end() - bytes;
        best.end = best.begin + bytes;
        best.unmapped = lacks;
      }
      return;
    }
  };
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    if (chunk->state == State::InUse) continue;
    try_from(chunk, true);
    try_from(chunk, false);
  }
  return best;
}

// Puts pages under all of the window, and under what follows up to a whole piece where limit and card allow.
bool Arena::map_window(const Window& window) {
  assert(window.unmapped <= spare_bytes());
  std::size_t extra = spare_bytes() - window.unmapped;
  Chunk* chunk = first_;
  while (chunk->end() <= window.begin) chunk = chunk->next;
  while (chunk != nullptr && chunk->data < window.end) {
    if (chunk->state != State::Unmapped) {
      chunk = chunk->next;
      continue;
    }
    std::size_t base = static_cast<std::size_t>(chunk->data - base_);
    std::size_t begin = base, need_end = base + chunk->bytes;
    if (window.begin > chunk->data) begin = round_down(static_cast<std::size_t>(window.begin - base_), granularity_);
    if (window.end < chunk->end()) need_end = round_up(static_cast<std::size_t>(window.end - base_), granularity_);
    std::size_t end = std::min({round_up(need_end, piece_bytes(0)), base + chunk->bytes, need_end + extra});
    extra -= end - need_end;
    std::byte* reached = base_ + need_end;
    if (!map_range(chunk, base_ + begin, base_ + need_end, base_ + end)) return false;
    // The chunk may have been joined with the one before it.
    chunk = first_;
    while (chunk->end() < reached) chunk = chunk->next;
  }
  return true;
}

// Pages for [begin, end) of an unmapped chunk, cut where pieces would end if they lay side by side from the range's
// start; [need_end, end) may be refused. What was given before a refusal stays, as free memory.
bool Arena::map_range(Chunk* chunk, std::byte* begin, std::byte* need_end, std::byte* end) {
  keep_spare_nodes();
  std::byte* at = begin;
  const std::size_t piece = piece_bytes(static_cast<std::size_t>(need_end - begin));
  while (at < end) {
    std::size_t offset = static_cast<std::size_t>(at - base_);
    std::size_t bytes = std::min(round_down(offset, piece) + piece - offset, static_cast<std::size_t>(end - at));
    if (!map_piece(at, bytes)) {
      if (at >= need_end || at + bytes <= need_end) break;
      bytes = static_cast<std::size_t>(need_end - at);
      end = need_end;
      if (!map_piece(at, bytes)) break;
    }
    at += bytes;
  }
  if (at > begin) retype(chunk, begin, at, State::Free);
  return at >= need_end;
}

// The bytes of the pieces that lie wholly in a free chunk.
std::size_t Arena::whole_pieces(const Chunk* chunk) const {
  if (chunk->state != State::Free || chunk->bytes < granularity_) return 0;
  std::size_t sum = 0;
  for (std::size_t i = first_piece(chunk->data); i < pieces_.size(); ++i) {
    if (pieces_[i].at + pieces_[i].bytes > chunk->end()) break;
    sum += pieces_[i].bytes;
  }
  return sum;
}

// Gives free pieces outside `keep` back until `enough` bytes are.
std::size_t Arena::release_pieces(const Window& keep, std::size_t enough) {
  std::size_t released = 0;
  for (Chunk* chunk = first_; chunk != nullptr && released < enough; chunk = chunk->next) {
    if (chunk->data < keep.end && keep.begin < chunk->end()) continue;
    if (whole_pieces(chunk) == 0) continue;
    keep_spare_nodes();
    std::size_t first = first_piece(chunk->data);
    std::size_t last = first;
    std::byte* begin = pieces_[first].at;
    std::byte* end = begin;
    while (last < pieces_.size() && released < enough && pieces_[last].at + pieces_[last].bytes <= chunk->end()) {
      pages_.unmap(pieces_[last].at, pieces_[last].bytes);
      released += pieces_[last].bytes;
      end = pieces_[last].at + pieces_[last].bytes;
      ++last;
    }
    pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(first),
                  pieces_.begin() + static_cast<std::ptrdiff_t>(last));
    free_.erase(chunk);
    chunk = retype(chunk, begin, end, State::Unmapped);
  }
  reserved_ -= released;
  return released;
}

std::size_t Arena::largest_free() const {
  std::size_t allowed = round_down(limit_ - bytes_in_use_, kUnit);
  if (base_ == nullptr || (!growth_ && !filled_)) return allowed;
  std::size_t best = 0;
  auto measure = [&](const Chunk* start, bool forward) {
    std::size_t length = 0, spare = spare_bytes();
    for (const Chunk* chunk = start; chunk != nullptr && chunk->state != State::InUse;
         chunk = forward ? chunk->next : chunk->prev) {
      std::size_t part = chunk->state == State::Free ? chunk->bytes : std::min(chunk->bytes, spare);
      if (chunk->state == State::Unmapped) spare -= part;
      length += part;
      if (part < chunk->bytes) break;
    }
    best = std::max(best, length);
  };
  for (const Chunk* chunk = first_; chunk != nullptr; chunk = chunk->next) {
    if (chunk->state == State::InUse) continue;
    measure(chunk, true);
    measure(chunk, false);
  }
  return std::min(best, allowed);
}

}  // namespace lutra
