// Random tensors. Each number depends on the key, the call's counter and its row-major position alone: not on the
// shape, the device or the number of threads.

#include "ops/random.h"

#include <cmath>

#include "ops/inference.h"

namespace lutra {
namespace {

// The largest finite number of the dtype.
double largest(DType dtype) { return dtype == DType::Float32 ? 3.4028234663852886e38 : 1.7976931348623157e308; }

void check_dtype(const Inference& inference, DType dtype) {
  require(dtype == DType::Float32 || dtype == DType::Float64, inference.who(), ": dtype is ", dtype,
          ", expected float32 or float64");
}

void output_shape(Inference& inference, DType dtype, const Dims& dims) {
  inference.output(dtype, Shape({dims.v, static_cast<std::size_t>(dims.count)}));
}

void normal_shape(Inference& inference) {
  const NormalAttrs& attrs = inference.attrs<NormalAttrs>();
  check_dtype(inference, attrs.dtype);
  double most = largest(attrs.dtype);
  require(std::abs(attrs.mean) <= most, inference.who(), ": mean is ", attrs.mean, ", expected a finite ", attrs.dtype);
  require(attrs.stddev >= 0 && attrs.stddev <= most, inference.who(), ": stddev is ", attrs.stddev,
          ", expected 0 or a finite ", attrs.dtype, " above it");
  output_shape(inference, attrs.dtype, attrs.shape);
}

void uniform_shape(Inference& inference) {
  const UniformAttrs& attrs = inference.attrs<UniformAttrs>();
  check_dtype(inference, attrs.dtype);
  double low = attrs.minval, high = attrs.maxval;
  require(std::isfinite(low) && std::isfinite(high), inference.who(), ": minval ", low, " and maxval ", high,
          " must be finite");
  require(low <= high, inference.who(), ": minval ", low, " is above maxval ", high);
  double most = largest(attrs.dtype);
  require(low >= -most && high <= most && high - low <= most, inference.who(), ": from minval ", low, " to maxval ",
          high, " is further than ", attrs.dtype, " reaches");
  output_shape(inference, attrs.dtype, attrs.shape);
}

constexpr const char* kShapeDoc = "sizes of the axes";
constexpr const char* kDTypeDoc = "float32 or float64";
constexpr const char* kSeedDoc =
    "makes the result depend on this number alone, and takes nothing from set_seed's sequence";
constexpr const char* kRngDoc = "the range of random bits";

}  // namespace

void define_random_ops(OpRegistry& ops) {
  ops.define({
      .name = "RandomStandardNormal",
      .lua_name = "random.normal",
      .summary = "Normally distributed random numbers.",
      .attrs =
          attrs<NormalAttrs>({attr("shape", &NormalAttrs::shape, kShapeDoc).required(),
                              attr("mean", &NormalAttrs::mean, "the distribution's mean").otherwise("0"),
                              attr("stddev", &NormalAttrs::stddev, "its standard deviation").otherwise("1"),
                              attr("dtype", &NormalAttrs::dtype, kDTypeDoc).otherwise("float32"),
                              attr("seed", &NormalAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
                              attr("rng", &NormalAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 unless dtype says otherwise",
      .errors = "InvalidArgument for a negative size or stddev, a mean that is not finite, or another dtype.",
      .source = "Box and Muller 1958 on Philox4x32-10 (Salmon et al., SC'11)",
      .example = "lutra.random.normal({2}, {seed = 1})  --> {0.3804, -0.2963}",
      .shape = normal_shape,
      .gpu = DType::Float32 | DType::Float64,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomUniform",
      .lua_name = "random.uniform",
      .summary = "Random numbers spread evenly from minval on to below maxval.",
      .attrs = attrs<UniformAttrs>(
          {attr("shape", &UniformAttrs::shape, kShapeDoc).required(),
           attr("minval", &UniformAttrs::minval, "the smallest number there can be").otherwise("0"),
           attr("maxval", &UniformAttrs::maxval, "the limit, which no number reaches").otherwise("1"),
           attr("dtype", &UniformAttrs::dtype, kDTypeDoc).otherwise("float32"),
           attr("seed", &UniformAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
           attr("rng", &UniformAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 unless dtype says otherwise; all minval if maxval equals it",
      .errors =
          "InvalidArgument for a negative size, minval above maxval, bounds that are not finite or too far apart for "
          "the dtype, or another dtype.",
      .source = "Philox4x32-10 (Salmon et al., SC'11)",
      .example = "lutra.random.uniform({2}, {seed = 1})  --> {0.8903, 0.8947}",
      .shape = uniform_shape,
      .gpu = DType::Float32 | DType::Float64,
      .flags = kRandom | kNoMethod,
  });
}

}  // namespace lutra
