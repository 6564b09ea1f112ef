// Tensors made of random blocks: a thread makes the elements of one block. A rule is a struct with block(number,
// elements).
#pragma once

#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {

template <class Rule, class T> struct RandomArgs {
  Rule rule;
  T* out;
  int64_t size;
  bool is_aligned;  // a block's elements can be written at once
};
template <int kPerBlock, class Rule, class T> LUTRA_GLOBAL void random_kernel(const RandomArgs<Rule, T> args) {
  const int64_t blocks = (args.size + kPerBlock - 1) / kPerBlock;
  for (int64_t block = thread_index(); block < blocks; block += thread_count()) {
    Pack<T, kPerBlock> made;
    args.rule.block(static_cast<uint64_t>(block), made.v);
    T* to = args.out + block * kPerBlock;
    const int64_t left = args.size - block * kPerBlock;
    if (left >= kPerBlock && args.is_aligned) {
      *reinterpret_cast<Pack<T, kPerBlock>*>(to) = made;
    } else {
      for (int i = 0; i < kPerBlock && i < left; ++i) to[i] = made.v[i];
    }
  }
}

template <class T, int kPerBlock, class Rule> void run_random(const KernelArgs& args, const Rule& rule) {
  const CudaLaunch& on = static_cast<const CudaLaunch&>(args);
  const Array& out = args.out[0];
  if (out.size == 0) return;
  RandomArgs<Rule, T> random{rule, out.as<T>(), out.size, is_aligned(out.data, sizeof(Pack<T, kPerBlock>))};
  launch(on, grid_for(on, (out.size + kPerBlock - 1) / kPerBlock), random_kernel<kPerBlock, Rule, T>, random);
}

}  // namespace lutra::cuda
