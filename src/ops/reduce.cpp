// Reductions: sums, means, products, extremes, all and any.

#include "ops/reduce.h"

#include <bit>
#include <limits>

#include "ops/axes.h"
#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/scan.h"
#include "ops/shape.h"

namespace lutra {
namespace {

void sum_shape(Inference& inference) {
  inference.output(is_inexact(inference.key()) ? inference.key() : DType::Int64, result_shape(inference));
}

void extreme_shape(Inference& inference) {
  const ReduceAttrs& attrs = inference.attrs<ReduceAttrs>();
  Shape x = inference.shape(0);
  uint32_t mask = inference.axes(attrs.axis, x.rank());
  require_elements(inference, mask);
  inference.output(inference.key(), reduced_shape(x, mask, attrs.keepdims));
}

struct ReduceEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  DTypes dtypes;
  const char* output;
  const char* errors;
  const char* source;
  const char* example;
  void (*shape)(Inference&);
  DTypes gpu;
  void (*gradient)(Gradient& g) = nullptr;
  uint16_t saves = 0;
  Compute compute = Compute::Same;
};

double reduced_count(Gradient& g) {
  int64_t outputs = g.output_shape().size();
  return outputs == 0 ? 1 : static_cast<double>(g.shape_of(0).size()) / static_cast<double>(outputs);
}

void sum_gradient(Gradient& g) { g.add(0, with_axes(g, g.dy())); }
void mean_gradient(Gradient& g) { g.add(0, with_axes(g, g.cast(unhalved(g, g.dy()) / reduced_count(g), g.key()))); }
// Equal extremes share the gradient.
void extreme_gradient(Gradient& g) {
  uint32_t axes = reduced_axes(g.attrs<ReduceAttrs>().axis, g.shape_of(0).rank());
  Value is_extreme = g.call("Equal", {g.x(), with_axes(g, g.y())});
  Value share = with_axes(g, unhalved(g, g.dy())) / g.cast(g.sum(is_extreme, axes, true), DType::Float32);
  g.add(0, g.call("SelectV2", {is_extreme, g.cast(share, g.key()), 0.0}));
}
// Each element's gradient is the product of all others. Axes that are not adjacent are moved to the end first.
void prod_gradient(Gradient& g) {
  Shape shape = g.shape_of(0);
  uint32_t axes = reduced_axes(g.attrs<ReduceAttrs>().axis, shape.rank());
  TransposeAttrs there, back;
  there.perm.count = back.perm.count = static_cast<int8_t>(shape.rank());
  there.perm.is_list = back.perm.is_list = true;
  int place = 0, last = -1;
  bool is_apart = false;
  int64_t count = 1;
  for (int pass = 0; pass < 2; ++pass) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (static_cast<int>(axes >> axis & 1u) != pass) continue;
      if (pass == 1) {
        is_apart |= last >= 0 && axis != last + 1;
        last = axis;
        count *= shape[axis];
      }
      there.perm.v[place] = axis;
      back.perm.v[axis] = place++;
    }
  }
  Value x = is_apart ? g.call("Transpose", {g.x()}, there) : g.x();
  Shape moved = g.shape(x), lines;
  int end = is_apart ? shape.rank() : last + 1;  // of the reduced axes
  for (int64_t size : {int64_t{1}, count, int64_t{1}}) lines.push(size);
  int reduced = std::popcount(axes);
  for (int axis = 0; axis < moved.rank(); ++axis) {
    if (axis < end - reduced) lines[0] *= moved[axis];
    if (axis >= end) lines[2] *= moved[axis];
  }
  ScanAttrs middle;
  middle.axis = single(1);
  Value others = g.reshape(conj(g, g.call("ProdOthers", {g.reshape(x, lines)}, middle)), moved);
  if (is_apart) others = g.call("Transpose", {others}, back);
  g.add(0, others * with_axes(g, g.dy()));
}

constexpr const char* kAxisErrors = "InvalidArgument for an axis that does not exist or is given twice.";
constexpr const char* kExtremeErrors =
    "InvalidArgument for an axis that does not exist or is given twice, if x is bool, or if there are no elements.";
constexpr const char* kLogicErrors =
    "InvalidArgument for an axis that does not exist or is given twice, or if x is not bool.";

}  // namespace

Shape reduced_shape(const Shape& x, uint32_t mask, bool keepdims) {
  Shape out;
  for (int axis = 0; axis < x.rank(); ++axis) {
    if ((mask >> axis & 1) == 0) out.push(x[axis]);
    else if (keepdims) out.push(1);
  }
  return out;
}

void require_elements(const Inference& inference, uint32_t mask) {
  Shape x = inference.shape(0);
  if (x.size() > 0) return;
  for (int axis = 0; axis < x.rank(); ++axis) {
    require((mask >> axis & 1) == 0 || x[axis] > 0, inference.who(), ": x ", x, " has no elements to reduce, and ",
            inference.who(), " of no elements is undefined");
  }
}

Shape result_shape(const Inference& inference) {
  const ReduceAttrs& attrs = inference.attrs<ReduceAttrs>();
  Shape x = inference.shape(0);
  return reduced_shape(x, inference.axes(attrs.axis, x.rank()), attrs.keepdims);
}

void reduced_like_key(Inference& inference) { inference.output(inference.key(), result_shape(inference)); }
void reduced_to_real(Inference& inference) { inference.output(real_dtype(inference.key()), result_shape(inference)); }

Value over_result(Gradient& g, Value dy, Value y) {
  return dy / g.call("SelectV2", {g.call("Equal", {y, 0.0}), std::numeric_limits<double>::infinity(), y});
}

Value with_axes(Gradient& g, Value reduced) {
  if (g.shape(reduced).rank() == 0) return reduced;  // broadcasts as it is
  Shape shape = g.shape_of(0);
  uint32_t axes = reduced_axes(g.attrs<ReduceAttrs>().axis, shape.rank());
  for (int i = 0; i < shape.rank(); ++i) {
    if ((axes >> i & 1u) != 0) shape[i] = 1;
  }
  return g.reshape(reduced, shape);
}

Value unhalved(Builder& builder, Value value) {
  return kHalves.has(builder.dtype(value)) ? builder.cast(value, DType::Float32) : value;
}

void define_reduce_ops(OpRegistry& ops) {
  const ReduceEntry entries[] = {
      {"Sum", "sum", "The sum over the given axes, or of all elements; 0 if there are none. Integers wrap.",
       kEveryDType, "x's shape without the axes; int64 for integers and bool, else x's dtype", kAxisErrors, "numpy.sum",
       "lutra.sum{1, 2, 3}  --> 6", sum_shape, kAnyDType, sum_gradient},
      {"Mean", "mean", "The mean over the given axes, or of all elements; nan if there are none.", kEveryDType,
       "x's shape without the axes; float32 for integers and bool, else x's dtype", kAxisErrors, "numpy.mean",
       "lutra.mean{1, 2, 6}  --> 3.0", reduced_like_key, kFloats, mean_gradient, 0, Compute::Float},
      {"Prod", "prod", "The product over the given axes, or of all elements; 1 if there are none. Integers wrap.",
       kEveryDType, "x's shape without the axes; int64 for integers and bool, else x's dtype", kAxisErrors,
       "numpy.prod", "lutra.prod{2, 3, 4}  --> 24", sum_shape, kAnyDType, prod_gradient, kX0},
      {"Max", "max", "The largest element over the given axes, or of all; nan if there is one.", kNumbers,
       "x's shape without the axes; x's dtype", kExtremeErrors, "numpy.max", "lutra.max{1, 5, 3}  --> 5", extreme_shape,
       kNumbers, extreme_gradient, kX0 | kY0},
      {"Min", "min", "The smallest element over the given axes, or of all; nan if there is one.", kNumbers,
       "x's shape without the axes; x's dtype", kExtremeErrors, "numpy.min", "lutra.min{4, 1, 3}  --> 1", extreme_shape,
       kNumbers, extreme_gradient, kX0 | kY0},
      {"All", "all", "Whether all elements over the given axes are true; true if there are none.", kBool,
       "x's shape without the axes; bool", kLogicErrors, "numpy.all", "lutra.all{true, false}  --> false",
       reduced_like_key, kBool},
      {"Any", "any", "Whether any element over the given axes is true; false if there are none.", kBool,
       "x's shape without the axes; bool", kLogicErrors, "numpy.any", "lutra.any{true, false}  --> true",
       reduced_like_key, kBool},
  };
  for (const ReduceEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .lua_name = entry.lua_name,
        .summary = entry.summary,
        .inputs = {{"x", entry.dtypes, "any shape"}},
        .attrs = attrs<ReduceAttrs>({axis_option<ReduceAttrs>(), keepdims_option<ReduceAttrs>()}),
        .output = entry.output,
        .errors = entry.errors,
        .source = entry.source,
        .example = entry.example,
        .compute = entry.compute,
        .shape = entry.shape,
        .gradient = entry.gradient,
        .saves = entry.saves,
        .cost = reduction_cost,
        .gpu = entry.gpu,
    });
  }
}

}  // namespace lutra
