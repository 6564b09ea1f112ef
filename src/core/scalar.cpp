#include "core/scalar.h"

#include <cmath>

namespace lutra {

bool fits(DType type, Scalar value) {
  if (is_inexact(type)) return true;
  if (value.kind == Scalar::Kind::Float) {
    // 2^63 is the first double that int64 cannot hold; every smaller bound is exact in double.
    return value.d == std::floor(value.d) && value.d >= static_cast<double>(lowest_of(type)) &&
           (type == DType::Int64 ? value.d < 0x1p63 : value.d <= static_cast<double>(highest_of(type)));
  }
  return value.i >= lowest_of(type) && value.i <= highest_of(type);
}

}  // namespace lutra
