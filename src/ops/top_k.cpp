// The largest elements along an axis, and their indices.

#include "ops/gradient.h"
#include "ops/sort.h"

namespace lutra {
namespace {

void top_k_shape(Inference& inference) {
  const TopKAttrs& attrs = inference.attrs<TopKAttrs>();
  int axis = sorted_axis(inference, attrs.axis);
  Shape out = inference.shape(0);
  require(attrs.k >= 0, inference.who(), ": k is ", attrs.k, ", expected 0 or more");
  require(attrs.k <= out[axis], inference.who(), ": k is ", attrs.k, ", and axis ", inference.shown(axis), " of x ",
          out, " has ", out[axis], out[axis] == 1 ? " element" : " elements");
  out[axis] = attrs.k;
  inference.output(inference.key(), out);
  inference.output(DType::Int64, out);
}

void top_k_gradient(Gradient& g) {
  const TopKAttrs& attrs = g.attrs<TopKAttrs>();
  add_to_places(g, attrs.axis, g.y(1), attrs.base);
}

}  // namespace

void define_top_k_ops(OpRegistry& ops) {
  ops.define({
      .name = "TopKV2",
      .lua_name = "top_k",
      .summary = "The k largest elements along an axis, the largest first, and their indices, counted from 1. Of equal "
                 "elements the one with the lower index comes first; nan counts as larger than every number.",
      .inputs = {{"x", kAnyDType, "at least one axis"}},
      .attrs =
          attrs<TopKAttrs>({attr("k", &TopKAttrs::k, "how many, at most the axis' size").required(),
                            attr("axis", &TopKAttrs::axis, "the axis to search along").positional().otherwise("-1"),
                            attr("index_base", &TopKAttrs::base, "what the first index is")}),
      .output = "values in x's dtype and indices in int64, both in x's shape with k at axis",
      .errors =
          "InvalidArgument if x is a scalar, for an axis that does not exist, for a negative k, and for one past the "
          "axis' size.",
      .source = "tf.math.top_k",
      .example = "lutra.top_k({10, 40, 20, 30}, 2)  --> {40, 30}",
      .outputs = 2,
      .shape = top_k_shape,
      .gradient = top_k_gradient,
      .saves = kY1,
      .gpu = kAnyDType,
  });
}

}  // namespace lutra
