// Loops for ops that compute each output element from one element of every input, with NumPy's broadcasting.
// An op is a struct with `static R apply(T...)`; these templates turn it into kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "core/parallel.h"
#include "kernels/cpu/loops/streamed.h"
#include "kernels/element/element.h"
#include "kernels/indexing/broadcast.h"
#include "ops/kernel.h"

namespace lutra {

// The grain in rows for rows of `length` elements.
inline int64_t row_grain(int64_t grain, int64_t length) {
  return std::max<int64_t>(1, grain / std::max<int64_t>(1, length));
}

// The grain for elements of type T. Halves cost as much as floats, since they are converted.
template <class Op, class T> constexpr int64_t grain_of() {
  if constexpr (requires { Op::kGrain; }) return Op::kGrain;
  else return kCheapGrain * 4 / static_cast<int64_t>(sizeof(ComputeType<T>));
}

// Op::apply gets ComputeType<T> (float for halves); its result is rounded to R.
template <class Op, class R, class T> void run_unary(const KernelArgs& args) {
  using C = ComputeType<T>;
  if (args.out[0].size >= kStreamedSize<R> && run_streamed(args, run_unary<Op, R, T>)) return;
  parallel_for(args.out[0].size, grain_of<Op, T>(), [&](int64_t begin, int64_t end) {
    const T* x = args.in[0].as<T>();
    R* __restrict out = args.out[0].as<R>();
    for (int64_t i = begin; i < end; ++i) out[i] = static_cast<R>(Op::apply(static_cast<C>(x[i])));
  });
}

// One run along the innermost axis. The first three stride patterns vectorise; the last loop takes any strides. Not
// inlined: its loops would be compiled anew in each of the loops over rows, which took three times as long to compile.
template <class Op, class R, class T>
[[gnu::noinline]] static void binary_row(const T* a, int64_t stride_a, const T* b, int64_t stride_b, R* __restrict out,
                                         int64_t n) {
  using C = ComputeType<T>;
  // Inlined by force: a loop that contains a call is not vectorised.
  auto apply = [](T x, T y) __attribute__((always_inline)) {
    return static_cast<R>(Op::apply(static_cast<C>(x), static_cast<C>(y)));
  };
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

// Calls row(offset of a, offset of b, first element of the output, length, stride of a, stride of b) for runs that
// cover the output, on several threads. Strides are 0 or 1.
template <class Row> void for_binary_rows(const KernelArgs& args, int64_t grain, const Row& row) {
  const Array& out = args.out[0];
  // An input as large as the output is read in order; an input of one element repeats it.
  bool plain_a = args.in[0].size == out.size, plain_b = args.in[1].size == out.size;
  if ((plain_a || args.in[0].size == 1) && (plain_b || args.in[1].size == 1)) {
    parallel_for(out.size, grain, [=, &row](int64_t begin, int64_t end) {
      row(plain_a ? begin : 0, plain_b ? begin : 0, begin, end - begin, plain_a, plain_b);
    });
    return;
  }
  if (out.size == 0) return;
  BroadcastPlan<2> plan(out, args.in);
  parallel_for(out.size, grain, [&](int64_t begin, int64_t end) {
    plan.for_elements(begin, end, [&](const std::array<int64_t, 2>& offset, int64_t first, int64_t n) {
      row(offset[0], offset[1], first, n, plan.strides[0][0], plan.strides[1][0]);
    });
  });
}

template <class Op, class R, class T> void run_binary(const KernelArgs& args) {
  if (args.out[0].size >= kStreamedSize<R> && run_streamed(args, run_binary<Op, R, T>)) return;
  const T* a = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  R* out = args.out[0].as<R>();
  for_binary_rows(args, grain_of<Op, T>(),
                  [=](int64_t at_a, int64_t at_b, int64_t first, int64_t n, int64_t stride_a, int64_t stride_b) {
                    binary_row<Op, R, T>(a + at_a, stride_a, b + at_b, stride_b, out + first, n);
                  });
}

// For integer ops whose b may be invalid. apply(a, b) gives some result for any b; apply_right, if the op has it, gives
// the same result for every valid b. is_wrong(b) is checked in a loop of its own, so that both loops vectorise. The
// first invalid b is reported, with its value if kTellsValue. Returns whether all are valid.
template <class Op, class T> bool tell_wrong(Fault* fault, const T* b, int64_t stride, int64_t n) {
  T wrong = 0;
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) wrong |= static_cast<T>(Op::is_wrong(b[i]));
  } else if (stride == 0) {
    wrong = static_cast<T>(n > 0 && Op::is_wrong(*b));
  } else {
    for (int64_t i = 0; i < n; ++i) wrong |= static_cast<T>(Op::is_wrong(b[i * stride]));
  }
  if (wrong == 0) return true;
  int64_t i = 0;
  while (!Op::is_wrong(b[i * stride])) ++i;
  fault->raise(FaultCode::WrongValue, Op::kTellsValue ? static_cast<int64_t>(b[i * stride]) : 0);
  return false;
}

template <class Op> struct OfRight {
  template <class T> static constexpr T apply(T a, T b) { return Op::apply_right(a, b); }
};

template <class Op, class T> void run_checked_binary(const KernelArgs& args) {
  const T* a = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  // b is read twice, so runs are cut into chunks that stay in the L1 cache.
  constexpr int64_t kPiece = 1024;
  for_binary_rows(args, grain_of<Op, T>(),
                  [=, fault = args.fault](int64_t at_a, int64_t at_b, int64_t first, int64_t n, int64_t stride_a,
                                          int64_t stride_b) {
                    for (int64_t i = 0; i < n; i += kPiece) {
                      int64_t count = std::min(kPiece, n - i);
                      const T *x = a + at_a + i * stride_a, *y = b + at_b + i * stride_b;
                      bool is_right = tell_wrong<Op>(fault, y, stride_b, count);
                      if constexpr (requires { Op::apply_right(*x, *y); }) {
                        if (is_right) {
                          binary_row<OfRight<Op>, T, T>(x, stride_a, y, stride_b, out + first + i, count);
                          continue;
                        }
                      }
                      binary_row<Op, T, T>(x, stride_a, y, stride_b, out + first + i, count);
                    }
                  });
}

// One run along the innermost axis of three inputs, each with stride 1 or 0. The usual patterns have loops of their
// own, which vectorise.
template <class Op, class R, class A, class T>
[[gnu::noinline]] static void ternary_row(const A* a, int64_t step_a, const T* b, int64_t step_b, const T* c,
                                          int64_t step_c, R* __restrict out, int64_t n) {
  auto apply = [](A x, T y, T z) __attribute__((always_inline)) {
    return static_cast<R>(
        Op::apply(static_cast<ComputeType<A>>(x), static_cast<ComputeType<T>>(y), static_cast<ComputeType<T>>(z)));
  };
  if (step_a == 1 && step_b == 1 && step_c == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i], b[i], c[i]);
  } else if (step_a == 1 && step_b == 1 && step_c == 0) {
    const T last = *c;
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i], b[i], last);
  } else if (step_a == 1 && step_b == 0 && step_c == 1) {
    const T middle = *b;
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i], middle, c[i]);
  } else if (step_a == 1 && step_b == 0 && step_c == 0) {
    const T middle = *b, last = *c;
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i], middle, last);
  } else if (step_a == 0 && step_b == 1 && step_c == 1) {
    const A first = *a;
    for (int64_t i = 0; i < n; ++i) out[i] = apply(first, b[i], c[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = apply(a[i * step_a], b[i * step_b], c[i * step_c]);
  }
}

// A x T x T -> R.
template <class Op, class R, class A, class T> void run_ternary(const KernelArgs& args) {
  const Array& out = args.out[0];
  if (out.size == 0 || (out.size >= kStreamedSize<R> && run_streamed(args, run_ternary<Op, R, A, T>))) return;
  const A* a = args.in[0].as<A>();
  const T* b = args.in[1].as<T>();
  const T* c = args.in[2].as<T>();
  R* to = out.as<R>();
  BroadcastPlan<3> plan(out, args.in);
  if (plan.rank == 1) {
    int64_t step_a = plan.strides[0][0], step_b = plan.strides[1][0], step_c = plan.strides[2][0];
    parallel_for(out.size, grain_of<Op, T>(), [=](int64_t begin, int64_t end) {
      ternary_row<Op, R, A, T>(a + begin * step_a, step_a, b + begin * step_b, step_b, c + begin * step_c, step_c,
                               to + begin, end - begin);
    });
    return;
  }
  parallel_for(out.size, grain_of<Op, T>(), [&](int64_t begin, int64_t end) {
    plan.for_elements(begin, end, [&](const std::array<int64_t, 3>& offset, int64_t first, int64_t n) {
      ternary_row<Op, R, A, T>(a + offset[0], plan.strides[0][0], b + offset[1], plan.strides[1][0], c + offset[2],
                               plan.strides[2][0], to + first, n);
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

}  // namespace lutra
