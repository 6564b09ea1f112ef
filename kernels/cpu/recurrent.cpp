// A step of recurrent layers on the CPU. Each loop over a row's units is a function of its own with __restrict results,
// so that it vectorises.

#include "kernels/element/recurrent.h"
#include "kernels/cpu/loops/add_kernels.h"
#include "kernels/cpu/loops/rows.h"

namespace lutra {
namespace {

// Calls one_row(r) for all rows of `state`, each of whose elements costs about `functions` exponentials.
template <class OneRow> void for_rows(const Array& state, int64_t functions, const OneRow& one_row) {
  if (state.size == 0) return;
  const RowSizes sizes(state);
  parallel_for(sizes.rows, row_grain(kCostlyGrain, sizes.columns * functions), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) one_row(r, sizes.columns);
  });
}

template <class T> LstmGates<T*> lstm_gates(T* row, int64_t n) { return {row, row + n, row + 2 * n, row + 3 * n}; }
template <class T> GruGates<T*> gru_gates(T* row, int64_t n) { return {row, row + n, row + 2 * n}; }

template <class C, class T> [[gnu::always_inline]] inline LstmGates<C> at(const LstmGates<const T*>& row, int64_t k) {
  return {static_cast<C>(row.input[k]), static_cast<C>(row.forget[k]), static_cast<C>(row.candidate[k]),
          static_cast<C>(row.output[k])};
}
template <class C, class T> [[gnu::always_inline]] inline GruGates<C> at(const GruGates<const T*>& row, int64_t k) {
  return {static_cast<C>(row.update[k]), static_cast<C>(row.reset[k]), static_cast<C>(row.candidate[k])};
}

template <class T> struct LstmCell {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const T *x = args.in[0].as<T>(), *recurrent = args.in[1].as<T>(), *cell = args.in[2].as<T>();
    T *h = args.out[0].as<T>(), *next = args.out[1].as<T>(), *gates = args.out[2].as<T>();
    for_rows(args.in[2], 5, [=](int64_t r, int64_t n) {
      const LstmGates<T*> out = lstm_gates(gates + 4 * r * n, n);
      one_row(lstm_gates(x + 4 * r * n, n), lstm_gates(recurrent + 4 * r * n, n), cell + r * n, n, h + r * n,
              next + r * n, out.input, out.forget, out.candidate, out.output);
    });
  }

 private:
  [[gnu::noinline]] static void one_row(const LstmGates<const T*> x, const LstmGates<const T*> recurrent, const T* cell,
                                        int64_t n, T* __restrict h, T* __restrict next, T* __restrict input,
                                        T* __restrict forget, T* __restrict candidate, T* __restrict output) {
    for (int64_t k = 0; k < n; ++k) {
      const LstmGates<C> a = at<C>(x, k), b = at<C>(recurrent, k);
      const auto step =
          LstmStep<C>::of({a.input + b.input, a.forget + b.forget, a.candidate + b.candidate, a.output + b.output},
                          static_cast<C>(cell[k]));
      h[k] = static_cast<T>(step.h);
      next[k] = static_cast<T>(step.cell);
      input[k] = static_cast<T>(step.gates.input);
      forget[k] = static_cast<T>(step.gates.forget);
      candidate[k] = static_cast<T>(step.gates.candidate);
      output[k] = static_cast<T>(step.gates.output);
    }
  }
};

template <class T> struct LstmCellGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const T *gates = args.in[0].as<T>(), *cell = args.in[1].as<T>(), *next = args.in[2].as<T>(),
            *dh = args.in[3].as<T>(), *dnext = args.in[4].as<T>();
    T *sums = args.out[0].as<T>(), *dcell = args.out[1].as<T>();
    for_rows(args.in[1], 2, [=](int64_t r, int64_t n) {
      const LstmGates<T*> out = lstm_gates(sums + 4 * r * n, n);
      one_row(lstm_gates(gates + 4 * r * n, n), cell + r * n, next + r * n, dh + r * n, dnext + r * n, n, dcell + r * n,
              out.input, out.forget, out.candidate, out.output);
    });
  }

 private:
  [[gnu::noinline]] static void one_row(const LstmGates<const T*> gates, const T* cell, const T* next, const T* dh,
                                        const T* dnext, int64_t n, T* __restrict dcell, T* __restrict input,
                                        T* __restrict forget, T* __restrict candidate, T* __restrict output) {
    for (int64_t k = 0; k < n; ++k) {
      const auto slopes = LstmSlopes<C>::of(at<C>(gates, k), static_cast<C>(cell[k]), static_cast<C>(next[k]),
                                            static_cast<C>(dh[k]), static_cast<C>(dnext[k]));
      dcell[k] = static_cast<T>(slopes.cell);
      input[k] = static_cast<T>(slopes.sums.input);
      forget[k] = static_cast<T>(slopes.sums.forget);
      candidate[k] = static_cast<T>(slopes.sums.candidate);
      output[k] = static_cast<T>(slopes.sums.output);
    }
  }
};

template <class T> struct GruCell {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const T *x = args.in[0].as<T>(), *recurrent = args.in[1].as<T>(), *before = args.in[2].as<T>();
    T *h = args.out[0].as<T>(), *gates = args.out[1].as<T>();
    for_rows(args.in[2], 3, [=](int64_t r, int64_t n) {
      const GruGates<T*> out = gru_gates(gates + 3 * r * n, n);
      one_row(gru_gates(x + 3 * r * n, n), gru_gates(recurrent + 3 * r * n, n), before + r * n, n, h + r * n,
              out.update, out.reset, out.candidate);
    });
  }

 private:
  [[gnu::noinline]] static void one_row(const GruGates<const T*> x, const GruGates<const T*> recurrent, const T* before,
                                        int64_t n, T* __restrict h, T* __restrict update, T* __restrict reset,
                                        T* __restrict candidate) {
    for (int64_t k = 0; k < n; ++k) {
      const auto step = GruStep<C>::of(at<C>(x, k), at<C>(recurrent, k), static_cast<C>(before[k]));
      h[k] = static_cast<T>(step.h);
      update[k] = static_cast<T>(step.gates.update);
      reset[k] = static_cast<T>(step.gates.reset);
      candidate[k] = static_cast<T>(step.gates.candidate);
    }
  }
};

template <class T> struct GruCellGrad {
  using C = ComputeType<T>;
  static void run(const KernelArgs& args) {
    const T *gates = args.in[0].as<T>(), *recurrent = args.in[1].as<T>(), *before = args.in[2].as<T>(),
            *dy = args.in[3].as<T>();
    T *dx = args.out[0].as<T>(), *drecurrent = args.out[1].as<T>(), *dh = args.out[2].as<T>();
    for_rows(args.in[2], 1, [=](int64_t r, int64_t n) {
      const GruGates<T*> out = gru_gates(dx + 3 * r * n, n), inner = gru_gates(drecurrent + 3 * r * n, n);
      one_row(gru_gates(gates + 3 * r * n, n), recurrent + (3 * r + 2) * n, before + r * n, dy + r * n, n, dh + r * n,
              out.update, out.reset, out.candidate, inner.candidate);
      std::copy_n(out.update, 2 * n, inner.update);
    });
  }

 private:
  [[gnu::noinline]] static void one_row(const GruGates<const T*> gates, const T* inner, const T* before, const T* dy,
                                        int64_t n, T* __restrict dh, T* __restrict update, T* __restrict reset,
                                        T* __restrict candidate, T* __restrict inner_candidate) {
    for (int64_t k = 0; k < n; ++k) {
      const auto slopes =
          GruSlopes<C>::of(at<C>(gates, k), static_cast<C>(inner[k]), static_cast<C>(before[k]), static_cast<C>(dy[k]));
      dh[k] = static_cast<T>(slopes.h);
      update[k] = static_cast<T>(slopes.x.update);
      reset[k] = static_cast<T>(slopes.x.reset);
      candidate[k] = static_cast<T>(slopes.x.candidate);
      inner_candidate[k] = static_cast<T>(slopes.recurrent_candidate);
    }
  }
};

}  // namespace

void register_recurrent_cpu(KernelRegistry& kernels) {
  add_kernels<LstmCell>(kernels, "LstmCell", AllFloats{});
  add_kernels<LstmCellGrad>(kernels, "LstmCellGrad", AllFloats{});
  add_kernels<GruCell>(kernels, "GruCell", AllFloats{});
  add_kernels<GruCellGrad>(kernels, "GruCellGrad", AllFloats{});
}

}  // namespace lutra
