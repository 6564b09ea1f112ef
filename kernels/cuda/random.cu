// Random tensors on cards: real numbers and coins, with the CPU's bits. Element i comes from block i / 4 (float32 and
// halves) or i / 2 (float64).
#include "ops/random.h"

#include "kernels/cuda/random.h"
#include "kernels/element/random_draws.h"
#include "kernels/element/reducers.h"

namespace lutra::cuda {
namespace {

template <class T> struct NormalRule {
  using C = ComputeType<T>;
  Rng rng;
  C mean, stddev;
  bool truncated;
  LUTRA_DEVICE void block(uint64_t number, T* to) const {
    C z[kPerBlock<C>];
    normals(philox_block(rng.key, rng.counter + number), z);
    for (int i = 0; i < kPerBlock<C>; ++i) {
      if (truncated && !(std::fabs(z[i]) <= 2)) z[i] = drawn_again<C>(rng.key, rng.counter + number, i);
      to[i] = rounded_to<T>(mean + stddev * z[i]);
    }
  }
};
template <class T, bool kTruncated> void run_normal(const KernelArgs& args) {
  using C = ComputeType<T>;
  const NormalAttrs& attrs = args.as<NormalAttrs>();
  NormalRule<T> rule{attrs.rng, static_cast<C>(attrs.mean), static_cast<C>(attrs.stddev), kTruncated};
  run_random<T, kPerBlock<C>>(args, rule);
}

template <class T> struct UniformRule {
  using C = ComputeType<T>;
  Rng rng;
  Uniform<T> uniform;
  LUTRA_DEVICE void block(uint64_t number, T* to) const {
    C u[kPerBlock<C>];
    units(philox_block(rng.key, rng.counter + number), u);
    for (int i = 0; i < kPerBlock<C>; ++i) to[i] = uniform.at(u[i]);
  }
};
template <class T> void run_uniform(const KernelArgs& args) {
  const UniformAttrs& attrs = args.as<UniformAttrs>();
  UniformRule<T> rule{attrs.rng, Uniform<T>(attrs.minval, attrs.maxval)};
  run_random<T, kPerBlock<ComputeType<T>>>(args, rule);
}

template <class T> struct Coins {
  Rng rng;
  double limit;
  LUTRA_DEVICE void block(uint64_t number, T* to) const {
    PhiloxBlock bits = philox_block(rng.key, rng.counter + number);
    for (int w = 0; w < 4; ++w) to[w] = static_cast<T>(static_cast<double>(bits.word[w]) < limit);
  }
};
template <class T> void run_bernoulli(const KernelArgs& args) {
  const BernoulliAttrs& attrs = args.as<BernoulliAttrs>();
  run_random<T, 4>(args, Coins<T>{attrs.rng, attrs.p * 0x1p32});
}

}  // namespace

void register_random_cuda(CudaKernels& kernels) {
  kernels.add_each("RandomStandardNormal", AllFloats{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_normal<T, false>}; });
  kernels.add_each("TruncatedNormal", AllFloats{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_normal<T, true>}; });
  kernels.add_each("RandomUniform", AllFloats{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_uniform<T>}; });
  kernels.add_each("RandomBernoulli", AllTypes{},
                   []<class T>(TypeTag<T>) { return KernelEntry{.run = run_bernoulli<Stored<T>>}; });
}

}  // namespace lutra::cuda
