#include "kernels/lapack/tridiagonal.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/lapack/library.h"
#include "kernels/lapack/pieces.h"
#include "kernels/lapack/reduction.h"

namespace lutra::lapack {
namespace {

template <class T> class Reduction {
 public:
  Reduction(Tridiagonal<T>& result)
      : r_(result),
        n_(r_.q.rows),
        step_(r_.q.step),
        a_(r_.q.vectors.data()),
        panel_(step_ * 2 * kPanel),
        swapped_(step_ * 2 * kPanel),
        products_(step_ * kMostPieces) {}

  void run() {
    for (int64_t end = n_; end > 1 && !StopRequest::is_wanted(); end -= kPanel) {
      const int64_t begin = std::max<int64_t>(end - kPanel, 1);
      for (int64_t i = end - 1; i >= begin; --i) reduce_column(i, end - 1 - i);
      update(begin, end - begin);
    }
    r_.diagonal[0] = a_[0];
  }

 private:
  // Column i of the upper triangle; the `done` columns before it in the panel have left theirs.
  void reduce_column(int64_t i, int64_t done) {
    T *column = a_ + i * step_, *panel = panel_.data(), *v = panel + 2 * done * step_, *w = v + step_;
    T factors[2 * kPanel + kTogether] = {};
    for (int64_t k = 0; k < done; ++k) {
      factors[2 * k] = -panel[(2 * k + 1) * step_ + i];
      factors[2 * k + 1] = -panel[2 * k * step_ + i];
    }
    add_panel(i + 1, done, factors, column);
    r_.diagonal[at(i)] = column[i];
    T scale;
    const T factor = r_.q.factors[at(i)] = reflect(column[i - 1], column, i - 1, r_.beside[at(i - 1)], scale);
    std::fill(column + i, column + whole_registers<T>(i + 1), T(0));
    std::copy_n(column, whole_registers<T>(i), v);
    // w = factor p - factor^2 (p^T v) / 2 v, where p = A v, the panel's share subtracted.
    multiply(i, done, column, w, factors);
    add_panel(i, done, factors, w);
    std::fill(w + i, w + whole_registers<T>(i), T(0));
    T sums[kTogether];
    dots(whole_registers<T>(i), v, 0, w, sums);  // all of v
    const T along = factor * factor * sums[0] / 2;
    for (int64_t row = 0; row < i; ++row) w[row] = factor * w[row] - along * v[row];
  }

  // y += the panel's columns times their factors
  void add_panel(int64_t rows, int64_t done, const T* factors, T* y) {
    if (done == 0) return;
    parallel_for(whole_registers<T>(rows), 1 + kPieceOfProduct / (2 * done), 64, [&](int64_t begin, int64_t end) {
      for (int64_t k = 0; k < 2 * done; k += kTogether) {
        add_columns(end - begin, panel_.data() + k * step_ + begin, step_, factors + k, y + begin);
      }
    });
  }

  // w = A v for the leading i columns, and the factors of the panel's columns that correct it.
  void multiply(int64_t i, int64_t done, const T* v, T* w, T* factors) {
    const int64_t pieces = std::clamp<int64_t>(i * i / 2 / kPieceOfProduct, 1, kMostPieces),
                  rows = whole_registers<T>(i);
    auto begin_of = [&](int64_t piece) {
      if (piece == pieces) return rows;
      const double area = static_cast<double>(piece) / static_cast<double>(pieces);
      return whole_registers<T>(static_cast<int64_t>(static_cast<double>(i) * std::sqrt(area)));
    };
    const int64_t jobs = pieces + (pieces > 1 && done > 0);
    auto dots_of_panel = [&] {
      for (int64_t k = 0; k < 2 * done; k += kTogether) {
        T sums[kTogether];
        dots(rows, panel_.data() + k * step_, step_, v, sums);
        for (int64_t j = 0; j < kTogether && k + j < 2 * done; ++j) factors[(k + j) ^ 1] = -sums[j];
      }
    };
    parallel_for(jobs, pieces < kPiecesOfThreads ? jobs : 1, [&](int64_t first, int64_t last) {
      for (int64_t job = first; job < last; ++job) {
        if (job == pieces) dots_of_panel();
        else multiply_columns(begin_of(job), begin_of(job + 1), v, products_.data() + job * step_);
      }
    });
    if (jobs == pieces) dots_of_panel();
    std::copy_n(products_.data(), begin_of(1), w);
    for (int64_t piece = 1; piece < pieces; ++piece) {
      const int64_t before = begin_of(piece);
      const T* product = products_.data() + piece * step_;
      for (int64_t row = 0; row < before; ++row) w[row] += product[row];
      std::copy(product + before, product + begin_of(piece + 1), w + before);
    }
  }

  // y = what the columns [begin, end) of the upper triangle, and the rows that mirror them, add to A v. A register that
  // begins above the diagonal ends below it: A has zeros there.
  void multiply_columns(int64_t begin, int64_t end, const T* v, T* y) {
    std::fill(y, y + end, T(0));
    for (int64_t j = begin; j < end; j += kTogether) {
      const T* columns = a_ + j * step_;
      T sums[kTogether];
      add_columns_and_dots(whole_registers<T>(j + kTogether), columns, step_, v + j, y, v, sums);
      // The diagonal's part is in both.
      for (int64_t k = 0; k < kTogether; ++k) y[j + k] += sums[k] - columns[k * step_ + j + k] * v[j + k];
    }
  }

  // The columns before the panel of `width` columns.
  void update(int64_t columns, int64_t width) {
    const T* panel = panel_.data();
    T* swapped = swapped_.data();
    for (int64_t k = 0; k < 2 * width; ++k) std::copy_n(panel + k * step_, columns, swapped + (k ^ 1) * step_);
    for_pieces_of(64, columns, width * columns, [&](int64_t begin, int64_t end) {
      const int rows = static_cast<int>(end), count = static_cast<int>(end - begin),
                depth = static_cast<int>(2 * width), step = static_cast<int>(step_);
      const T minus = -1, one = 1;
      functions<T>().gemm("N", "T", &rows, &count, &depth, &minus, panel, &step, swapped + begin, &step, &one,
                          a_ + begin * step_, &step, 1, 1);
      clear_below(begin, end);
    });
  }

  void clear_below(int64_t begin, int64_t end) {
    for (int64_t j = begin; j < end; ++j) {
      T* column = a_ + j * step_;
      std::fill(column + j + 1, column + whole_registers<T>(j + 1), T(0));
    }
  }

  static std::size_t at(int64_t i) { return static_cast<std::size_t>(i); }

  Tridiagonal<T>& r_;
  const int64_t n_, step_;
  T* const a_;
  // v and w of each of the panel's columns; w and v of each; the pieces of a product with a vector.
  AlignedNumbers<T> panel_, swapped_, products_;
};

}  // namespace

template <class T> Tridiagonal<T> tridiagonalise(int64_t n, const T* a, int exponent) {
  const auto count = static_cast<std::size_t>(n);
  Tridiagonal<T> result{{n, n, false}, std::vector<T>(count), std::vector<T>(count)};
  T* columns = result.q.vectors.data();
  const int64_t step = result.q.step;
  const PowerOfTwo<T> power(exponent);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i <= j; ++i) columns[j * step + i] = power.times(a[j * n + i]);
  }
  Reduction<T>(result).run();
  std::fill(columns, columns + step, T(0));
  for (int64_t j = 1; j < n; ++j) std::fill(columns + j * step + j, columns + (j + 1) * step, T(0));
  return result;
}

template Tridiagonal<float> tridiagonalise(int64_t, const float*, int);
template Tridiagonal<double> tridiagonalise(int64_t, const double*, int);
}  // namespace lutra::lapack
