// Converts elements to another dtype. A thread takes a unit of as many elements as fit 16 bytes in the wider dtype.
// There are ninety pairs of dtypes, so one kernel also takes the elements of arrays that are not aligned, one by one.
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
inline constexpr int kCastUnit = static_cast<int>(16 / std::max(sizeof(Stored<To>), sizeof(Stored<From>)));

// The first `units` are converted as units, the elements behind them one by one.
template <class To, class From>
LUTRA_GLOBAL void cast_kernel(const Input<Stored<From>> in, Stored<To>* out, int64_t units, int64_t size) {
  constexpr int V = kCastUnit<To, From>;
  for (int64_t unit = thread_index(); unit < units; unit += thread_count()) {
    const Pack<Stored<From>, V> from = load<Stored<From>, V>(in, unit * V, V);
    Pack<Stored<To>, V> to;
    for (int k = 0; k < V; ++k) to.v[k] = cast_element<To, From>(from.v[k]);
    *reinterpret_cast<Pack<Stored<To>, V>*>(out + unit * V) = to;
  }
  for (int64_t at = units * V + thread_index(); at < size; at += thread_count()) {
    out[at] = cast_element<To, From>(in.data != nullptr ? in.data[at] : in.number);
  }
}

template <class To, class From>
void queue_cast(const CudaLaunch& on, const Input<Stored<From>>& in, Stored<To>* out, int64_t size) {
  constexpr int V = kCastUnit<To, From>;
  bool in_units = is_aligned(in.data, sizeof(Pack<Stored<From>, V>)) && is_aligned(out, sizeof(Pack<Stored<To>, V>));
  int64_t units = in_units ? size / V : 0;
  launch(on, units > 0 ? grid_of_all(units) : grid_for(on, size), cast_kernel<To, From>, in, out, units, size);
}

template <class To, class From> void run_cast(const CudaLaunch& on) {
  const Array& out = on.out[0];
  if (out.size != 0) queue_cast<To, From>(on, input_of<Stored<From>>(on.in[0]), out.as<Stored<To>>(), out.size);
}

}  // namespace lutra::cuda
