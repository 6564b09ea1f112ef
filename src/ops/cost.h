// What ops cost on paper, where several are alike.
#pragma once

#include <algorithm>

#include "ops/kernel.h"

namespace lutra {

// So many flops an element of the largest array; every array touched once.
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

// What a flop an element that goes in costs.
inline Cost reduction_cost(const KernelArgs& args) {
  return {.flops = static_cast<double>(args.in[0].size), .bytes = args.in[0].bytes() + args.out[0].bytes()};
}

}  // namespace lutra
