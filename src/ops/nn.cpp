// Ops of neural networks.

#include "ops/nn.h"

#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void softmax_shape(Inference& inference) {
  const Axes& axis = inference.attrs<SoftmaxAttrs>().axis;
  int rank = inference.shape(0).rank();
  require(rank > 0, inference.who(), ": x is a scalar, which has no axis to go along");
  require(!axis.given() || axis.count == 1, inference.who(), ": axis is a list of ", axis.count, ", expected one axis");
  if (axis.given()) inference.axis(axis.v[0], rank);
  same_as_first(inference);
}

// The largest, its difference, e to that, the sum and the quotient.
Cost softmax_cost(const KernelArgs& args) {
  double elements = static_cast<double>(args.out[0].size);
  return {.flops = 5 * elements, .bytes = 2 * elements * static_cast<double>(size_of(args.out[0].dtype))};
}

void softmax_gradient(Gradient& g) {
  const Axes& axes = g.attrs<SoftmaxAttrs>().axis;
  int rank = g.shape_of(0).rank();
  int64_t axis = axes.given() ? axes.v[0] : -1;
  Value weighted = g.dy() * g.y();
  g.add(0, weighted - g.y() * g.sum(weighted, 1u << (axis < 0 ? axis + rank : axis), true));
}

}  // namespace

void define_nn_ops(OpRegistry& ops) {
  ops.define({
      .name = "Softmax",
      .lua_name = "softmax",
      .summary = "exp(x) divided by its sum along an axis: positive numbers that add up to 1.",
      .inputs = {{"x", kNumbers, "at least one axis"}},
      .attrs =
          attrs<SoftmaxAttrs>({attr("axis", &SoftmaxAttrs::axis, "the axis to go along").positional().otherwise("-1")}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is bool or a scalar, for an axis that is not there or for more than one.",
      .source = "tf.nn.softmax; the largest element is taken off first, so that nothing overflows",
      .example = "lutra.softmax{1.0, 1.0}  --> {0.5, 0.5}",
      .compute = Compute::Float,
      .shape = softmax_shape,
      .gradient = softmax_gradient,
      .saves = kY0,
      .cost = softmax_cost,
      .gpu = DType::Float32 | DType::Float64,
  });
}

}  // namespace lutra
