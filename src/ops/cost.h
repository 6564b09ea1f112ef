// Cost estimates that several ops share.
#pragma once

#include <algorithm>

#include "ops/kernel.h"

namespace lutra {

// kFlops per element of the largest array; every array is touched once.
template <int kFlops> Cost elements_cost(const KernelArgs& args) {
  Cost cost;
  int64_t most = 0;
  auto count = [&](const Array& array) {
    most = std::max(most, array.size);
    cost.bytes += array.bytes();
  };
  for (int i = 0; i < args.n_in; ++i) count(args.in[i]);
  for (int i = 0; i < args.n_out; ++i) count(args.out[i]);
  cost.flops = kFlops * static_cast<double>(most);
  return cost;
}

// One flop per input element.
inline Cost reduction_cost(const KernelArgs& args) {
  return {.flops = static_cast<double>(args.in[0].size), .bytes = args.in[0].bytes() + args.out[0].bytes()};
}

}  // namespace lutra
