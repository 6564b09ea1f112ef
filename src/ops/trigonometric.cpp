// Sines, cosines, tangents, their inverses and hyperbolic functions.

#include "ops/unary.h"

namespace lutra {
namespace {

// 1 / sqrt(1 - x^2), written so that the difference loses no digits close to 1.
Value arc_slope(Gradient& g) { return g.call("Rsqrt", {(1.0 - g.x()) * (1.0 + g.x())}); }

}  // namespace

void define_trigonometric_ops(OpRegistry& ops) {
  const UnaryEntry entries[] = {
      {"Sin", "sin", "The sine of x in radians; nan for inf.", "numpy.sin",
       "lutra.sin{0.0, 1.0}  --> {0.0, 0.84147096}",
       [](Gradient& g) { g.add(0, g.dy() * conj(g, g.call("Cos", {g.x()}))); }, kX0},
      {"Cos", "cos", "The cosine of x in radians; nan for inf.", "numpy.cos",
       "lutra.cos{0.0, 1.0}  --> {1.0, 0.5403023}",
       [](Gradient& g) { g.add(0, -(g.dy() * conj(g, g.call("Sin", {g.x()})))); }, kX0},
      {"Tan", "tan", "The tangent of x in radians; nan for inf.", "numpy.tan",
       "lutra.tan{0.0, 1.0}  --> {0.0, 1.5574077}",
       [](Gradient& g) { g.add(0, g.dy() * conj(g, 1.0 + g.call("Square", {g.y()}))); }, kY0},
      {"Asin", "asin", "The angle in [-pi/2, pi/2] whose sine is x; nan outside -1..1.", "numpy.arcsin",
       "lutra.asin{0.0, 1.0}  --> {0.0, 1.5707964}", [](Gradient& g) { g.add(0, g.dy() * arc_slope(g)); }, kX0},
      {"Acos", "acos", "The angle in [0, pi] whose cosine is x; nan outside -1..1.", "numpy.arccos",
       "lutra.acos{1.0, 0.0}  --> {0.0, 1.5707964}", [](Gradient& g) { g.add(0, -(g.dy() * arc_slope(g))); }, kX0},
      {"Atan", "atan", "The angle in [-pi/2, pi/2] whose tangent is x.", "numpy.arctan",
       "lutra.atan{0.0, 1.0}  --> {0.0, 0.7853982}",
       [](Gradient& g) { g.add(0, g.dy() / (1.0 + g.call("Square", {g.x()}))); }, kX0},
      {"Sinh", "sinh", "The hyperbolic sine, (e^x - e^-x) / 2.", "numpy.sinh",
       "lutra.sinh{0.0, 1.0}  --> {0.0, 1.1752012}",
       [](Gradient& g) { g.add(0, g.dy() * conj(g, g.call("Cosh", {g.x()}))); }, kX0},
      {"Cosh", "cosh", "The hyperbolic cosine, (e^x + e^-x) / 2.", "numpy.cosh",
       "lutra.cosh{0.0, 1.0}  --> {1.0, 1.5430807}",
       [](Gradient& g) { g.add(0, g.dy() * conj(g, g.call("Sinh", {g.x()}))); }, kX0},
      {"Tanh", "tanh", "The hyperbolic tangent.", "numpy.tanh", "lutra.tanh{0.0, 1.0}  --> {0.0, 0.7615942}",
       [](Gradient& g) {
         if (!is_complex(g.key())) return g.add(0, g.call("TanhGrad", {g.y(), g.dy()}));
         g.add(0, g.dy() * conj(g, 1.0 - g.call("Square", {g.y()})));
       },
       kY0},
  };
  for (const UnaryEntry& entry : entries) {
    const bool of_complex = entry.name[0] != 'A';  // the inverses are not
    define_unary(ops, of_complex ? entry.with(kComplex) : entry, Compute::Float);
  }
  const UnaryGradEntry tanh_grad = {
      "TanhGrad", "y", "dy", "dy (1 - y^2), tanh's gradient.", "tf.raw_ops.TanhGrad", [](Gradient& g) {
        if (g.needs(0)) g.add(0, g.dy() * g.x(1) * g.x(0) * -2.0);
        if (g.needs(1)) g.add(1, g.call("TanhGrad", {g.x(0), g.dy()}));
      }};
  define_unary_grad(ops, tanh_grad);
}

}  // namespace lutra
