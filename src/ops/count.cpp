// Masks, counts and searches in sorted values. Ops whose result's size depends on values run on the CPU: on a GPU,
// every use of the result would first have to wait for its size.

#include "ops/count.h"
#include "ops/gradient.h"
#include "ops/index.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void nonzero_shape(Inference& inference) {
  Shape x = inference.shape(0);
  inference.output(DType::Int64, Shape{x.size(), x.rank()});
}

void bincount_shape(Inference& inference) {
  const int64_t least = inference.attrs<BincountAttrs>().minlength;
  require(least >= 0 && least < int64_t{1} << 48, inference.who(), ": minlength is ", least,
          ", expected a number from 0 to 2^48 - 1");
  if (inference.has(1)) {
    require(inference.shape(1) == inference.shape(0), inference.who(), ": x ", inference.shape(0), " and weights ",
            inference.shape(1), " do not match: expected a weight for each element of x");
  }
  DType weights = inference.has(1) ? inference.dtype(1) : DType::Int64;
  inference.output(is_float(weights) || !inference.has(1) ? weights : DType::Float64, Shape{0});
}
void bincount_gradient(Gradient& g) {
  if (g.needs(1)) g.add(1, g.call("GatherV2", {g.dy(), g.x(0)}, GatherAttrs{{}, g.attrs<BincountAttrs>().base}));
}
Error value_below_first(const char* op, const Fault& fault) {
  return Error(ErrorCode::InvalidArgument,
               text(op, ": x holds ", fault.value, ", and values count from ", fault.limit));
}

void searchsorted_shape(Inference& inference) {
  Shape sorted = inference.shape(0), values = inference.shape(1);
  require(sorted.rank() > 0, inference.who(), ": sorted is a scalar, expected values in ascending order along an axis");
  bool fits = sorted.rank() == 1 || sorted.rank() == values.rank();
  for (int i = 0; fits && i + 1 < sorted.rank(); ++i) fits = sorted[i] == values[i];
  require(fits, inference.who(), ": sorted ", sorted, " and values ", values,
          " do not match: sorted has one axis, or all sizes but the last are equal");
  inference.output(DType::Int64, values);
}

// A binary search a value.
Cost searchsorted_cost(const KernelArgs& args) {
  const Array& sorted = args.in[0];
  double values = static_cast<double>(args.in[1].size), element = static_cast<double>(size_of(sorted.dtype));
  double steps = 1;
  for (int64_t n = sorted.dims[sorted.rank - 1]; n > 1; n /= 2) ++steps;
  return {.flops = values * steps, .bytes = values * (element + 8) + static_cast<double>(sorted.size) * element};
}

void range_shape(Inference& inference) { inference.output(inference.key(), Shape()); }
// Of the op that calls it, since errors that come late have no other name.
Error not_finite(const char*, const Fault& fault) {
  if (fault.value == 2) {
    return Error(ErrorCode::InvalidArgument, "histogram: x has numbers further apart than its dtype can hold");
  }
  const char* what = fault.value == 0 ? "nan" : fault.value < 0 ? "-inf" : "inf";
  return Error(ErrorCode::InvalidArgument,
               text("histogram: x has ", what, ", and no range is given: write {min = , max = }"));
}

void mask_shape(Inference& inference) {
  Shape t = inference.shape(0), mask = inference.shape(1);
  bool fits = mask.rank() <= t.rank();
  for (int i = 0; fits && i < mask.rank(); ++i) fits = mask[i] == t[i];
  require(fits, "t[mask]: mask ", mask, " does not fit t ", t, ": it must have the sizes of t's leading axes");
  require(t.rank() - mask.rank() < kMaxRank, "t[mask]: t ", t, " has ", kMaxRank,
          " axes already, and a scalar mask adds one");
  Shape out{mask.size()};
  for (int i = mask.rank(); i < t.rank(); ++i) out.push(t[i]);
  inference.output(inference.key(), out);
}

void mask_grad_shape(Inference& inference) {
  Shape dy = inference.shape(0), out = inference.shape(1);
  for (int i = 1; i < dy.rank(); ++i) out.push(dy[i]);
  inference.output(inference.key(), out);
}

void mask_gradient(Gradient& g) { g.add(0, g.call("BooleanMaskGrad", {g.dy(), g.x(1)})); }
void mask_grad_gradient(Gradient& g) { g.add(0, g.call("BooleanMask", {g.dy(), g.x(1)})); }

}  // namespace

void define_count_ops(OpRegistry& ops) {
  ops.define({
      .name = "Where",
      .lua_name = "nonzero",
      .summary =
          "The indices of the elements of x that are not zero, or true, in row-major order: one row per element, with "
          "one index per axis, counted from 1, as gather_nd takes them. nan is not zero. The size depends on values, "
          "so it runs on the CPU.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .attrs = attrs<IndexAttrs>({attr("index_base", &IndexAttrs::base, "what the first index is")}),
      .output = "[n, x's number of axes]; int64",
      .source = "numpy.argwhere, tf.where",
      .example = "lutra.nonzero{{0, 5}, {6, 0}}  --> {{1, 2}, {2, 1}}",
      .shape = nonzero_shape,
      .flags = kDynamic,
  });
  ops.define({
      .name = "LowerBound",
      .lua_name = "searchsorted",
      .summary =
          "The position in sorted, counted from 1, before which each value must be inserted to keep the order; before "
          "equal values, or with right = true behind them. false sorts before true, nan after every number. If sorted "
          "is not in order, any position from "
          "1 to one past its end.",
      .inputs = {{"sorted", kAnyDType, "[n], or [..., n] with one row for each row of values"},
                 {"values", kAnyDType, "any shape, or [..., m]", kNumber}},
      .attrs = attrs<SearchAttrs>({attr("right", &SearchAttrs::right, "behind equal values").otherwise("false"),
                                   attr("index_base", &SearchAttrs::base, "what the first index is")}),
      .output = "the shape of values; int64, from 1 to n + 1",
      .errors = "InvalidArgument if sorted is a scalar, or if leading sizes differ.",
      .source = "numpy.searchsorted, tf.searchsorted",
      .example = "lutra.searchsorted({10, 20, 30}, {5, 20, 99})  --> {1, 2, 4}",
      .shape = searchsorted_shape,
      .cost = searchsorted_cost,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Bincount",
      .lua_name = "bincount",
      .summary = "Counts how often each integer occurs in x, flattened: element i is the number of values i, up to the "
                 "largest "
                 "in x; with weights, the sum of the weights at those values, added in float64. The size depends on "
                 "values, so it runs on the CPU.",
      .inputs = {{"x", kInts, "any shape, values of at least 1"},
                 {"weights", kNumbers, "x's shape", kOptional | kOwnDType}},
      .attrs = attrs<BincountAttrs>(
          {attr("minlength", &BincountAttrs::minlength, "the result has at least so many elements").otherwise("0"),
           attr("index_base", &BincountAttrs::base, "what the first value is")}),
      .output = "[x's largest value, or minlength if that is more], [minlength] if x has no elements; int64, with "
                "weights their dtype, float64 for integers",
      .errors = "InvalidArgument for a value below 1, a negative minlength, or if the shapes of x and weights differ.",
      .source = "numpy.bincount, tf.math.bincount",
      .example = "lutra.bincount{2, 4, 2}  --> {0, 2, 0, 1}",
      .shape = bincount_shape,
      .gradient = bincount_gradient,
      .saves = kX0,
      .fault = value_below_first,
      .flags = kDynamic,
  });
  ops.define({
      .name = "FiniteRange",
      .summary = "The lower of two limits, both of which must be finite: the range of a histogram.",
      .inputs = {{"low", kFloats, "a scalar"}, {"high", kFloats, "a scalar"}},
      .output = "a scalar; the promoted dtype",
      .source = "numpy.histogram",
      .shape = range_shape,
      .fault = not_finite,
      .gpu = kFloats,
      .flags = kHidden | kNoSlope,
  });
  ops.define({
      .name = "BooleanMask",
      .summary =
          "t[mask]: the slices of t where the mask is true, in order. The size depends on values, so it runs on the "
          "CPU.",
      .inputs = {{"t", kEveryDType, "any shape"}, {"mask", kBool, "the sizes of t's leading axes", kOwnDType}},
      .output = "[n], then t's axes after those of the mask; t's dtype",
      .errors = "InvalidArgument when the mask's sizes are not those of t's leading axes.",
      .source = "numpy's boolean indexing, tf.boolean_mask",
      .shape = mask_shape,
      .gradient = mask_gradient,
      .saves = kX1,
      .flags = kDynamic | kHidden,
  });
  ops.define({
      .name = "BooleanMaskGrad",
      .summary =
          "The gradient of t[mask]: the slices of dy where the mask is true, zeros elsewhere. Runs on the CPU, where "
          "t[mask] did.",
      .inputs = {{"dy", kFloats, "t[mask]'s"}, {"mask", kBool, "as given", kOwnDType}},
      .output = "t's shape; dy's dtype",
      .shape = mask_grad_shape,
      .gradient = mask_grad_gradient,
      .saves = kX1,
      .flags = kHidden,
  });
}

}  // namespace lutra
