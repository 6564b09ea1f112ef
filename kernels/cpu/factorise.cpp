// Factorisations of batches: converts dtypes and finds each matrix. One matrix is factorised by the system's LAPACK
// (kernels/lapack) if there is one and the matrix is large enough, else by our own loops (kernels/cpu/dense).

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "kernels/cpu/dense/dense.h"
#include "kernels/cpu/dense/lu.h"
#include "kernels/cpu/loops/matrices.h"
#include "kernels/indexing/batch.h"
#include "ops/factorise.h"

namespace lutra {
namespace {

using namespace matrices;

// An op from square matrices to square matrices. apply(n, numbers) computes in place and returns false if the matrix
// has a fault.
template <class T, class Number, class Apply> void each_square(const KernelArgs& args, const Apply& apply) {
  const Array& x = args.in[0];
  int64_t n = rows_of(x), count = matrices_in(x);
  FirstBad bad;
  for_matrices(args, count, work(x), [&](int64_t begin, int64_t end) {
    Result<T, Number> result(n * n);
    for (int64_t i = begin; i < end; ++i) {
      T* to = args.out[0].as<T>() + i * n * n;
      Number* numbers = result.numbers(to);
      read(x.as<T>() + i * n * n, n * n, numbers);
      if (apply(n, numbers)) {
        result.finish(to);
      } else {
        write_nan(to, n * n);
        bad.tell(i);
      }
    }
  });
  bad.raise(args, count);
}

template <class T> void run_cholesky(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  using Small = SmallNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) each_square<T, Number>(args, lapack::cholesky<Number>);
  else each_square<T, Small>(args, dense::cholesky<Small>);
}

template <class Number> bool invert(int64_t n, Number* matrix) {
  dense::Lu<Number> lu;
  if (!lu.factorise(n, matrix)) return false;
  lu.invert(matrix);
  return true;
}

template <class T> void run_inverse(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) each_square<T, Number>(args, lapack::invert<Number>);
  else each_square<T, SmallNumber<T>>(args, invert<SmallNumber<T>>);
}
// Solves with each matrix of a batch that broadcasts. `start` prepares a matrix, which must stay where it is, and
// returns whether it can be solved with; `solve(columns, b)` solves. A matrix that serves several results in a row is
// prepared once.
template <class T, class Number, class Solver> void solve_with(const KernelArgs& args) {
  const Array& a = args.in[0];
  const Array& b = args.in[1];
  const Array& out = args.out[0];
  int64_t n = rows_of(a);
  bool is_vector = b.rank == 1;
  int64_t columns = is_vector ? 1 : columns_of(b);
  int batch_rank = out.rank - (is_vector ? 1 : 2);
  int64_t count = 1;
  for (int axis = 0; axis < batch_rank; ++axis) count *= out.dims[axis];
  Batch batch_a(a, out.dims, batch_rank), batch_b(b, out.dims, batch_rank);
  FirstBad bad;
  for_matrices(args, count, work(a), [&](int64_t begin, int64_t end) {
    Solver solver(args);
    std::vector<Number> matrix;
    Result<T, Number> result(n * columns);
    int64_t known = -1;
    bool is_good = false;
    for (int64_t i = begin; i < end; ++i) {
      int64_t at = batch_a.offset(i);
      if (at != known) {
        read(a.as<T>() + at, n * n, matrix);
        is_good = solver.start(n, matrix.data());
        known = at;
      }
      T* to = out.as<T>() + i * n * columns;
      if (!is_good) {
        write_nan(to, n * columns);
        bad.tell(at / (n * n));
        continue;
      }
      Number* numbers = result.numbers(to);
      read(b.as<T>() + batch_b.offset(i), n * columns, numbers);
      solver.solve(columns, numbers);
      result.finish(to);
    }
  });
  bad.raise(args, matrices_in(a));
}

template <class Number, class Lu> class GeneralSolver {
 public:
  explicit GeneralSolver(const KernelArgs& args) : adjoint_(args.as<SolveAttrs>().adjoint) {}
  bool start(int64_t n, Number* matrix) { return lu_.factorise(n, matrix); }
  void solve(int64_t columns, Number* b) const { lu_.solve(columns, b, adjoint_); }

 private:
  Lu lu_;
  bool adjoint_;
};

template <class Number, auto solve_triangular> class TriangularSolver {
 public:
  explicit TriangularSolver(const KernelArgs& args) : attrs_(args.as<TriangularAttrs>()) {}
  bool start(int64_t n, const Number* matrix) {
    n_ = n;
    matrix_ = matrix;
    return true;
  }
  void solve(int64_t columns, Number* b) const {
    solve_triangular(n_, matrix_, attrs_.lower, attrs_.adjoint, columns, b);
  }

 private:
  TriangularAttrs attrs_;
  int64_t n_ = 0;
  const Number* matrix_ = nullptr;
};

template <class T> void run_solve(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) solve_with<T, Number, GeneralSolver<Number, lapack::Lu<Number>>>(args);
  else solve_with<T, SmallNumber<T>, GeneralSolver<SmallNumber<T>, dense::Lu<SmallNumber<T>>>>(args);
}
template <class T> void run_triangular_solve(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  using Small = SmallNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) {
    solve_with<T, Number, TriangularSolver<Number, lapack::solve_triangular<Number>>>(args);
  } else {
    solve_with<T, Small, TriangularSolver<Small, dense::solve_triangular<Small>>>(args);
  }
}

// The exponent of a matrix's largest element, if its square would overflow or underflow; else 0.
template <class Real> int far_exponent(const Real* numbers, int64_t count) {
  constexpr int kFar = std::numeric_limits<Real>::max_exponent * 2 / 5;
  Real most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, std::fabs(numbers[i]));
  int exponent = most > 0 && std::isfinite(most) ? std::ilogb(most) : 0;
  return std::abs(exponent) > kFar ? exponent : 0;
}
template <class Real> void times_power_of_two(Real* numbers, int64_t count, int exponent) {
  if (exponent == 0) return;
  for (int64_t i = 0; i < count; ++i) numbers[i] = std::ldexp(numbers[i], exponent);
}
// Of complex numbers, for each part.
template <class Real> int far_exponent(const Complex<Real>* numbers, int64_t count) {
  return far_exponent(reinterpret_cast<const Real*>(numbers), 2 * count);
}
template <class Real> void times_power_of_two(Complex<Real>* numbers, int64_t count, int exponent) {
  times_power_of_two(reinterpret_cast<Real*>(numbers), 2 * count, exponent);
}

template <class T, class Number, class Apply> void each_qr(const KernelArgs& args, const Apply& qr) {
  const Array& x = args.in[0];
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  for_matrices(args, matrices_in(x), 4 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    Result<T, Number> q(m * k), r(k * n);
    for (int64_t i = begin; i < end; ++i) {
      read(x.as<T>() + i * m * n, m * n, matrix);
      int exponent = far_exponent(matrix.data(), m * n);
      times_power_of_two(matrix.data(), m * n, -exponent);
      T *to_q = args.out[0].as<T>() + i * m * k, *to_r = args.out[1].as<T>() + i * k * n;
      qr(m, n, matrix.data(), q.numbers(to_q), r.numbers(to_r));
      times_power_of_two(r.numbers(to_r), k * n, exponent);
      q.finish(to_q);
      r.finish(to_r);
    }
  });
}

template <class T> void run_qr(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  using Small = SmallNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) each_qr<T, Number>(args, lapack::qr<Number>);
  else each_qr<T, Small>(args, dense::qr<Small>);
}

// Calls svd(m, n, matrix, u, s, vh) for the matrices [begin, end), until it finds no answer for one. Returns that one's
// index, or end.
template <class T, class Number, class Apply>
int64_t each_svd(const KernelArgs& args, int64_t begin, int64_t end, const Apply& svd) {
  using Real = RealOf<T>;
  const Array& x = args.in[0];
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  std::vector<Number> matrix;
  Result<T, Number> u(m * k), vh(k * n);
  Result<Real, RealOf<Number>> s(k);
  for (int64_t i = begin; i < end; ++i) {
    read(x.as<T>() + i * m * n, m * n, matrix);
    T *to_u = args.out[0].as<T>() + i * m * k, *to_vh = args.out[2].as<T>() + i * k * n;
    Real* to_s = args.out[1].as<Real>() + i * k;
    if (!svd(m, n, matrix.data(), u.numbers(to_u), s.numbers(to_s), vh.numbers(to_vh))) return i;
    u.finish(to_u);
    s.finish(to_s);
    vh.finish(to_vh);
  }
  return end;
}

template <class T> void svd_by_loops(const KernelArgs& args, int64_t begin, int64_t end) {
  using Number = SmallNumber<T>;
  auto always = [](int64_t m, int64_t n, const Number* a, Number* u, double* s, Number* vh) {
    dense::svd(m, n, a, u, s, vh);
    return true;
  };
  each_svd<T, Number>(args, begin, end, always);
}

// By LAPACK; by loops for matrices for which LAPACK finds no answer.
template <class T, class Number> void svd_by_lapack(const KernelArgs& args, int64_t begin, int64_t end) {
  auto by_lapack = [](int64_t m, int64_t n, Number* a, Number* u, RealOf<Number>* s, Number* vh) {
    return lapack::svd(m, n, a, u, s, vh);
  };
  while ((begin = each_svd<T, Number>(args, begin, end, by_lapack)) < end) {
    svd_by_loops<T>(args, begin, begin + 1);
    ++begin;
  }
}

template <class T> void run_svd(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  auto run = svd_by_loops<T>;
  if (is_for_lapack(x)) run = svd_by_lapack<T, LapackNumber<T>>;
  else if (is_for_lapack(x, kLeastForLapackSvd)) run = svd_by_lapack<T, SmallNumber<T>>;
  for_matrices(args, matrices_in(x), 20 * work(x), [&](int64_t begin, int64_t end) { run(args, begin, end); });
}

}  // namespace

void register_factorise_cpu(KernelRegistry& kernels) {
  auto add = [&](const char* name, auto types, auto make) { kernels.add_each(name, DeviceType::CPU, types, make); };
  const InexactTypes inexact;
  add("Cholesky", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_cholesky<T>}; });
  add("MatrixInverse", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_inverse<T>}; });
  add("MatrixSolve", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_solve<T>}; });
  add("MatrixTriangularSolve", inexact,
      []<class T>(TypeTag<T>) { return KernelEntry{.run = run_triangular_solve<T>}; });
  add("Qr", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_qr<T>}; });
  add("Svd", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_svd<T>}; });
}

}  // namespace lutra
