// Transforms of single rows, of which several threads may transform one.
#pragma once

#include "kernels/cpu/fft/plan.h"

namespace lutra::fft {

// The points of a row: the first `count` are in memory, the others are 0. X: T or Complex<T>.
template <class T, class X> struct RowSource {
  const X* data;
  int64_t count;
  bool is_inverse;
  T scale;  // of the results
};

// `room`: plan.room() pairs.
template <class T, class X>
void transform_row(const RowPlan<T>& plan, const RowSource<T, X>& from, Complex<T>* to, Pair<T>* room);

// Tiles [begin, end) of the two passes of a plan without an inner plan. `tile`: plan.tile_room() pairs; `between`:
// plan.between_room().
template <class T, class X>
void first_pass(const RowPlan<T>& plan, const RowSource<T, X>& from, int64_t begin, int64_t end, Pair<T>* tile,
                Pair<T>* between);
template <class T>
void second_pass(const RowPlan<T>& plan, bool is_inverse, T scale, int64_t begin, int64_t end, Pair<T>* tile,
                 const Pair<T>* between, Complex<T>* to);

}  // namespace lutra::fft
