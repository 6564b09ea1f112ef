// Norms of vectors.

#include "ops/vector_norm.h"

#include <limits>

#include "ops/axes.h"
#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

void norm_shape(Inference& inference) {
  double ord = inference.attrs<NormAttrs>().ord;
  require(ord == 1 || ord == 2 || ord == std::numeric_limits<double>::infinity(), inference.who(), ": ord is ", ord,
          ", expected 1, 2 or math.huge");
  reduced_to_real(inference);
}

// -1 or 1; of a complex number, the number of size 1 that points away from 0; 0 at 0.
Value direction(Gradient& g) {
  if (!is_complex(g.key())) return g.call("Sign", {g.x()});
  return over_result(g, 1.0, g.call("Abs", {g.x()})) * g.x();
}

void norm_gradient(Gradient& g) {
  double ord = g.attrs<NormAttrs>().ord;
  if (ord == 1) return g.add(0, direction(g) * with_axes(g, g.dy()));
  if (ord == 2) return g.add(0, g.x() * with_axes(g, over_result(g, unhalved(g, g.dy()), unhalved(g, g.y()))));
  // The largest elements share the gradient; it is 0 if they are 0.
  Value most = with_axes(g, g.y()), sign = direction(g);
  Value is_most = g.call("Equal", {g.call("Abs", {g.x()}), most});
  uint32_t axes = reduced_axes(g.attrs<ReduceAttrs>().axis, g.shape_of(0).rank());
  Value share = with_axes(g, unhalved(g, g.dy())) / g.cast(g.sum(is_most, axes, true), DType::Float32);
  g.add(0, g.call("SelectV2", {is_most, sign * g.cast(share, g.key()), 0.0}));
}

}  // namespace

void define_vector_norm_ops(OpRegistry& ops) {
  ops.define({
      .name = "Norm",
      .lua_name = "norm",
      .summary = "The norm of the vectors along the given axes, or of all elements: the square root of the sum of "
                 "squares; with ord 1 the sum of magnitudes, with ord math.huge the largest, with -math.huge the "
                 "smallest, with 0 the number of elements that are not 0, with another number p sum(|x|^p)^(1/p); 0 if "
                 "there are no "
                 "elements. ord = \"nuc\" is the nuclear norm of a matrix, or of those along two axes; matrix_norm has "
                 "the others. Where it is 0, its gradient is 0.",
      .inputs = {{"x", kNumbers | kComplex, "any shape"}},
      .attrs =
          attrs<NormAttrs>({axis_option<NormAttrs>(),
                            attr("ord", &NormAttrs::ord, "which norm: a number, \"nuc\" or \"fro\"").otherwise("2"),
                            keepdims_option<NormAttrs>()}),
      .output = kReducedReal,
      .errors = "InvalidArgument for an axis that does not exist or is given twice, for an ord that is none of these, "
                "or if x is bool.",
      .source = "numpy.linalg.norm of vectors, torch.linalg.vector_norm, tf.norm",
      .example = "lutra.norm{3, 4}  --> 5.0",
      .compute = Compute::Float,
      .shape = norm_shape,
      .gradient = norm_gradient,
      .saves = kX0 | kY0,
      .cost = reduction_cost,
      .gpu = kFloats,
  });
}

}  // namespace lutra
