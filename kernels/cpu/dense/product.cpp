#include "kernels/cpu/dense/product.h"

#include <algorithm>
#include <memory>

#include "kernels/cpu/dense/numbers.h"
#include "kernels/cpu/loops/instructions.h"

namespace lutra::dense {
namespace {

// 4 rows of two registers of sums leave registers for b and a's element, with AVX2 too.
constexpr int kRows = 4;
// Of complex numbers, one register has the real parts and another the imaginary ones.
template <class Number> constexpr int kColumns = kInRegister<double>*(kIsComplex<Number> ? 1 : 2);
// A panel of b (kDepth, kColumns) fits the first cache.
constexpr int64_t kDepth = 128;
// From this many rows on, a panel of b is copied: it is read so often that gaps between its rows cost more.
constexpr int64_t kRowsToCopy = 16;

// a's elements for a tile, and a panel of b: of real numbers b_step apart, of complex ones split in parts.
template <class Number> struct Tile {
  int64_t k;
  Block<Number> a;
  const double* b;
  int64_t b_step;
};

template <int rows, bool subtracts> void add_tile(const Tile<double>& tile, double* c, int64_t c_step) {
  using Register = RegisterOf<double>;
  constexpr int kWide = kInRegister<double>;
  Register sum[rows][2];
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    sum[r][0] = load_register(c + r * c_step);
    sum[r][1] = load_register(c + r * c_step + kWide);
  }
  const double *a = tile.a.data, *b = tile.b;
  const int64_t row = tile.a.row, column = tile.a.column, b_step = tile.b_step;
  for (int64_t p = 0; p < tile.k; ++p) {
    const Register first = load_register(b), second = load_register(b + kWide);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const Register x = all_lanes(a[r * row]);
      if constexpr (subtracts) {
        sum[r][0] -= x * first;
        sum[r][1] -= x * second;
      } else {
        sum[r][0] += x * first;
        sum[r][1] += x * second;
      }
    }
    a += column;
    b += b_step;
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
    store_register(sum[r][0], c + r * c_step);
    store_register(sum[r][1], c + r * c_step + kWide);
  }
}

template <int rows, bool subtracts> void add_tile(const Tile<Complex128>& tile, Complex128* c, int64_t c_step) {
  using Register = RegisterOf<double>;
  constexpr int kWide = kInRegister<double>;
  Register re[rows], im[rows];
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int lane = 0; lane < kWide; ++lane) {
      re[r][lane] = c[r * c_step + lane].re;
      im[r][lane] = c[r * c_step + lane].im;
    }
  }
  const Complex128* a = tile.a.data;
  const double* b = tile.b;
  const int64_t row = tile.a.row, column = tile.a.column;
  const double sign = subtracts ? -1 : 1, sign_im = tile.a.is_conjugate ? -sign : sign;
  for (int64_t p = 0; p < tile.k; ++p) {
    const Register b_re = load_register(b), b_im = load_register(b + kWide);
#pragma GCC unroll 4
    for (int r = 0; r < rows; ++r) {
      const Register x = all_lanes(sign * a[r * row].re), y = all_lanes(sign_im * a[r * row].im);
      re[r] += x * b_re - y * b_im;
      im[r] += x * b_im + y * b_re;
    }
    a += column;
    b += 2 * kWide;
  }
#pragma GCC unroll 4
  for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 8
    for (int lane = 0; lane < kWide; ++lane) c[r * c_step + lane] = {re[r][lane], im[r][lane]};
  }
}

template <bool subtracts, class Number>
void add_rows_of_tile(int rows, const Tile<Number>& tile, Number* c, int64_t c_step) {
  switch (rows) {
    case 1: return add_tile<1, subtracts>(tile, c, c_step);
    case 2: return add_tile<2, subtracts>(tile, c, c_step);
    case 3: return add_tile<3, subtracts>(tile, c, c_step);
    default: return add_tile<4, subtracts>(tile, c, c_step);
  }
}

// `columns` of b from column j on, then zeros.
void copy_panel(int64_t k, Block<double> b, int64_t j, int columns, double* panel) {
  constexpr int kWide = kColumns<double>;
  const double* from = b.data + j * b.column;
  for (int64_t p = 0; p < k; ++p, from += b.row, panel += kWide) {
    if (columns == kWide && b.column == 1) {
      for (int i = 0; i < kWide; ++i) panel[i] = from[i];
    } else {
      for (int i = 0; i < columns; ++i) panel[i] = from[i * b.column];
      for (int i = columns; i < kWide; ++i) panel[i] = 0;
    }
  }
}
void copy_panel(int64_t k, Block<Complex128> b, int64_t j, int columns, double* panel) {
  constexpr int kWide = kColumns<Complex128>;
  const Complex128* from = b.data + j * b.column;
  const double sign = b.is_conjugate ? -1 : 1;
  for (int64_t p = 0; p < k; ++p, from += b.row, panel += 2 * kWide) {
    for (int i = 0; i < columns; ++i) {
      panel[i] = from[i * b.column].re;
      panel[kWide + i] = sign * from[i * b.column].im;
    }
    for (int i = columns; i < kWide; ++i) panel[i] = panel[kWide + i] = 0;
  }
}

// The product for at most kDepth terms.
template <bool subtracts, class Number>
void add_terms(int64_t m, int64_t n, int64_t k, Block<Number> a, Block<Number> b, Number* c, int64_t c_step) {
  constexpr int kWide = kColumns<Number>;
  double panel[kDepth * kWide * kParts<Number>];
  for (int64_t j = 0; j < n; j += kWide) {
    const int columns = static_cast<int>(std::min<int64_t>(kWide, n - j));
    Tile<Number> tile{.k = k, .a = a, .b = panel, .b_step = kWide};
    bool is_in_place = false;
    if constexpr (!kIsComplex<Number>) {
      is_in_place = columns == kWide && b.column == 1 && m < kRowsToCopy;
      if (is_in_place) {
        tile.b = b.data + j;
        tile.b_step = b.row;
      }
    }
    if (!is_in_place) copy_panel(k, b, j, columns, panel);
    for (int64_t i = 0; i < m; i += kRows) {
      const int rows = static_cast<int>(std::min<int64_t>(kRows, m - i));
      tile.a.data = a.data + i * a.row;
      Number* to = c + i * c_step + j;
      if (columns == kWide) {
        add_rows_of_tile<subtracts>(rows, tile, to, c_step);
        continue;
      }
      Number part[kRows * kWide] = {};
      for (int r = 0; r < rows; ++r) std::copy_n(to + r * c_step, columns, part + r * kWide);
      add_rows_of_tile<subtracts>(rows, tile, part, int64_t{kWide});
      for (int r = 0; r < rows; ++r) std::copy_n(part + r * kWide, columns, to + r * c_step);
    }
  }
}

template <bool subtracts, class Number>
void add_all(int64_t m, int64_t n, int64_t k, Block<Number> a, Block<Number> b, Number* c, int64_t c_step) {
  // Columns of a large matrix collide in the caches: all begin at multiples of a large power of two.
  const bool copies = a.column != 1 && a.column > 64 && m > 2 * kRows;
  std::unique_ptr<Number[]> copy;
  if (copies) copy = room_for<Number>(m * std::min(k, kDepth));
  for (int64_t p = 0; p < k; p += kDepth) {
    const int64_t depth = std::min(kDepth, k - p);
    Block<Number> part = a, rows = b;
    part.data += p * a.column;
    rows.data += p * b.row;
    if (copies) {
      transpose<false>(depth, m, part.data, part.column, copy.get(), depth);
      part = {copy.get(), depth, 1, a.is_conjugate};
    }
    add_terms<subtracts>(m, n, depth, part, rows, c, c_step);
  }
}

}  // namespace

template <class Number>
void add_product(int64_t m, int64_t n, int64_t k, Block<Number> a, Block<Number> b, Number* c, int64_t c_step) {
  add_all<false>(m, n, k, a, b, c, c_step);
}
template <class Number>
void subtract_product(int64_t m, int64_t n, int64_t k, Block<Number> a, Block<Number> b, Number* c, int64_t c_step) {
  add_all<true>(m, n, k, a, b, c, c_step);
}

template <class Number> void multiply(int64_t n, const Number* a, const Number* b, Number* c) {
  std::fill_n(c, n * n, Number(0));
  add_product<Number>(n, n, n, {a, n}, {b, n}, c, n);
}

template void add_product(int64_t, int64_t, int64_t, Block<double>, Block<double>, double*, int64_t);
template void add_product(int64_t, int64_t, int64_t, Block<Complex128>, Block<Complex128>, Complex128*, int64_t);
template void subtract_product(int64_t, int64_t, int64_t, Block<double>, Block<double>, double*, int64_t);
template void subtract_product(int64_t, int64_t, int64_t, Block<Complex128>, Block<Complex128>, Complex128*, int64_t);
template void multiply(int64_t, const double*, const double*, double*);
template void multiply(int64_t, const Complex128*, const Complex128*, Complex128*);

}  // namespace lutra::dense
