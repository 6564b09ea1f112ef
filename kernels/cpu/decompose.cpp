// Determinants, LU, eigenvalues of symmetric matrices and exponentials of batches.

#include <limits>
#include <vector>

#include "kernels/cpu/loops/matrices.h"
#include "kernels/eigen/factorise.h"
#include "kernels/eigen/lu.h"

namespace lutra {
namespace {

using namespace matrices;

template <class T> Determinant<SmallNumber<T>> determinant_by_lapack(int64_t n, LapackNumber<T>* matrix) {
  lapack::Lu<LapackNumber<T>> lu;
  lu.factorise(n, matrix);  // false: singular, and a pivot is 0
  Determinant<SmallNumber<T>> found;
  for (int64_t i = 0; i < n; ++i) found.times(static_cast<SmallNumber<T>>(lu.pivot(i)));
  return found;
}

// Gives put(i, the determinant of matrix i). That of a matrix without rows is 1.
template <class T, class Put> void each_determinant(const KernelArgs& args, int64_t count, const Put& put) {
  const Array& x = args.in[0];
  const int64_t n = rows_of(x);
  if (n == 0) {
    for (int64_t i = 0; i < count; ++i) put(i, Determinant<SmallNumber<T>>());
    return;
  }
  const bool is_large = is_for_lapack(x);
  for_matrices(args, count, work(x), [&](int64_t begin, int64_t end) {
    std::vector<LapackNumber<T>> matrix;
    std::vector<SmallNumber<T>> small;
    for (int64_t i = begin; i < end; ++i) {
      const T* from = x.as<T>() + i * n * n;
      if (is_large) {
        read(from, n * n, matrix);
        put(i, determinant_by_lapack<T>(n, matrix.data()));
      } else {
        read(from, n * n, small);
        put(i, determinant(n, small.data()));
      }
    }
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
  auto add = [&](const char* name, auto types, auto make) { kernels.add_each(name, DeviceType::CPU, types, make); };
  const AllFloats floats;
  add("MatrixDeterminant", InexactTypes{}, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_determinant<T>}; });
  add("LogMatrixDeterminant", floats,
      []<class T>(TypeTag<T>) { return KernelEntry{.run = run_log_determinant<T, T>}; });
  add("LogMatrixDeterminant", ComplexTypes{},
      []<class T>(TypeTag<T>) { return KernelEntry{.run = run_log_determinant<T, typename T::Part>}; });
  add("Lu", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_lu<T>}; });
  add("SelfAdjointEig", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_eigh<T>}; });
  add("SelfAdjointEigenvalues", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_eigh<T>}; });
  add("MatrixExponential", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_expm<T>}; });
}

}  // namespace lutra
