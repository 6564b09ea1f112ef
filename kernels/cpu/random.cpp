// Random tensors on the CPU: real numbers and coins. Element i comes from block i / 4 (float32 and halves) or i / 2
// (float64), whatever the batch. Choices are in random_choice.cpp.

#include "ops/random.h"

#include <cmath>
#include <cstring>

#include "kernels/cpu/loops/random_words.h"
#include "kernels/element/random_draws.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

template <class C> inline constexpr int kBatch = kBlocks* kPerBlock<C>;

void normals(const Words& words, float* z) {
  for (int i = 0; i < kBlocks; ++i) {
    NormalPair<float> a = normal_pair(words.word[0][i], words.word[1][i]);
    NormalPair<float> b = normal_pair(words.word[2][i], words.word[3][i]);
    z[4 * i] = a.first;
    z[4 * i + 1] = a.second;
    z[4 * i + 2] = b.first;
    z[4 * i + 3] = b.second;
  }
}

void normals(const Words& words, double* z) {
  for (int i = 0; i < kBlocks; ++i) {
    uint32_t block[4] = {words.word[0][i], words.word[1][i], words.word[2][i], words.word[3][i]};
    NormalPair<double> pair = normal_pair(block);
    z[2 * i] = pair.first;
    z[2 * i + 1] = pair.second;
  }
}

void units(const Words& words, float* u) {
  for (int i = 0; i < kBlocks; ++i) {
    for (int w = 0; w < 4; ++w) u[4 * i + w] = unit_float(words.word[w][i]);
  }
}

void units(const Words& words, double* u) {
  for (int i = 0; i < kBlocks; ++i) {
    u[2 * i] = unit_double(words.word[0][i], words.word[1][i]);
    u[2 * i + 1] = unit_double(words.word[2][i], words.word[3][i]);
  }
}

template <class T> void run_normal(const KernelArgs& args) {
  using C = ComputeType<T>;
  const NormalAttrs& attrs = args.as<NormalAttrs>();
  C mean = static_cast<C>(attrs.mean), stddev = static_cast<C>(attrs.stddev);
  T* out = args.out[0].as<T>();
  for_random_words<kPerBlock<C>>(attrs.rng, args.out[0].size, [=](const Words& words, int64_t first, int64_t n) {
    C z[kBatch<C>];
    normals(words, z);
    for (int64_t i = 0; i < n; ++i) out[first + i] = static_cast<T>(mean + stddev * z[i]);
  });
}

template <class T> void run_truncated_normal(const KernelArgs& args) {
  using C = ComputeType<T>;
  const NormalAttrs& attrs = args.as<NormalAttrs>();
  C mean = static_cast<C>(attrs.mean), stddev = static_cast<C>(attrs.stddev);
  Rng rng = attrs.rng;
  T* out = args.out[0].as<T>();
  for_random_words<kPerBlock<C>>(rng, args.out[0].size, [=](const Words& words, int64_t first, int64_t n) {
    C z[kBatch<C>];
    normals(words, z);
    for (int64_t i = 0; i < n; ++i) {
      if (std::fabs(z[i]) <= 2) continue;
      uint64_t block = rng.counter + static_cast<uint64_t>((first + i) / kPerBlock<C>);
      z[i] = drawn_again<C>(rng.key, block, i % kPerBlock<C>);
    }
    for (int64_t i = 0; i < n; ++i) out[first + i] = static_cast<T>(mean + stddev * z[i]);
  });
}

template <class T> void run_uniform(const KernelArgs& args) {
  using C = ComputeType<T>;
  const UniformAttrs& attrs = args.as<UniformAttrs>();
  Uniform<T> uniform(attrs.minval, attrs.maxval);
  T* out = args.out[0].as<T>();
  for_random_words<kPerBlock<C>>(attrs.rng, args.out[0].size, [=](const Words& words, int64_t first, int64_t n) {
    C u[kBatch<C>];
    units(words, u);
    for (int64_t i = 0; i < n; ++i) out[first + i] = uniform.at(u[i]);
  });
}

template <class T> void run_bernoulli(const KernelArgs& args) {
  const BernoulliAttrs& attrs = args.as<BernoulliAttrs>();
  double limit = attrs.p * 0x1p32;
  T* out = args.out[0].as<T>();
  for_random_words<4>(attrs.rng, args.out[0].size, [=](const Words& words, int64_t first, int64_t n) {
    T coins[4 * kBlocks];
    for (int i = 0; i < kBlocks; ++i) {
      for (int w = 0; w < 4; ++w) coins[4 * i + w] = static_cast<T>(static_cast<double>(words.word[w][i]) < limit);
    }
    std::memcpy(out + first, coins, static_cast<std::size_t>(n) * sizeof(T));
  });
}

}  // namespace

void register_random_cpu(KernelRegistry& kernels) {
  kernels.add_each("RandomStandardNormal", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_normal<typename decltype(tag)::type>}; });
  kernels.add_each("TruncatedNormal", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_truncated_normal<typename decltype(tag)::type>}; });
  kernels.add_each("RandomUniform", DeviceType::CPU, AllFloats{},
                   [](auto tag) { return KernelEntry{.run = run_uniform<typename decltype(tag)::type>}; });
  kernels.add_each("RandomBernoulli", DeviceType::CPU, AllTypes{},
                   [](auto tag) { return KernelEntry{.run = run_bernoulli<typename decltype(tag)::type>}; });
}

}  // namespace lutra
