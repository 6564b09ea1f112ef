// Copies whole tensors on a card, and converts them on the way.
#pragma once

#include "kernels/cuda/elementwise.h"
#include "kernels/element/element.h"

namespace lutra::cuda {

// Unsigned elements of the same size: only bytes move.
struct Same {
  template <class T> static constexpr T apply(T x) { return x; }
};

// Input 0 as it is.
inline void run_copy(const KernelArgs& args) {
  by_size(size_of(args.out[0].dtype), [&](auto tag) {
    using E = typename decltype(tag)::type;
    run_elementwise<Same, E, E>(args);
  });
}

}  // namespace lutra::cuda
