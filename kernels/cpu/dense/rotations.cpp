#include "kernels/cpu/dense/rotations.h"

#include "kernels/cpu/loops/instructions.h"

namespace lutra::dense {
namespace {

using Register = RegisterOf<double>;
constexpr int kWide = kInRegister<double>;

template <int registers> void rotate_registers(double c, double s, double* x, double* y) {
  const Register cosine = all_lanes(c), sine = all_lanes(s);
#pragma GCC unroll 8
  for (int r = 0; r < registers; ++r) {
    const Register first = load_register(x + r * kWide), second = load_register(y + r * kWide);
    store_register(cosine * first + sine * second, x + r * kWide);
    store_register(cosine * second - sine * first, y + r * kWide);
  }
}

void rotate_one(double c, double s, double* x, double* y) {
  const double before = *x;
  *x = c * before + s * *y;
  *y = c * *y - s * before;
}

}  // namespace

template <int registers> void DelayedRotations::apply_to_strip(double* strip) const {
  for (const Entry& r : recorded_) {
    rotate_registers<registers>(r.c, r.s, strip + r.i * width_, strip + r.j * width_);
  }
}

// 32 columns of 512 rows fit the second cache.
void DelayedRotations::finish() {
  double* strip = rows_;
  int64_t left = width_;
  for (; left >= 8 * kWide; left -= 8 * kWide, strip += 8 * kWide) apply_to_strip<8>(strip);
  if (left >= 4 * kWide) {
    apply_to_strip<4>(strip);
    left -= 4 * kWide, strip += 4 * kWide;
  }
  for (; left >= kWide; left -= kWide, strip += kWide) apply_to_strip<1>(strip);
  for (; left > 0; --left, ++strip) {
    for (const Entry& r : recorded_) rotate_one(r.c, r.s, strip + r.i * width_, strip + r.j * width_);
  }
  recorded_.clear();
}

}  // namespace lutra::dense
