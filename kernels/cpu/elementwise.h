// Loops for ops that compute each output element from one element of every input, with NumPy's broadcasting.
// An op is a struct with `static R apply(T...)`; these templates turn it into kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/parallel.h"
#include "ops/kernel.h"

namespace lutra {

// Elements from which a second thread pays.
inline constexpr int64_t kCheapGrain = 16384;
inline constexpr int64_t kCostlyGrain = 2048;

// How N inputs walk under one output: neighbouring axes that every input walks alike are merged, so nearly every case
// has one or two axes. Strides are in elements; 0 repeats.
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

  int64_t rows() const {
    int64_t rows = 1;
    for (int axis = 1; axis < rank; ++axis) rows *= dims[axis];
    return rows;
  }

  // Calls row(offsets of each input, first element of the output, length) for the innermost runs [begin, end).
  template <class Row> void for_rows(int64_t begin, int64_t end, const Row& row) const {
    int64_t index[kMaxRank] = {};
    std::array<int64_t, N> offset{};
    int64_t rest = begin;
    for (int axis = 1; axis < rank; ++axis) {
      index[axis] = rest % dims[axis];
      rest /= dims[axis];
      for (int i = 0; i < N; ++i) offset[i] += index[axis] * strides[i][axis];
    }
    for (int64_t r = begin; r < end; ++r) {
      row(offset, r * dims[0], dims[0]);
      for (int axis = 1; axis < rank; ++axis) {
        for (int i = 0; i < N; ++i) offset[i] += strides[i][axis];
        if (++index[axis] < dims[axis]) break;
        for (int i = 0; i < N; ++i) offset[i] -= index[axis] * strides[i][axis];
        index[axis] = 0;
      }
    }
  }
};

// The grain in rows for rows of `length` elements.
inline int64_t row_grain(int64_t grain, int64_t length) {
  return std::max<int64_t>(1, grain / std::max<int64_t>(1, length));
}

template <class Op> constexpr int64_t grain_of() {
  if constexpr (requires { Op::kGrain; }) return Op::kGrain;
  else return kCheapGrain;
}

// Op::apply sees the type that T is computed in (halves as float); its result is rounded to R.
template <class Op, class R, class T> void run_unary(const KernelArgs& args) {
  using C = ComputeType<T>;
  parallel_for(args.out[0].size, grain_of<Op>(), [&](int64_t begin, int64_t end) {
    const T* x = args.in[0].as<T>();
    R* __restrict out = args.out[0].as<R>();
    for (int64_t i = begin; i < end; ++i) out[i] = static_cast<R>(Op::apply(static_cast<C>(x[i])));
  });
}

// One innermost run; the three shapes that vectorise, then any.
template <class Op, class R, class T>
inline void binary_row(const T* a, int64_t stride_a, const T* b, int64_t stride_b, R* __restrict out, int64_t n) {
  using C = ComputeType<T>;
  auto apply = [](T x, T y) { return static_cast<R>(Op::apply(static_cast<C>(x), static_cast<C>(y))); };
  if (stride_a == 1 && stride_b == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i], b[i]);
  } else if (stride_a == 1 && stride_b == 0) {
    const T value = *b;
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i], value);
  } else if (stride_a == 0 && stride_b == 1) {
    const T value = *a;
    for (int64_t i = 0; i < n; ++i) out[i] = apply(value, b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i * stride_a], b[i * stride_b]);
  }
}

template <class Op, class R, class T> void run_binary(const KernelArgs& args) {
  const Array& out = args.out[0];
  const T* a = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  R* result = out.as<R>();
  // An input as large as the output is walked as it lies; one of one element repeats.
  bool plain_a = args.in[0].size == out.size, plain_b = args.in[1].size == out.size;
  if ((plain_a || args.in[0].size == 1) && (plain_b || args.in[1].size == 1)) {
    parallel_for(out.size, grain_of<Op>(), [=](int64_t begin, int64_t end) {
      binary_row<Op, R, T>(plain_a ? a + begin : a, plain_a, plain_b ? b + begin : b, plain_b, result + begin,
                           end - begin);
    });
    return;
  }
  if (out.size == 0) return;
  BroadcastPlan<2> plan(out, args.in);
  parallel_for(plan.rows(), row_grain(grain_of<Op>(), plan.dims[0]), [&](int64_t begin, int64_t end) {
    plan.for_rows(begin, end, [&](const std::array<int64_t, 2>& offset, int64_t first, int64_t n) {
      binary_row<Op, R, T>(a + offset[0], plan.strides[0][0], b + offset[1], plan.strides[1][0], result + first, n);
    });
  });
}

// For ops that may find a mistake in values: apply(a, b, fault). Not vectorised, which the check would prevent anyway.
template <class Op, class T> void run_checked_binary(const KernelArgs& args) {
  const Array& out = args.out[0];
  const T* a = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* result = out.as<T>();
  if (out.size == 0) return;
  BroadcastPlan<2> plan(out, args.in);
  parallel_for(plan.rows(), row_grain(kCheapGrain, plan.dims[0]), [&](int64_t begin, int64_t end) {
    plan.for_rows(begin, end, [&](const std::array<int64_t, 2>& offset, int64_t first, int64_t n) {
      const T* x = a + offset[0];
      const T* y = b + offset[1];
      for (int64_t i = 0; i < n; ++i) {
        result[first + i] = Op::apply(x[i * plan.strides[0][0]], y[i * plan.strides[1][0]], *args.fault);
      }
    });
  });
}

// Registers Op for each type of the list, computing T x T -> T.
template <class Op, class Types> void add_unary(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_unary<Op, T, T>};
  });
}
template <class Op, class Types> void add_binary(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_binary<Op, T, T>};
  });
}
// T x T -> bool.
template <class Op, class Types> void add_comparison(KernelRegistry& kernels, const char* name, Types types) {
  kernels.add_each(name, DeviceType::CPU, types, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_binary<Op, bool, T>};
  });
}

}  // namespace lutra
