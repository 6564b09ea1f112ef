// The inverse of the logistic function.

#include "ops/composition.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

// log(x / (1 - x)). Where that is close to 0 the quotient is close to 1 and has lost digits: there its distance from 1
// is taken, (2 x - 1) / (1 - x).
void compose_logit(Composition& c) {
  Value x = unhalved(c, c.x());
  Value rest = 1.0 - x;
  Value direct = c.call("Log", {x / rest}), shifted = c.call("Log1p", {(x + x - 1.0) / rest});
  c.give(c.call("SelectV2", {c.call("Less", {x, 0.25}), direct, shifted}));
}

void logit_gradient(Gradient& g) {
  Value x = unhalved(g, g.x());
  g.add(0, unhalved(g, g.dy()) / (x * (1.0 - x)));
}

}  // namespace

void define_logit_ops(OpRegistry& ops) {
  ops.define({
      .name = "Logit",
      .lua_name = "logit",
      .summary = "log(x / (1 - x)), the inverse of sigmoid: -inf at 0, inf at 1, nan outside.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is bool.",
      .source = "scipy.special.logit, torch.logit",
      .example = "lutra.logit{0.5, 0.9}  --> {0.0, 2.1972}",
      .compute = Compute::Float,
      .shape = same_as_first,
      .compose = compose_logit,
      .gradient = logit_gradient,
      .saves = kX0,
      .gpu = kFloats,
  });
}

}  // namespace lutra
