// Random tensors. Each number depends on the key, the call's counter and its row-major position alone: not on the
// shape, the device or the number of threads.

#include "ops/random.h"

#include <algorithm>
#include <cmath>

#include "ops/gradient.h"
#include "ops/inference.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void check_dtype(const Inference& inference, DType dtype, DTypes wanted) {
  require(wanted.has(dtype), inference.who(), ": dtype is ", dtype, ", expected ", text_of(wanted));
}

void output_shape(Inference& inference, DType dtype, const Dims& dims) {
  inference.output(dtype, Shape({dims.v, static_cast<std::size_t>(dims.count)}));
}

void normal_shape(Inference& inference) {
  const NormalAttrs& attrs = inference.attrs<NormalAttrs>();
  check_dtype(inference, attrs.dtype, kFloats);
  double most = largest_of(attrs.dtype);
  require(std::abs(attrs.mean) <= most, inference.who(), ": mean is ", attrs.mean, ", expected a finite ", attrs.dtype);
  require(attrs.stddev >= 0 && attrs.stddev <= most, inference.who(), ": stddev is ", attrs.stddev,
          ", expected 0 or a finite ", attrs.dtype, " above it");
  output_shape(inference, attrs.dtype, attrs.shape);
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
  output_shape(inference, attrs.dtype, attrs.shape);
}

void bernoulli_shape(Inference& inference) {
  const BernoulliAttrs& attrs = inference.attrs<BernoulliAttrs>();
  require(attrs.p >= 0 && attrs.p <= 1, inference.who(), ": p is ", attrs.p, ", expected a probability: 0 to 1");
  output_shape(inference, attrs.dtype, attrs.shape);
}

void randint_shape(Inference& inference) {
  const RandintAttrs& attrs = inference.attrs<RandintAttrs>();
  check_dtype(inference, attrs.dtype, kInts);
  require(attrs.low <= attrs.high, inference.who(), ": low ", attrs.low, " is above high ", attrs.high);
  for (int64_t bound : {attrs.low, attrs.high}) {
    require(fits(attrs.dtype, Scalar::of(bound)), inference.who(), ": ", bound, " does not fit ", attrs.dtype);
  }
  output_shape(inference, attrs.dtype, attrs.shape);
}

void permutation_shape(Inference& inference) {
  const PermutationAttrs& attrs = inference.attrs<PermutationAttrs>();
  check_dtype(inference, attrs.dtype, kInts);
  require(attrs.n >= 0, inference.who(), ": n is ", attrs.n, ", expected 0 or more");
  require(fits(attrs.dtype, Scalar::of(attrs.n)), inference.who(), ": n is ", attrs.n, ", which does not fit ",
          attrs.dtype);
  inference.output(attrs.dtype, Shape{attrs.n});
}

void shuffle_shape(Inference& inference) {
  Shape x = inference.shape(0);
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to shuffle along");
  inference.output(inference.key(), x);
}

void shuffle_gradient(Gradient& g) {
  g.add(0, g.call("ShuffleReorder", {g.dy()}, ReorderAttrs{g.attrs<ShuffleAttrs>().rng, true}));
}

void reorder_gradient(Gradient& g) {
  const ReorderAttrs& attrs = g.attrs<ReorderAttrs>();
  g.add(0, g.call("ShuffleReorder", {g.dy()}, ReorderAttrs{attrs.rng, !attrs.back}));
}

void categorical_shape(Inference& inference) {
  const CategoricalAttrs& attrs = inference.attrs<CategoricalAttrs>();
  check_dtype(inference, attrs.dtype, kInts);
  Shape logits = inference.shape(0), out = logits;
  require(logits.rank() > 0, inference.who(), ": logits is a scalar, expected at least one axis, the classes");
  require(attrs.n >= 0, inference.who(), ": n is ", attrs.n, ", expected 0 or more");
  int64_t classes = logits[logits.rank() - 1];
  require(fits(attrs.dtype, Scalar::of(classes)), inference.who(), ": logits ", logits, " has more classes than ",
          attrs.dtype, " can number");
  out[out.rank() - 1] = attrs.n;
  require(classes > 0 || out.size() == 0, inference.who(), ": logits ", logits, " has no classes to choose from");
  inference.output(attrs.dtype, out);
}

// An exponential a class, a binary search a result.
Cost categorical_cost(const KernelArgs& args) {
  double logits = static_cast<double>(args.in[0].size), results = static_cast<double>(args.out[0].size);
  int64_t classes = args.in[0].dims[args.in[0].rank - 1];
  return {16 * logits + results * (16 + std::log2(static_cast<double>(std::max<int64_t>(classes, 1)))),
          logits * static_cast<double>(size_of(args.in[0].dtype)) +
              results * static_cast<double>(size_of(args.out[0].dtype))};
}

constexpr const char* kShapeDoc = "sizes of the axes";
constexpr const char* kDTypeDoc = "a float dtype";
constexpr const char* kIntDTypeDoc = "an integer dtype";
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
      .gpu = kFloats,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "TruncatedNormal",
      .lua_name = "random.truncated_normal",
      .summary = "Normally distributed random numbers; those further than two standard deviations from the mean are "
                 "drawn again.",
      .attrs =
          attrs<NormalAttrs>({attr("shape", &NormalAttrs::shape, kShapeDoc).required(),
                              attr("mean", &NormalAttrs::mean, "the mean before and after").otherwise("0"),
                              attr("stddev", &NormalAttrs::stddev, "the standard deviation before").otherwise("1"),
                              attr("dtype", &NormalAttrs::dtype, kDTypeDoc).otherwise("float32"),
                              attr("seed", &NormalAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
                              attr("rng", &NormalAttrs::rng, kRngDoc)}),
      .output = "the given shape; float32 unless dtype says otherwise",
      .errors = "InvalidArgument for a negative size or stddev, a mean that is not finite, or another dtype.",
      .source = "tf.random.truncated_normal; as random.normal, which gives the same numbers where none is left out",
      .example = "lutra.random.truncated_normal({2}, {seed = 1})  --> {0.3804, -0.2963}",
      .shape = normal_shape,
      .gpu = kFloats,
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
      .gpu = kFloats,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomBernoulli",
      .lua_name = "random.bernoulli",
      .summary = "Ones with probability p, zeros else.",
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
  ops.define({
      .name = "RandomUniformInt",
      .lua_name = "random.randint",
      .summary = "Random integers from low to high, both among them, all equally likely.",
      .attrs =
          attrs<RandintAttrs>({attr("shape", &RandintAttrs::shape, kShapeDoc).required(),
                               attr("low", &RandintAttrs::low, "the smallest there can be").required(),
                               attr("high", &RandintAttrs::high, "the largest there can be").required(),
                               attr("dtype", &RandintAttrs::dtype, kIntDTypeDoc).otherwise("int64"),
                               attr("seed", &RandintAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
                               attr("rng", &RandintAttrs::rng, kRngDoc)}),
      .output = "the given shape; int64 unless dtype says otherwise",
      .errors =
          "InvalidArgument for a negative size, low above high, bounds that do not fit the dtype, or another dtype.",
      .source = "Lua's math.random; Lemire, \"Fast Random Integer Generation in an Interval\", 2019, on Philox4x32-10",
      .example = "lutra.random.randint({3}, 1, 6, {seed = 1})  --> {6, 4, 5}",
      .shape = randint_shape,
      .gpu = kInts,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomPermutation",
      .lua_name = "random.permutation",
      .summary = "The integers 1 to n in a random order, each order equally likely.",
      .attrs = attrs<PermutationAttrs>(
          {attr("n", &PermutationAttrs::n, "how many").required(),
           attr("dtype", &PermutationAttrs::dtype, kIntDTypeDoc).otherwise("int64"),
           attr("seed", &PermutationAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
           attr("index_base", &PermutationAttrs::base, "what the first integer is"),
           attr("rng", &PermutationAttrs::rng, kRngDoc)}),
      .output = "(n,); int64 unless dtype says otherwise",
      .errors = "InvalidArgument if n is negative or does not fit the dtype, or for another dtype.",
      .source = "numpy.random.permutation; the order of 64 random bits each, from Philox4x32-10",
      .example = "lutra.random.permutation(5, {seed = 1})  --> {5, 4, 2, 3, 1}",
      .shape = permutation_shape,
      .gpu = kInts,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "RandomShuffle",
      .lua_name = "random.shuffle",
      .summary = "The parts of a tensor along its first axis in a random order, each order equally likely.",
      .inputs = {{"x", kAnyDType, "at least one axis"}},
      .attrs =
          attrs<ShuffleAttrs>({attr("seed", &ShuffleAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
                               attr("rng", &ShuffleAttrs::rng, kRngDoc)}),
      .output = "x's shape and dtype",
      .errors = "InvalidArgument for a scalar.",
      .source = "tf.random.shuffle; the order is that of random.permutation with the same seed",
      .example = "lutra.random.shuffle({10, 20, 30, 40, 50}, {seed = 1})  --> {50, 40, 20, 30, 10}",
      .shape = shuffle_shape,
      .gradient = shuffle_gradient,
      .gpu = kAnyDType,
      .flags = kRandom | kNoMethod,
  });
  ops.define({
      .name = "ShuffleReorder",
      .summary =
          "Puts the first axis in the order that a RandomShuffle gave it, or back, which follows from its range of "
          "random bits.",
      .inputs = {{"x", kFloats, "at least one axis"}},
      .attrs = attrs<ReorderAttrs>({}),
      .output = "x's shape and dtype",
      .shape = shuffle_shape,
      .gradient = reorder_gradient,
      .gpu = kFloats,
      .flags = kHidden,
  });
  ops.define({
      .name = "Multinomial",
      .lua_name = "random.categorical",
      .summary = "Random classes, 1 to the size of the last axis, with the probabilities softmax(logits), each row by "
                 "itself.",
      .inputs = {{"logits", kNumbers, "[..., classes]"}},
      .attrs = attrs<CategoricalAttrs>(
          {attr("n", &CategoricalAttrs::n, "how many for each row").required(),
           attr("dtype", &CategoricalAttrs::dtype, kIntDTypeDoc).otherwise("int64"),
           attr("seed", &CategoricalAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
           attr("index_base", &CategoricalAttrs::base, "what the first class is"),
           attr("rng", &CategoricalAttrs::rng, kRngDoc)}),
      .output = "logits' shape with n in the place of classes; int64 unless dtype says otherwise",
      .errors =
          "InvalidArgument for a scalar, no classes, a negative n, a row with nan, inf or nothing but -inf, or another "
          "dtype.",
      .source = "tf.random.categorical; inversion of the distribution function, summed up in float64",
      .example = "lutra.random.categorical({0.0, 1.0, 2.0}, 4, {seed = 1})  --> {3, 3, 3, 3}",
      .compute = Compute::Float,
      .shape = categorical_shape,
      .cost = categorical_cost,
      .gpu = kFloats,
      .flags = kRandom | kNoMethod | kChecksValues,
  });
}

}  // namespace lutra
