// Converts elements to another dtype. There are ninety pairs of dtypes, so the kernel is small: neighbouring threads
// take neighbouring elements.
#pragma once

#include "core/conversion.h"
#include "kernels/cuda/elementwise.h"

namespace lutra::cuda {

// A half is read as a float. A float becomes a half by the card's own rounding.
template <class To, class From> LUTRA_DEVICE Stored<To> cast_element(Stored<From> x) {
  using C = std::conditional_t<std::is_same_v<From, bool>, bool, ComputeType<From>>;
  if constexpr (std::is_same_v<C, float> && !std::is_same_v<To, ComputeType<To>>) return rounded_to<To>(computed_in(x));
  else return converted<To, C>(computed_in(x));
}

template <class To, class From>
LUTRA_GLOBAL void cast_kernel(const Input<Stored<From>> in, Stored<To>* out, int64_t size) {
  const int64_t step = thread_count();
#ifdef __CUDA_ARCH__
#pragma unroll 4
#endif
  for (int64_t at = thread_index(); at < size; at += step) {
    out[at] = cast_element<To, From>(in.data != nullptr ? in.data[at] : in.number);
  }
}

template <class To, class From> void run_cast(const CudaLaunch& on) {
  const Array& out = on.out[0];
  if (out.size == 0) return;
  launch(on, grid_for(on, out.size), cast_kernel<To, From>, input_of<Stored<From>>(on.in[0]), out.as<Stored<To>>(),
         out.size);
}

}  // namespace lutra::cuda
