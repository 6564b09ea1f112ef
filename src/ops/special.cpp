// erfc, erfinv, the logarithm of the gamma function and its derivatives, and the incomplete gamma functions.

#include "ops/special.h"

#include "ops/cost.h"
#include "ops/elementwise.h"
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

// By x it is x^(a-1) e^-x / gamma(a), in float64, since the terms of its logarithm cancel for large a.
void incomplete_gamma_gradient(Gradient& g, double sign) {
  require(!g.needs(0), g.op().lua_name,
          ": there is no gradient by a, as in PyTorch; keep a out of what is watched, or pass ",
          "lutra.stop_gradient(a)");
  if (!g.needs(1)) return;
  Value a = g.x(0), x = g.x(1);
  if (!a.is_number()) a = g.cast(a, DType::Float64);
  if (!x.is_number()) x = g.cast(x, DType::Float64);
  Value logarithm = g.call("Xlogy", {a - 1.0, x}) - x - g.call("Lgamma", {a});
  g.add(1, g.cast(g.dy(), DType::Float64) * g.call("Exp", {logarithm}) * sign);
}

struct IncompleteGammaEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* source;
  const char* example;
  void (*gradient)(Gradient&);
};

void define_incomplete_gamma(OpRegistry& ops, const IncompleteGammaEntry& entry) {
  ops.define({
      .name = entry.name,
      .lua_name = entry.lua_name,
      .summary = entry.summary,
      .inputs = {{"a", kNumbers, "any shape", kNumber | kByElement},
                 {"x", kNumbers, "broadcasts with the other", kNumber | kByElement}},
      .output = "the broadcast shape of both; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if the shapes do not broadcast, if both are bool, or for a gradient by a.",
      .source = entry.source,
      .example = entry.example,
      .compute = Compute::Float,
      .shape = broadcast_all,
      .gradient = entry.gradient,
      .saves = kX0 | kX1,
      .cost = elements_cost<200>,
      .gpu = kFloats,
  });
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
  define_incomplete_gamma(
      ops, {"Igamma", "gammainc",
            "The regularised lower incomplete gamma function: the share of the gamma function's integral below x; the "
            "probability that a gamma variable of shape a is at most x. nan for negative arguments.",
            "scipy.special.gammainc, torch.special.gammainc, tf.math.igamma; Temme's expansion for large a",
            "lutra.gammainc({1.0, 2.0}, {1.0, 2.0})  --> {0.6321, 0.5940}",
            [](Gradient& g) { incomplete_gamma_gradient(g, 1.0); }});
  define_incomplete_gamma(
      ops,
      {"Igammac", "gammaincc",
       "The regularised upper incomplete gamma function, 1 - gammainc(a, x), without the digits that the difference "
       "loses.",
       "scipy.special.gammaincc, torch.special.gammaincc, tf.math.igammac; Temme's expansion for large a",
       "lutra.gammaincc({1.0, 2.0}, {1.0, 2.0})  --> {0.3679, 0.4060}",
       [](Gradient& g) { incomplete_gamma_gradient(g, -1.0); }});
}

}  // namespace lutra
