// Sums, means and variances of the elements that are not nan.

#include <utility>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/reduce.h"
#include "ops/vector_norm.h"

namespace lutra {
namespace {

void nansum_shape(Inference& inference) {
  inference.output(is_float(inference.key()) ? inference.key() : DType::Int64, result_shape(inference));
}

// `value` with 0 where x is nan.
Value where_number(Composition& c, Value x, Value value) {
  return c.call("SelectV2", {c.call("IsNan", {x}), 0.0, value});
}

Value sum(Composition& c, Value x, bool keepdims) {
  return c.sum(x, reduced_axes(c.attrs<ReduceAttrs>().axis, c.shape(c.x()).rank()), keepdims);
}

// How many elements that are not nan each result is made of, in a float that
// holds it.
Value counted(Composition& c, Value x, bool keepdims) {
  return c.cast(sum(c, c.call("Equal", {x, x}), keepdims), c.dtype(x));
}

Value nanmean(Composition& c, Value x, bool keepdims) {
  return sum(c, where_number(c, x, x), keepdims) / counted(c, x, keepdims);
}

// How far each element is from the mean, 0 where it is nan; and what to divide
// by, nan if it is not positive.
std::pair<Value, Value> spread(Composition& c) {
  const VarAttrs& attrs = c.attrs<VarAttrs>();
  Value x = unhalved(c, c.x());
  Value distance = where_number(c, x, x - nanmean(c, x, true));
  Value degrees = counted(c, x, attrs.keepdims) - static_cast<double>(attrs.ddof);
  return {distance, c.call("SelectV2", {c.call("Greater", {degrees, 0.0}), degrees, kNan})};
}

void compose_nansum(Composition& c) {
  Value x = c.x();
  c.give(c.call("Sum", {is_float(c.key()) ? where_number(c, x, x) : x}, c.attrs<ReduceAttrs>()));
}

void compose_nanprod(Composition& c) {
  Value x = c.x();
  if (is_float(c.key())) x = c.call("SelectV2", {c.call("IsNan", {x}), 1.0, x});
  c.give(c.call("Prod", {x}, c.attrs<ReduceAttrs>()));
}

void compose_nanmean(Composition& c) { c.give(nanmean(c, unhalved(c, c.x()), c.attrs<ReduceAttrs>().keepdims)); }

void compose_nanvar(Composition& c) {
  auto [distance, degrees] = spread(c);
  c.give(sum(c, c.call("Square", {distance}), c.attrs<VarAttrs>().keepdims) / degrees);
}

// The length does not overflow, and its slope at 0 is 0.
void compose_nanstd(Composition& c) {
  auto [distance, degrees] = spread(c);
  NormAttrs length;
  static_cast<ReduceAttrs&>(length) = c.attrs<VarAttrs>();
  c.give(c.call("Norm", {distance}, length) / c.call("Sqrt", {degrees}));
}

constexpr const char* kNanErrors =
    "InvalidArgument for an axis that does not "
    "exist or is given twice, or if x is bool.";

void define_fraction(OpRegistry& ops, OpDef def) {
  def.inputs = {{"x", kNumbers, "any shape"}};
  def.output = kReducedFraction;
  def.errors = kNanErrors;
  def.compute = Compute::Float;
  def.shape = reduced_like_key;
  def.gpu = kFloats;
  ops.define(std::move(def));
}

AttrTable variance_options() {
  return attrs<VarAttrs>({axis_option<VarAttrs>(),
                          attr("ddof", &VarAttrs::ddof, "taken off the number of elements to divide by").otherwise("0"),
                          keepdims_option<VarAttrs>()});
}

}  // namespace

void define_nan_reduce_ops(OpRegistry& ops) {
  AttrTable axes = attrs<ReduceAttrs>({axis_option<ReduceAttrs>(), keepdims_option<ReduceAttrs>()});
  ops.define({
      .name = "NanProd",
      .lua_name = "nanprod",
      .summary = "The product of the elements that are not nan, over the given "
                 "axes or of all. Of nothing 1; integers wrap.",
      .inputs = {{"x", kAnyDType, "any shape"}},
      .attrs = axes,
      .output = "x's shape without the axes; int64 for integers and bool, else "
                "x's dtype",
      .errors = "InvalidArgument for an axis that does not exist or is given twice.",
      .source = "numpy.nanprod",
      .example = "lutra.nanprod{3, 0/0, 2}  --> 6.0",
      .shape = nansum_shape,
      .compose = compose_nanprod,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "NanSum",
      .lua_name = "nansum",
      .summary = "The sum of the elements that are not nan, over the given "
                 "axes or of all. Of nothing 0; integers wrap.",
      .inputs = {{"x", kAnyDType, "any shape"}},
      .attrs = axes,
      .output = "x's shape without the axes; int64 for integers and bool, else "
                "x's dtype",
      .errors = "InvalidArgument for an axis that does not exist or is given twice.",
      .source = "numpy.nansum",
      .example = "lutra.nansum{1, 0/0, 2}  --> 3.0",
      .shape = nansum_shape,
      .compose = compose_nansum,
      .gpu = kAnyDType,
  });
  define_fraction(ops, {
                           .name = "NanMean",
                           .lua_name = "nanmean",
                           .summary = "The mean of the elements that are not "
                                      "nan, over the given axes or of all. Of "
                                      "nothing nan.",
                           .attrs = axes,
                           .source = "numpy.nanmean",
                           .example = "lutra.nanmean{1, 0/0, 2}  --> 1.5",
                           .compose = compose_nanmean,
                       });
  define_fraction(ops, {
                           .name = "NanVar",
                           .lua_name = "nanvar",
                           .summary = "The variance of the elements that are not nan, "
                                      "over the given axes or of all. "
                                      "nan where there are no more than ddof of them.",
                           .attrs = variance_options(),
                           .source = "numpy.nanvar",
                           .example = "lutra.nanvar{1, 0/0, 3}  --> 1.0",
                           .compose = compose_nanvar,
                       });
  define_fraction(ops, {
                           .name = "NanStd",
                           .lua_name = "nanstd",
                           .summary = "The standard deviation of the elements that "
                                      "are not nan, over the given axes or "
                                      "of all. nan where there are no more than "
                                      "ddof of them. Its gradient is 0 where "
                                      "it is 0.",
                           .attrs = variance_options(),
                           .source = "numpy.nanstd",
                           .example = "lutra.nanstd{1, 0/0, 3}  --> 1.0",
                           .compose = compose_nanstd,
                       });
}

}  // namespace lutra
