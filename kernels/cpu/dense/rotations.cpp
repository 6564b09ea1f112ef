#include "kernels/cpu/dense/rotations.h"

#include <algorithm>

namespace lutra::dense {
namespace {

// 64 columns of 512 rows fit the second cache.
constexpr int64_t kStrip = 32;

void rotate_rows(int64_t count, double c, double s, double* __restrict x, double* __restrict y) {
  for (int64_t i = 0; i < count; ++i) {
    const double before = x[i];
    x[i] = c * before + s * y[i];
    y[i] = c * y[i] - s * before;
  }
}

}  // namespace

void DelayedRotations::finish() {
  for (int64_t first = 0; first < width_; first += kStrip) {
    double* strip = rows_ + first;
    if (width_ - first >= kStrip) {
      for (const Entry& r : recorded_) rotate_rows(kStrip, r.c, r.s, strip + r.i * width_, strip + r.j * width_);
    } else {
      for (const Entry& r : recorded_) rotate_rows(width_ - first, r.c, r.s, strip + r.i * width_, strip + r.j * width_);
    }
  }
  recorded_.clear();
}

}  // namespace lutra::dense
