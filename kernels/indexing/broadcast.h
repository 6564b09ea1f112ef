// NumPy's broadcasting: which elements of several inputs meet in an element of the output.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "ops/kernel.h"

namespace lutra {

// The strides of N inputs along the axes of one output. Neighbouring axes that every input traverses as one are merged,
// so nearly every case has one or two axes. Strides are in elements; 0 repeats an element.
template <int N> struct BroadcastPlan {
  int rank = 0;
  int64_t dims[kMaxRank];
  int64_t strides[N][kMaxRank];

  BroadcastPlan(const Array& out, const Array* in) {
    int64_t step[N];
    std::fill(step, step + N, int64_t{1});
    // From the last axis to the first: axis 0 of the plan is the innermost.
    for (int axis = out.rank - 1; axis >= 0; --axis) {
      int64_t size = out.dims[axis];
      int64_t stride[N];
      for (int i = 0; i < N; ++i) {
        int own = axis - (out.rank - in[i].rank);
        int64_t own_size = own >= 0 ? in[i].dims[own] : 1;
        stride[i] = own_size == 1 ? 0 : step[i];
        step[i] *= own_size;
      }
      if (size == 1) continue;
      bool merges = rank > 0;
      for (int i = 0; i < N && merges; ++i) merges = stride[i] == strides[i][rank - 1] * dims[rank - 1];
      if (merges) {
        dims[rank - 1] *= size;
        continue;
      }
      dims[rank] = size;
      for (int i = 0; i < N; ++i) strides[i][rank] = stride[i];
      ++rank;
    }
    if (rank == 0) {
      rank = 1;
      dims[0] = 1;
      for (int i = 0; i < N; ++i) strides[i][0] = 0;
    }
  }

  // Covers the output's elements [begin, end) with runs along the innermost axis, cut at the ends if need be. Calls
  // row(offset of each input, first element of the output, length) for each run.
  template <class Row> void for_elements(int64_t begin, int64_t end, const Row& row) const {
    int64_t index[kMaxRank] = {};
    std::array<int64_t, N> offset{};
    int64_t skipped = begin % dims[0];
    int64_t rest = begin / dims[0];
    for (int axis = 1; axis < rank; ++axis) {
      index[axis] = rest % dims[axis];
      rest /= dims[axis];
      for (int i = 0; i < N; ++i) offset[i] += index[axis] * strides[i][axis];
    }
    while (begin < end) {
      int64_t n = std::min(dims[0] - skipped, end - begin);
      if (skipped == 0) {
        row(offset, begin, n);
      } else {
        std::array<int64_t, N> inside = offset;
        for (int i = 0; i < N; ++i) inside[i] += skipped * strides[i][0];
        row(inside, begin, n);
        skipped = 0;
      }
      begin += n;
      for (int axis = 1; axis < rank; ++axis) {
        for (int i = 0; i < N; ++i) offset[i] += strides[i][axis];
        if (++index[axis] < dims[axis]) break;
        for (int i = 0; i < N; ++i) offset[i] -= index[axis] * strides[i][axis];
        index[axis] = 0;
      }
    }
  }
};

}  // namespace lutra
