// Factorisations of batches: dtypes in and out, which matrix goes where; one matrix is kernels/eigen's.

#include "kernels/eigen/factorise.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>
#include <vector>

#include "kernels/cpu/batch.h"
#include "kernels/cpu/elementwise.h"
#include "ops/factorise.h"

namespace lutra {
namespace {

int64_t rows_of(const Array& x) { return x.dims[x.rank - 2]; }
int64_t columns_of(const Array& x) { return x.dims[x.rank - 1]; }
int64_t matrices_in(const Array& x) { return x.size / (rows_of(x) * columns_of(x)); }

template <class T> void read(const T* from, int64_t count, std::vector<double>& to) {
  to.resize(static_cast<std::size_t>(count));
  for (int64_t i = 0; i < count; ++i) to[static_cast<std::size_t>(i)] = static_cast<double>(from[i]);
}
template <class T> void write(const std::vector<double>& from, T* to) {
  using C = ComputeType<T>;
  for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<T>(static_cast<C>(from[i]));
}
template <class T> void write_nan(T* to, int64_t count) {
  std::fill(to, to + count, static_cast<T>(__builtin_nanf("")));
}

// The first of a batch's matrices that something is wrong with, whichever thread meets it.
class FirstBad {
 public:
  void tell(int64_t matrix) {
    int64_t before = matrix_.load();
    while (matrix < before && !matrix_.compare_exchange_weak(before, matrix)) {
    }
  }
  void raise(const KernelArgs& args, int64_t count) const {
    if (matrix_.load() != INT64_MAX) args.fault->raise(FaultCode::WrongValue, matrix_.load() + 1, count);
  }

 private:
  std::atomic<int64_t> matrix_{INT64_MAX};
};

// each(begin, end) for ranges of `count` matrices, each of about `cost` operations. Memory that Eigen does not get is a
// fault; what stands in the results then is of no matter.
template <class Each> void for_matrices(const KernelArgs& args, int64_t count, double cost, const Each& each) {
  int64_t grain = 1 + static_cast<int64_t>(static_cast<double>(kCheapGrain) / (cost + 16));
  std::atomic<bool> is_short{false};
  parallel_for(count, grain, [&](int64_t begin, int64_t end) {
    try {
      each(begin, end);
    } catch (const std::bad_alloc&) {
      is_short = true;
    }
  });
  if (is_short) args.fault->raise(FaultCode::OutOfMemory);
}

double work(const Array& x) {
  return static_cast<double>(rows_of(x)) * static_cast<double>(columns_of(x)) *
         static_cast<double>(std::min(rows_of(x), columns_of(x)));
}

// An op from square matrices to square matrices: apply(n, elements) in place, false if something is wrong with them.
template <class T, class Apply> void each_square(const KernelArgs& args, const Apply& apply) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  int64_t n = rows_of(x), count = matrices_in(x);
  FirstBad bad;
  for_matrices(args, count, work(x), [&](int64_t begin, int64_t end) {
    std::vector<double> matrix;
    for (int64_t i = begin; i < end; ++i) {
      read(x.as<T>() + i * n * n, n * n, matrix);
      T* to = args.out[0].as<T>() + i * n * n;
      if (apply(n, matrix)) {
        write(matrix, to);
      } else {
        write_nan(to, n * n);
        bad.tell(i);
      }
    }
  });
  bad.raise(args, count);
}

template <class T> void run_cholesky(const KernelArgs& args) {
  each_square<T>(args, [](int64_t n, std::vector<double>& matrix) { return cholesky(n, matrix.data()); });
}

template <class T> void run_inverse(const KernelArgs& args) {
  each_square<T>(args, [](int64_t n, std::vector<double>& matrix) {
    Lu lu;
    if (!lu.factorise(n, matrix.data())) return false;
    lu.invert(matrix.data());
    return true;
  });
}

// Solves with each matrix of a batch that broadcasts. `start` looks at a matrix and says whether it can be solved with,
// `solve(columns, b)` does it. A matrix that several results want in a row is looked at once.
template <class T, class Solver> void run_solve_with(const KernelArgs& args) {
  const Array& a = args.in[0];
  const Array& b = args.in[1];
  const Array& out = args.out[0];
  int64_t n = rows_of(a);
  if (a.size == 0) return;
  bool is_vector = b.rank == 1;
  int64_t columns = is_vector ? 1 : columns_of(b);
  int batch_rank = out.rank - (is_vector ? 1 : 2);
  int64_t count = 1;
  for (int axis = 0; axis < batch_rank; ++axis) count *= out.dims[axis];
  Batch batch_a(a, out.dims, batch_rank), batch_b(b, out.dims, batch_rank);
  FirstBad bad;
  for_matrices(args, count, work(a), [&](int64_t begin, int64_t end) {
    Solver solver(args);
    std::vector<double> matrix, rhs;
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
      read(b.as<T>() + batch_b.offset(i), n * columns, rhs);
      solver.solve(columns, rhs.data());
      write(rhs, to);
    }
  });
  bad.raise(args, matrices_in(a));
}

class GeneralSolver {
 public:
  explicit GeneralSolver(const KernelArgs& args) : adjoint_(args.as<SolveAttrs>().adjoint) {}
  bool start(int64_t n, const double* matrix) { return lu_.factorise(n, matrix); }
  void solve(int64_t columns, double* b) const { lu_.solve(columns, b, adjoint_); }

 private:
  Lu lu_;
  bool adjoint_;
};

class TriangularSolver {
 public:
  explicit TriangularSolver(const KernelArgs& args) : attrs_(args.as<TriangularAttrs>()) {}
  bool start(int64_t n, const double* matrix) {
    n_ = n;
    matrix_ = matrix;
    return true;
  }
  void solve(int64_t columns, double* b) const {
    solve_triangular(n_, matrix_, attrs_.lower, attrs_.adjoint, columns, b);
  }

 private:
  TriangularAttrs attrs_;
  int64_t n_ = 0;
  const double* matrix_ = nullptr;
};

// The exponent of a matrix's largest element, where squares of it are more or less than a double holds; else 0.
int far_exponent(const std::vector<double>& matrix) {
  double most = 0;
  for (double number : matrix) most = std::max(most, std::fabs(number));
  int exponent = most > 0 && std::isfinite(most) ? std::ilogb(most) : 0;
  return std::abs(exponent) > 400 ? exponent : 0;
}
void times_power_of_two(std::vector<double>& matrix, int exponent) {
  if (exponent == 0) return;
  for (double& number : matrix) number = std::ldexp(number, exponent);
}

template <class T> void run_qr(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  for_matrices(args, matrices_in(x), 4 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<double> matrix, q(static_cast<std::size_t>(m * k)), r(static_cast<std::size_t>(k * n));
    for (int64_t i = begin; i < end; ++i) {
      read(x.as<T>() + i * m * n, m * n, matrix);
      int exponent = far_exponent(matrix);
      times_power_of_two(matrix, -exponent);
      qr(m, n, matrix.data(), q.data(), r.data());
      times_power_of_two(r, exponent);
      write(q, args.out[0].as<T>() + i * m * k);
      write(r, args.out[1].as<T>() + i * k * n);
    }
  });
}

template <class T> void run_svd(const KernelArgs& args) {
  const Array& x = args.in[0];
  if (x.size == 0) return;
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  for_matrices(args, matrices_in(x), 20 * work(x), [&](int64_t begin, int64_t end) {
    std::vector<double> matrix, u(static_cast<std::size_t>(m * k)), s(static_cast<std::size_t>(k)),
        vt(static_cast<std::size_t>(k * n));
    for (int64_t i = begin; i < end; ++i) {
      read(x.as<T>() + i * m * n, m * n, matrix);
      svd(m, n, matrix.data(), u.data(), s.data(), vt.data());
      write(u, args.out[0].as<T>() + i * m * k);
      write(s, args.out[1].as<T>() + i * k);
      write(vt, args.out[2].as<T>() + i * k * n);
    }
  });
}

}  // namespace

void register_factorise_cpu(KernelRegistry& kernels) {
  auto add = [&](const char* name, auto make) { kernels.add_each(name, DeviceType::CPU, AllFloats{}, make); };
  add("Cholesky", []<class Tag>(Tag) { return KernelEntry{.run = run_cholesky<typename Tag::type>}; });
  add("MatrixInverse", []<class Tag>(Tag) { return KernelEntry{.run = run_inverse<typename Tag::type>}; });
  add("MatrixSolve",
      []<class Tag>(Tag) { return KernelEntry{.run = run_solve_with<typename Tag::type, GeneralSolver>}; });
  add("MatrixTriangularSolve",
      []<class Tag>(Tag) { return KernelEntry{.run = run_solve_with<typename Tag::type, TriangularSolver>}; });
  add("Qr", []<class Tag>(Tag) { return KernelEntry{.run = run_qr<typename Tag::type>}; });
  add("Svd", []<class Tag>(Tag) { return KernelEntry{.run = run_svd<typename Tag::type>}; });
}

}  // namespace lutra
