// softmax and its logarithm. Other ops of neural networks: layers, conv, pool, normalise, losses, recurrent.

#include "ops/softmax.h"
#include "ops/axes.h"
#include "ops/cost.h"
#include "ops/gradient.h"

namespace lutra {
namespace {

void softmax_shape(Inference& inference) {
  require(inference.shape(0).rank() > 0, inference.who(), ": x is a scalar, which has no axis to go along");
  one_axis(inference, inference.attrs<SoftmaxAttrs>().axis, -1);
  same_as_first(inference);
}

uint32_t axis_bit(Gradient& g) { return 1u << axis_of(g.attrs<SoftmaxAttrs>().axis, g.output_shape().rank(), -1); }

void softmax_gradient(Gradient& g) { g.add(0, g.call("SoftmaxGrad", {g.y(), g.dy()}, g.attrs<SoftmaxAttrs>())); }

// y (dy - sum(y dy)), whose derivatives are again made of such sums.
void softmax_grad_gradient(Gradient& g) {
  Value y = g.x(0), dy = g.x(1), v = g.dy();
  uint32_t axis = axis_bit(g);
  if (g.needs(0)) {
    Value of_v = g.sum(y * v, axis, true), of_dy = g.sum(y * dy, axis, true);
    g.add(0, v * (dy - of_dy) - of_v * dy);
  }
  if (g.needs(1)) g.add(1, g.call("SoftmaxGrad", {y, v}, g.attrs<SoftmaxAttrs>()));
}

void log_softmax_gradient(Gradient& g) { g.add(0, g.call("LogSoftmaxGrad", {g.y(), g.dy()}, g.attrs<SoftmaxAttrs>())); }

// dy - e^y sum(dy)
void log_softmax_grad_gradient(Gradient& g) {
  Value v = g.dy(), power = g.call("Exp", {g.x(0)});
  uint32_t axis = axis_bit(g);
  if (g.needs(0)) g.add(0, -(v * power * g.sum(g.x(1), axis, true)));
  if (g.needs(1)) g.add(1, v - g.sum(v * power, axis, true));
}

struct SoftmaxEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* source;
  const char* example;
  void (*gradient)(Gradient& g);
};

void define_softmax(OpRegistry& ops, const SoftmaxEntry& entry) {
  ops.define({
      .name = entry.name,
      .lua_name = entry.lua_name,
      .summary = entry.summary,
      .inputs = {{"x", kNumbers, "at least one axis"}},
      .attrs = attrs<SoftmaxAttrs>(
          {attr("axis", &SoftmaxAttrs::axis, "the axis of the distributions").positional().otherwise("-1")}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is bool or a scalar, for an axis that does not exist or for more than one.",
      .source = entry.source,
      .example = entry.example,
      .compute = Compute::Float,
      .shape = softmax_shape,
      .gradient = entry.gradient,
      .saves = kY0,
      .cost = elements_cost<5>,  // maximum, difference, exponential, sum, quotient
      .gpu = kFloats,
  });
}

void define_gradient(OpRegistry& ops, const char* name, const char* summary, void (*gradient)(Gradient& g)) {
  ops.define({
      .name = name,
      .summary = summary,
      .inputs = {{"y", kFloats, "at least one axis"}, {"dy", kFloats, "y's shape"}},
      .attrs = inner_attrs<SoftmaxAttrs>(),
      .output = "y's shape and dtype",
      .shape = same_as_first,
      .gradient = gradient,
      .saves = kX0 | kX1,
      .cost = elements_cost<4>,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

}  // namespace

void define_softmax_ops(OpRegistry& ops) {
  define_softmax(ops,
                 {"Softmax", "softmax", "exp(x) divided by its sum along an axis: positive numbers that add up to 1.",
                  "tf.nn.softmax; the largest element is subtracted first, so that nothing overflows",
                  "lutra.softmax{1.0, 1.0}  --> {0.5, 0.5}", softmax_gradient});
  define_softmax(ops,
                 {"LogSoftmax", "log_softmax",
                  "The logarithm of softmax, x - log(sum(exp(x))), accurate where softmax is close to 0 or 1.",
                  "tf.nn.log_softmax", "lutra.log_softmax{0.0, 0.0}  --> {-0.6931, -0.6931}", log_softmax_gradient});
  define_gradient(ops, "SoftmaxGrad", "Softmax's gradient: y * (dy - sum(y * dy)).", softmax_grad_gradient);
  define_gradient(ops, "LogSoftmaxGrad", "LogSoftmax's gradient: dy - exp(y) * sum(dy).", log_softmax_grad_gradient);
}

}  // namespace lutra
