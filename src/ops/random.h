// Attributes of the random ops, as their kernels read them, and texts that their entries share.
#pragma once

#include "ops/inference.h"

namespace lutra {

struct NormalAttrs {
  Dims shape;
  double mean = 0;
  double stddev = 1;
  DType dtype = DType::Float32;
  Seed seed;
  Rng rng;
};
struct BernoulliAttrs {
  Dims shape;
  double p = 0;
  DType dtype = DType::Float32;
  Seed seed;
  Rng rng;
};
struct RandintAttrs {
  Dims shape;
  int64_t low = 0;
  int64_t high = 0;  // included
  DType dtype = DType::Int64;
  Seed seed;
  Rng rng;
};
struct PermutationAttrs {
  int64_t n = 0;
  DType dtype = DType::Int64;
  IndexBase base;
  Seed seed;
  Rng rng;
};
struct ShuffleAttrs {
  Seed seed;
  Rng rng;
};
// The order that a shuffle with these random bits made, or its inverse (`back`).
struct ReorderAttrs {
  Rng rng;
  bool back = false;
  Seed seed;
};
struct CategoricalAttrs {
  int64_t n = 0;
  DType dtype = DType::Int64;
  IndexBase base;
  Seed seed;
  Rng rng;
};
struct UniformAttrs {
  Dims shape;
  double minval = 0;
  double maxval = 1;
  DType dtype = DType::Float32;
  Seed seed;
  Rng rng;
};

// Help texts for the options they share.
inline constexpr const char* kShapeDoc = "sizes of the axes";
inline constexpr const char* kSeedDoc =
    "makes the result depend on this number alone; set_seed's sequence is not advanced";
inline constexpr const char* kRngDoc = "the range of random bits";

inline void check_dtype(const Inference& inference, DType dtype, DTypes wanted) {
  require(wanted.has(dtype), inference.who(), ": dtype is ", dtype, ", expected ", text_of(wanted));
}

}  // namespace lutra
