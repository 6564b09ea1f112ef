// Covariances, histograms, extremes without nan, and comparisons of whole tensors.

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/count.h"
#include "ops/create.h"
#include "ops/index.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/sort.h"

namespace lutra {
namespace {

struct CovAttrs {
  int64_t ddof = 1;
  bool rowvar = true;
};

void cov_shape(Inference& inference) {
  Shape x = inference.shape(0);
  require(x.rank() == 1 || x.rank() == 2, inference.who(), ": x ", x, " has ", x.rank(),
          " axes, expected a vector or a matrix with a row for each variable");
  int64_t n = x.rank() == 1 ? 1 : x[inference.attrs<CovAttrs>().rowvar ? 0 : 1];
  inference.output(inference.key(), x.rank() == 1 ? Shape() : Shape{n, n});
}

// [variables, observations], without their means.
Value centred(Composition& c, bool rowvar) {
  Value x = unhalved(c, c.x());
  Shape shape = c.shape(x);
  if (shape.rank() == 1) x = c.reshape(x, Shape{1, shape[0]});
  else if (!rowvar) x = c.transpose(x);
  return x - c.call("Mean", {x}, ReduceAttrs{single(1), true});
}

Value gram(Composition& c, Value rows) {
  MatMulAttrs product;
  product.transpose_b = true;
  return c.call("MatMul", {rows, rows}, product);
}

void compose_cov(Composition& c) {
  const CovAttrs& attrs = c.attrs<CovAttrs>();
  Value rows = centred(c, attrs.rowvar);
  double degrees = static_cast<double>(c.shape(rows)[1] - attrs.ddof);
  c.give(c.reshape(gram(c, rows) / (degrees > 0 ? degrees : 0.0), c.output_shape()));
}

void compose_corrcoef(Composition& c) {
  Value rows = centred(c, c.attrs<CovAttrs>().rowvar);
  if (c.shape(rows)[1] == 0) return c.give(c.fill(c.output_shape(), kNan, c.dtype(rows)));
  Value unit = rows / c.call("Sqrt", {c.sum(rows * rows, 1u << 1, true)});
  Value all = gram(c, unit);
  Value low = c.call("Maximum",
                     {c.call("Minimum", {all, c.fill(Shape(), 1, c.dtype(all))}), c.fill(Shape(), -1, c.dtype(all))});
  c.give(c.reshape(c.call("SelectV2", {c.call("IsNan", {all}), all, low}), c.output_shape()));
}

struct CloseAttrs {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};

void allclose_shape(Inference& inference) {
  const CloseAttrs& attrs = inference.attrs<CloseAttrs>();
  require(attrs.rtol >= 0, inference.who(), ": rtol is ", attrs.rtol, ", expected 0 or more");
  require(attrs.atol >= 0, inference.who(), ": atol is ", attrs.atol, ", expected 0 or more");
  (void)broadcast_shape(inference);
  inference.output(DType::Bool, Shape());
}

void compose_allclose(Composition& c) {
  c.give(c.call("All", {c.call("IsClose", {c.x(0), c.x(1)}, c.attrs<CloseAttrs>())}));
}

void scalar_bool(Inference& inference) { inference.output(DType::Bool, Shape()); }

struct EqualAttrs {
  bool equal_nan = false;
};

void compose_array_equal(Composition& c) {
  Value a = c.x(0), b = c.x(1);
  if (c.shape(a) != c.shape(b)) return c.give(c.cast(c.fill(Shape(), 0, DType::Int32), DType::Bool));
  Value equal = c.call("Equal", {a, b});
  if (c.attrs<EqualAttrs>().equal_nan && (is_float(c.key()) || is_complex(c.key())))
    equal =
        c.call("LogicalOr", {equal, c.call("LogicalAnd", {c.call("NotEqual", {a, a}), c.call("NotEqual", {b, b})})});
  c.give(c.call("All", {equal}));
}

void isin_shape(Inference& inference) { inference.output(DType::Bool, inference.shape(0)); }

// The element of the sorted values at which x would be inserted. nan is in nothing.
void compose_isin(Composition& c) {
  Value x = c.x(0), values = c.x(1);
  const int64_t n = c.shape(values).size();
  const bool invert = c.attrs<IsInAttrs>().invert;
  // Many floats are sorted, which takes less time than a table of their hashes.
  constexpr int64_t kFew = 32;
  if (c.on_host() && (n <= kFew || !is_float(c.key()))) {
    return c.give(c.call("Contained", {x, values}, c.attrs<IsInAttrs>()));
  }
  if (n == 0) return c.give(c.cast(c.fill(c.output_shape(), invert ? 1 : 0, DType::Int32), DType::Bool));
  const Axes first = single(0);
  values = c.call("Sort", {c.reshape(values, Shape{n})}, SortAttrs{.axis = first});
  Value places = c.call("LowerBound", {values, x}, SearchAttrs());
  places = c.call("Minimum", {places, c.fill(Shape(), static_cast<double>(n - 1), DType::Int64)});
  values = c.call("GatherV2", {values, places}, GatherAttrs{.axis = first, .base = {}});
  c.give(c.call(invert ? "NotEqual" : "Equal", {values, x}));
}

struct HistogramAttrs {
  int64_t bins = 10;
  Number min, max;
};

void histogram_shape(Inference& inference) {
  const HistogramAttrs& attrs = inference.attrs<HistogramAttrs>();
  require(attrs.bins > 0, inference.who(), ": bins is ", attrs.bins, ", expected 1 or more");
  require(attrs.min.given() == attrs.max.given(), inference.who(), ": ", attrs.min.given() ? "max" : "min",
          " is missing: a range has both");
  if (attrs.min.given()) {
    double low = attrs.min.value.as_double(), high = attrs.max.value.as_double();
    const bool is_double = inference.key() == DType::Float64;
    const double most = is_double ? std::numeric_limits<double>::max() : double{std::numeric_limits<float>::max()};
    const bool fits = std::max(std::abs(low), std::abs(high)) <= most && high - low <= most;
    require(low <= high && fits, inference.who(), ": the range is from ", low, " to ", high,
            ", expected finite numbers in order, no further apart than ", is_double ? "float64" : "float32",
            " can hold");
  }
  inference.output(DType::Int64, Shape{attrs.bins});
  inference.output(inference.key() == DType::Float64 ? DType::Float64 : DType::Float32, Shape{attrs.bins + 1});
}

// The bins' edges, as numpy.linspace gives them, and how many elements are at or above each.
void compose_histogram(Composition& c) {
  const HistogramAttrs& attrs = c.attrs<HistogramAttrs>();
  Value x = unhalved(c, c.x());
  const int64_t n = c.shape(x).size();
  x = c.reshape(x, Shape{n});
  Value low, high;
  if (attrs.min.given()) {
    low = c.fill(Shape(), attrs.min.value.as_double(), c.dtype(x));
    high = c.fill(Shape(), attrs.max.value.as_double(), c.dtype(x));
  } else if (n > 0) {
    low = c.call("Min", {x}, ReduceAttrs());
    high = c.call("Max", {x}, ReduceAttrs());
    low = c.call("FiniteRange", {low, high});
  } else {
    low = c.fill(Shape(), 0, c.dtype(x));
    high = c.fill(Shape(), 1, c.dtype(x));
  }
  // A range without width becomes one of width 1.
  Value is_flat = c.call("Equal", {low, high});
  Value from = c.call("SelectV2", {is_flat, low - 0.5, low}), to = c.call("SelectV2", {is_flat, high + 0.5, high});
  RangeAttrs range;
  range.limit.value = Scalar::of(attrs.bins + 1);
  range.dtype = c.dtype(x);
  Value steps = c.call("Range", {}, range);
  Value edges = from + steps * ((to - from) / static_cast<double>(attrs.bins));
  Value is_end = c.call("Equal", {steps, static_cast<double>(attrs.bins)});
  edges = c.call("SelectV2", {is_end, to, edges});
  SearchAttrs right;
  right.right = true;
  Value bin = c.call("LowerBound", {edges, x}, right) - c.fill(Shape(), 1, DType::Int64);
  // The last bin has its upper edge; nan is outside.
  Value is_last = c.call("Equal", {x, to});
  bin = c.call("SelectV2", {is_last, c.fill(Shape(), static_cast<double>(attrs.bins - 1), DType::Int64), bin});
  Value inside = c.call("LogicalAnd", {c.call("GreaterEqual", {x, from}), c.call("LessEqual", {x, to})});
  Value one = c.cast(inside, DType::Int64);
  bin = c.call("SelectV2", {inside, bin, c.fill(Shape(), 0, DType::Int64)});
  c.give(0, c.call("ScatterAdd", {c.fill(Shape{attrs.bins}, 0, DType::Int64), bin, one}, IndexAttrs()));
  c.give(1, edges);
}

void nan_extreme_shape(Inference& inference) {
  require_elements(inference, inference.axes(inference.attrs<ReduceAttrs>().axis, inference.shape(0).rank()));
  inference.output(inference.key(), result_shape(inference));
}

template <bool largest> void compose_nan_extreme(Composition& c) {
  const ReduceAttrs& attrs = c.attrs<ReduceAttrs>();
  const char* op = largest ? "Max" : "Min";
  Value x = c.x();
  if (!is_float(c.key())) return c.give(c.call(op, {x}, attrs));
  Value is_nan = c.call("IsNan", {x});
  Value most = c.call(op, {c.call("SelectV2", {is_nan, largest ? -kInfinity : kInfinity, x})}, attrs);
  c.give(c.call("SelectV2", {c.call("All", {is_nan}, attrs), kNan, most}));
}

AttrTable cov_options(bool with_ddof) {
  AttrDef rows = attr("rowvar", &CovAttrs::rowvar, "each row is a variable; false: each column").otherwise("true");
  if (!with_ddof) return attrs<CovAttrs>({rows});
  return attrs<CovAttrs>(
      {rows, attr("ddof", &CovAttrs::ddof, "taken off the number of observations to divide by").otherwise("1")});
}

}  // namespace

void define_statistics_ops(OpRegistry& ops) {
  for (bool normal : {false, true}) {
    ops.define({
        .name = normal ? "CorrCoef" : "Cov",
        .lua_name = normal ? "corrcoef" : "cov",
        .summary = normal ? "The correlation of each two variables, from -1 to 1; nan for one that is constant."
                          : "The covariance of each two variables; of a vector its variance.",
        .inputs = {{"x", kNumbers, "[variables, observations] or [observations]"}},
        .attrs = cov_options(!normal),
        .output = "[variables, variables], a scalar of a vector; float32 for integers, else x's dtype",
        .errors = "InvalidArgument for more than two axes, for a scalar, or if x is bool.",
        .source = normal ? "numpy.corrcoef" : "numpy.cov",
        .example = normal ? "lutra.corrcoef{{1, 2, 3}, {3, 2, 1}}  --> {{1.0, -1.0}, {-1.0, 1.0}}"
                          : "lutra.cov{{1, 2, 3}, {3, 2, 1}}  --> {{1.0, -1.0}, {-1.0, 1.0}}",
        .compute = Compute::Float,
        .shape = cov_shape,
        .compose = normal ? compose_corrcoef : compose_cov,
        .gpu = kFloats,
    });
  }
  ops.define({
      .name = "AllClose",
      .lua_name = "allclose",
      .summary = "Whether all elements of a and b are close, as isclose says.",
      .inputs = {{"a", kNumbers | kComplex, "any shape", kNumber},
                 {"b", kNumbers | kComplex, "broadcasts with the other", kNumber}},
      .attrs = attrs<CloseAttrs>(
          {attr("rtol", &CloseAttrs::rtol, "how far apart they may be, in shares of |b|").otherwise("1e-5"),
           attr("atol", &CloseAttrs::atol, "how far apart they may be besides").otherwise("1e-8"),
           attr("equal_nan", &CloseAttrs::equal_nan, "two nans are close").otherwise("false")}),
      .output = "a scalar; bool",
      .errors = "InvalidArgument if the shapes do not broadcast, if both are bool, or for a negative rtol or atol.",
      .source = "numpy.allclose",
      .example = "lutra.allclose({1.0, 2.0}, {1.0, 2.0000001})  --> true",
      .compute = Compute::Float,
      .shape = allclose_shape,
      .compose = compose_allclose,
      .gpu = kFloats,
      .flags = kNoSlope,
  });
  ops.define({
      .name = "ArrayEqual",
      .lua_name = "array_equal",
      .summary = "Whether a and b have the same shape and equal elements.",
      .inputs = {{"a", kEveryDType, "any shape", kNumber}, {"b", kEveryDType, "any shape", kNumber}},
      .attrs = attrs<EqualAttrs>({attr("equal_nan", &EqualAttrs::equal_nan, "two nans are equal").otherwise("false")}),
      .output = "a scalar; bool",
      .source = "numpy.array_equal, torch.equal",
      .example = "lutra.array_equal({1, 2}, {1, 2})  --> true",
      .shape = scalar_bool,
      .compose = compose_array_equal,
      .gpu = kAnyDType,
      .flags = kNoSlope,
  });
  ops.define({
      .name = "IsIn",
      .lua_name = "isin",
      .summary = "Whether each element of x is one of the values. nan is none.",
      .inputs = {{"x", kAnyDType, "any shape", kNumber}, {"values", kAnyDType, "any shape", kNumber}},
      .attrs = attrs<IsInAttrs>({attr("invert", &IsInAttrs::invert, "whether it is none of them").otherwise("false")}),
      .output = "x's shape; bool",
      .source = "numpy.isin",
      .example = "lutra.isin({1, 2, 3}, {3, 1})  --> {true, false, true}",
      .shape = isin_shape,
      .compose = compose_isin,
      .gpu = kAnyDType,
      .flags = kNoSlope,
  });
  ops.define({
      .name = "Contained",
      .summary = "Whether each element of x is one of the values, of which there is at least one.",
      .inputs = {{"x", kAnyDType, "any shape"}, {"values", kAnyDType, "any shape"}},
      .attrs = attrs<IsInAttrs>({attr("invert", &IsInAttrs::invert, "whether it is none of them").otherwise("false")}),
      .output = "x's shape; bool",
      .shape = isin_shape,
      .flags = kHidden | kNoSlope,
  });
  ops.define({
      .name = "Histogram",
      .lua_name = "histogram",
      .summary =
          "Counts the elements of x in bins of equal width, and gives the bins' edges. Each bin has its lower edge, "
          "the last one both. Elements outside the range and nan are not counted. Without a range it is from the "
          "smallest to the largest element. A list or vector in place of bins has the edges. With the option weights = "
          "numbers in x's shape, their sums replace the counts; with density = true the results are divided so that "
          "their integral is 1; range = {low, high} is the same as min and max.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<HistogramAttrs>({attr("bins", &HistogramAttrs::bins, "how many bins").positional().otherwise("10"),
                                      attr("min", &HistogramAttrs::min, "the range's lower end"),
                                      attr("max", &HistogramAttrs::max, "the range's upper end")}),
      .output = "counts [bins], int64; edges [bins + 1], float64 for float64, else float32",
      .errors = "InvalidArgument for fewer than one bin, one end of a range alone, ends or edges out of order, weights "
                "of another shape, inf or nan without a range, or if x is bool.",
      .source = "numpy.histogram",
      .example = "lutra.histogram({1.0, 2.0, 1.5}, 2)  --> {1, 2}, {1.0, 1.5, 2.0}",
      .outputs = 2,
      .compute = Compute::Float,
      .shape = histogram_shape,
      .compose = compose_histogram,
      .gpu = kFloats,
      .flags = kNoSlope,
  });
  AttrTable axes = attrs<ReduceAttrs>({axis_option<ReduceAttrs>(), keepdims_option<ReduceAttrs>()});
  for (bool largest : {true, false}) {
    ops.define({
        .name = largest ? "NanMax" : "NanMin",
        .lua_name = largest ? "nanmax" : "nanmin",
        .summary =
            largest ? "The largest of the elements that are not nan, over the given axes or of all; nan if all are."
                    : "The smallest of the elements that are not nan, over the given axes or of all; nan if all are.",
        .inputs = {{"x", kNumbers, "any shape"}},
        .attrs = axes,
        .output = "x's shape without the axes; x's dtype",
        .errors = "InvalidArgument for an axis that does not exist or is given twice, of nothing, or if x is bool.",
        .source = largest ? "numpy.nanmax" : "numpy.nanmin",
        .example = largest ? "lutra.nanmax{1, 0/0, 2}  --> 2.0" : "lutra.nanmin{1, 0/0, 2}  --> 1.0",
        .shape = nan_extreme_shape,
        .compose = largest ? compose_nan_extreme<true> : compose_nan_extreme<false>,
        .gpu = kNumbers,
    });
  }
}

}  // namespace lutra
