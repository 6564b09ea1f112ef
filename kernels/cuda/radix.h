// A stable radix sort of keys with their positions, line by line. It is stable, so its result is unique. A thread
// counts the digits of kPiece neighbours; the counts become positions, and the thread moves its keys there.
#pragma once

#include <bit>

#include "kernels/cuda/elementwise.h"
#include "ops/axes.h"

namespace lutra::cuda {

// Replaces each count by the sum of those before it, in place. Counts are added up by 64 until one block can do the
// rest.
struct Offsets {
  static constexpr int64_t kTogether = 64, kOfBlock = 1 << 14;
  static int64_t room(int64_t n) {
    int64_t room = 0;
    while (n > kOfBlock) room += n = (n + kTogether - 1) / kTogether;
    return room;
  }
};
template <class Count> LUTRA_GLOBAL void gather_counts(const Count* counts, int64_t n, Count* sums) {
  for (int64_t at = thread_index(); at * Offsets::kTogether < n; at += thread_count()) {
    int64_t sum = 0;
    for (int64_t i = at * Offsets::kTogether; i < std::min(n, (at + 1) * Offsets::kTogether); ++i) sum += counts[i];
    sums[at] = sum;
  }
}
constexpr void pass_on(int64_t* counts, int64_t n, int64_t before) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t count = counts[i];
    counts[i] = before;
    before += count;
  }
}
template <class Count> LUTRA_GLOBAL void spread_counts(Count* counts, int64_t n, const Count* before) {
  for (int64_t at = thread_index(); at * Offsets::kTogether < n; at += thread_count()) {
    int64_t first = at * Offsets::kTogether, last = std::min(n, first + Offsets::kTogether);
    pass_on(counts + first, last - first, before[at]);
  }
}
template <class Count> LUTRA_GLOBAL void offsets_of_block(Count* counts, int64_t n) {
  LUTRA_SHARED Count before[kBlockThreads];
  const int64_t piece = (n + kBlockThreads - 1) / kBlockThreads;
  auto begin = [&](int t) { return std::min(t * piece, n); };
  for_threads([&](int t) {
    before[t] = 0;
    for (int64_t i = begin(t); i < begin(t + 1); ++i) before[t] += counts[i];
  });
  for_threads([&](int t) {
    if (t == 0) pass_on(before, kBlockThreads, 0);
  });
  for_threads([&](int t) { pass_on(counts + begin(t), begin(t + 1) - begin(t), before[t]); });
}
inline void run_offsets(const CudaLaunch& on, int64_t* counts, int64_t n, int64_t* room) {
  if (n <= Offsets::kOfBlock) return launch_blocks(on, 1, offsets_of_block<int64_t>, counts, n);
  int64_t sums = (n + Offsets::kTogether - 1) / Offsets::kTogether;
  launch(on, grid_for(on, sums), gather_counts<int64_t>, counts, n, room);
  run_offsets(on, room, sums, room + sums);
  launch(on, grid_for(on, sums), spread_counts<int64_t>, counts, n, room);
}

inline constexpr int kDigitBits = 4, kDigits = 1 << kDigitBits;
inline constexpr int64_t kPiece = 64;

template <class K> struct RadixPass {
  const K* keys;
  const int64_t* places;
  K* to_keys;
  int64_t* to_places;
  int64_t n, pieces;
  int64_t* counts;  // by digit, then by chunk of kPiece
  int shift;
  int64_t size, inner;  // of lines; size 0: sort by keys

  LUTRA_DEVICE int digit(int64_t i) const {
    if (size == 0) return static_cast<int>(keys[i] >> shift) & (kDigits - 1);
    int64_t line = places[i] / (size * inner) * inner + places[i] % inner;
    return static_cast<int>(line >> shift) & (kDigits - 1);
  }
};
template <class K> LUTRA_GLOBAL void count_digits(const RadixPass<K> pass) {
  for (int64_t piece = thread_index(); piece < pass.pieces; piece += thread_count()) {
    uint64_t low = 0, high = 0;  // eight counters each, none of which exceeds kPiece
    for (int64_t i = piece * kPiece; i < std::min(pass.n, (piece + 1) * kPiece); ++i) {
      int digit = pass.digit(i);
      uint64_t one = uint64_t{1} << (digit % 8 * 8);
      if (digit < 8) low += one;
      else high += one;
    }
    for (int digit = 0; digit < kDigits; ++digit) {
      uint64_t counters = digit < 8 ? low : high;
      pass.counts[digit * pass.pieces + piece] = static_cast<int64_t>(counters >> (digit % 8 * 8) & 0xff);
    }
  }
}
template <class K> LUTRA_GLOBAL void move_digits(const RadixPass<K> pass) {
  for (int64_t piece = thread_index(); piece < pass.pieces; piece += thread_count()) {
    for (int64_t i = piece * kPiece; i < std::min(pass.n, (piece + 1) * kPiece); ++i) {
      int64_t to = pass.counts[pass.digit(i) * pass.pieces + piece]++;
      pass.to_keys[to] = pass.keys[i];
      pass.to_places[to] = pass.places[i];
    }
  }
}

// n keys, which the caller writes at keys(), and their positions. Sorts the positions by `bits` of the keys, then by
// the lines of `extent`.
template <class K> class RadixSort {
 public:
  RadixSort(int64_t n, std::byte* scratch) : n_(n), pieces_((n + kPiece - 1) / kPiece) {
    for (int64_t*& places : places_) places = take<int64_t>(&scratch, n);
    counts_ = take<int64_t>(&scratch, pieces_ * kDigits);
    room_ = take<int64_t>(&scratch, Offsets::room(pieces_ * kDigits));
    for (K*& keys : keys_) keys = take<K>(&scratch, n);
    end_ = scratch;
  }
  static std::size_t bytes(int64_t n) {
    return static_cast<std::size_t>(reinterpret_cast<uintptr_t>(RadixSort(n, nullptr).end_));
  }

  K* keys() const { return keys_[0]; }
  int64_t* places() const { return places_[0]; }

  void run(const CudaLaunch& on, int bits, const Extent& extent) {
    for (int shift = 0; shift < bits; shift += kDigitBits) pass(on, shift, 0, 1);
    int line_bits = std::bit_width(static_cast<uint64_t>(extent.lines() - 1));
    for (int shift = 0; shift < line_bits; shift += kDigitBits) pass(on, shift, extent.size, extent.inner);
  }

 private:
  template <class T> static T* take(std::byte** from, int64_t n) {
    T* taken = reinterpret_cast<T*>(*from);
    *from = reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(*from) + static_cast<std::size_t>(n) * sizeof(T));
    return taken;
  }
  // Sorts from buffers 0 to buffers 1, then swaps them.
  void pass(const CudaLaunch& on, int shift, int64_t size, int64_t inner) {
    if (n_ == 0 || on.error != 0) return;
    RadixPass<K> pass{keys_[0], places_[0], keys_[1], places_[1], n_, pieces_, counts_, shift, size, inner};
    launch(on, grid_for(on, pieces_), count_digits<K>, pass);
    run_offsets(on, counts_, pieces_ * kDigits, room_);
    launch(on, grid_for(on, pieces_), move_digits<K>, pass);
    std::swap(keys_[0], keys_[1]);
    std::swap(places_[0], places_[1]);
  }

  int64_t n_, pieces_;
  int64_t* places_[2];
  int64_t *counts_, *room_;
  K* keys_[2];
  std::byte* end_;
};

}  // namespace lutra::cuda
