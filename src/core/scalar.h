// One element as a Lua program sees it: a boolean, an integer or a float.
#pragma once

#include "core/dtype.h"

namespace lutra {

struct Scalar {
  enum class Kind : uint8_t { Bool, Int, Float } kind;
  union {
    int64_t i;
    double d;
  };
  static Scalar of(bool value) { return {Kind::Bool, {.i = value}}; }
  static Scalar of(int64_t value) { return {Kind::Int, {.i = value}}; }
  static Scalar of(double value) { return {Kind::Float, {.d = value}}; }
  double as_double() const { return kind == Kind::Float ? d : static_cast<double>(i); }
};

// The dtype of a single Lua number or boolean. Several are promoted together.
constexpr DType literal_dtype(const Scalar& value) {
  if (value.kind == Scalar::Kind::Bool) return DType::Bool;
  if (value.kind == Scalar::Kind::Float) return DType::Float32;
  return value.i == static_cast<int32_t>(value.i) ? DType::Int32 : DType::Int64;
}

// Whether integer dtype `type` can hold `value` exactly.
bool fits(DType type, Scalar value);

}  // namespace lutra
