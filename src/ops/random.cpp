// Random tensors. Each number depends only on the key, the call's counter and its row-major position, not on the shape,
// the device or the number of threads. Choices among integers are in random_choice.cpp.

#include "ops/random.h"

#include <cmath>

#include "ops/kernel.h"

namespace lutra {
namespace {

void normal_shape(Inference& inference) {
  const NormalAttrs& attrs = inference.attrs<NormalAttrs>();
  check_dtype(inference, attrs.dtype, kFloats);
  double most = largest_of(attrs.dtype);
  require(std::abs(attrs.mean) <= most, inference.who(), ": mean is ", attrs.mean, ", expected a finite ", attrs.dtype);
  require(attrs.stddev >= 0 && attrs.stddev <= most, inference.who(), ": stddev is ", attrs.stddev,
          ", expected 0 or a finite ", attrs.dtype, " above it");
  inference.output(attrs.dtype, attrs.shape.shape());
}

void uniform_shape(Inference& inference) {
  const UniformAttrs& attrs = inference.attrs<UniformAttrs>();
  check_dtype(inference, attrs.dtype, kFloats);
  double low = attrs.minval, high = attrs.maxval;
  require(std::isfinite(low) && std::isfinite(high), inference.who(), ": minval ", low, " and maxval ", high,
          " must be finite");
  require(low <= high, inference.who(), ": minval ", low, " is above maxval ", high);
  double most = largest_of(attrs.dtype);
  require(low >= -most && high <= most && high - low <= most, inference.who(), ": from minval ", low, " to maxval ",
          high, " is further than ", attrs.dtype, " reaches");
  inference.output(attrs.dtype, attrs.shape.shape());
}

void bernoulli_shape(Inference& inference) {
  const BernoulliAttrs& attrs = inference.attrs<BernoulliAttrs>();
  require(attrs.p >= 0 && attrs.p <= 1, inference.who(), ": p is ", attrs.p, ", expected a probability: 0 to 1");
  inference.output(attrs.dtype, attrs.shape.shape());
}

constexpr const char* kFloatDTypeDoc = "a float dtype";

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
                              attr("dtype", &NormalAttrs::dtype, kFloatDTypeDoc).otherwise("float32"),
                              attr("seed", &NormalAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
                              attr("rng", &NormalAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 unless dtype says otherwise",
      .errors = "InvalidArgument for a negative size or stddev, a mean that is not finite, or another dtype.",
      .source = "Box and Muller 1958 on Philox4x32-10 (Salmon et al., SC'11)",
      .example = "lutra.random.normal({2}, {seed = 1})  --> {0.3804, -0.2963}",
      .shape = normal_shape,
      .gpu = kFloats,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "TruncatedNormal",
      .lua_name = "random.truncated_normal",
      .summary = "Normally distributed random numbers, redrawn if they are more than two standard deviations from the "
                 "mean.",
      .attrs = attrs<NormalAttrs>(
          {attr("shape", &NormalAttrs::shape, kShapeDoc).required(),
           attr("mean", &NormalAttrs::mean, "the mean, which truncation does not change").otherwise("0"),
           attr("stddev", &NormalAttrs::stddev, "the standard deviation before truncation").otherwise("1"),
           attr("dtype", &NormalAttrs::dtype, kFloatDTypeDoc).otherwise("float32"),
           attr("seed", &NormalAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
           attr("rng", &NormalAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 unless dtype says otherwise",
      .errors = "InvalidArgument for a negative size or stddev, a mean that is not finite, or another dtype.",
      .source = "tf.random.truncated_normal; the same numbers as random.normal where none is redrawn",
      .example = "lutra.random.truncated_normal({2}, {seed = 1})  --> {0.3804, -0.2963}",
      .shape = normal_shape,
      .gpu = kFloats,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomUniform",
      .lua_name = "random.uniform",
      .summary = "Uniformly distributed random numbers, from minval up to but not including maxval.",
      .attrs = attrs<UniformAttrs>(
          {attr("shape", &UniformAttrs::shape, kShapeDoc).required(),
           attr("minval", &UniformAttrs::minval, "the smallest possible number").otherwise("0"),
           attr("maxval", &UniformAttrs::maxval, "the limit, which no number reaches").otherwise("1"),
           attr("dtype", &UniformAttrs::dtype, kFloatDTypeDoc).otherwise("float32"),
           attr("seed", &UniformAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
           attr("rng", &UniformAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 unless dtype says otherwise; all minval if maxval equals it",
      .errors =
          "InvalidArgument for a negative size, minval above maxval, bounds that are not finite or too far apart for "
          "the dtype, or another dtype.",
      .source = "Philox4x32-10 (Salmon et al., SC'11)",
      .example = "lutra.random.uniform({2}, {seed = 1})  --> {0.8903, 0.8947}",
      .shape = uniform_shape,
      .gpu = kFloats,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomBernoulli",
      .lua_name = "random.bernoulli",
      .summary = "Ones with probability p, zeros otherwise.",
      .attrs = attrs<BernoulliAttrs>(
          {attr("shape", &BernoulliAttrs::shape, kShapeDoc).required(),
           attr("p", &BernoulliAttrs::p, "the probability of a one, 0 to 1, in steps of 2^-32").required(),
           attr("dtype", &BernoulliAttrs::dtype, "any dtype").otherwise("float32"),
           attr("seed", &BernoulliAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
           attr("rng", &BernoulliAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 unless dtype says otherwise",
      .errors = "InvalidArgument for a negative size, or p below 0 or above 1.",
      .source = "torch.bernoulli; Philox4x32-10 (Salmon et al., SC'11)",
      .example = "lutra.random.bernoulli({4}, 0.7, {seed = 1})  --> {0.0, 0.0, 1.0, 0.0}",
      .shape = bernoulli_shape,
      .gpu = kAnyDType,
      .flags = kRandom | kNoMethod,
  });
}

}  // namespace lutra
