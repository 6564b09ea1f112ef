// Pinned memory that copies to and from a card pass through: pieces of a ring, each taken for one command of a stream
// and free again when that has run. The ring exists from its first piece on.
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
  // `bytes` at most the capacity. wait(seq) returns when that command has run; it is called when the ring is full. The
  // caller says which command uses the piece (hold) before it takes the next.
  template <class Wait> std::byte* take(std::size_t bytes, const Wait& wait) {
    open();
    bytes = (bytes + 63) / 64 * 64;
    std::size_t at = write_;
    if (at + bytes > capacity_) at = 0;  // what is left at the end stays unused this time round
    // The oldest ones may lie in an end that was left unused; what is held after them may be in the way all the same.
    auto in_the_way = [at, bytes](const Piece& piece) { return overlaps(piece, at, at + bytes); };
    if (auto last = std::find_if(held_.rbegin(), held_.rend(), in_the_way); last != held_.rend()) {
      uint64_t seq = last->seq;
      wait(seq);
      release(seq);  // which wait may have done
    }
    write_ = at + bytes;
    taken_ = at;
    return base_ + at;
  }
  void hold(uint64_t seq) { held_.push_back({taken_, write_, seq}); }
  // Forgets the pieces of commands up to `seq`, which have run.
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
