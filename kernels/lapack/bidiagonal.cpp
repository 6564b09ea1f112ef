#include "kernels/lapack/bidiagonal.h"

#include <algorithm>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"
#include "kernels/lapack/reduction.h"

namespace lutra::lapack {
namespace {

template <class T> class Reduction {
 public:
  explicit Reduction(Bidiagonal<T>& b)
      : b_(b),
        m_(b.q.rows),
        n_(b.q.count),
        step_(b.q.step),
        step_p_(b.p.step),
        a_(b.q.vectors.data()),
        left_(step_ * 2 * kPanel),
        right_(step_p_ * 2 * kPanel),
        row_(step_p_),
        fix_(step_p_),
        products_(step_ * kMostPieces) {}

  void run() {
    for (int64_t begin = 0; begin < n_ && !StopRequest::is_wanted(); begin += kPanel) {
      const int64_t end = std::min(begin + kPanel, n_);
      for (int64_t i = begin; i < end; ++i) reduce(i, i - begin);
      update(end, end - begin);
    }
  }

 private:
  // The panel's `done` steps before this one have left columns for which the matrix is what a_ has, minus
  // left_ right_^T.
  void reduce(int64_t i, int64_t done) {
    T* column = a_ + i * step_;
    T factors[2 * kPanel + kTogether] = {};
    auto factors_of_row = [&](const T* of, int64_t step, int64_t count) {
      std::fill(std::begin(factors), std::end(factors), T(0));
      for (int64_t k = 0; k < count; ++k) factors[k] = -of[k * step + i];
    };
    factors_of_row(right_.data(), step_p_, 2 * done);
    add_panel(left_.data(), step_, i, m_, 2 * done, factors, column);
    std::fill(column, column + i, T(0));
    T scale;
    const T factor = b_.q.factors[at(i)] = reflect(column[i], column + i + 1, m_ - i - 1, b_.diagonal[at(i)], scale);
    T *v = left_.data() + 2 * done * step_, *x = v + step_, *y = right_.data() + 2 * done * step_p_, *u = y + step_p_;
    std::copy_n(column, step_, v);
    // What is to be subtracted from row i beside the diagonal.
    T* row = row_.data();
    std::fill_n(row, step_p_, T(0));
    factors_of_row(left_.data(), step_, 2 * done);
    add_panel(right_.data(), step_p_, i + 1, n_, 2 * done, factors, row);
    std::fill(row, row + i + 1, T(0));
    // What is to be subtracted from v^T A.
    T* fix = fix_.data();
    std::fill_n(fix, step_p_, T(0));
    dots_of_panel(left_.data(), step_, i, m_, 2 * done, v, factors);
    add_panel(right_.data(), step_p_, i + 1, n_, 2 * done, factors, fix);
    multiply(i, factor, v, fix, row, y, x);
    // x is A times the row, and will be A u.
    std::copy_n(row, step_p_, u);
    std::fill(u, u + std::min(i + 1, n_), T(0));
    if (i + 1 == n_) return;
    const T* next = a_ + (i + 1) * step_;
    const T factor_p = b_.p.factors[at(i)] = reflect(u[i + 1], u + i + 2, n_ - i - 2, b_.above[at(i)], scale);
    std::copy_n(u, step_p_, b_.p.vectors.data() + i * step_p_);
    for (int64_t r = i + 1; r < m_; ++r) x[r] = factor_p == 0 ? T(0) : (x[r] - b_.above[at(i)] * next[r]) * scale;
    dots_of_panel(right_.data(), step_p_, i + 1, n_, 2 * done + 1, u, factors);
    add_panel(left_.data(), step_, i + 1, m_, 2 * done + 1, factors, x);
    std::fill(x, x + i + 1, T(0));
    for (int64_t r = i + 1; r < m_; ++r) x[r] *= factor_p;
  }

  // to += the first `count` of the panel's columns times their factors, from row `begin` on, and some before it.
  void add_panel(const T* panel, int64_t step, int64_t begin, int64_t end, int64_t count, const T* factors, T* to) {
    if (count == 0 || begin >= end) return;
    begin = begin / kInRegister<T> * kInRegister<T>;
    const int64_t rows = whole_registers<T>(end - begin);
    parallel_for(rows, 1 + kPieceOfProduct / count, 64, [&](int64_t first, int64_t last) {
      for (int64_t k = 0; k < count; k += kTogether) {
        add_columns(last - first, panel + k * step + begin + first, step, factors + k, to + begin + first);
      }
    });
  }

  // factors = minus the first `count` of the panel's columns times the vector, which is 0 before row `begin`.
  void dots_of_panel(const T* panel, int64_t step, int64_t begin, int64_t end, int64_t count, const T* vector,
                     T* factors) {
    begin = begin / kInRegister<T> * kInRegister<T>;
    for (int64_t k = 0; k < count; k += kTogether) {
      T sums[kTogether];
      dots(whole_registers<T>(end - begin), panel + k * step + begin, step, vector + begin, sums);
      for (int64_t j = 0; j < kTogether; ++j) factors[k + j] = k + j < count ? -sums[j] : T(0);
    }
  }

  // For the columns behind i: y = factor (A^T v + fix), row += row i of A - y, and x = A row.
  void multiply(int64_t i, T factor, const T* v, const T* fix, T* row, T* y, T* x) {
    const int64_t first_row = i / kInRegister<T> * kInRegister<T>, rows = whole_registers<T>(m_ - first_row);
    const int64_t first_column = (i + 1) / kTogether * kTogether, columns = whole_registers<T>(n_ - first_column);
    const int64_t pieces = std::clamp<int64_t>(rows * columns / kPieceOfProduct, 1, kMostPieces);
    const int64_t length = (columns / kTogether + pieces - 1) / pieces * kTogether;
    std::fill_n(y, step_p_, T(0));
    parallel_for(pieces, pieces < kPiecesOfThreads ? pieces : 1, [&](int64_t begin, int64_t end) {
      for (int64_t piece = begin; piece < end; ++piece) {
        T* product = products_.data() + piece * step_ + first_row;
        std::fill_n(product, rows, T(0));
        const int64_t last = std::min(first_column + (piece + 1) * length, whole_columns());
        for (int64_t j = first_column + piece * length; j < last; j += kTogether) {
          const T* group = a_ + j * step_ + first_row;
          T sums[kTogether];
          dots(rows, group, step_, v + first_row, sums);
          for (int64_t k = 0; k < kTogether; ++k) {
            if (j + k <= i || j + k >= n_) continue;
            y[j + k] = factor * (sums[k] + fix[j + k]);
            row[j + k] += group[k * step_ + i - first_row] - y[j + k];
          }
          add_columns(rows, group, step_, row + j, product);
        }
      }
    });
    std::copy_n(products_.data() + first_row, rows, x + first_row);
    for (int64_t piece = 1; piece < pieces; ++piece) {
      const T* product = products_.data() + piece * step_;
      for (int64_t r = first_row; r < first_row + rows; ++r) x[r] += product[r];
    }
  }

  // The rows and columns behind the panel of `width` steps.
  void update(int64_t next, int64_t width) {
    const int rows = static_cast<int>(m_ - next), depth = static_cast<int>(2 * width), step = static_cast<int>(step_),
              step_p = static_cast<int>(step_p_);
    if (rows == 0) return;
    for_pieces_of(64, n_ - next, 2 * width * rows, [&](int64_t begin, int64_t end) {
      const int count = static_cast<int>(end - begin);
      const T minus = -1, one = 1;
      functions<T>().gemm("N", "T", &rows, &count, &depth, &minus, left_.data() + next, &step,
                          right_.data() + next + begin, &step_p, &one, a_ + (next + begin) * step_ + next, &step, 1, 1);
    });
  }

  int64_t whole_columns() const { return whole_registers<T>(n_); }
  static std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

  Bidiagonal<T>& b_;
  const int64_t m_, n_, step_, step_p_;
  T* const a_;
  // v and x, y and u of each of the panel's steps; a row of the matrix; what corrects a product; pieces of a product.
  AlignedNumbers<T> left_, right_, row_, fix_, products_;
};

}  // namespace

template <class T> void bidiagonalise(Bidiagonal<T>& b) { Reduction<T>(b).run(); }

template void bidiagonalise(Bidiagonal<float>&);
template void bidiagonalise(Bidiagonal<double>&);

}  // namespace lutra::lapack
