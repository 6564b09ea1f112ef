// The numbers 0 to n - 1 in the order of 64 random bits each; numbers of equal bits keep their own order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/loops/random_words.h"
#include "kernels/cpu/loops/sort.h"

namespace lutra {

// A Packed record holds the upper half of a number's bits. The lower half decides only between equal upper halves, so
// it is drawn again where that happens.
inline uint32_t lower_random_bits(const Rng& rng, int64_t number) {
  PhiloxBlock block = philox_block(rng.key, rng.counter + static_cast<uint64_t>(number / 2));
  return block.word[number % 2 * 2 + 1];
}

inline void order_equal_keys(Packed* records, int64_t n, const Rng& rng) {
  for (int64_t begin = 0, end; begin < n; begin = end) {
    end = begin + 1;
    while (end < n && records[end].key() == records[begin].key()) ++end;
    if (end - begin == 1) continue;
    std::stable_sort(records + begin, records + end, [&](const Packed& a, const Packed& b) {
      return lower_random_bits(rng, a.place()) < lower_random_bits(rng, b.place());
    });
  }
}

// The records of numbers 0 to n - 1 in their random order, in `a` or in `b`, which both have room for n. Record: Packed
// for n below 2^32, or Wide.
template <class Record> Record* random_order(const Rng& rng, int64_t n, Record* a, Record* b) {
  constexpr bool kIsPacked = std::is_same_v<Record, Packed>;
  for_random_words<2>(rng, n, [=](const Words& words, int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) a[first + i] = Record(bits_of(words, i) >> (kIsPacked ? 32 : 0), first + i);
  });
  Record* sorted = sort_records(a, b, n, kIsPacked ? 4 : 8);
  if constexpr (kIsPacked) order_equal_keys(sorted, n, rng);
  return sorted;
}

}  // namespace lutra
