// Determinants, LU, eigenvalues of symmetric matrices and exponentials of batches.

#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/lu.h"
#include "kernels/cpu/loops/matrices.h"

namespace lutra {
namespace {

using namespace matrices;

template <class T> dense::Determinant<SmallNumber<T>> determinant_by_lapack(int64_t n, LapackNumber<T>* matrix) {
  lapack::Lu<LapackNumber<T>> lu;
  lu.factorise(n, matrix);  // false: singular, and a pivot is 0
  dense::Determinant<SmallNumber<T>> found;
  for (int64_t i = 0; i < n; ++i) found.times(static_cast<SmallNumber<T>>(lu.pivot(i)));
  return found;
}

// Gives put(i, the determinant of matrix i). That of a matrix without rows is 1.
template <class T, class Put> void each_determinant(const KernelArgs& args, int64_t count, const Put& put) {
  const Array& x = args.in[0];
  const int64_t n = rows_of(x);
  if (n == 0) {
    for (int64_t i = 0; i < count; ++i) put(i, dense::Determinant<SmallNumber<T>>());
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
        put(i, dense::determinant(n, small.data()));
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

template <class T> void run_log_determinant(const KernelArgs& args) {
  using Real = RealOf<T>;
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
      const Number* numbers = numbers_of(x.as<T>() + i * m * n, m * n, matrix);
      T *to_p = args.out[0].as<T>() + i * m * m, *to_l = args.out[1].as<T>() + i * m * k,
        *to_u = args.out[2].as<T>() + i * k * n;
      apply(m, n, numbers, p.numbers(to_p), l.numbers(to_l), u.numbers(to_u));
      p.finish(to_p);
      l.finish(to_l);
      u.finish(to_u);
    }
  });
}

template <class T> void run_lu(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  using Small = SmallNumber<T>;
  const Array& x = args.in[0];
  if (x.size == 0) {
    // Without columns, p is the identity.
    const int64_t m = rows_of(x), count = m == 0 ? 0 : args.out[0].size / (m * m);
    T* p = args.out[0].as<T>();
    for (int64_t i = 0; i < count * m * m; ++i)
      p[i] = static_cast<T>(static_cast<RealOf<T>>(i % (m * m) % (m + 1) == 0 ? 1 : 0));
    return;
  }
  if (is_for_lapack(x)) each_lu<T, Number>(args, lapack::lu<Number>);
  else each_lu<T, Small>(args, dense::lu<Small>);
}

// Calls eigh(n, matrix, w, v) for the matrices [begin, end), until it finds no answer for one. Returns that one's
// index, or end.
template <class T, class Number, class Apply>
int64_t each_eigh(const KernelArgs& args, int64_t begin, int64_t end, const Apply& eigh) {
  using Real = RealOf<T>;
  const int64_t n = rows_of(args.in[0]);
  const bool has_vectors = args.n_out > 1;
  std::vector<Number> matrix;
  Result<Real, RealOf<Number>> w(n);
  Result<T, Number> v(has_vectors ? n * n : 0);
  for (int64_t i = begin; i < end; ++i) {
    read(args.in[0].as<T>() + i * n * n, n * n, matrix);
    Real* to_w = args.out[0].as<Real>() + i * n;
    T* to_v = has_vectors ? args.out[1].as<T>() + i * n * n : nullptr;
    if (!eigh(n, matrix.data(), w.numbers(to_w), has_vectors ? v.numbers(to_v) : nullptr)) return i;
    w.finish(to_w);
    if (has_vectors) v.finish(to_v);
  }
  return end;
}

template <class T> void eigh_by_loops(const KernelArgs& args, int64_t begin, int64_t end) {
  using Number = SmallNumber<T>;
  auto always = [](int64_t n, const Number* a, double* w, Number* v) {
    dense::eigh(n, a, w, v);
    return true;
  };
  each_eigh<T, Number>(args, begin, end, always);
}

// By LAPACK; by loops for matrices for which LAPACK finds no answer.
template <class T> void eigh_by_lapack(const KernelArgs& args, int64_t begin, int64_t end) {
  using Number = LapackNumber<T>;
  auto by_lapack = [](int64_t n, Number* a, RealOf<Number>* w, Number* v) { return lapack::eigh(n, a, w, v); };
  while ((begin = each_eigh<T, Number>(args, begin, end, by_lapack)) < end) {
    eigh_by_loops<T>(args, begin, begin + 1);
    ++begin;
  }
}

template <class T> void run_eigh(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  auto run = is_for_lapack(x) ? eigh_by_lapack<T> : eigh_by_loops<T>;
  for_matrices(args, matrices_in(x), 9 * work(x), [&](int64_t begin, int64_t end) { run(args, begin, end); });
}

template <class T, class Number, class Apply> void each_expm(const KernelArgs& args, const Apply& expm) {
  const Array& x = args.in[0];
  const int64_t n = rows_of(x);
  for_matrices(args, matrices_in(x), 20 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    Result<T, Number> exponential(n * n);
    for (int64_t i = begin; i < end; ++i) {
      T* to = args.out[0].as<T>() + i * n * n;
      expm(n, numbers_of(x.as<T>() + i * n * n, n * n, matrix), exponential.numbers(to));
      exponential.finish(to);
    }
  });
}

template <class T> void run_expm(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  using Small = SmallNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) each_expm<T, Number>(args, lapack::expm<Number>);
  else each_expm<T, Small>(args, dense::expm<Small>);
}

}  // namespace

void register_decompose_cpu(KernelRegistry& kernels) {
  auto add = [&](const char* name, auto types, auto make) { kernels.add_each(name, DeviceType::CPU, types, make); };
  const InexactTypes inexact;
  add("MatrixDeterminant", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_determinant<T>}; });
  add("LogMatrixDeterminant", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_log_determinant<T>}; });
  add("Lu", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_lu<T>}; });
  add("SelfAdjointEig", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_eigh<T>}; });
  add("SelfAdjointEigenvalues", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_eigh<T>}; });
  add("MatrixExponential", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_expm<T>}; });
}

}  // namespace lutra
