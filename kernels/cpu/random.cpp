// Random tensors on the CPU. Blocks are made in batches with their words apart, which lets the compiler compute several
// side by side; element i comes from block i / 4 (float32) or i / 2 (float64), whatever the batch.

#include "ops/random.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/parallel.h"
#include "kernels/cpu/random_math.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

constexpr int kBlocks = 64;
constexpr int64_t kGrain = 4096;  // elements; a multiple of both batches

template <class T> inline constexpr int kPerBlock = 16 / static_cast<int>(sizeof(T) == 4 ? 4 : 8);
template <class T> inline constexpr int kBatch = kBlocks* kPerBlock<T>;

struct Words {
  uint32_t word[4][kBlocks];
};

[[gnu::always_inline]] inline void fill_words(uint64_t key, uint64_t first, Words& words) {
  for (int i = 0; i < kBlocks; ++i) {
    PhiloxBlock block = philox_block(key, first + static_cast<uint64_t>(i));
    for (int w = 0; w < 4; ++w) words.word[w][i] = block.word[w];
  }
}

// mean + stddev z
template <class T> struct Normal { T mean, stddev; };

// What minval and maxval, which are doubles, mean in T: the smallest and the largest number there may be.
template <class T> struct Uniform {
  T low, span, top;

  Uniform(double minval, double maxval) {
    low = static_cast<T>(minval);
    if (static_cast<double>(low) < minval) low = std::nextafter(low, std::numeric_limits<T>::infinity());
    top = static_cast<T>(maxval);
    if (static_cast<double>(top) >= maxval) top = std::nextafter(top, -std::numeric_limits<T>::infinity());
    span = static_cast<T>(maxval - minval);
    if (low > top) {
      // No number of T lies between them.
      low = top = static_cast<T>(minval);
      span = 0;
    }
  }
  T at(T unit) const {
    T value = low + unit * span;
    return value < top ? value : top;
  }
};

void make_batch(uint64_t key, uint64_t first, const Normal<float>& normal, float* out) {
  Words words;
  fill_words(key, first, words);
  float z[4][kBlocks];
  for (int i = 0; i < kBlocks; ++i) {
    NormalPair<float> a = normal_pair(words.word[0][i], words.word[1][i]);
    NormalPair<float> b = normal_pair(words.word[2][i], words.word[3][i]);
    z[0][i] = normal.mean + normal.stddev * a.first;
    z[1][i] = normal.mean + normal.stddev * a.second;
    z[2][i] = normal.mean + normal.stddev * b.first;
    z[3][i] = normal.mean + normal.stddev * b.second;
  }
  for (int i = 0; i < kBlocks; ++i) {
    for (int w = 0; w < 4; ++w) out[4 * i + w] = z[w][i];
  }
}

void make_batch(uint64_t key, uint64_t first, const Normal<double>& normal, double* out) {
  Words words;
  fill_words(key, first, words);
  for (int i = 0; i < kBlocks; ++i) {
    uint32_t block[4] = {words.word[0][i], words.word[1][i], words.word[2][i], words.word[3][i]};
    NormalPair<double> pair = normal_pair(block);
    out[2 * i] = normal.mean + normal.stddev * pair.first;
    out[2 * i + 1] = normal.mean + normal.stddev * pair.second;
  }
}

void make_batch(uint64_t key, uint64_t first, const Uniform<float>& uniform, float* out) {
  Words words;
  fill_words(key, first, words);
  for (int i = 0; i < kBlocks; ++i) {
    for (int w = 0; w < 4; ++w) out[4 * i + w] = uniform.at(unit_float(words.word[w][i]));
  }
}

void make_batch(uint64_t key, uint64_t first, const Uniform<double>& uniform, double* out) {
  Words words;
  fill_words(key, first, words);
  for (int i = 0; i < kBlocks; ++i) {
    out[2 * i] = uniform.at(unit_double(words.word[0][i], words.word[1][i]));
    out[2 * i + 1] = uniform.at(unit_double(words.word[2][i], words.word[3][i]));
  }
}

template <class T, class Distribution>
void fill_random(const Rng& rng, const Distribution& distribution, const Array& out) {
  T* to = out.as<T>();
  parallel_for(out.size, kGrain, [&](int64_t begin, int64_t end) {
    for (; begin < end; begin += kBatch<T>) {
      uint64_t first = rng.counter + static_cast<uint64_t>(begin / kPerBlock<T>);
      if (end - begin >= kBatch<T>) {
        make_batch(rng.key, first, distribution, to + begin);
      } else {
        T rest[kBatch<T>];
        make_batch(rng.key, first, distribution, rest);
        std::memcpy(to + begin, rest, static_cast<std::size_t>(end - begin) * sizeof(T));
      }
    }
  });
}

template <class T> void run_normal(const KernelArgs& args) {
  const NormalAttrs& attrs = args.as<NormalAttrs>();
  fill_random<T>(attrs.rng, Normal<T>{static_cast<T>(attrs.mean), static_cast<T>(attrs.stddev)}, args.out[0]);
}

template <class T> void run_uniform(const KernelArgs& args) {
  const UniformAttrs& attrs = args.as<UniformAttrs>();
  fill_random<T>(attrs.rng, Uniform<T>(attrs.minval, attrs.maxval), args.out[0]);
}

}  // namespace

void register_random_cpu(KernelRegistry& kernels) {
  kernels.add_each("RandomStandardNormal", DeviceType::CPU, ComputedFloats{},
                   [](auto tag) { return KernelEntry{.run = run_normal<typename decltype(tag)::type>}; });
  kernels.add_each("RandomUniform", DeviceType::CPU, ComputedFloats{},
                   [](auto tag) { return KernelEntry{.run = run_uniform<typename decltype(tag)::type>}; });
}

}  // namespace lutra
