// The gated linear unit.

#include "ops/axes.h"
#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/softmax.h"

namespace lutra {
namespace {

void glu_shape(Inference& inference) {
  Shape out = inference.shape(0);
  require(out.rank() > 0, inference.who(), ": x is a scalar, which has no axis to halve");
  int axis = one_axis(inference, inference.attrs<SoftmaxAttrs>().axis, -1);
  require(out[axis] % 2 == 0, inference.who(), ": axis ", inference.shown(axis), " has ", out[axis],
          out[axis] == 1 ? " element" : " elements", ", which cannot be halved");
  out[axis] /= 2;
  inference.output(inference.key(), out);
}

// Of a s(b): dy s(b) for a, dy a s(b) s(-b) for b. 1 - s(b) would lose all digits where s(b) is close to 1.
void glu_gradient(Gradient& g) {
  Value x = g.x_in_key(), dy = g.dy();
  Shape shape = g.shape_of(0);
  const int axis = axis_of(g.attrs<SoftmaxAttrs>().axis, shape.rank(), -1);
  const int64_t half = shape[axis] / 2;
  if (half == 0) return g.add(0, g.fill(shape, 0, g.dtype_of(0)));
  Value a = g.call("StridedSlice", {x}, range_along(axis, 0, half - 1));
  Value b = g.call("StridedSlice", {x}, range_along(axis, half, 2 * half - 1));
  Value gate = g.call("Sigmoid", {b}), open = dy * gate;
  g.add(0, g.call("ConcatV2", {open, open * a * g.call("Sigmoid", {-b})}, AxisAttrs{single(axis)}));
}

}  // namespace

void define_glu_ops(OpRegistry& ops) {
  ops.define({
      .name = "Glu",
      .lua_name = "glu",
      .summary = "The first half of x along an axis times the logistic function of the second.",
      .inputs = {{"x", kNumbers, "at least one axis"}},
      .attrs =
          attrs<SoftmaxAttrs>({attr("axis", &SoftmaxAttrs::axis, "the axis to halve").positional().otherwise("-1")}),
      .output = "x's shape with half as many elements along the axis; float32 for integers, else x's dtype",
      .errors =
          "InvalidArgument if x is bool or a scalar, for an axis that does not exist or for more than one, or for "
          "an odd number of elements.",
      .source = "Dauphin et al., ICML 2017; torch.nn.functional.glu",
      .example = "lutra.glu{2.0, 0.0}  --> {1.0}",
      .compute = Compute::Float,
      .shape = glu_shape,
      .gradient = glu_gradient,
      .saves = kX0,
      .cost = elements_cost<8>,
      .gpu = kFloats,
  });
}

}  // namespace lutra
