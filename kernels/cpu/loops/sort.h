// Sorts by keys: unsigned integers in the elements' order, so that one radix sort serves every dtype. It is stable, so
// the result is unique, whatever the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/sort_keys.h"

namespace lutra {

// A key of up to 32 bits and its element's position in one integer, which compares as the pair does.
struct Packed {
  static constexpr int kFirstBit = 32;
  uint64_t both;
  Packed() = default;
  Packed(uint64_t key, int64_t place) : both(key << 32 | static_cast<uint64_t>(place)) {}
  uint64_t bits() const { return both; }
  uint64_t key() const { return both >> 32; }
  int64_t place() const { return static_cast<int64_t>(both & 0xffffffffu); }
  bool operator<(const Packed& other) const { return both < other.both; }
};
// The same for longer keys, or longer axes.
struct Wide {
  static constexpr int kFirstBit = 0;
  uint64_t whole_key;
  int64_t at;
  Wide() = default;
  Wide(uint64_t key, int64_t place) : whole_key(key), at(place) {}
  uint64_t bits() const { return whole_key; }
  uint64_t key() const { return whole_key; }
  int64_t place() const { return at; }
  bool operator<(const Wide& other) const {
    return whole_key != other.whole_key ? whole_key < other.whole_key : at < other.at;
  }
};
inline bool fits_packed(std::size_t element_bytes, int64_t line) {
  return element_bytes <= 4 && line <= std::numeric_limits<uint32_t>::max();
}

// Fewer elements than this for each byte of their keys are sorted by comparing them.
inline constexpr int64_t kComparedPerByte = 32;
// Elements in one pass for which another thread pays off.
inline constexpr int64_t kSortedApart = 1 << 15;
// Records that fill a core's L2 cache are first distributed by this many leading bits of their keys.
inline constexpr std::size_t kSharedBytes = 1 << 20;
inline constexpr int kSharedBits = 11;

template <int kBits, class R> [[gnu::always_inline]] inline unsigned digit_of(const R& record, int shift) {
  constexpr unsigned kMask = (1u << kBits) - 1;
  if constexpr (std::is_integral_v<R>) return static_cast<unsigned>(record >> shift) & kMask;
  else return static_cast<unsigned>(record.bits() >> shift) & kMask;
}

// One radix pass over [from, from + n) in `pieces` chunks, each by one thread. False, and nothing is moved, if more
// than `most` elements share a digit. `counts` has room for 2^kBits numbers per chunk; afterwards the last chunk's say
// where each digit ends.
template <int kBits, class R>
bool radix_pass(const R* from, R* to, int64_t n, int shift, int64_t most, int64_t pieces, int64_t* counts) {
  constexpr int kDigits = 1 << kBits;
  int64_t length = (n + pieces - 1) / pieces;
  auto each_piece = [&](auto&& f) {
    parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) f(counts + p * kDigits, p * length, std::min(n, (p + 1) * length));
    });
  };
  each_piece([&](int64_t* count, int64_t begin, int64_t end) {
    std::fill(count, count + kDigits, int64_t{0});
    for (int64_t i = begin; i < end; ++i) ++count[digit_of<kBits>(from[i], shift)];
  });
  // Where each chunk writes its first element of each digit.
  int64_t place = 0;
  for (int digit = 0; digit < kDigits; ++digit) {
    int64_t before = place;
    for (int64_t p = 0; p < pieces; ++p) {
      int64_t count = counts[p * kDigits + digit];
      counts[p * kDigits + digit] = place;
      place += count;
    }
    if (place - before > most) return false;
  }
  each_piece([&](int64_t* next, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[next[digit_of<kBits>(from[i], shift)]++] = from[i];
  });
  return true;
}

template <class R> constexpr int first_bit() {
  if constexpr (std::is_integral_v<R>) return 0;
  else return R::kFirstBit;
}
inline int64_t pieces_of(int64_t n) { return std::min<int64_t>({max_threads(), n / kSortedApart + 1, 64}); }

// Sorts byte by byte, the last byte first. Returns where the records are then: a or b.
template <class R> R* sort_by_bytes(R* a, R* b, int64_t n, int key_bytes) {
  if (n <= kComparedPerByte * key_bytes) {
    std::sort(a, a + n);  // positions make it stable; equal bare keys are the same
    return a;
  }
  int64_t pieces = pieces_of(n), counts_of_one[1 << 8];
  std::vector<int64_t> counts(pieces > 1 ? static_cast<std::size_t>(pieces << 8) : 0);
  for (int byte = 0; byte < key_bytes; ++byte) {
    int shift = first_bit<R>() + 8 * byte;
    if (radix_pass<8>(a, b, n, shift, n - 1, pieces, pieces > 1 ? counts.data() : counts_of_one)) std::swap(a, b);
  }
  return a;
}

// Distributes records by their keys' leading bits, then sorts each share, which fits a core's caches. The result is in
// a. False, and nothing is moved, if too many keys share these bits.
template <class R> bool sort_shares(R* a, R* b, int64_t n, int key_bytes) {
  int64_t pieces = pieces_of(n);
  std::vector<int64_t> counts(static_cast<std::size_t>(pieces << kSharedBits));
  int shift = first_bit<R>() + 8 * key_bytes - kSharedBits;
  if (!radix_pass<kSharedBits>(a, b, n, shift, n / 4, pieces, counts.data())) return false;
  const int64_t* last = counts.data() + counts.size();
  const int64_t* ends = last - (int64_t{1} << kSharedBits);
  // A thread sorts the shares that begin in its range.
  parallel_for(n, kSortedApart, [=](int64_t begin, int64_t end) {
    const int64_t* share = ends;
    if (begin > 0) {
      share = std::lower_bound(ends, last, begin);
      begin = *share++;
    }
    for (; begin < end; begin = *share++) {
      R* sorted = sort_by_bytes(b + begin, a + begin, *share - begin, key_bytes - 1);
      if (sorted != a + begin) std::copy(sorted, sorted + (*share - begin), a + begin);
    }
  });
  return true;
}

// Sorts `n` records by keys of `key_bytes`; equal ones keep their order. Returns where they are then: a or b.
template <class R> R* sort_records(R* a, R* b, int64_t n, int key_bytes) {
  if (std::is_sorted(a, a + n)) return a;
  bool is_large = static_cast<std::size_t>(n) * sizeof(R) >= kSharedBytes && key_bytes >= 4;
  if (is_large && sort_shares(a, b, n, key_bytes)) return a;
  return sort_by_bytes(a, b, n, key_bytes);
}

}  // namespace lutra
