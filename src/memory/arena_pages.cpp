// How the arena takes, moves and gives back pages. See Note [Chunks, pieces, windows] in arena.cpp.
#include <algorithm>
#include <bit>
#include <cassert>
#include <new>

#include "memory/arena.h"
#include "memory/rounding.h"

namespace lutra {

namespace {

constexpr std::size_t kLeastPiece = std::size_t{2} << 20, kMostPiece = std::size_t{32} << 20;
// Each move waits for the device. So moves are limited to kMoves, plus one per kAllocationsPerMove allocations.
constexpr uint64_t kMoves = 16, kAllocationsPerMove = 4096;

}  // namespace

// Few, large pieces cost less to map. But what is taken beyond the need is at most a sixteenth of the pages present.
std::size_t Arena::piece_bytes(std::size_t needed) const {
  if (piece_bytes_ > 0) return piece_bytes_;
  if (!growth_) return round_up(std::size_t{1} << 30, granularity_);
  std::size_t wanted = std::bit_floor(std::max({reserved_ / 16, needed, kLeastPiece}));
  return round_up(std::min(kMostPiece, wanted), granularity_);
}

bool Arena::reserve(std::size_t wanted) {
  if (base_ != nullptr) return true;
  bool on_demand = pages_.is_on_demand();
  std::size_t bytes = on_demand ? 2 * limit_ : limit_;
  while ((base_ = pages_.reserve(bytes)) == nullptr) {
    // Fewer addresses suffice. A source that takes its memory here is asked for nine tenths, as in fill().
    std::size_t less = on_demand ? limit_ : round_down(bytes / 10 * 9, granularity_);
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
std::size_t Arena::spare_bytes() const { return limit_ - reserved_; }

// The index of the first piece at or after `at`.
std::size_t Arena::first_piece(const std::byte* at) const {
  auto found = std::lower_bound(pieces_.begin(), pieces_.end(), at,
                                [](const Piece& piece, const std::byte* where) { return piece.at < where; });
  return static_cast<std::size_t>(found - pieces_.begin());
}

// Does not throw: its callers have already mapped other pieces.
bool Arena::map_piece(std::byte* at, std::size_t bytes) {
  try {
    if (pieces_.size() == pieces_.capacity()) pieces_.reserve(2 * pieces_.size() + 8);
    if (!pages_.map(at, bytes)) return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
  pieces_.insert(pieces_.begin() + static_cast<std::ptrdiff_t>(first_piece(at)), Piece{at, bytes});
  reserved_ += bytes;
  peak_reserved_ = std::max(peak_reserved_, reserved_);
  return true;
}

// The first allocation without growth. If the card refuses, asks for nine tenths, repeatedly, as TensorFlow does
// (BFCAllocator::Extend); what it gives becomes the limit. Takes nothing if that would be less than wanted.
bool Arena::fill(std::size_t wanted) {
  keep_spare_nodes();
  std::size_t target = limit_;
  std::size_t mapped = 0;
  std::size_t peak_before = peak_reserved_;
  while (true) {
    while (mapped < target) {
      std::size_t bytes = std::min(piece_bytes(0), target - mapped);
      if (!map_piece(base_ + mapped, bytes)) break;
      mapped += bytes;
    }
    if (mapped == target) break;
    target = round_down(target / 10 * 9, granularity_);
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
  limit_ = target;
  filled_ = true;
  retype(first_, base_, base_ + target, State::Free);
  if (slab_bytes_ > 0 && wanted + slab_bytes_ < target) {
    free_.erase(first_);
    free_in_slabs_.insert(cut_slab(first_));
  }
  return true;
}

// Makes a free chunk of at least `bytes`. The caller has checked the limit for bytes in use; here it is checked for
// pages.
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
  // The card gave no more: only pages of free pieces are available.
  std::size_t spare = refused ? 0 : spare_bytes();
  Window window = find_window(bytes, spare, true);
  if (window.begin == nullptr) return false;
  drain_(drain_user_);
  release_pieces(window, window.unmapped - std::min(spare, window.unmapped));
  return map_window(window);
}

// Moves scattered free pages together instead of taking more: a program whose sizes vary would keep whatever it takes
// meanwhile.
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

// The window for a request that lacks the fewest bytes of pages: at most `spare` plus, when moving, the free pieces
// outside it. Only windows that begin or end at a chunk's boundary are tried: no other lacks fewer.
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

// Maps pages for the whole window, and behind it up to a whole piece if limit and card allow.
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

// Maps pages for [begin, end) of an unmapped chunk. Pieces end at multiples of the piece size from the range's start.
// [need_end, end) may be refused. Pages mapped before a refusal stay as free memory.
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

// Gives free pieces outside `keep` back until `enough` bytes are released.
std::size_t Arena::release_pieces(const Window& keep, std::size_t enough) {
  std::size_t released = 0;
  for (Chunk* chunk = first_; chunk != nullptr && released < enough; chunk = chunk->next) {
    if (chunk->data < keep.end && keep.begin < chunk->end()) continue;
    if (whole_pieces(chunk) == 0) continue;
    keep_spare_nodes();
    const std::size_t before = released;
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
    reserved_ -= released - before;
  }
  return released;
}

std::size_t Arena::largest_free() const {
  std::size_t allowed = round_down(limit_ - bytes_in_use_, FreeChunks::kUnit);
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
