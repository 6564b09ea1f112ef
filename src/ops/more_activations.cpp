// Activation functions of mobile and later networks: mish, hardswish, hardsigmoid, celu, log_sigmoid.

#include "ops/activations.h"

#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/unary.h"

namespace lutra {
namespace {

// t + x s (1 - t^2) with t = tanh(softplus(x)) and the logistic function s. Far out x is held: there the slope is
// constant, and inf times 0 would be nan.
void mish_gradient(Gradient& g) {
  Value x = unhalved(g, g.x_in_key());
  Value held = g.call("Maximum", {g.call("Minimum", {x, 800.0}), -800.0});
  Value t = g.call("Tanh", {g.call("Softplus", {held})});
  g.add(0, unhalved(g, g.dy()) * (t + held * g.call("Sigmoid", {held}) * (1.0 - t * t)));
}

// 0 up to -3, 1 from 3 on, else (2 x + 3) / 6.
void hardswish_gradient(Gradient& g) {
  Value x = unhalved(g, g.x_in_key());
  Value inner = (x + x + 3.0) * (1.0 / 6);
  Value slope = g.call("SelectV2", {g.call("GreaterEqual", {x, 3.0}), 1.0, inner});
  g.add(0, unhalved(g, g.dy()) * g.call("SelectV2", {g.call("LessEqual", {x, -3.0}), 0.0, slope}));
}

void hardsigmoid_gradient(Gradient& g) {
  Value y = g.y();
  Value is_inside = g.call("LogicalAnd", {g.call("Greater", {y, 0.0}), g.call("Less", {y, 1.0})});
  g.add(0, g.call("SelectV2", {is_inside, g.dy() * (1.0 / 6), 0.0}));
}

// e^(x / alpha) below 0.
void celu_gradient(Gradient& g) {
  Value x = g.x_in_key();
  Value slope = g.call("Exp", {g.call("Minimum", {x, 0.0}) * (1 / g.attrs<EluAttrs>().alpha)});
  g.add(0, g.dy() * slope);
}

void log_sigmoid_gradient(Gradient& g) { g.add(0, g.dy() * g.call("Sigmoid", {-g.x_in_key()})); }

void celu_shape(Inference& inference) {
  double alpha = inference.attrs<EluAttrs>().alpha;
  require(alpha > 0, inference.who(), ": alpha is ", alpha, ", expected a number above 0");
  same_as_first(inference);
}

}  // namespace

void define_more_activations_ops(OpRegistry& ops) {
  const UnaryEntry entries[] = {
      {"Mish", "mish", "x tanh(softplus(x)).", "Misra, BMVC 2020", "lutra.mish{-1.0, 2.0}  --> {-0.3034, 1.944}",
       mish_gradient, kX0},
      {"HardSwish", "hardswish", "x times hardsigmoid(x): silu from straight lines.", "Howard et al., ICCV 2019",
       "lutra.hardswish{-1.0, 4.0}  --> {-0.3333, 4.0}", hardswish_gradient, kX0},
      {"HardSigmoid", "hardsigmoid", "x / 6 + 1 / 2, limited to the range 0 to 1.", "torch.nn.functional.hardsigmoid",
       "lutra.hardsigmoid{-3.0, 0.0, 1.5}  --> {0.0, 0.5, 0.75}", hardsigmoid_gradient, kY0},
      {"LogSigmoid", "log_sigmoid", "The logarithm of the logistic function, -softplus(-x).", "tf.math.log_sigmoid",
       "lutra.log_sigmoid{0.0, 100.0}  --> {-0.6931, 0.0}", log_sigmoid_gradient, kX0},
  };
  for (const UnaryEntry& entry : entries) define_unary(ops, entry, Compute::Float);
  ops.define({
      .name = "Celu",
      .lua_name = "celu",
      .summary = "x where it is positive, else alpha (e^(x / alpha) - 1): elu with a slope of 1 at 0.",
      .inputs = {{"x", kNumbers, "any shape", kByElement}},
      .attrs = attrs<EluAttrs>(
          {attr("alpha", &EluAttrs::alpha, "the result tends to -alpha as x goes to -inf; above 0").otherwise("1")}),
      .output = "same shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is bool, or if alpha is 0 or less.",
      .source = "Barron, 2017",
      .example = "lutra.celu({-1.0, 2.0}, {alpha = 2})  --> {-0.7869, 2.0}",
      .compute = Compute::Float,
      .shape = celu_shape,
      .gradient = celu_gradient,
      .saves = kX0,
      .gpu = kFloats,
  });
}

}  // namespace lutra
