// Running maxima and minima.

#include "ops/extremes.h"

#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/index.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void running_extreme_shape(Inference& inference) {
  Shape x = running_shape(inference, inference.attrs<ExtremeAttrs>().axis);
  inference.output(inference.key(), x);
  inference.output(DType::Int64, x);
}

void running_extreme_gradient(Gradient& g) {
  const ExtremeAttrs& attrs = g.attrs<ExtremeAttrs>();
  Shape shape = g.output_shape();
  if (shape.rank() == 0) return g.add(0, g.dy());
  ScatterAttrs scatter;
  scatter.shape = Dims::of(shape);
  scatter.axis = axis_of(attrs.axis, shape.rank(), 0);
  scatter.base = attrs.base;
  g.add(0, g.reshape(g.call("TakeAlongAxisGrad", {g.dy(), g.y(1)}, scatter), g.shape_of(0)));
}

}  // namespace

void define_extremes_ops(OpRegistry& ops) {
  for (bool largest : {true, false}) {
    ops.define({
        .name = largest ? "Cummax" : "Cummin",
        .lua_name = largest ? "cummax" : "cummin",
        .summary = largest
                       ? "The largest element so far along an axis, and its index, of equal ones the last; without "
                         "an axis over the flattened tensor. From a nan on, that nan."
                       : "The smallest element so far along an axis, and its index, of equal ones the last; without "
                         "an axis over the flattened tensor. From a nan on, that nan.",
        .inputs = {{"x", kNumbers, "any shape"}},
        .attrs = attrs<ExtremeAttrs>(
            {attr("axis", &ExtremeAttrs::axis, "the axis to go along").positional().otherwise("the flattened tensor"),
             attr("index_base", &ExtremeAttrs::base, "what the first index is")}),
        .output = "values in x's dtype and indices in int64, both in x's shape; without an axis (x.size,), or () for a "
                  "scalar",
        .errors = "InvalidArgument if x is bool, for an axis that does not exist or for more than one.",
        .source = largest ? "torch.cummax, numpy.maximum.accumulate" : "torch.cummin, numpy.minimum.accumulate",
        .example = largest ? "lutra.cummax{1, 3, 2}  --> {1, 3, 3}, {1, 2, 2}"
                           : "lutra.cummin{2, 1, 3}  --> {2, 1, 1}, {1, 2, 2}",
        .outputs = 2,
        .shape = running_extreme_shape,
        .gradient = running_extreme_gradient,
        .saves = kY1,
    });
  }
}

}  // namespace lutra
