// Attributes of the creating ops, as their kernels read them.
#pragma once

#include "ops/attrs.h"

namespace lutra {

struct FillAttrs {
  Dims shape;
  DType dtype = kNoDType;
};
struct ZerosAttrs {
  Dims shape;
  DType dtype = kNoDType;
};
struct LikeAttrs {
  DType dtype = kNoDType;
};
struct EyeAttrs {
  int64_t n = 0;
  Number m;  // not given: n
  DType dtype = kNoDType;
};
struct RangeAttrs {
  Number start{Scalar::of(int64_t{0})};
  Number limit{Scalar::of(int64_t{0})};
  Number step{Scalar::of(int64_t{1})};
  DType dtype = kNoDType;
};
struct LinSpaceAttrs {
  Number start{Scalar::of(int64_t{0})};
  Number stop{Scalar::of(int64_t{0})};
  int64_t n = 0;
  DType dtype = kNoDType;
};
struct OneHotAttrs {
  int64_t depth = 0;
  Axes axis;
  DType dtype = kNoDType;
  IndexBase base;
};
struct CastAttrs {
  DType dtype = kNoDType;
  bool operator==(const CastAttrs&) const = default;
};

}  // namespace lutra
