// Finite numbers in the place of others.

#include <limits>

#include "ops/composition.h"

namespace lutra {
namespace {

struct NanToNumAttrs {
  double nan = 0;
  Number posinf, neginf;  // not given: the dtype's largest and lowest
};

double largest(DType dtype) {
  switch (dtype) {
    case DType::Float16: return 65504;
    case DType::BFloat16: return 0x1.fep127;
    case DType::Float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

void compose_nan_to_num(Composition& c) {
  Value x = c.x();
  if (!is_float(c.key())) return c.give(x);
  const NanToNumAttrs& attrs = c.attrs<NanToNumAttrs>();
  double inf = std::numeric_limits<double>::infinity(), most = largest(c.key());
  double high = attrs.posinf.given() ? attrs.posinf.value.as_double() : most;
  double low = attrs.neginf.given() ? attrs.neginf.value.as_double() : -most;
  Value y = c.call("SelectV2", {c.call("IsNan", {x}), attrs.nan, x});
  y = c.call("SelectV2", {c.call("Equal", {x, inf}), high, y});
  c.give(c.call("SelectV2", {c.call("Equal", {x, -inf}), low, y}));
}

}  // namespace

void define_nan_to_num_ops(OpRegistry& ops) {
  ops.define({
      .name = "NanToNum",
      .lua_name = "nan_to_num",
      .summary = "x with numbers in the place of nan, inf and -inf, through which no gradient flows. Integers stay as "
                 "they are.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<NanToNumAttrs>(
          {attr("nan", &NanToNumAttrs::nan, "what stands for nan").otherwise("0"),
           attr("posinf", &NanToNumAttrs::posinf, "what stands for inf").otherwise("the dtype's largest number"),
           attr("neginf", &NanToNumAttrs::neginf, "what stands for -inf").otherwise("the dtype's lowest number")}),
      .output = "x's shape and dtype",
      .errors = "InvalidArgument if x is bool.",
      .source = "numpy.nan_to_num",
      .example = "lutra.nan_to_num({1.5, 0/0, 1/0}, {posinf = 9})  --> {1.5, 0.0, 9.0}",
      .shape = same_as_first,
      .compose = compose_nan_to_num,
      .gpu = kNumbers,
  });
}

}  // namespace lutra
