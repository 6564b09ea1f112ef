// Batches of random words, each of a block's four words apart, which lets the compiler compute several blocks side by
// side. Whoever takes element i from block i / n gives the same numbers whatever the batch.
#pragma once

#include <algorithm>

#include "core/parallel.h"
#include "kernels/cpu/philox.h"
#include "ops/attrs.h"

namespace lutra {

inline constexpr int kBlocks = 64;

struct Words {
  uint32_t word[4][kBlocks];
};

[[gnu::always_inline]] inline void fill_words(uint64_t key, uint64_t first, Words& words) {
  for (int i = 0; i < kBlocks; ++i) {
    PhiloxBlock block = philox_block(key, first + static_cast<uint64_t>(i));
    for (int w = 0; w < 4; ++w) words.word[w][i] = block.word[w];
  }
}

// Calls take(words, first element, how many) for batches that cover [0, count), kPerBlock elements a block.
template <int kPerBlock, class Take> void for_random_words(const Rng& rng, int64_t count, const Take& take) {
  constexpr int64_t kBatch = kBlocks * kPerBlock, kGrain = 16 * kBatch;
  parallel_for(count, kGrain, kBatch, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += kBatch) {
      Words words;
      fill_words(rng.key, rng.counter + static_cast<uint64_t>(begin / kPerBlock), words);
      take(words, begin, std::min(kBatch, end - begin));
    }
  });
}

// 64 bits for an element, two elements a block.
inline uint64_t bits_of(const Words& words, int64_t i) {
  int64_t block = i / 2, w = i % 2 * 2;
  return uint64_t{words.word[w][block]} << 32 | words.word[w + 1][block];
}

}  // namespace lutra
