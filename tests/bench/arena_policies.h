// How TensorFlow and PyTorch share out a card's memory, written from their published rules: what they take from the
// card and never give back is all that is counted here, so addresses are numbers and no memory is behind them.
//   TensorFlow, allow_growth (tsl/framework/bfc_allocator.cc): sizes in steps of 256 B; the smallest free chunk that is
//     large enough, which is split when it is twice as large, or 128 MiB larger; a region of its own for each growth,
//     the first 2 MiB, each twice the last; free neighbours join within their region.
//   PyTorch (c10/cuda/CUDACachingAllocator.cpp): sizes in steps of 512 B; up to 1 MiB from segments of 2 MiB, below 10
//     MiB from segments of 20 MiB, else from a segment of that size in steps of 2 MiB; the smallest free block of its
//     pool that is large enough, which is split when 512 B (small pool) or over 1 MiB (large pool) remain; free
//     neighbours join within their segment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace lutra::bench {

// Blocks of segments, of which the smallest free one that is large enough is taken.
class BestFit {
 public:
  using Address = std::size_t;

  // Whether so much of a block of `size` bytes is cut off when `wanted` of it are used.
  using Splits = bool (*)(std::size_t size, std::size_t wanted);

  explicit BestFit(Splits splits) : splits_(splits) {}

  // False: no free block is large enough.
  bool take(std::size_t bytes, Address* at) {
    auto found = free_.lower_bound({bytes, 0});
    if (found == free_.end()) return false;
    *at = found->second;
    free_.erase(found);
    Block& block = blocks_.at(*at);
    block.is_free = false;
    if (splits_(block.bytes, bytes)) {
      add({*at + bytes, {block.bytes - bytes, block.segment, true}});
      block.bytes = bytes;
    }
    return true;
  }

  void give_back(Address at) {
    auto block = blocks_.find(at);
    block->second.is_free = true;
    if (auto next = std::next(block); joins(block, next)) {
      free_.erase({next->second.bytes, next->first});
      block->second.bytes += next->second.bytes;
      blocks_.erase(next);
    }
    if (block != blocks_.begin() && joins(std::prev(block), block)) {
      auto before = std::prev(block);
      free_.erase({before->second.bytes, before->first});
      before->second.bytes += block->second.bytes;
      blocks_.erase(block);
      block = before;
    }
    free_.insert({block->second.bytes, block->first});
  }

  // More memory from the card.
  void grow(std::size_t bytes) {
    add({end_, {bytes, segments_++, true}});
    end_ += bytes;
  }
  std::size_t reserved() const { return end_; }

 private:
  struct Block {
    std::size_t bytes;
    int segment;
    bool is_free;
  };
  using Blocks = std::map<Address, Block>;

  void add(const Blocks::value_type& block) {
    blocks_.insert(block);
    free_.insert({block.second.bytes, block.first});
  }
  bool joins(Blocks::iterator a, Blocks::iterator b) const {
    return b != blocks_.end() && a->second.is_free && b->second.is_free && a->second.segment == b->second.segment;
  }

  Splits splits_;
  Blocks blocks_;
  std::set<std::pair<std::size_t, Address>> free_;
  Address end_ = 0;
  int segments_ = 0;
};

inline std::size_t in_steps(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

class TensorFlowGrowth {
 public:
  std::size_t allocate(std::size_t bytes) {
    bytes = in_steps(std::max<std::size_t>(bytes, 1), 256);
    std::size_t at = 0;
    if (heap_.take(bytes, &at)) return at;
    bool is_doubled = false;
    for (; region_ < bytes; region_ *= 2) is_doubled = true;
    heap_.grow(region_);
    if (!is_doubled) region_ *= 2;
    heap_.take(bytes, &at);
    return at;
  }
  void free(std::size_t at) { heap_.give_back(at); }
  std::size_t reserved() const { return heap_.reserved(); }

 private:
  static bool splits(std::size_t size, std::size_t wanted) {
    return size >= 2 * wanted || size - wanted >= (std::size_t{128} << 20);
  }
  BestFit heap_{splits};
  std::size_t region_ = std::size_t{2} << 20;  // of the next growth
};

class PyTorchCaching {
 public:
  std::size_t allocate(std::size_t bytes) {
    constexpr std::size_t kMiB = std::size_t{1} << 20;
    bytes = in_steps(std::max<std::size_t>(bytes, 1), 512);
    bool is_small = bytes <= kMiB;
    BestFit& pool = is_small ? small_ : large_;
    std::size_t at = 0;
    if (!pool.take(bytes, &at)) {
      pool.grow(is_small ? 2 * kMiB : bytes < 10 * kMiB ? 20 * kMiB : in_steps(bytes, 2 * kMiB));
      pool.take(bytes, &at);
    }
    return 2 * at + (is_small ? 1 : 0);
  }
  void free(std::size_t at) { (at % 2 != 0 ? small_ : large_).give_back(at / 2); }
  std::size_t reserved() const { return small_.reserved() + large_.reserved(); }

 private:
  BestFit small_{[](std::size_t size, std::size_t wanted) { return size - wanted >= 512; }};
  BestFit large_{[](std::size_t size, std::size_t wanted) { return size - wanted > (std::size_t{1} << 20); }};
};

}  // namespace lutra::bench
