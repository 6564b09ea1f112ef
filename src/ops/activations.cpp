// Activation functions. Gradients of the common ones are hidden ops of one pass each, since training spends its time
// there.

#include "ops/activations.h"

#include "ops/elementwise.h"
#include "ops/reduce.h"
#include "ops/unary.h"

namespace lutra {
namespace {

AttrTable leaky_relu_attrs() {
  return attrs<LeakyReluAttrs>({attr("alpha", &LeakyReluAttrs::alpha, "the slope below 0").otherwise("0.2")});
}
AttrTable elu_attrs() {
  return attrs<EluAttrs>(
      {attr("alpha", &EluAttrs::alpha, "the result tends to -alpha as x goes to -inf").otherwise("1")});
}
AttrTable gelu_attrs() {
  return attrs<GeluAttrs>(
      {attr("approximate", &GeluAttrs::approximate, "use tanh instead of the error function").otherwise("false")});
}

// Each calls a hidden op of (dy, x) or (dy, y) with the op's own options.
void relu_gradient(Gradient& g) { g.add(0, g.call("ReluGrad", {g.dy(), g.y()})); }
void relu6_gradient(Gradient& g) { g.add(0, g.call("Relu6Grad", {g.dy(), g.y()})); }
void leaky_relu_gradient(Gradient& g) { g.add(0, g.call("LeakyReluGrad", {g.dy(), g.x()}, g.attrs<LeakyReluAttrs>())); }
void elu_gradient(Gradient& g) { g.add(0, g.call("EluGrad", {g.dy(), g.x()}, g.attrs<EluAttrs>())); }
void selu_gradient(Gradient& g) { g.add(0, g.call("SeluGrad", {g.dy(), g.x()})); }
void gelu_gradient(Gradient& g) { g.add(0, g.call("GeluGrad", {g.dy(), g.x()}, g.attrs<GeluAttrs>())); }
void silu_gradient(Gradient& g) { g.add(0, g.call("SiluGrad", {g.dy(), g.x()})); }
void sigmoid_gradient(Gradient& g) { g.add(0, g.call("SigmoidGrad", {g.y(), g.dy()})); }
void softplus_gradient(Gradient& g) { g.add(0, g.call("SoftplusGrad", {g.dy(), g.x()})); }
void softsign_gradient(Gradient& g) { g.add(0, g.call("SoftsignGrad", {g.dy(), g.x()})); }

Value squared(Gradient& g, const Value& x) { return g.call("Square", {x}); }
Value zeros(Gradient& g, int i) { return g.fill(g.shape_of(i), 0, g.dtype_of(i)); }
// value where x < 0, else 0.
Value below_zero(Gradient& g, const Value& x, const Value& value) {
  return g.call("SelectV2", {g.call("Less", {x, 0.0}), value, 0.0});
}

// Second derivatives: of each hidden op, by dy and by what it was computed from.
void relu_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("ReluGrad", {g.dy(), g.x(1)}));
  if (g.needs(1)) g.add(1, zeros(g, 1));
}
void relu6_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("Relu6Grad", {g.dy(), g.x(1)}));
  if (g.needs(1)) g.add(1, zeros(g, 1));
}
void leaky_relu_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("LeakyReluGrad", {g.dy(), g.x(1)}, g.attrs<LeakyReluAttrs>()));
  if (g.needs(1)) g.add(1, zeros(g, 1));
}
void elu_grad_gradient(Gradient& g) {
  const EluAttrs& attrs = g.attrs<EluAttrs>();
  if (g.needs(0)) g.add(0, g.call("EluGrad", {g.dy(), g.x(1)}, attrs));
  if (g.needs(1)) g.add(1, below_zero(g, g.x(1), g.call("EluGrad", {g.dy() * g.x(0), g.x(1)}, attrs)));
}
void selu_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("SeluGrad", {g.dy(), g.x(1)}));
  if (g.needs(1)) g.add(1, below_zero(g, g.x(1), g.call("SeluGrad", {g.dy() * g.x(0), g.x(1)})));
}

// x limited to the range where the second derivatives below are not 0: beyond, their powers of x would be inf, times 0.
Value held(Gradient& g, const Value& x, double most) {
  return g.call("Maximum", {g.call("Minimum", {unhalved(g, x), most}), -most});
}
// The logistic function's derivative, s(x) s(-x): 1 - s would lose all digits where s is close to 1.
Value logistic_slope(Gradient& g, const Value& x) { return g.call("Sigmoid", {x}) * g.call("Sigmoid", {-x}); }

// The density of the normal distribution times 2 - x^2.
Value exact_gelu_bend(Gradient& g, const Value& wide_x) {
  constexpr double kOneOverRootTwoPi = 0.39894228040143267794;
  Value z = squared(g, held(g, wide_x, 50));
  return g.call("Exp", {z * -0.5}) * (2.0 - z) * kOneOverRootTwoPi;
}
// Of x s(v) with the logistic function s: s' (2 v' + x v'' + x v'^2 (1 - 2 s)).
Value approximate_gelu_bend(Gradient& g, const Value& wide_x) {
  constexpr double kTwoRoots = 1.5957691216057307118, kCube = 0.044715;
  Value x = held(g, wide_x, 50), z = squared(g, x);
  Value v = x * (1.0 + z * kCube) * kTwoRoots, s = g.call("Sigmoid", {v});
  Value slope = (1.0 + z * (3 * kCube)) * kTwoRoots;
  Value bend = z * (6 * kCube * kTwoRoots);  // x v''
  return logistic_slope(g, v) * (slope * 2.0 + bend + x * squared(g, slope) * (1.0 - s * 2.0));
}
void gelu_grad_gradient(Gradient& g) {
  const GeluAttrs& attrs = g.attrs<GeluAttrs>();
  if (g.needs(0)) g.add(0, g.call("GeluGrad", {g.dy(), g.x(1)}, attrs));
  if (!g.needs(1)) return;
  Value bend = attrs.approximate ? approximate_gelu_bend(g, g.x(1)) : exact_gelu_bend(g, g.x(1));
  g.add(1, bend * g.dy() * g.x(0));
}
void silu_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("SiluGrad", {g.dy(), g.x(1)}));
  if (!g.needs(1)) return;
  Value x = unhalved(g, g.x(1));
  Value bend = logistic_slope(g, x) * (2.0 + x * (1.0 - g.call("Sigmoid", {x}) * 2.0));
  g.add(1, bend * g.dy() * g.x(0));
}
void sigmoid_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.dy() * g.x(1) * (1.0 - g.x(0) * 2.0));
  if (g.needs(1)) g.add(1, g.call("SigmoidGrad", {g.x(0), g.dy()}));
}
void softplus_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("SoftplusGrad", {g.dy(), g.x(1)}));
  if (g.needs(1)) g.add(1, logistic_slope(g, unhalved(g, g.x(1))) * g.dy() * g.x(0));
}
void softsign_grad_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("SoftsignGrad", {g.dy(), g.x(1)}));
  if (!g.needs(1)) return;
  Value x = g.x(1);
  Value bend = g.call("Sign", {x}) / (1.0 + g.call("Abs", {x})) * -2.0;
  g.add(1, g.call("SoftsignGrad", {g.dy() * g.x(0), x}) * bend);
}

void define_activation_grads(OpRegistry& ops) {
  const UnaryGradEntry entries[] = {
      {"ReluGrad", "dy", "y", "dy where y > 0, else 0: relu's gradient.", "tf.raw_ops.ReluGrad", relu_grad_gradient},
      {"Relu6Grad", "dy", "y", "dy where 0 < y < 6, else 0: relu6's gradient.", "tf.raw_ops.Relu6Grad",
       relu6_grad_gradient},
      {"LeakyReluGrad", "dy", "x", "dy where x > 0, else alpha dy: leaky_relu's gradient.", "tf.raw_ops.LeakyReluGrad",
       leaky_relu_grad_gradient, leaky_relu_attrs()},
      // Computed from x: far below 0, y + alpha would have lost all digits of alpha e^x.
      {"EluGrad", "dy", "x", "dy where x >= 0, else dy alpha e^x: elu's gradient.",
       "tf.raw_ops.EluGrad, by x instead of y", elu_grad_gradient, elu_attrs()},
      {"SeluGrad", "dy", "x", "selu's gradient.", "tf.raw_ops.SeluGrad, by x instead of y", selu_grad_gradient},
      {"GeluGrad", "dy", "x", "gelu's gradient.", "Hendrycks and Gimpel, 2016", gelu_grad_gradient, gelu_attrs()},
      {"SiluGrad", "dy", "x", "silu's gradient: dy s (1 + x (1 - s)) with the logistic function s of x.", "tf.nn.silu",
       silu_grad_gradient},
      {"SigmoidGrad", "y", "dy", "dy y (1 - y), the logistic function's gradient.", "tf.raw_ops.SigmoidGrad",
       sigmoid_grad_gradient},
      {"SoftplusGrad", "dy", "x", "dy times the logistic function of x: softplus' gradient.", "tf.raw_ops.SoftplusGrad",
       softplus_grad_gradient},
      {"SoftsignGrad", "dy", "x", "dy / (1 + |x|)^2, softsign's gradient.", "tf.raw_ops.SoftsignGrad",
       softsign_grad_gradient},
  };
  for (const UnaryGradEntry& entry : entries) define_unary_grad(ops, entry);
}

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

// Those without a hidden op for their gradient.
void define_composed_gradients(OpRegistry& ops) {
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

}  // namespace

void define_activations_ops(OpRegistry& ops) {
  const UnaryEntry same_dtype[] = {
      {"Relu", "relu", "x where it is positive, else 0; nan stays nan. Integers stay integers.",
       "Nair and Hinton, ICML 2010", "lutra.relu{-1, 2}  --> {0, 2}", relu_gradient, kY0},
      {"Relu6", "relu6", "x limited to the range 0 to 6; nan stays nan. Integers stay integers.",
       "Krizhevsky, 2010; tf.nn.relu6", "lutra.relu6{-1, 2, 8}  --> {0, 2, 6}", relu6_gradient, kY0},
  };
  for (const UnaryEntry& entry : same_dtype) define_unary(ops, entry, Compute::Same);

  const UnaryEntry fractions[] = {
      {"LeakyRelu", "leaky_relu", "x where it is positive, else alpha x.", "Maas, Hannun and Ng, ICML 2013",
       "lutra.leaky_relu({-1.0, 2.0}, {alpha = 0.5})  --> {-0.5, 2.0}", leaky_relu_gradient, kX0, leaky_relu_attrs()},
      {"Elu", "elu", "x where it is positive, else alpha (e^x - 1).", "Clevert, Unterthiner and Hochreiter, ICLR 2016",
       "lutra.elu{-1.0, 2.0}  --> {-0.63212055, 2.0}", elu_gradient, kX0, elu_attrs()},
      {"Selu", "selu", "elu with alpha = 1.6732632, times 1.050701: keeps mean 0 and variance 1 from layer to layer.",
       "Klambauer et al., NIPS 2017", "lutra.selu{-1.0, 2.0}  --> {-1.1113307, 2.101402}", selu_gradient, kX0},
      {"Gelu", "gelu",
       "x times the normal distribution function of x; approximate: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).",
       "Hendrycks and Gimpel, 2016", "lutra.gelu{-1.0, 2.0}  --> {-0.15865526, 1.9544997}", gelu_gradient, kX0,
       gelu_attrs()},
      {"Silu", "silu", "x times the logistic function of x, also known as swish.", "Elfwing, Uchibe and Doya, 2017",
       "lutra.silu{-1.0, 2.0}  --> {-0.26894143, 1.761594}", silu_gradient, kX0},
      {"Sigmoid", "sigmoid", "The logistic function, 1 / (1 + exp(-x)).", "tf.math.sigmoid",
       "lutra.sigmoid{0.0, 1.0}  --> {0.5, 0.7310586}", sigmoid_gradient, kY0},
      {"Softplus", "softplus", "log(1 + exp(x)), which neither overflows nor loses digits.", "Dugas et al., NIPS 2000",
       "lutra.softplus{0.0, 1.0}  --> {0.6931472, 1.3132617}", softplus_gradient, kX0},
      {"Softsign", "softsign", "x / (1 + |x|).", "Turian, Bergstra and Bengio, 2009",
       "lutra.softsign{-1.0, 3.0}  --> {-0.5, 0.75}", softsign_gradient, kX0},
  };
  for (const UnaryEntry& entry : fractions) define_unary(ops, entry, Compute::Float);

  define_activation_grads(ops);
  define_composed_gradients(ops);
}

}  // namespace lutra
