// Ops whose elements depend on their positions alone: op.at(i) is element i of the output, row-major.
#pragma once

#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {

template <class Op, class R> struct IndexedArgs {
  Op op;
  R* out;
  int64_t size;
};

template <class Op, class R, int V> LUTRA_GLOBAL void indexed_kernel(const IndexedArgs<Op, R> args) {
  int64_t units = args.size / V;
  for (int64_t unit = thread_index(); unit < units; unit += thread_count()) {
    Pack<R, V> pack;
    for (int k = 0; k < V; ++k) pack.v[k] = args.op.at(unit * V + k);
    *reinterpret_cast<Pack<R, V>*>(args.out + unit * V) = pack;
  }
  for (int64_t at = units * V + thread_index(); at < args.size; at += thread_count()) args.out[at] = args.op.at(at);
}

template <class R, class Op> void run_indexed(const CudaLaunch& on, const Op& op) {
  constexpr int kWidth = static_cast<int>(16 / sizeof(R));
  const Array& out = on.out[0];
  if (out.size == 0) return;
  IndexedArgs<Op, R> args{op, out.as<R>(), out.size};
  if (is_aligned(out.data, 16)) launch(on, grid_for(on, args.size / kWidth), indexed_kernel<Op, R, kWidth>, args);
  else launch(on, grid_for(on, args.size), indexed_kernel<Op, R, 1>, args);
}

// One value everywhere.
template <class V> struct Everywhere {
  V value;
  constexpr V at(int64_t) const { return value; }
};

}  // namespace lutra::cuda
