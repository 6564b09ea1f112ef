// Whether numbers are nearly equal.

#include "ops/composition.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

struct IsCloseAttrs {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};

void isclose_shape(Inference& inference) {
  const IsCloseAttrs& attrs = inference.attrs<IsCloseAttrs>();
  require(attrs.rtol >= 0, inference.who(), ": rtol is ", attrs.rtol, ", expected 0 or more");
  require(attrs.atol >= 0, inference.who(), ": atol is ", attrs.atol, ", expected 0 or more");
  broadcast_to_bool(inference);
}

void compose_isclose(Composition& c) {
  const IsCloseAttrs& attrs = c.attrs<IsCloseAttrs>();
  Value a = unhalved(c, c.x(0)), b = unhalved(c, c.x(1));
  Value allowed = c.call("Abs", {b}) * attrs.rtol + attrs.atol;
  Value is_near = c.call("LessEqual", {c.call("Abs", {a - b}), allowed});
  is_near = c.call("LogicalAnd", {is_near, c.call("IsFinite", {b})});
  Value is_close = c.call("LogicalOr", {is_near, c.call("Equal", {a, b})});
  if (attrs.equal_nan) {
    Value are_nan = c.call("LogicalAnd", {c.call("IsNan", {a}), c.call("IsNan", {b})});
    is_close = c.call("LogicalOr", {is_close, are_nan});
  }
  c.give(is_close);
}

}  // namespace

void define_isclose_ops(OpRegistry& ops) {
  ops.define({
      .name = "IsClose",
      .lua_name = "isclose",
      .summary = "Whether a and b are equal, or finite and no further apart than atol + rtol |b|.",
      .inputs = {{"a", kNumbers | kComplex, "any shape", kNumber},
                 {"b", kNumbers | kComplex, "broadcasts with the other", kNumber}},
      .attrs = attrs<IsCloseAttrs>(
          {attr("rtol", &IsCloseAttrs::rtol, "how far apart they may be, in shares of |b|").otherwise("1e-5"),
           attr("atol", &IsCloseAttrs::atol, "how far apart they may be besides").otherwise("1e-8"),
           attr("equal_nan", &IsCloseAttrs::equal_nan, "two nans are close").otherwise("false")}),
      .output = "the broadcast shape of both; bool",
      .errors = "InvalidArgument if the shapes do not broadcast, if both are bool, or for a negative rtol or atol.",
      .source = "numpy.isclose",
      .example = "lutra.isclose({1.0, 2.0}, {1.000001, 2.1})  --> {true, false}",
      .compute = Compute::Float,
      .shape = isclose_shape,
      .compose = compose_isclose,
      .gpu = kFloats,
      .flags = kNoSlope,
  });
}

}  // namespace lutra
