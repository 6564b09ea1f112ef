// Determinants, LU, eigenvalues of symmetric matrices and exponentials of batches.

#include <limits>
#include <vector>

#include "kernels/cpu/loops/matrices.h"
#include "kernels/eigen/complex_lu.h"
#include "kernels/eigen/factorise.h"

namespace lutra {
namespace {

using namespace matrices;

template <class Found, class Number> Found determinant_by_lapack(int64_t n, Number* matrix) {
  lapack::Lu<Number> lu;
  lu.factorise(n, matrix);  // false: singular, and a pivot is 0
  Found found;
  for (int64_t i = 0; i < n; ++i) found.times(static_cast<decltype(found.value)>(lu.pivot(i)));
  return found;
}

// The determinant of a matrix in row-major order, whichever library computes it.
template <class T> auto determinant_of(int64_t n, const T* matrix, bool is_large) {
  using Found = std::conditional_t<kIsComplex<T>, ComplexDeterminant, Determinant>;
  if (is_large) {
    std::vector<LapackNumber<T>> numbers;
    read(matrix, n * n, numbers);
    return determinant_by_lapack<Found>(n, numbers.data());
  }
  std::vector<decltype(Found::value)> numbers;
  read(matrix, n * n, numbers);
  if constexpr (kIsComplex<T>) {
    ComplexLu lu;
    lu.factorise(n, numbers.data());
    return lu.determinant();
  } else {
    return determinant(n, numbers.data());
  }
}

// Gives put(i, the determinant of matrix i). That of a matrix without rows is 1.
template <class T, class Put> void each_determinant(const KernelArgs& args, int64_t count, const Put& put) {
  using Found = decltype(determinant_of(0, static_cast<const T*>(nullptr), false));
  const Array& x = args.in[0];
  const int64_t n = rows_of(x);
  if (n == 0) {
    for (int64_t i = 0; i < count; ++i) put(i, Found());
    return;
  }
  const bool is_large = is_for_lapack(x);
  for_matrices(args, count, work(x), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) put(i, determinant_of(n, x.as<T>() + i * n * n, is_large));
  });
}

template <class T, class Number> T rounded_from(Number value) {
  return static_cast<T>(static_cast<ComputeType<T>>(value));
}

template <class T> void run_determinant(const KernelArgs& args) {
  T* out = args.out[0].as<T>();
  each_determinant<T>(args, args.out[0].size,
                      [=](int64_t i, const auto& found) { out[i] = rounded_from<T>(found.value); });
}

// Real: T, or the type of T's parts.
template <class T, class Real> void run_log_determinant(const KernelArgs& args) {
  T* sign = args.out[0].as<T>();
  Real* log = args.out[1].as<Real>();
  each_determinant<T>(args, args.out[0].size, [=](int64_t i, const auto& found) {
    sign[i] = rounded_from<T>(found.sign);
    log[i] = rounded_from<Real>(found.log);
  });
}

template <class T, class Number, class Apply> void each_lu(const KernelArgs& args, const Apply& apply) {
  const Array& x = args.in[0];
  const int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  for_matrices(args, matrices_in(x), work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    Result<T, Number> p(m * m), l(m * k), u(k * n);
    for (int64_t i = begin; i < end; ++i) {
      read(x.as<T>() + i * m * n, m * n, matrix);
      T *to_p = args.out[0].as<T>() + i * m * m, *to_l = args.out[1].as<T>() + i * m * k,
        *to_u = args.out[2].as<T>() + i * k * n;
      apply(m, n, matrix.data(), p.numbers(to_p), l.numbers(to_l), u.numbers(to_u));
      p.finish(to_p);
      l.finish(to_l);
      u.finish(to_u);
    }
  });
}

template <class T> void run_lu(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  const Array& x = args.in[0];
  if (x.size == 0) {
    // Without columns, p is the identity.
    const int64_t m = rows_of(x), count = m == 0 ? 0 : args.out[0].size / (m * m);
    T* p = args.out[0].as<T>();
    for (int64_t i = 0; i < count * m * m; ++i) p[i] = rounded_from<T>(i % (m * m) % (m + 1) == 0 ? 1 : 0);
    return;
  }
  if (is_for_lapack(x)) each_lu<T, Number>(args, lapack::lu<Number>);
  else each_lu<T, double>(args, lu);
}

// By LAPACK; by Eigen for matrices for which LAPACK finds no answer.
template <class T, class Number, bool by_lapack> void run_eigh_in(const KernelArgs& args) {
  const Array& x = args.in[0];
  const int64_t n = rows_of(x);
  const bool has_vectors = args.n_out > 1;
  for_matrices(args, matrices_in(x), 9 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    Result<T, Number> w(n), v(has_vectors ? n * n : 0);
    for (int64_t i = begin; i < end; ++i) {
      const T* from = x.as<T>() + i * n * n;
      T *to_w = args.out[0].as<T>() + i * n, *to_v = has_vectors ? args.out[1].as<T>() + i * n * n : nullptr;
      read(from, n * n, matrix);
      Number *values = w.numbers(to_w), *vectors = has_vectors ? v.numbers(to_v) : nullptr;
      bool is_found = false;
      if constexpr (by_lapack) is_found = lapack::eigh<Number>(n, matrix.data(), values, vectors);
      if (is_found || !by_lapack) {
        if constexpr (!by_lapack) eigh(n, matrix.data(), values, vectors);
        w.finish(to_w);
        if (has_vectors) v.finish(to_v);
        continue;
      }
      std::vector<double> again, more_w(static_cast<std::size_t>(n)), more_v(has_vectors ? n * n : 0);
      read(from, n * n, again);
      eigh(n, again.data(), more_w.data(), has_vectors ? more_v.data() : nullptr);
      write(more_w, to_w);
      if (has_vectors) write(more_v, to_v);
    }
  });
}

template <class T> void run_eigh(const KernelArgs& args) {
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) run_eigh_in<T, LapackNumber<T>, true>(args);
  else run_eigh_in<T, double, false>(args);
}

template <class T, class Number, class Apply> void each_expm(const KernelArgs& args, const Apply& expm) {
  const Array& x = args.in[0];
  const int64_t n = rows_of(x);
  for_matrices(args, matrices_in(x), 20 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    Result<T, Number> exponential(n * n);
    for (int64_t i = begin; i < end; ++i) {
      T* to = args.out[0].as<T>() + i * n * n;
      read(x.as<T>() + i * n * n, n * n, matrix);
      expm(n, matrix.data(), exponential.numbers(to));
      exponential.finish(to);
    }
  });
}

template <class T> void run_expm(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) each_expm<T, Number>(args, lapack::expm<Number>);
  else each_expm<T, double>(args, expm);
}

}  // namespace

void register_decompose_cpu(KernelRegistry& kernels) {
  auto add = [&](const char* name, auto make) { kernels.add_each(name, DeviceType::CPU, AllFloats{}, make); };
  add("MatrixDeterminant", []<class Tag>(Tag) { return KernelEntry{.run = run_determinant<typename Tag::type>}; });
  add("LogMatrixDeterminant", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_log_determinant<T, T>}; });
  add("Lu", []<class Tag>(Tag) { return KernelEntry{.run = run_lu<typename Tag::type>}; });
  add("SelfAdjointEig", []<class Tag>(Tag) { return KernelEntry{.run = run_eigh<typename Tag::type>}; });
  add("SelfAdjointEigenvalues", []<class Tag>(Tag) { return KernelEntry{.run = run_eigh<typename Tag::type>}; });
  add("MatrixExponential", []<class Tag>(Tag) { return KernelEntry{.run = run_expm<typename Tag::type>}; });
  auto add_complex = [&](const char* name, auto make) {
    kernels.add_each(name, DeviceType::CPU, ComplexTypes{}, make);
  };
  add_complex("MatrixDeterminant", []<class T>(TypeTag<T>) { return KernelEntry{.run = run_determinant<T>}; });
  add_complex("LogMatrixDeterminant",
              []<class T>(TypeTag<T>) { return KernelEntry{.run = run_log_determinant<T, typename T::Part>}; });
}

}  // namespace lutra
