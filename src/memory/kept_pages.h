// The pages that the host pool keeps for large blocks, found by the largest class that fits into them; of one class,
// the range freed last comes first. A range is cut for a smaller block. It is joined with what it was cut from only if
// no kept range is large enough. So a loop finds its blocks as it left them, and unused ranges age.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "memory/host_classes.h"

namespace lutra {

// A node of a circular list. The list's head is one too.
template <int kRing> struct Link {
  Link* prev = this;
  Link* next = this;
  bool alone() const { return next == this; }
  void insert_after(Link* place) {
    prev = place;
    next = place->next;
    next->prev = place->next = this;
  }
  void remove() {
    prev->next = next;
    next->prev = prev;
    prev = next = this;
  }
};

using ClassLink = Link<1>;  // kept ranges of one class
using AgeLink = Link<2>;    // all kept ranges, freed last first
using SeamLink = Link<3>;   // kept ranges whose upper neighbour is kept too

struct PageRange : ClassLink, AgeLink, SeamLink {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  uint64_t freed_at = 0;  // clock when freed; of a joined range, its earlier part
  // Neighbours by address that were cut from one mapping, kept or in use.
  PageRange* below = nullptr;
  PageRange* above = nullptr;
  bool kept = false;
};

class KeptPages {
 public:
  // idle: how many ticks of the clock count as recent. anyway: bytes that may be kept regardless of use.
  KeptPages(uint64_t idle, std::size_t anyway) : anyway_(anyway), idle_(idle) {}

  std::size_t bytes() const { return bytes_; }
  // The longest unused; null if nothing is kept.
  PageRange* oldest() const { return ages_.alone() ? nullptr : static_cast<PageRange*>(ages_.prev); }

  void insert(PageRange* range, uint64_t clock) {
    range->freed_at = clock;
    range->kept = true;
    range->AgeLink::insert_after(&ages_);
    link_class(range);
    bytes_ += range->bytes;
    if (is_kept(range->above)) range->SeamLink::insert_after(&seams_);
    if (is_kept(range->below)) range->below->SeamLink::insert_after(&seams_);
  }

  void remove(PageRange* range) {
    range->kept = false;
    range->AgeLink::remove();
    unlink_class(range);
    bytes_ -= range->bytes;
    range->SeamLink::remove();
    if (range->below != nullptr) range->below->SeamLink::remove();
  }

  // A range that a block of the class fits into, from the smallest class that has one; it stays kept. Null if there is
  // none, or if only a cut would do and recent cuts have lost more than `may_lose` bytes beyond what they saved.
  PageRange* find(unsigned step, std::size_t may_lose) const {
    if (!classes_[step].alone()) return static_cast<PageRange*>(classes_[step].next);
    if (lost_ > saved_ + may_lose) return nullptr;
    uint64_t word = words_[step / 64] & (~uint64_t{0} << step % 64);
    unsigned at = step / 64;
    while (word == 0 && ++at < kWords) word = words_[at];
    if (word == 0) return nullptr;
    return static_cast<PageRange*>(classes_[at * 64 + static_cast<unsigned>(std::countr_zero(word))].next);
  }

  bool cut_lately(unsigned step, uint64_t clock) const { return cut_till_[step] > clock; }
  // Called if a block of the class needs new pages. If one was cut recently, counts the loss. If keeping both would be
  // too much, returns a rest of more than three quarters of the block, to be given back; else null.
  PageRange* missed(unsigned step, std::size_t bytes, uint64_t clock) {
    if (!cut_lately(step, clock)) return nullptr;
    // A cut costs at most one block: later ones would need new pages anyway.
    std::size_t of_cuts = std::min(bytes, cut_bytes_[step]);
    cut_bytes_[step] -= of_cuts;
    lost_ += of_cuts;
    if (bytes_ + bytes <= anyway_) return nullptr;
    for (unsigned at = step + 1; at-- > 0 && host_classes::page_bytes(at) > bytes / 4 * 3;) {
      if (!classes_[at].alone()) return static_cast<PageRange*>(classes_[at].prev);
    }
    return nullptr;
  }
  // Makes older counts weigh less.
  void grow_older() {
    saved_ /= 2;
    lost_ /= 2;
  }

  // Makes `front`, a new range, of the first `bytes` of a longer kept range. The rest stays kept, with its age.
  void cut(PageRange* range, std::size_t bytes, PageRange* front, uint64_t clock) {
    unsigned step = host_classes::class_within(range->bytes);
    if (step > host_classes::class_within(bytes)) {
      if (!cut_lately(step, clock)) cut_bytes_[step] = 0;
      cut_bytes_[step] += host_classes::page_bytes(step);
      cut_till_[step] = clock + idle_;
      saved_ += bytes;
    }
    unlink_class(range);
    front->base = range->base;
    front->bytes = bytes;
    front->above = range;
    front->below = range->below;
    if (front->below != nullptr) {
      front->below->above = front;
      front->below->SeamLink::remove();
    }
    range->below = front;
    range->base += bytes;
    range->bytes -= bytes;
    bytes_ -= bytes;
    link_class(range);
  }

  // Joins two kept neighbours and returns the one that no longer exists; null if there are none.
  PageRange* join() {
    if (seams_.alone()) return nullptr;
    PageRange* range = static_cast<PageRange*>(seams_.next);
    PageRange* gone = range->above;
    unlink_class(range);
    unlink_class(gone);
    if (gone->freed_at < range->freed_at) {
      range->freed_at = gone->freed_at;
      range->AgeLink::remove();
      range->AgeLink::insert_after(gone);
    }
    gone->AgeLink::remove();
    gone->SeamLink::remove();
    range->bytes += gone->bytes;
    detach(gone);
    if (!is_kept(range->above)) range->SeamLink::remove();
    link_class(range);
    return gone;
  }

  // Unlinks a range that is not kept from its neighbours before it is deleted.
  static void forget(PageRange* range) {
    if (range->below != nullptr) range->below->above = nullptr;
    if (range->above != nullptr) range->above->below = nullptr;
  }

 private:
  using Steps = host_classes::Steps;
  static constexpr unsigned kWords = (Steps::kCount + 63) / 64;

  static bool is_kept(const PageRange* range) { return range != nullptr && range->kept; }

  static void detach(PageRange* range) {
    range->below->above = range->above;
    if (range->above != nullptr) range->above->below = range->below;
  }

  void link_class(PageRange* range) {
    unsigned step = host_classes::class_within(range->bytes);
    range->ClassLink::insert_after(&classes_[step]);
    words_[step / 64] |= uint64_t{1} << step % 64;
  }

  void unlink_class(PageRange* range) {
    unsigned step = host_classes::class_within(range->bytes);
    range->ClassLink::remove();
    if (classes_[step].alone()) words_[step / 64] &= ~(uint64_t{1} << step % 64);
  }

  // Recent bytes of blocks that were cut from larger ones, and of new blocks in place of those.
  std::size_t saved_ = 0;
  std::size_t lost_ = 0;
  std::size_t anyway_;
  uint64_t cut_till_[Steps::kCount] = {};      // clock until which the class's last cut is recent
  std::size_t cut_bytes_[Steps::kCount] = {};  // of the class's blocks that were cut and not missed since
  uint64_t words_[kWords] = {};                // bit s: there is a range of class s
  ClassLink classes_[Steps::kCount];
  AgeLink ages_;
  SeamLink seams_;
  std::size_t bytes_ = 0;
  uint64_t idle_;
};

}  // namespace lutra
