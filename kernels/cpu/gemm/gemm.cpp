#include "kernels/cpu/gemm/gemm.h"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "core/stop_request.h"
#include "kernels/cpu/gemm/gemm_tile.h"
#include "kernels/cpu/gemm/gemm_tiles.h"
#include "kernels/cpu/gemm/onednn_gemm.h"
#include "kernels/cpu/loops/reduce.h"

namespace lutra {
namespace {

// Up to here a few plain loops are faster than calling oneDNN, whose first call also compiles for milliseconds.
constexpr double kSmallProduct = 4096;

// Rows of b and columns of c that are computed together: the panel of b stays in the L2 cache.
constexpr int64_t kPanelDepth = 128;
constexpr int64_t kPanelColumns = 256;

// Adds the lanes up in pairs. Each step has an array of its own, which stays in registers.
template <class T> [[gnu::always_inline]] inline double sum_of_lanes(const T* lanes) {
  static_assert(kLanes == 32);
  double sixteen[16], eight[8], four[4];
  for (int l = 0; l < 16; ++l) sixteen[l] = static_cast<double>(lanes[l]) + static_cast<double>(lanes[l + 16]);
  for (int l = 0; l < 8; ++l) eight[l] = sixteen[l] + sixteen[l + 8];
  for (int l = 0; l < 4; ++l) four[l] = eight[l] + eight[l + 4];
  return (four[0] + four[2]) + (four[1] + four[3]);
}

// Terms of an inner product that are added up in T, 128 in a lane. Blocks are added up in double.
constexpr int64_t kDotBlock = 4 * kBlock;
// In whole blocks, how many terms ahead to prefetch, where reading in one place is best (loops/reduce.h).
constexpr int64_t kDotAhead = 512;

// The sum of four products of elements kLanes apart.
template <class T> [[gnu::always_inline]] inline T four_products(const T* x, const T* y) {
  auto pair = [=](int64_t i) { return x[i * kLanes] * y[i * kLanes] + x[(i + 1) * kLanes] * y[(i + 1) * kLanes]; };
  return pair(0) + pair(2);
}

// The inner product of n <= kDotBlock neighbouring elements.
template <class T> [[gnu::always_inline]] inline double dot_block(const T* x, const T* y, int64_t n) {
  int64_t done = 0;
  T lanes[kLanes] = {};
  for (; done + kStep <= n; done += kStep) {
    const T *u = x + done, *v = y + done;
    if (!kManyPlaces && n == kDotBlock) {
      ask_for(u + kDotAhead, kStep);
      ask_for(v + kDotAhead, kStep);
    }
    for (int64_t l = 0; l < kLanes; ++l) {
      lanes[l] += four_products(u + l, v + l) + four_products(u + kStep / 2 + l, v + kStep / 2 + l);
    }
  }
  for (; done + kLanes <= n; done += kLanes) {
    for (int64_t l = 0; l < kLanes; ++l) lanes[l] += x[done + l] * y[done + l];
  }
  double sum = sum_of_lanes(lanes);
  for (; done < n; ++done) sum += static_cast<double>(x[done]) * static_cast<double>(y[done]);
  return sum;
}

// The inner products of two whole blocks, half a step of each in turn: this reads in four places at once, see
// reduce_apart.
template <class T> void dot_two_blocks(const T* const x[2], const T* const y[2], double* first, double* second) {
  T lanes[2][kLanes] = {}, half[2][kLanes];
  for (int64_t done = 0; done < kDotBlock; done += kStep) {
    for (int b = 0; b < 2; ++b) {
      for (int64_t l = 0; l < kLanes; ++l) half[b][l] = four_products(x[b] + done + l, y[b] + done + l);
    }
    const int64_t next = done + kStep / 2;
    for (int b = 0; b < 2; ++b) {
      for (int64_t l = 0; l < kLanes; ++l) {
        lanes[b][l] += half[b][l] + four_products(x[b] + next + l, y[b] + next + l);
      }
    }
  }
  *first = sum_of_lanes(lanes[0]);
  *second = sum_of_lanes(lanes[1]);
}

double dot(const float* x, const float* y, int64_t n) { return dot_block(x, y, n); }
double dot(const double* x, const double* y, int64_t n) { return dot_block(x, y, n); }

// From this many terms on, reading them takes longer than adding up the lanes.
constexpr int64_t kLaneDot = 2 * kLanes;

static_assert(kSmallProduct <= kDotBlock);

// Every element of c is a dot product of contiguous elements.
template <class T> void lane_dots(const MatMulSizes& s, const T* a, int64_t row_a, const T* b, int64_t column_b, T* c) {
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      const T *x = a + i * row_a, *y = b + j * column_b;
      c[i * s.n + j] = static_cast<T>(dot(x, y, s.k));
    }
  }
}

// c = a b^T, or a column times b. Each element is a dot product; four at a time, so that their sums do not wait for
// each other.
template <class T>
void small_dots(const MatMulSizes& s, const T* a, int64_t row_a, int64_t step_a, const T* b, int64_t column_b, T* c) {
  if constexpr (std::is_floating_point_v<T>) {
    if (s.k >= kLaneDot && step_a == 1) return lane_dots(s, a, row_a, b, column_b, c);
  }
  for (int64_t i = 0; i < s.m; ++i) {
    const T* x = a + i * row_a;
    T* row = c + i * s.n;
    int64_t j = 0;
    for (; j + 4 <= s.n; j += 4) {
      const T* y = b + j * column_b;
      T sum[4] = {};
      for (int64_t p = 0; p < s.k; ++p) {
        for (int u = 0; u < 4; ++u) sum[u] += x[p * step_a] * y[u * column_b + p];
      }
      for (int u = 0; u < 4; ++u) row[j + u] = sum[u];
    }
    for (; j < s.n; ++j) {
      T sum = 0;
      for (int64_t p = 0; p < s.k; ++p) sum += x[p * step_a] * b[j * column_b + p];
      row[j] = sum;
    }
  }
}

// c = a b, by rows of b, so that contiguous elements are computed side by side.
template <class T>
void small_rows(const MatMulSizes& s, const T* a, int64_t row_a, int64_t step_a, const T* b, T* __restrict c) {
  for (int64_t i = 0; i < s.m; ++i) {
    T* row = c + i * s.n;
    for (int64_t j = 0; j < s.n; ++j) row[j] = 0;
    for (int64_t p = 0; p < s.k; ++p) {
      const T x = a[i * row_a + p * step_a];
      const T* y = b + p * s.ldb;
      for (int64_t j = 0; j < s.n; ++j) row[j] += x * y[j];
    }
  }
}

template <class T> void small_gemm(const MatMulSizes& s, const T* a, const T* b, T* c) {
  int64_t row_a = s.transpose_a ? 1 : s.lda, step_a = s.transpose_a ? s.lda : 1;
  if (s.n == 1) {
    // A column on the right is like a row, except for its steps: computes the same product with exchanged sides.
    int64_t step_b = s.transpose_b ? 1 : s.ldb;
    MatMulSizes turned = s;
    std::swap(turned.m, turned.n);
    turned.ldb = step_a;
    if (s.transpose_a) small_rows(turned, b, 0, step_b, a, c);
    else small_dots(turned, b, 0, step_b, a, row_a, c);
  } else if (s.transpose_b) {
    small_dots(s, a, row_a, step_a, b, s.ldb, c);
  } else {
    small_rows(s, a, row_a, step_a, b, c);
  }
}

// Inner products of at least this many terms are added up as in loops/reduce.h: a single sum of 10^7 terms loses two of
// float32's seven digits.
constexpr int64_t kLongDot = 4096;
// Terms that are added up in T in a vector's product with a matrix in which the terms of a sum are not contiguous.
constexpr int64_t kPieceDepth = 1024;

// c of s.m * s.n elements, all along one side: row r of x times y.
template <class T> void long_dots(int64_t rows, int64_t k, const T* x, int64_t row_x, const T* y, T* c) {
  int64_t blocks = (k + kDotBlock - 1) / kDotBlock;
  std::vector<double> sums(static_cast<std::size_t>(rows * blocks));
  parallel_for(rows * blocks, kParallelProduct / 4 / kDotBlock, [&](int64_t begin, int64_t end) {
    auto x_at = [=](int64_t i) { return x + i / blocks * row_x + i % blocks * kDotBlock; };
    auto y_at = [=](int64_t i) { return y + i % blocks * kDotBlock; };
    auto length = [=](int64_t i) { return std::min(kDotBlock, k - i % blocks * kDotBlock); };
    auto one = [&](int64_t i) { sums[static_cast<std::size_t>(i)] = dot(x_at(i), y_at(i), length(i)); };
    const int64_t half = kManyPlaces ? (end - begin) / 2 : 0;
    for (int64_t i = begin, j = begin + half; i < begin + half; ++i, ++j) {
      if (length(i) == kDotBlock && length(j) == kDotBlock) {
        const T *both_x[] = {x_at(i), x_at(j)}, *both_y[] = {y_at(i), y_at(j)};
        dot_two_blocks(both_x, both_y, &sums[static_cast<std::size_t>(i)], &sums[static_cast<std::size_t>(j)]);
      } else {
        one(i);
        one(j);
      }
    }
    for (int64_t i = begin + 2 * half; i < end; ++i) one(i);
  });
  for (int64_t r = 0; r < rows; ++r) {
    double* of_row = sums.data() + r * blocks;
    for (int64_t step = 1; step < blocks; step *= 2) {
      for (int64_t b = 0; b + step < blocks; b += 2 * step) of_row[b] += of_row[b + step];
    }
    c[r] = static_cast<T>(of_row[0]);
  }
}

// A vector with many terms times a vector or a matrix; by `multiply` if the terms of a sum are not contiguous. False if
// this is no such product.
template <class T, class Multiply>
bool deep_vector_product(const MatMulSizes& s, const T* a, const T* b, T* c, const Multiply& multiply) {
  if ((s.m != 1 && s.n != 1) || s.k < kLongDot) return false;
  int64_t row_a = s.transpose_a ? 1 : s.lda, step_a = s.transpose_a ? s.lda : 1;
  int64_t column_b = s.transpose_b ? s.ldb : 1, step_b = s.transpose_b ? 1 : s.ldb;
  if (step_a == 1 && step_b == 1) {
    if (s.n == 1) long_dots(s.m, s.k, a, row_a, b, c);
    else long_dots(s.n, s.k, b, column_b, a, c);
    return true;
  }
  std::size_t count = static_cast<std::size_t>(s.m * s.n);
  std::vector<double> sums(count);
  MatMulSizes piece = s;
  for (int64_t first = 0; first < s.k; first += kPieceDepth) {
    piece.k = std::min(kPieceDepth, s.k - first);
    multiply(piece, a + first * step_a, b + first * step_b, c);
    for (std::size_t i = 0; i < count; ++i) sums[i] += static_cast<double>(c[i]);
  }
  for (std::size_t i = 0; i < count; ++i) c[i] = static_cast<T>(sums[i]);
  return true;
}

// The address of element (i, p) of a.
struct Steps {
  int64_t row, column;
};

// c (rows, columns) += a (rows, depth) b (depth, columns): two rows and four terms at a time.
template <class T>
[[gnu::always_inline]] inline void add_panel(int64_t rows, int64_t columns, int64_t depth, const T* a, Steps at,
                                             const T* b, int64_t ldb, T* c, int64_t ldc) {
  int64_t i = 0;
  for (; i + 2 <= rows; i += 2) {
    T* __restrict c0 = c + i * ldc;
    T* __restrict c1 = c0 + ldc;
    int64_t p = 0;
    for (; p + 4 <= depth; p += 4) {
      const T* x = a + i * at.row + p * at.column;
      const T* y = x + at.row;
      const T x0 = x[0], x1 = x[at.column], x2 = x[2 * at.column], x3 = x[3 * at.column];
      const T y0 = y[0], y1 = y[at.column], y2 = y[2 * at.column], y3 = y[3 * at.column];
      const T* b0 = b + p * ldb;
      const T *b1 = b0 + ldb, *b2 = b1 + ldb, *b3 = b2 + ldb;
      for (int64_t j = 0; j < columns; ++j) {
        c0[j] = (((c0[j] + x0 * b0[j]) + x1 * b1[j]) + x2 * b2[j]) + x3 * b3[j];
        c1[j] = (((c1[j] + y0 * b0[j]) + y1 * b1[j]) + y2 * b2[j]) + y3 * b3[j];
      }
    }
    for (; p < depth; ++p) {
      const T x = a[i * at.row + p * at.column], y = a[(i + 1) * at.row + p * at.column];
      const T* row = b + p * ldb;
      for (int64_t j = 0; j < columns; ++j) {
        c0[j] += x * row[j];
        c1[j] += y * row[j];
      }
    }
  }
  if (i < rows) {
    T* __restrict c0 = c + i * ldc;
    for (int64_t p = 0; p < depth; ++p) {
      const T x = a[i * at.row + p * at.column];
      const T* row = b + p * ldb;
      for (int64_t j = 0; j < columns; ++j) c0[j] += x * row[j];
    }
  }
}

void panel(int64_t rows, int64_t columns, int64_t depth, const float* a, Steps at, const float* b, int64_t ldb,
           float* c, int64_t ldc) {
  add_panel(rows, columns, depth, a, at, b, ldb, c, ldc);
}
void panel(int64_t rows, int64_t columns, int64_t depth, const double* a, Steps at, const double* b, int64_t ldb,
           double* c, int64_t ldc) {
  add_panel(rows, columns, depth, a, at, b, ldb, c, ldc);
}
void panel(int64_t rows, int64_t columns, int64_t depth, const uint32_t* a, Steps at, const uint32_t* b, int64_t ldb,
           uint32_t* c, int64_t ldc) {
  add_panel(rows, columns, depth, a, at, b, ldb, c, ldc);
}
void panel(int64_t rows, int64_t columns, int64_t depth, const uint64_t* a, Steps at, const uint64_t* b, int64_t ldb,
           uint64_t* c, int64_t ldc) {
  add_panel(rows, columns, depth, a, at, b, ldb, c, ldc);
}

// Rows [i0, i1) and columns [j0, j1) of c.
template <class T>
void blocked_part(const MatMulSizes& s, const T* a, const T* b, T* c, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
  Steps at = s.transpose_a ? Steps{1, s.lda} : Steps{s.lda, 1};
  std::vector<T> turned(s.transpose_b ? static_cast<std::size_t>(kPanelDepth * kPanelColumns) : 0);
  for (int64_t i = i0; i < i1; ++i) std::fill(c + i * s.n + j0, c + i * s.n + j1, T(0));
  for (int64_t j = j0; j < j1; j += kPanelColumns) {
    int64_t columns = std::min(kPanelColumns, j1 - j);
    for (int64_t p = 0; p < s.k; p += kPanelDepth) {
      int64_t depth = std::min(kPanelDepth, s.k - p);
      const T* rows_of_b = b + p * s.ldb + j;
      int64_t ldb = s.ldb;
      if (s.transpose_b) {
        for (int64_t u = 0; u < columns; ++u) {
          for (int64_t q = 0; q < depth; ++q)
            turned[static_cast<std::size_t>(q * kPanelColumns + u)] = b[(j + u) * s.ldb + p + q];
        }
        rows_of_b = turned.data();
        ldb = kPanelColumns;
      }
      panel(i1 - i0, columns, depth, a + i0 * at.row + p * at.column, at, rows_of_b, ldb, c + i0 * s.n + j, s.n);
    }
  }
}

template <class T> void blocked_gemm(const MatMulSizes& s, const T* a, const T* b, T* c) {
  // The longer side of c is divided among the threads, in chunks of about kParallelProduct / 4 multiplications.
  double worth = kParallelProduct / 4 * static_cast<double>(std::max(s.m, s.n)) / std::max(1.0, multiplications(s));
  int64_t grain = worth >= 0x1p62 ? INT64_MAX / 2 : std::max<int64_t>(1, static_cast<int64_t>(worth));
  if (s.m >= s.n) {
    parallel_for(s.m, grain, 2, [&](int64_t begin, int64_t end) { blocked_part(s, a, b, c, begin, end, 0, s.n); });
  } else {
    parallel_for(s.n, grain, 16, [&](int64_t begin, int64_t end) { blocked_part(s, a, b, c, 0, s.m, begin, end); });
  }
}

// Tiles beat the plain loops from here on, with few rows only while b is in a cache
// (docs/decisions/which-product-computes.md).
constexpr double kLeastTiledProduct = 64;
constexpr double kTiledFewRows = 1 << 14;
constexpr int64_t kFewRows = 4;

// A transposed b is transposed back for the tiles: enough rows, or columns in whole registers, are worth it.
template <class T> bool fills_tiles(const MatMulSizes& s) {
  const double work = multiplications(s);
  if (s.m < 2 || s.n < 2 || work < kLeastTiledProduct || (s.m < kFewRows && work > kTiledFewRows)) return false;
  return !s.transpose_b || s.m >= 8 || (s.m >= kFewRows && s.n >= kInRegister<T>);
}

template <class T> void own_gemm(const MatMulSizes& s, const T* a, const T* b, T* c) {
  if (multiplications(s) <= kSmallProduct) small_gemm(s, a, b, c);
  else blocked_gemm(s, a, b, c);
}

void float64_gemm(const MatMulSizes& s, const double* a, const double* b, double* c) {
  if (fills_tiles<double>(s)) return gemm_in_tiles<double>(s, a, b, nullptr, c);
  if (multiplications(s) <= kSmallProduct) return small_gemm(s, a, b, c);
  if (s.n == 1 && s.m > 1) {
    // c^T = b^T a^T: a column is a row.
    const bool is_apart = !s.transpose_b && s.ldb != 1;
    return float64_gemm({1, s.m, s.k, s.k, is_apart ? s.ldb : s.k, s.lda, is_apart, !s.transpose_a}, b, a, c);
  }
  if (s.m < kFewRows && !s.transpose_a && s.transpose_b && s.k >= kLaneDot) {
    for (int64_t i = 0; i < s.m; ++i) long_dots(s.n, s.k, b, s.ldb, a + i * s.lda, c + i * s.n);
    return;
  }
  blocked_gemm(s, a, b, c);
}

// Up to here the matrix is in the L2 cache, and row_times multiplies a row by it. Beyond, oneDNN is as fast.
constexpr double kCachedMatrix = 1 << 18;
constexpr int64_t kLeastColumns = 128;

// c (n) = a (k) b (k, n): b is read once, several rows side by side, which oneDNN does not do.
void row_times(const MatMulSizes& s, const float* a, const float* b, float* __restrict c) {
  const int64_t n = s.n, k = s.k, ldb = s.ldb, step_a = s.transpose_a ? s.lda : 1;
  constexpr int kTerms = 8;
  std::fill(c, c + n, 0.0f);
  int64_t p = 0;
  for (; p + kTerms <= k; p += kTerms) {
    const float* rows = b + p * ldb;
    float x[kTerms];
    for (int u = 0; u < kTerms; ++u) x[u] = a[(p + u) * step_a];
    for (int64_t j = 0; j < n; ++j) {
      float sum = c[j];
#pragma GCC unroll 8
      for (int u = 0; u < kTerms; ++u) sum += x[u] * rows[u * ldb + j];
      c[j] = sum;
    }
  }
  for (; p < k; ++p) {
    const float x = a[p * step_a];
    const float* row = b + p * ldb;
    for (int64_t j = 0; j < n; ++j) c[j] += x * row[j];
  }
}

// Tiles beat oneDNN up to here, and where rows collide.
constexpr double kTiledProduct = 1 << 19;
constexpr int64_t kFewColumns = 4;

// Rows a power of two apart share few sets of the caches, and without AVX-512 oneDNN reads them where they lie.
bool rows_collide([[maybe_unused]] const MatMulSizes& s) {
#if defined(__AVX512F__)
  return false;
#else
  constexpr int64_t kStride = 256;
  return (!s.transpose_b && s.ldb % kStride == 0) || (s.transpose_a && s.lda % kStride == 0);
#endif
}

void gemm(const MatMulSizes& s, Cuts cuts, const float* a, const float* b, float* c) {
  if (tiled_gemm(s, a, b, nullptr, c)) return;
  if (multiplications(s) <= kSmallProduct) return small_gemm(s, a, b, c);
  auto piece = [=](const MatMulSizes& p, const float* x, const float* y, float* z) { gemm(p, cuts, x, y, z); };
  if (deep_vector_product(s, a, b, c, piece)) return;
  if (s.m == 1 && !s.transpose_b && s.n >= kLeastColumns && multiplications(s) <= kCachedMatrix) {
    return row_times(s, a, b, c);
  }
  // It fails only if memory is lacking.
  if (!onednn_gemm(s, cuts, a, b, c)) blocked_gemm(s, a, b, c);
}

// Some 30 ms on two cores.
constexpr double kUncutProduct = 1 << 30;
constexpr int64_t kLeastCutRows = 64;

// Calls multiply(sizes, a, b, c) for ranges of rows of a large product, between which Ctrl-C at the prompt stops it.
template <class T, class Multiply>
void in_ranges(const MatMulSizes& s, const T* a, const T* b, T* c, const Multiply& multiply) {
  if (multiplications(s) <= kUncutProduct || !StopRequest::is_watching()) return multiply(s, a, b, c);
  const double cost_of_row = static_cast<double>(s.n) * static_cast<double>(s.k);
  const double uncut = max_threads() == 1 ? kUncutProduct / 2 : kUncutProduct;
  const int64_t rows = std::max(kLeastCutRows, static_cast<int64_t>(uncut / cost_of_row) & ~(kLeastCutRows - 1));
  MatMulSizes range = s;
  for (int64_t i = 0; i < s.m && !StopRequest::is_wanted(); i += rows) {
    range.m = std::min(rows, s.m - i);
    multiply(range, a + i * (s.transpose_a ? 1 : s.lda), b, c + i * s.n);
  }
}

}  // namespace

bool tiled_gemm(const MatMulSizes& s, const float* a, const float* b, const float* bias, float* c) {
  const double work = multiplications(s);
  if (!fills_tiles<float>(s) || (s.n < kFewColumns && work > kTiledFewRows)) return false;
  if (work > kTiledProduct && !rows_collide(s)) return false;
  in_ranges(s, a, b, c, [=](const MatMulSizes& range, const float* x, const float* y, float* z) {
    gemm_in_tiles<float>(range, x, y, bias, z);
  });
  return true;
}

void gemm(const MatMulSizes& s, const float* a, const float* b, float* c) {
  in_ranges(s, a, b, c, [](const MatMulSizes& range, const float* x, const float* y, float* z) {
    gemm(range, Cuts::ByThreads, x, y, z);
  });
}
void gemm_cut_by_sizes(const MatMulSizes& s, const float* a, const float* b, float* c) {
  gemm(s, Cuts::BySizes, a, b, c);
}

void gemm(const MatMulSizes& s, const double* a, const double* b, double* c) {
  auto piece = [](const MatMulSizes& p, const double* x, const double* y, double* z) { gemm(p, x, y, z); };
  if (!deep_vector_product(s, a, b, c, piece)) in_ranges(s, a, b, c, float64_gemm);
}

// Unsigned, so that overflow wraps.
void gemm(const MatMulSizes& s, const int32_t* a, const int32_t* b, int32_t* c) {
  in_ranges(s, reinterpret_cast<const uint32_t*>(a), reinterpret_cast<const uint32_t*>(b),
            reinterpret_cast<uint32_t*>(c), own_gemm<uint32_t>);
}
void gemm(const MatMulSizes& s, const int64_t* a, const int64_t* b, int64_t* c) {
  in_ranges(s, reinterpret_cast<const uint64_t*>(a), reinterpret_cast<const uint64_t*>(b),
            reinterpret_cast<uint64_t*>(c), own_gemm<uint64_t>);
}

}  // namespace lutra
