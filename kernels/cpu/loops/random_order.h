// The numbers 0 to n - 1 in the order of 64 random bits each; numbers of equal bits keep their own order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/loops/random_words.h"
#include "kernels/cpu/loops/sort.h"

namespace lutra {

// A Packed record holds the upper bits of a number's, in whole bytes. Each byte is a pass of the sort, so small orders
// have few; large ones are distributed by their leading bits first, which takes no more passes with four
// (sort_records). The other bits decide only between equal keys, so they are drawn again where that happens.
inline int key_bytes_of(int64_t n) { return static_cast<std::size_t>(n) * sizeof(Packed) < kSharedBytes ? 3 : 4; }

inline uint64_t random_bits(const Rng& rng, int64_t number) {
  PhiloxBlock block = philox_block(rng.key, rng.counter + static_cast<uint64_t>(number / 2));
  const uint32_t* words = block.word + number % 2 * 2;
  return static_cast<uint64_t>(words[0]) << 32 | words[1];
}

inline void order_equal_keys(Packed* records, int64_t n, const Rng& rng) {
  for (int64_t begin = 0, end; begin < n; begin = end) {
    end = begin + 1;
    while (end < n && records[end].key() == records[begin].key()) ++end;
    if (end - begin == 1) continue;
    std::stable_sort(records + begin, records + end, [&](const Packed& a, const Packed& b) {
      return random_bits(rng, a.place()) < random_bits(rng, b.place());
    });
  }
}

// The records of numbers 0 to n - 1 in their random order, in `a` or in `b`, which both have room for n. Record: Packed
// for n below 2^32, or Wide.
template <class Record> Record* random_order(const Rng& rng, int64_t n, Record* a, Record* b) {
  constexpr bool kIsPacked = std::is_same_v<Record, Packed>;
  const int key_bytes = kIsPacked ? key_bytes_of(n) : 8, shift = 64 - 8 * key_bytes;
  for_random_words<2>(rng, n, [=](const Words& words, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) a[first + i] = Record(bits_of(words, i) >> shift, first + i);
  });
  Record* sorted = sort_records(a, b, n, key_bytes);
  if constexpr (kIsPacked) order_equal_keys(sorted, n, rng);
  return sorted;
}

}  // namespace lutra
