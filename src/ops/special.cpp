// erfc, erfinv, the logarithm of the gamma function and its derivatives.

#include "ops/special.h"

#include "ops/cost.h"
#include "ops/kernel.h"
#include "ops/unary.h"

namespace lutra {
namespace {

constexpr int64_t kMostDerivative = 100;

void polygamma_shape(Inference& inference) {
  int64_t n = inference.attrs<PolygammaAttrs>().n;
  require(n >= 0 && n <= kMostDerivative, inference.who(), ": n is ", n, ", expected 0 to ", kMostDerivative);
  same_as_first(inference);
}

void polygamma_gradient(Gradient& g) {
  g.add(0, g.dy() * g.call("Polygamma", {g.x()}, PolygammaAttrs{g.attrs<PolygammaAttrs>().n + 1}));
}

}  // namespace

void define_special_ops(OpRegistry& ops) {
  const UnaryEntry entries[] = {
      {"Erfc", "erfc", "1 - erf(x), without the digits that the difference loses for large x.",
       "scipy.special.erfc, torch.erfc", "lutra.erfc{0.0, 1.0}  --> {1.0, 0.1573}",
       [](Gradient& g) { g.add(0, g.dy() * g.call("Exp", {-g.call("Square", {g.x()})}) * -1.1283791670955126); }, kX0},
      {"Erfinv", "erfinv", "The number whose erf is x: -inf at -1, inf at 1, nan outside.",
       "scipy.special.erfinv, torch.erfinv; one step of Halley's method for float64",
       "lutra.erfinv{0.0, 0.5}  --> {0.0, 0.4769}",
       [](Gradient& g) { g.add(0, g.dy() * g.call("Exp", {g.call("Square", {g.y()})}) * 0.88622692545275801); }, kY0},
      {"Lgamma", "lgamma", "The logarithm of the absolute value of the gamma function; inf at 0, -1, -2, ...",
       "scipy.special.gammaln, torch.lgamma, tf.math.lgamma", "lutra.lgamma{1.0, 5.0, 0.5}  --> {0.0, 3.1781, 0.5724}",
       [](Gradient& g) { g.add(0, g.dy() * g.call("Digamma", {g.x()})); }, kX0},
      {"Digamma", "digamma", "The derivative of lgamma: -inf at 0, nan at -1, -2, ...",
       "scipy.special.digamma, torch.digamma, tf.math.digamma",
       "lutra.digamma{1.0, 2.0, 10.0}  --> {-0.5772, 0.4228, 2.2518}",
       [](Gradient& g) { g.add(0, g.dy() * g.call("Polygamma", {g.x()}, PolygammaAttrs{1})); }, kX0},
  };
  for (const UnaryEntry& entry : entries) define_unary(ops, entry, Compute::Float);
  ops.define({
      .name = "Polygamma",
      .lua_name = "polygamma",
      .summary = "The n-th derivative of digamma. At 0, -1, -2, ...: inf for odd n, -inf for even n from 2 on.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<PolygammaAttrs>(
          {attr("n", &PolygammaAttrs::n, "which derivative: 0, digamma itself, to 100").before_inputs()}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is bool, or for n below 0 or above 100.",
      .source = "scipy.special.polygamma, torch.polygamma; Hurwitz's zeta function by Euler's and Maclaurin's formula",
      .example = "lutra.polygamma(1, {1.0, 2.0})  --> {1.6449, 0.6449}",
      .compute = Compute::Float,
      .shape = polygamma_shape,
      .gradient = polygamma_gradient,
      .saves = kX0,
      .cost = elements_cost<200>,
      .gpu = kFloats,
      .flags = kNoMethod,
  });
}

}  // namespace lutra
