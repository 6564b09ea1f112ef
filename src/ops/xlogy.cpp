// x log(y), the summand of entropies.

#include "ops/elementwise.h"
#include "ops/gradient.h"

namespace lutra {
namespace {

// Where x is 0, the result is 0 for all y: there both derivatives are 0, and theirs too.
void xlogy_gradient(Gradient& g) {
  Value x = g.x(0), y = g.x(1);
  if (g.needs(0)) g.add(0, g.dy() * g.call("Xlogy", {g.cast(g.call("NotEqual", {x, 0.0}), g.key()), y}));
  if (!g.needs(1)) return;
  Value is_zero = g.call("Equal", {x, 0.0});
  g.add(1, g.dy() * g.call("SelectV2", {is_zero, 0.0, x / g.call("SelectV2", {is_zero, 1.0, y})}));
}

}  // namespace

void define_xlogy_ops(OpRegistry& ops) {
  ops.define({
      .name = "Xlogy",
      .lua_name = "xlogy",
      .summary = "x log(y), and 0 where x is 0, whatever y is.",
      .inputs = {{"x", kNumbers, "any shape", kNumber | kByElement},
                 {"y", kNumbers, "broadcasts with the other", kNumber | kByElement}},
      .output = "the broadcast shape of both; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if the shapes do not broadcast, or if both are bool.",
      .source = "tf.math.xlogy",
      .example = "lutra.xlogy({2.0, 0.0}, {3.0, 0.0})  --> {2.1972246, 0.0}",
      .compute = Compute::Float,
      .shape = broadcast_all,
      .gradient = xlogy_gradient,
      .saves = kX0 | kX1,
      .gpu = kFloats,
  });
}

}  // namespace lutra
