// Sorting by keys: unsigned integers in the elements' order, so that one radix sort does for every dtype. It is stable,
// which makes its result the only one there is, whatever the number of threads.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/cpu/elementwise.h"

namespace lutra {

template <std::size_t bytes>
using UnsignedOf =
    std::conditional_t<bytes == 1, uint8_t,
                       std::conditional_t<bytes == 2, uint16_t, std::conditional_t<bytes == 4, uint32_t, uint64_t>>>;
template <class T> using KeyOf = UnsignedOf<sizeof(T)>;

template <class T> inline constexpr KeyOf<T> kSignBit = static_cast<KeyOf<T>>(KeyOf<T>(1) << (8 * sizeof(T) - 1));
template <class T> inline constexpr KeyOf<T> kInfinityBits = 0;
template <> inline constexpr uint16_t kInfinityBits<Float16> = 0x7c00;
template <> inline constexpr uint16_t kInfinityBits<BFloat16> = 0x7f80;
template <> inline constexpr uint32_t kInfinityBits<float> = 0x7f800000;
template <> inline constexpr uint64_t kInfinityBits<double> = 0x7ff0000000000000;
template <class T> inline constexpr bool kIsFloatElement = kInfinityBits<T> != 0;

// -0 has 0's key, and every nan the largest.
template <class T> [[gnu::always_inline]] constexpr KeyOf<T> key_of(T value) {
  using K = KeyOf<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return value;
  } else if constexpr (std::is_unsigned_v<T>) {
    return value;
  } else if constexpr (!kIsFloatElement<T>) {
    return static_cast<K>(static_cast<K>(value) ^ kSignBit<T>);
  } else {
    K bits = std::bit_cast<K>(value), magnitude = static_cast<K>(bits & ~kSignBit<T>);
    K key = magnitude != 0 && bits != magnitude ? static_cast<K>(~bits) : static_cast<K>(magnitude | kSignBit<T>);
    return magnitude > kInfinityBits<T> ? std::numeric_limits<K>::max() : key;
  }
}

// The element of a key; of several the positive zero and one nan.
template <class T> [[gnu::always_inline]] constexpr T element_of(KeyOf<T> key) {
  using K = KeyOf<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return key != 0;
  } else if constexpr (std::is_unsigned_v<T>) {
    return key;
  } else if constexpr (!kIsFloatElement<T>) {
    return static_cast<T>(key ^ kSignBit<T>);
  } else {
    bool negative = (key & kSignBit<T>) == 0;
    return std::bit_cast<T>(static_cast<K>(negative ? ~key : key & ~kSignBit<T>));
  }
}

// A key of up to 32 bits and where its element stood, in one integer: they compare as pairs do.
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

inline constexpr int kDigits = 256;
// Fewer elements than this for each byte of their keys are sorted by comparing them.
inline constexpr int64_t kComparedPerByte = 32;
// Elements that a thread of its own pays for in one pass.
inline constexpr int64_t kSortedApart = 1 << 15;

template <class R> [[gnu::always_inline]] inline unsigned digit_of(const R& record, int shift) {
  if constexpr (std::is_integral_v<R>) return static_cast<unsigned>(record >> shift) & 0xffu;
  else return static_cast<unsigned>(record.bits() >> shift) & 0xffu;
}

// One pass over [from, from + n) in `pieces` pieces, each by a thread: false, and nothing moved, when all digits are
// alike. `counts` has room for kDigits numbers a piece.
template <class R> bool radix_pass(const R* from, R* to, int64_t n, int shift, int64_t pieces, int64_t* counts) {
  int64_t length = (n + pieces - 1) / pieces;
  auto each_piece = [&](auto&& f) {
    parallel_for(pieces, 1, [&](int64_t first, int64_t last) {
      for (int64_t p = first; p < last; ++p) f(counts + p * kDigits, p * length, std::min(n, (p + 1) * length));
    });
  };
  each_piece([&](int64_t* count, int64_t begin, int64_t end) {
    std::fill(count, count + kDigits, int64_t{0});
    for (int64_t i = begin; i < end; ++i) ++count[digit_of(from[i], shift)];
  });
  // Where each piece writes its first element of each digit.
  int64_t place = 0;
  for (int digit = 0; digit < kDigits; ++digit) {
    int64_t before = place;
    for (int64_t p = 0; p < pieces; ++p) {
      int64_t count = counts[p * kDigits + digit];
      counts[p * kDigits + digit] = place;
      place += count;
    }
    if (place - before == n) return false;
  }
  each_piece([&](int64_t* next, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[next[digit_of(from[i], shift)]++] = from[i];
  });
  return true;
}

// Sorts `n` records by keys of `key_bytes`; equal ones keep their order. Where they are then: in a or in b.
template <class R> R* sort_records(R* a, R* b, int64_t n, int key_bytes) {
  if (n <= kComparedPerByte * key_bytes) {
    std::sort(a, a + n);  // places make it stable; equal bare keys cannot be told apart
    return a;
  }
  int64_t first_bit = 0;
  if constexpr (!std::is_integral_v<R>) first_bit = R::kFirstBit;
  int64_t pieces = std::min<int64_t>({max_threads(), n / kSortedApart + 1, 64});
  int64_t counts_of_one[kDigits];
  std::vector<int64_t> counts(pieces > 1 ? static_cast<std::size_t>(pieces * kDigits) : 0);
  for (int byte = 0; byte < key_bytes; ++byte) {
    int shift = static_cast<int>(first_bit) + 8 * byte;
    if (radix_pass(a, b, n, shift, pieces, pieces > 1 ? counts.data() : counts_of_one)) std::swap(a, b);
  }
  return a;
}

}  // namespace lutra
