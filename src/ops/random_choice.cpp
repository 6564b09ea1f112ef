// Random integers, orders and classes.

#include <algorithm>
#include <cmath>

#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/random.h"

namespace lutra {
namespace {

void randint_shape(Inference& inference) {
  const RandintAttrs& attrs = inference.attrs<RandintAttrs>();
  check_dtype(inference, attrs.dtype, kInts);
  require(attrs.low <= attrs.high, inference.who(), ": low ", attrs.low, " is above high ", attrs.high);
  for (int64_t bound : {attrs.low, attrs.high}) {
    require(fits(attrs.dtype, Scalar::of(bound)), inference.who(), ": ", bound, " does not fit ", attrs.dtype);
  }
  inference.output(attrs.dtype, attrs.shape.shape());
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
  const ShuffleAttrs& attrs = g.attrs<ShuffleAttrs>();
  g.add(0, g.call("ShuffleReorder", {g.dy()}, ReorderAttrs{attrs.rng, true, attrs.seed}));
}

void reorder_gradient(Gradient& g) {
  const ReorderAttrs& attrs = g.attrs<ReorderAttrs>();
  g.add(0, g.call("ShuffleReorder", {g.dy()}, ReorderAttrs{attrs.rng, !attrs.back, attrs.seed}));
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

// One exponential per class, one binary search per result.
Cost categorical_cost(const KernelArgs& args) {
  double logits = static_cast<double>(args.in[0].size), results = static_cast<double>(args.out[0].size);
  int64_t classes = args.in[0].dims[args.in[0].rank - 1];
  return {16 * logits + results * (16 + std::log2(static_cast<double>(std::max<int64_t>(classes, 1)))),
          args.in[0].bytes() + args.out[0].bytes()};
}

constexpr const char* kIntDTypeDoc = "an integer dtype";

Error no_distribution(const char* op, const Fault&) {
  return Error(ErrorCode::InvalidArgument,
               text(op, ": a row of logits has nan, inf or nothing but -inf, which is no distribution"));
}

}  // namespace

void define_random_choice_ops(OpRegistry& ops) {
  ops.define({
      .name = "RandomUniformInt",
      .lua_name = "random.randint",
      .summary = "Random integers from low to high, both included, all equally likely.",
      .attrs =
          attrs<RandintAttrs>({attr("shape", &RandintAttrs::shape, kShapeDoc).required(),
                               attr("low", &RandintAttrs::low, "the smallest possible number").required(),
                               attr("high", &RandintAttrs::high, "the largest possible number").required(),
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
      .summary = "The slices of a tensor along its first axis in a random order, each order equally likely.",
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
      // Named, so that a replay of the two gives both the same new range (graph/recording.cpp).
      .attrs = attrs<ReorderAttrs>({attr("seed", &ReorderAttrs::seed, "the shuffle's"),
                                    attr("rng", &ReorderAttrs::rng, "the shuffle's range of random bits"),
                                    attr("back", &ReorderAttrs::back, "the inverse of its order")}),
      .output = "x's shape and dtype",
      .shape = shuffle_shape,
      .gradient = reorder_gradient,
      .gpu = kFloats,
      .flags = kHidden,
  });
  ops.define({
      .name = "Multinomial",
      .lua_name = "random.categorical",
      .summary = "Random classes, 1 to the size of the last axis, with the probabilities softmax(logits), for each row "
                 "separately.",
      .inputs = {{"logits", kNumbers, "[..., classes]"}},
      .attrs = attrs<CategoricalAttrs>(
          {attr("n", &CategoricalAttrs::n, "how many for each row").required(),
           attr("dtype", &CategoricalAttrs::dtype, kIntDTypeDoc).otherwise("int64"),
           attr("seed", &CategoricalAttrs::seed, kSeedDoc).otherwise("the next of set_seed's sequence"),
           attr("index_base", &CategoricalAttrs::base, "what the first class is"),
           attr("rng", &CategoricalAttrs::rng, kRngDoc)}),
      .output = "logits' shape with n instead of classes; int64 unless dtype says otherwise",
      .errors =
          "InvalidArgument for a scalar, no classes, a negative n, a row with nan, inf or only -inf, or another dtype.",
      .source = "tf.random.categorical; inversion of the distribution function, summed in float64",
      .example = "lutra.random.categorical({0.0, 1.0, 2.0}, 4, {seed = 1})  --> {3, 3, 3, 3}",
      .compute = Compute::Float,
      .shape = categorical_shape,
      .fault = no_distribution,
      .cost = categorical_cost,
      .gpu = kFloats,
      .flags = kRandom | kNoMethod,
  });
}

}  // namespace lutra
