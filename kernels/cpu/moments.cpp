// Variances, standard deviations and log-sum-exp on the CPU.

#include <cmath>
#include <vector>

#include "kernels/cpu/loops/two_pass.h"
#include "kernels/element/elementary.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

// a: the mean; b: the sum of squared differences from it. Merging is Chan's, Golub's and LeVeque's.
struct Moments {
  template <class C> static void block(const C* x, int64_t n, double* a, double* b) {
    double mean = reduce_part<SumOf<C, double>>(x, n) / static_cast<double>(n);
    double square[kBlock];
    for (int64_t i = 0; i < n; ++i) {
      double off = static_cast<double>(x[i]) - mean;
      square[i] = off * off;
    }
    *a = mean;
    *b = reduce_part<SumOf<double>>(square, n);
  }
  template <class C>
  static void tile(const C* x, int64_t rows, int64_t columns, double* __restrict a, double* __restrict b) {
    reduce_columns<SumOf<C, double>>(x, rows, columns, columns, a);
    for (int64_t k = 0; k < columns; ++k) {
      a[k] /= static_cast<double>(rows);
      b[k] = 0;
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < columns; ++k) {
        double off = static_cast<double>(x[r * columns + k]) - a[k];
        b[k] += off * off;
      }
    }
  }
  static void merge(double* __restrict a, double* __restrict b, int64_t n, const double* __restrict a2,
                    const double* __restrict b2, int64_t n2, int64_t columns) {
    double share = static_cast<double>(n2) / static_cast<double>(n + n2);
    double weight = share * static_cast<double>(n);
    for (int64_t k = 0; k < columns; ++k) {
      double apart = a2[k] - a[k];
      a[k] += apart * share;
      b[k] += b2[k] + apart * apart * weight;
    }
  }
};

double variance(double squares, int64_t count, int64_t ddof) {
  double degrees = static_cast<double>(count) - static_cast<double>(ddof);
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : squares / std::max(degrees, 0.0);
}

template <class T, bool kRoot> void run_variance(const KernelArgs& args) {
  int64_t ddof = args.as<VarAttrs>().ddof;
  reduce_pairs<Moments, T>(args, [=](double, double squares, int64_t count) {
    double var = variance(squares, count, ddof);
    return kRoot ? std::sqrt(var) : var;
  });
}

// The variance of the real parts and that of the imaginary ones, added up.
template <class T, bool kRoot> void run_complex_variance(const KernelArgs& args) {
  const Complex<T>* x = args.in[0].as<Complex<T>>();
  const std::size_t size = static_cast<std::size_t>(args.in[0].size),
                    results = static_cast<std::size_t>(args.out[0].size);
  std::vector<T> part(size), of_imaginary(results);
  Array in = args.in[0], out = args.out[0];
  in.data = reinterpret_cast<std::byte*>(part.data());
  in.dtype = real_dtype(in.dtype);
  KernelArgs of_part = args;
  of_part.in = &in;
  of_part.out = &out;
  for (std::size_t i = 0; i < size; ++i) part[i] = x[i].re;
  run_variance<T, false>(of_part);
  for (std::size_t i = 0; i < size; ++i) part[i] = x[i].im;
  out.data = reinterpret_cast<std::byte*>(of_imaginary.data());
  run_variance<T, false>(of_part);
  T* sum = args.out[0].as<T>();
  for (std::size_t i = 0; i < results; ++i) {
    sum[i] += of_imaginary[i];
    if (kRoot) sum[i] = std::sqrt(sum[i]);
  }
}

template <class C> bool is_finite(C x) { return std::fabs(x) < std::numeric_limits<C>::infinity(); }

// a: the largest; b: the sum of e^(x - a), or of e^x where a is not finite: inf, 0 or nan, as e^a is.
struct Powers {
  template <class C> static void block(const C* x, int64_t n, double* a, double* b) {
    C most = reduce_part<MaxOf<C>>(x, n), shift = is_finite(most) ? most : C(0);
    C power[kBlock];
    for (int64_t i = 0; i < n; ++i) power[i] = falling_exp(x[i] - shift);
    *a = static_cast<double>(most);
    *b = is_finite(most) ? reduce_part<SumOf<C>>(power, n) : exp_of(*a);
  }
  template <class C>
  static void tile(const C* x, int64_t rows, int64_t columns, double* __restrict a, double* __restrict b) {
    C most[kPairColumns], sum[kPairColumns];
    for (int64_t k = 0; k < columns; ++k) {
      most[k] = MaxOf<C>::kStart;
      sum[k] = 0;
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < columns; ++k) most[k] = MaxOf<C>::join(most[k], x[r * columns + k]);
    }
    for (int64_t k = 0; k < columns; ++k) {
      a[k] = static_cast<double>(most[k]);
      most[k] = is_finite(most[k]) ? most[k] : C(0);
    }
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t k = 0; k < columns; ++k) sum[k] += falling_exp(x[r * columns + k] - most[k]);
    }
    for (int64_t k = 0; k < columns; ++k) b[k] = is_finite(a[k]) ? static_cast<double>(sum[k]) : exp_of(a[k]);
  }
  static void merge(double* __restrict a, double* __restrict b, int64_t, const double* __restrict a2,
                    const double* __restrict b2, int64_t, int64_t columns) {
    for (int64_t k = 0; k < columns; ++k) {
      double most = MaxOf<double>::join(a[k], a2[k]), shift = is_finite(most) ? most : 0.0;
      // A sum without a shift has inf or -inf for its largest element, and is inf, 0 or nan.
      b[k] = b[k] * exp_of(a[k] - shift) + b2[k] * exp_of(a2[k] - shift);
      a[k] = most;
    }
  }
};

template <class T> void run_logsumexp(const KernelArgs& args) {
  reduce_pairs<Powers, T>(args, [](double most, double sum, int64_t count) {
    if (count == 0) return -std::numeric_limits<double>::infinity();
    return log_of(sum) + (is_finite(most) ? most : 0.0);
  });
}

template <class Types = AllFloats, class Run> void add(KernelRegistry& kernels, const char* name, Run run_of) {
  kernels.add_each(name, DeviceType::CPU, Types{},
                   [=](auto tag) { return KernelEntry{.run = run_of(tag), .scratch = pair_scratch}; });
}

}  // namespace

void register_moments_cpu(KernelRegistry& kernels) {
  add(kernels, "Var", [](auto tag) { return run_variance<typename decltype(tag)::type, false>; });
  add(kernels, "Std", [](auto tag) { return run_variance<typename decltype(tag)::type, true>; });
  add<ComplexTypes>(kernels, "Var",
                    [](auto tag) { return run_complex_variance<typename decltype(tag)::type::Part, false>; });
  add<ComplexTypes>(kernels, "Std",
                    [](auto tag) { return run_complex_variance<typename decltype(tag)::type::Part, true>; });
  add(kernels, "Logsumexp", [](auto tag) { return run_logsumexp<typename decltype(tag)::type>; });
}

}  // namespace lutra
