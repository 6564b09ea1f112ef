// Factorisations of batches: converts dtypes and finds each matrix. One matrix is factorised by the system's LAPACK
// (kernels/lapack) if there is one and the matrix is large enough, else by kernels/eigen.

#include "kernels/eigen/factorise.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <vector>

#include "kernels/cpu/loops/matrices.h"
#include "kernels/eigen/lu.h"
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
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) each_square<T, Number>(args, lapack::cholesky<Number>);
  else each_square<T, double>(args, cholesky);
}

template <class Number> bool invert(int64_t n, Number* matrix) {
  Lu<Number> lu;
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
  else solve_with<T, SmallNumber<T>, GeneralSolver<SmallNumber<T>, Lu<SmallNumber<T>>>>(args);
}
template <class T> void run_triangular_solve(const KernelArgs& args) {
  using Number = LapackNumber<T>;
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) {
    solve_with<T, Number, TriangularSolver<Number, lapack::solve_triangular<Number>>>(args);
  } else {
    solve_with<T, double, TriangularSolver<double, solve_triangular>>(args);
  }
}

// The exponent of a matrix's largest element, if its square would overflow or underflow; else 0.
template <class Number> int far_exponent(const std::vector<Number>& matrix) {
  constexpr int kFar = std::numeric_limits<Number>::max_exponent * 2 / 5;
  Number most = 0;
  for (Number number : matrix) most = std::max(most, std::fabs(number));
  int exponent = most > 0 && std::isfinite(most) ? std::ilogb(most) : 0;
  return std::abs(exponent) > kFar ? exponent : 0;
}
template <class Number> void times_power_of_two(Number* numbers, int64_t count, int exponent) {
  if (exponent == 0) return;
  for (int64_t i = 0; i < count; ++i) numbers[i] = std::ldexp(numbers[i], exponent);
}

template <class T, class Number, class Apply> void each_qr(const KernelArgs& args, const Apply& qr) {
  const Array& x = args.in[0];
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  for_matrices(args, matrices_in(x), 4 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<Number> matrix;
    Result<T, Number> q(m * k), r(k * n);
    for (int64_t i = begin; i < end; ++i) {
      read(x.as<T>() + i * m * n, m * n, matrix);
      int exponent = far_exponent(matrix);
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
  if (args.in[0].size == 0) return;
  if (is_for_lapack(args.in[0])) each_qr<T, Number>(args, lapack::qr<Number>);
  else each_qr<T, double>(args, qr);
}

// Calls svd(m, n, matrix, u, s, vt) for the matrices [begin, end), until it finds no answer for one. Returns that one's
// index, or end.
template <class T, class Number, class Apply>
int64_t each_svd(const KernelArgs& args, int64_t begin, int64_t end, const Apply& svd) {
  const Array& x = args.in[0];
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  std::vector<Number> matrix;
  Result<T, Number> u(m * k), s(k), vt(k * n);
  for (int64_t i = begin; i < end; ++i) {
    read(x.as<T>() + i * m * n, m * n, matrix);
    T *to_u = args.out[0].as<T>() + i * m * k, *to_s = args.out[1].as<T>() + i * k,
      *to_vt = args.out[2].as<T>() + i * k * n;
    if (!svd(m, n, matrix.data(), u.numbers(to_u), s.numbers(to_s), vt.numbers(to_vt))) return i;
    u.finish(to_u);
    s.finish(to_s);
    vt.finish(to_vt);
  }
  return end;
}

template <class T> void svd_by_eigen(const KernelArgs& args, int64_t begin, int64_t end) {
  each_svd<T, double>(args, begin, end, [](int64_t m, int64_t n, const double* a, double* u, double* s, double* vt) {
    svd(m, n, a, u, s, vt);
    return true;
  });
}

// By LAPACK; by Eigen for matrices for which LAPACK finds no answer: Eigen always finds one.
template <class T, class Number> void svd_by_lapack(const KernelArgs& args, int64_t begin, int64_t end) {
  while ((begin = each_svd<T, Number>(args, begin, end, lapack::svd<Number>)) < end) {
    svd_by_eigen<T>(args, begin, begin + 1);
    ++begin;
  }
}

template <class T> void run_svd(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  auto run = svd_by_eigen<T>;
  if (is_for_lapack(x)) run = svd_by_lapack<T, LapackNumber<T>>;
  else if (is_for_lapack(x, kLeastForLapackSvd)) run = svd_by_lapack<T, double>;
  for_matrices(args, matrices_in(x), 20 * work(x), [&](int64_t begin, int64_t end) { run(args, begin, end); });
}

}  // namespace

void register_factorise_cpu(KernelRegistry& kernels) {
  auto add = [&](const char* name, auto types, auto make) { kernels.add_each(name, DeviceType::CPU, types, make); };
  const AllFloats floats;
  const InexactTypes inexact;
  add("Cholesky", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_cholesky<T>}; });
  add("MatrixInverse", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_inverse<T>}; });
  add("MatrixSolve", inexact, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_solve<T>}; });
  add("MatrixTriangularSolve", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_triangular_solve<T>}; });
  add("Qr", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_qr<T>}; });
  add("Svd", floats, []<class T>(TypeTag<T>) { return KernelEntry{.run = run_svd<T>}; });
}

}  // namespace lutra
