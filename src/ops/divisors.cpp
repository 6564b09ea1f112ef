// Common divisors of integers.

#include "ops/elementwise.h"
#include "ops/inference.h"

namespace lutra {

void define_divisors_ops(OpRegistry& ops) {
  ops.define({
      .name = "Gcd",
      .lua_name = "gcd",
      .summary = "The greatest common divisor of two integers, which is not negative; that of 0 and x is |x|.",
      .inputs = {{"a", kInts, "any shape", kNumber | kByElement},
                 {"b", kInts, "broadcasts with the other", kNumber | kByElement}},
      .output = "the broadcast shape of both; the promoted dtype",
      .errors = "InvalidArgument for bool or floats, or if the shapes do not broadcast.",
      .source = "numpy.gcd, torch.gcd",
      .example = "lutra.gcd({12, 7}, {18, 21})  --> {6, 7}",
      .shape = broadcast_all,
      .flags = kNoMethod,
  });
}

}  // namespace lutra
