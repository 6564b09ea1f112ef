// Batches of random words. Each of a block's four words has its own array, which lets the compiler compute several
// blocks side by side. Taking element i from block i / n gives the same numbers whatever the batch.
#pragma once

#include <algorithm>

#include "core/parallel.h"
#include "kernels/cpu/loops/instructions.h"
#include "kernels/element/philox.h"
#include "ops/attrs.h"

namespace lutra {

inline constexpr int kBlocks = 64;

struct Words {
  uint32_t word[4][kBlocks];
};

// philox4x32 of kBlocks blocks from `first` on, one block per lane. Calls take(the number of the first lane's block,
// word[4]); only the lower halves of lanes count. Two registers of blocks alternate, to hide the latency of products.
template <class Take>
[[gnu::always_inline]] inline void for_word_lanes(uint64_t key, uint64_t first, const Take& take, uint32_t plane = 0) {
  constexpr int kTurns = 2, kAtOnce = kTurns * kLanesOf64;
  static_assert(kBlocks % kAtOnce == 0);
  const WideLanes multiplier0 = WideLanes{} + 0xD2511F53u, multiplier1 = WideLanes{} + 0xCD9E8D57u;
  WideLanes number = WideLanes{} + first;
  for (int lane = 0; lane < kLanesOf64; ++lane) number[lane] += static_cast<uint64_t>(lane);
  for (int i = 0; i < kBlocks; i += kAtOnce, number += kAtOnce) {
    WideLanes c[kTurns][4]{};
    for (int t = 0; t < kTurns; ++t) {
      c[t][0] = number + static_cast<uint64_t>(t * kLanesOf64);
      c[t][1] = c[t][0] >> 32;
      c[t][2] += plane;
    }
    uint32_t key0 = static_cast<uint32_t>(key), key1 = static_cast<uint32_t>(key >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 2
      for (int t = 0; t < kTurns; ++t) {
        WideLanes product0 = lower_products(c[t][0], multiplier0), product1 = lower_products(c[t][2], multiplier1);
        c[t][0] = (product1 >> 32) ^ c[t][1] ^ key0;
        c[t][1] = product1;
        c[t][2] = (product0 >> 32) ^ c[t][3] ^ key1;
        c[t][3] = product0;
      }
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
#pragma GCC unroll 2
    for (int t = 0; t < kTurns; ++t) take(i + t * kLanesOf64, c[t]);
  }
}

[[gnu::always_inline]] inline void fill_words(uint64_t key, uint64_t first, Words& words, uint32_t plane = 0) {
  for_word_lanes(
      key, first,
      [&](int at, const WideLanes* word) __attribute__((always_inline)) {
        for (int w = 0; w < 4; ++w) {
          for (int lane = 0; lane < kLanesOf64; ++lane) words.word[w][at + lane] = static_cast<uint32_t>(word[w][lane]);
        }
      },
      plane);
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
