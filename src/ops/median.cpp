// The middle of elements in order, and other quantiles.

#include <cmath>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/index.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/sort.h"

namespace lutra {
namespace {

// x as lines of the elements that are reduced together, [results, elements].
Value reduced_lines(Composition& c) {
  Value x = c.x();
  Shape shape = c.shape(x);
  uint32_t axes = reduced_axes(c.attrs<ReduceAttrs>().axis, shape.rank());
  TransposeAttrs order;
  order.perm.count = 0;
  order.perm.is_list = true;
  int64_t results = 1, elements = 1;
  bool is_in_order = true;
  for (uint32_t reduced : {0u, 1u}) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if ((axes >> axis & 1u) != reduced) continue;
      (reduced != 0 ? elements : results) *= shape[axis];
      is_in_order &= order.perm.count == axis;
      order.perm.v[order.perm.count++] = axis;
    }
  }
  if (!is_in_order) x = c.call("Transpose", {x}, order);
  return c.reshape(x, Shape{results, elements});
}

// The elements [first, last] of each line.
Value picked(Composition& c, Value lines, int64_t first, int64_t last) {
  return c.call("StridedSlice", {lines}, range_along(1, first, last));
}

// A line with a nan has it at its end.
void compose_median(Composition& c) {
  Value lines = reduced_lines(c);
  int64_t count = c.shape(lines)[1];
  if (c.shape(lines).size() == 0) return c.give(c.call("Mean", {c.x()}, c.attrs<ReduceAttrs>()));
  const Axes of_lines = single(1);
  Value sorted = c.call("Sort", {lines}, SortAttrs{.axis = of_lines});
  Value middle = picked(c, sorted, (count - 1) / 2, count / 2);
  if (count % 2 == 0) middle = c.call("Mean", {middle}, ReduceAttrs{of_lines, true});
  Value last = picked(c, sorted, count - 1, count - 1);
  Value median = c.call("SelectV2", {c.call("IsNan", {last}), last, middle});
  c.give(c.reshape(median, c.output_shape()));
}

// The middle of the elements before the nans, which are at the end of a line in
// order; nan where there is no other.
void compose_nanmedian(Composition& c) {
  Value lines = unhalved(c, reduced_lines(c));
  if (c.shape(lines).size() == 0) return c.give(c.call("Mean", {c.x()}, c.attrs<ReduceAttrs>()));
  const Axes of_lines = single(1);
  Value sorted = c.call("Sort", {lines}, SortAttrs{.axis = of_lines});
  Value count = c.call("Sum", {c.call("Equal", {sorted, sorted})}, ReduceAttrs{of_lines, true});
  auto number = [&](double value) { return c.fill(Shape(), value, DType::Int64); };
  Value low = c.call("Maximum", {c.call("FloorDiv", {count - number(1), number(2)}), number(0)});
  Value high = c.call("FloorDiv", {count, number(2)});
  auto at = [&](Value place) { return c.call("TakeAlongAxis", {sorted, place}, GatherAttrs{of_lines, {}}); };
  c.give(c.reshape(at(low) * 0.5 + at(high) * 0.5, c.output_shape()));
}

struct QuantileAttrs : ReduceAttrs {
  double q = 0.5;
  Text method;
};

bool is_method(std::string_view word) {
  for (const char* known : {"", "linear", "lower", "higher", "midpoint", "nearest"}) {
    if (word == known) return true;
  }
  return false;
}

// `most`: 1 for quantile, 100 for percentile.
template <int most> void quantile_shape(Inference& inference) {
  const QuantileAttrs& attrs = inference.attrs<QuantileAttrs>();
  require(attrs.q >= 0 && attrs.q <= most, inference.who(), ": q is ", attrs.q, ", expected a number from 0 to ", most);
  require(is_method(attrs.method.view()), inference.who(), ": method is \"", attrs.method.view(),
          "\", expected \"linear\", \"lower\", \"higher\", \"midpoint\" or "
          "\"nearest\"");
  reduced_like_key(inference);
}

// Between the elements low and high in order, `share` of the way; of equal
// infinities that infinity.
Value between(Composition& c, Value low, Value high, double share) {
  low = unhalved(c, low);
  high = unhalved(c, high);
  Value distance = high - low;
  Value point = share < 0.5 ? low + distance * share : high - distance * (1 - share);
  return c.call("SelectV2", {c.call("Equal", {low, high}), low, point});
}

template <int most> void compose_quantile(Composition& c) {
  const QuantileAttrs& attrs = c.attrs<QuantileAttrs>();
  Value lines = reduced_lines(c);
  const int64_t count = c.shape(lines)[1];
  if (c.shape(lines).size() == 0) return c.give(c.call("Mean", {c.x()}, static_cast<const ReduceAttrs&>(attrs)));
  const Axes of_lines = single(1);
  Value sorted = c.call("Sort", {lines}, SortAttrs{.axis = of_lines});
  const double place = attrs.q / most * static_cast<double>(count - 1);
  double low = std::floor(place), high = std::ceil(place), share = place - low;
  std::string_view method = attrs.method.view();
  if (method == "nearest") low = high = std::nearbyint(place);
  if (method == "lower") high = low;
  if (method == "higher") low = high;
  if (method == "midpoint") share = 0.5;
  Value result = picked(c, sorted, static_cast<int64_t>(low), static_cast<int64_t>(low));
  if (high > low) {
    result = between(c, result, picked(c, sorted, static_cast<int64_t>(high), static_cast<int64_t>(high)), share);
  }
  Value last = picked(c, sorted, count - 1, count - 1);
  c.give(c.reshape(c.call("SelectV2", {c.call("IsNan", {last}), last, result}), c.output_shape()));
}

template <int most> void define_quantile(OpRegistry& ops, OpDef def) {
  def.inputs = {{"x", kNumbers, "any shape"}};
  def.attrs =
      attrs<QuantileAttrs>({attr("q", &QuantileAttrs::q,
                                 most == 1 ? "from 0 to 1; a list gives a result for each, along a new first axis"
                                           : "from 0 to 100; a list gives a result for each, along a new first axis")
                                .required(),
                            axis_option<QuantileAttrs>(), keepdims_option<QuantileAttrs>(),
                            attr("method", &QuantileAttrs::method,
                                 "what is between two elements: \"linear\", \"lower\", \"higher\", "
                                 "\"midpoint\" or \"nearest\"")
                                .otherwise("\"linear\"")});
  def.output = kReducedFraction;
  def.errors =
      "InvalidArgument for q out of range, another method, an axis "
      "that does not exist or is given twice, or if x is "
      "bool.";
  def.compute = Compute::Float;
  def.shape = quantile_shape<most>;
  def.compose = compose_quantile<most>;
  def.gpu = kFloats;
  ops.define(std::move(def));
}

}  // namespace

void define_median_ops(OpRegistry& ops) {
  ops.define({
      .name = "Median",
      .lua_name = "median",
      .summary = "The middle element in order over the given axes, or of all; "
                 "of an even number the mean of the middle "
                 "two. nan if there is one, and of nothing.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<ReduceAttrs>({axis_option<ReduceAttrs>(), keepdims_option<ReduceAttrs>()}),
      .output = kReducedFraction,
      .errors = "InvalidArgument for an axis that does not exist or is given "
                "twice, or if x is bool.",
      .source = "numpy.median",
      .example = "lutra.median{4, 1, 9, 2}  --> 3.0",
      .compute = Compute::Float,
      .shape = reduced_like_key,
      .compose = compose_median,
      .gpu = kFloats,
  });
  ops.define({
      .name = "NanMedian",
      .lua_name = "nanmedian",
      .summary = "The middle in order of the elements that are not nan, over "
                 "the given axes or of all; of an even number "
                 "the mean of the middle two. nan if all are, and of nothing.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<ReduceAttrs>({axis_option<ReduceAttrs>(), keepdims_option<ReduceAttrs>()}),
      .output = kReducedFraction,
      .errors = "InvalidArgument for an axis that does not exist or is given "
                "twice, or if x is bool.",
      .source = "numpy.nanmedian, torch.nanmedian",
      .example = "lutra.nanmedian{4, 0/0, 9, 2}  --> 4.0",
      .compute = Compute::Float,
      .shape = reduced_like_key,
      .compose = compose_nanmedian,
      .gpu = kFloats,
  });
  define_quantile<1>(ops, {
                              .name = "Quantile",
                              .lua_name = "quantile",
                              .summary = "The element that a share q of the elements is "
                                         "below, over the given axes or of "
                                         "all; between two elements it is interpolated. nan "
                                         "if there is one, and of "
                                         "nothing.",
                              .source = "numpy.quantile, torch.quantile",
                              .example = "lutra.quantile({4, 1, 9, 2}, 0.25)  --> 1.75",
                          });
  define_quantile<100>(ops, {
                                .name = "Percentile",
                                .lua_name = "percentile",
                                .summary = "The same as quantile, with q in percent.",
                                .source = "numpy.percentile",
                                .example = "lutra.percentile({4, 1, 9, 2}, 50)  --> 3.0",
                            });
}

}  // namespace lutra
