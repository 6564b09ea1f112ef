// Pinned memory that copies to and from a card pass through: a ring of pieces. Each piece is taken for one command of a
// stream and free again once that has run. The ring is allocated when its first piece is taken.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "device/cuda/card.h"

namespace lutra::cuda {

class StagingRing {
 public:
  StagingRing(Card& card, std::size_t capacity_bytes) : card_(card), capacity_(capacity_bytes) {}
  ~StagingRing();
  StagingRing(const StagingRing&) = delete;

  std::size_t capacity() const { return capacity_; }
  // `bytes` is at most the capacity. wait(seq) must return once that command has run; it is called if the ring is full.
  // The caller must say which command uses the piece (hold) before it takes the next.
  template <class Wait> std::byte* take(std::size_t bytes, const Wait& wait) {
    open();
    bytes = (bytes + 63) / 64 * 64;
    std::size_t at = write_;
    if (at + bytes > capacity_) at = 0;  // the rest of the ring stays unused this time
    // Check all pieces: the oldest may be in the unused rest and not overlap, while later ones do.
    auto in_the_way = [at, bytes](const Piece& piece) { return overlaps(piece, at, at + bytes); };
    if (auto last = std::find_if(held_.rbegin(), held_.rend(), in_the_way); last != held_.rend()) {
      uint64_t seq = last->seq;
      wait(seq);
      release(seq);  // wait may have done this
    }
    write_ = at + bytes;
    taken_ = at;
    return base_ + at;
  }
  void hold(uint64_t seq) { held_.push_back({taken_, write_, seq}); }
  // Drops the pieces of commands up to `seq`, which have run.
  void release(uint64_t seq) {
    while (!held_.empty() && held_.front().seq <= seq) held_.pop_front();
  }

 private:
  struct Piece {
    std::size_t begin, end;
    uint64_t seq;
  };
  static bool overlaps(const Piece& piece, std::size_t begin, std::size_t end) {
    return piece.begin < end && begin < piece.end;
  }
  void open();

  Card& card_;
  std::size_t capacity_;
  std::byte* base_ = nullptr;
  std::size_t write_ = 0, taken_ = 0;
  std::deque<Piece> held_;  // oldest first
};

}  // namespace lutra::cuda
