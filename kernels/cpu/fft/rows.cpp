#include "kernels/cpu/fft/rows.h"

#include <algorithm>

namespace lutra::fft {

template <class T, class X>
void first_pass(const RowPlan<T>& plan, const RowSource<T, X>& from, int64_t begin, int64_t end, Pair<T>* tile,
                Pair<T>* between) {
  constexpr int kCount = kLanes<T>;
  const int64_t n1 = plan.n1, n2 = plan.n2, tiles = plan.first_tiles();
  Pair<T>* spare = tile + plan.tile_room() / 2;
  for (int64_t t = begin; t < end; ++t) {
    const int64_t column = t * kCount, columns = std::min<int64_t>(kCount, n2 - column);
    for (int64_t j = 0; j < n1; ++j) {
      const int64_t at = j * n2 + column;
      const int64_t here = std::min(columns, from.count - at);
      tile[j] = turned(load(from.data + (here > 0 ? at : 0), here), from.is_inverse);
    }
    const Pair<T>* result = plan.first.run(tile, spare);
    if (n2 == 1) {
      std::copy(result, result + n1, between);
      continue;
    }
    for (int64_t k = 0; k < n1; ++k) {
      Pair<T> turn = load(plan.lane_roots.data() + k * kCount, kCount);
      if (t > 0) turn = turn * plan.tile_roots[static_cast<std::size_t>(k * tiles + t)];
      between[k * tiles + t] = result[k] * turn;
    }
  }
}

template <class T>
void second_pass(const RowPlan<T>& plan, bool is_inverse, T scale, int64_t begin, int64_t end, Pair<T>* tile,
                 const Pair<T>* between, Complex<T>* to) {
  constexpr int kCount = kLanes<T>;
  const int64_t n1 = plan.n1, n2 = plan.n2, tiles = plan.first_tiles();
  Pair<T>* spare = tile + plan.tile_room() / 2;
  for (int64_t u = begin; u < end; ++u) {
    const int64_t row = u * kCount, rows = std::min<int64_t>(kCount, n1 - row);
    for (int64_t t = 0; t < tiles; ++t) {
      Lanes<T> re[kCount], im[kCount];
      for (int r = 0; r < kCount; ++r) {
        const Pair<T>& x = between[std::min(row + r, n1 - 1) * tiles + t];  // the last row fills the rest
        re[r] = x.re;
        im[r] = x.im;
      }
      transpose(re);
      transpose(im);
      for (int i = 0; i < kCount; ++i) tile[t * kCount + i] = {re[i], im[i]};
    }
    const Pair<T>* result = plan.second.run(tile, spare);
    for (int64_t k = 0; k < n2; ++k) store(to + row + n1 * k, turned(result[k] * scale, is_inverse), rows);
  }
}

namespace {

// Bluestein's algorithm: jk = (j^2 + k^2 - (k - j)^2) / 2 makes a convolution with a chirp of the transform.
template <class T, class X>
void chirped_row(const RowPlan<T>& plan, const RowSource<T, X>& from, Complex<T>* to, Pair<T>* room) {
  const RowPlan<T>& inner = *plan.inner;
  const int64_t row = (inner.n + kLanes<T> - 1) / kLanes<T>;
  auto* points = reinterpret_cast<Complex<T>*>(room);
  auto* spectrum = reinterpret_cast<Complex<T>*>(room + row);
  for (int64_t j = 0; j < plan.n; ++j) {
    Complex<T> x{};
    if (j < from.count) {
      if constexpr (std::is_same_v<X, T>)
        x = from.is_inverse ? Complex<T>(T(0), from.data[j]) : Complex<T>(from.data[j]);
      else x = from.is_inverse ? Complex<T>(from.data[j].im, from.data[j].re) : from.data[j];
    }
    points[j] = x * plan.chirp[static_cast<std::size_t>(j)];
  }
  transform_row<T, Complex<T>>(inner, {points, plan.n, false, T(1)}, spectrum, room + 2 * row);
  for (int64_t k = 0; k < inner.n; ++k) spectrum[k] *= plan.chirp_spectrum[static_cast<std::size_t>(k)];
  transform_row<T, Complex<T>>(inner, {spectrum, inner.n, true, T(1)}, points, room + 2 * row);
  for (int64_t k = 0; k < plan.n; ++k) {
    const Complex<T> y = from.scale * (points[k] * plan.chirp[static_cast<std::size_t>(k)]);
    to[k] = from.is_inverse ? Complex<T>(y.im, y.re) : y;
  }
}

}  // namespace

template <class T, class X>
void transform_row(const RowPlan<T>& plan, const RowSource<T, X>& from, Complex<T>* to, Pair<T>* room) {
  if (plan.inner != nullptr) return chirped_row(plan, from, to, room);
  Pair<T>* between = room + plan.tile_room();
  first_pass(plan, from, 0, plan.first_tiles(), room, between);
  second_pass(plan, from.is_inverse, from.scale, 0, plan.second_tiles(), room, between, to);
}

#define LUTRA_FFT_ROWS(T, X)                                                                     \
  template void transform_row(const RowPlan<T>&, const RowSource<T, X>&, Complex<T>*, Pair<T>*); \
  template void first_pass(const RowPlan<T>&, const RowSource<T, X>&, int64_t, int64_t, Pair<T>*, Pair<T>*);
LUTRA_FFT_ROWS(float, float)
LUTRA_FFT_ROWS(float, Complex64)
LUTRA_FFT_ROWS(double, double)
LUTRA_FFT_ROWS(double, Complex128)
template void second_pass(const RowPlan<float>&, bool, float, int64_t, int64_t, Pair<float>*, const Pair<float>*,
                          Complex64*);
template void second_pass(const RowPlan<double>&, bool, double, int64_t, int64_t, Pair<double>*, const Pair<double>*,
                          Complex128*);

}  // namespace lutra::fft
