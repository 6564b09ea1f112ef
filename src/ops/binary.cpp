// Elementwise arithmetic of two tensors, with NumPy's broadcasting. Comparisons, logic and bits are in compare.cpp.

#include "ops/binary.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "ops/elementwise.h"
#include "ops/fault.h"

namespace lutra {
namespace {

constexpr const char* kFraction = "the broadcast shape of both; float32 for integers, else the promoted dtype";

}  // namespace

void define_binary(OpRegistry& ops, const BinaryEntry& entry, const BinaryCommon& common) {
  bool is_fraction = entry.compute == Compute::Float;
  ops.define({
      .name = entry.name,
      .lua_name = entry.lua_name,
      .logged_as = entry.logged_as,
      .summary = entry.summary,
      .inputs = {{common.a, common.dtypes | entry.also, "any shape", kNumber | kByElement},
                 {common.b, common.dtypes | entry.also, "broadcasts with the other", kNumber | kByElement}},
      .output = is_fraction ? kFraction : common.output,
      .errors = entry.wrong_values != nullptr ? entry.wrong_values : common.errors,
      .source = entry.source,
      .example = entry.example,
      .compute = entry.compute,
      .shape = common.shape,
      .gradient = entry.gradient,
      .saves = entry.saves,
      .fault = entry.fault,
      .gpu = is_fraction ? kFloats : common.dtypes,
  });
}

namespace {

void add_gradient(Gradient& g) {
  g.add(0, g.dy());
  g.add(1, g.dy());
}
void sub_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(1)) g.add(1, -g.dy());
}
void mul_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.dy() * conj(g, g.x(1)));
  if (g.needs(1)) g.add(1, g.dy() * conj(g, g.x(0)));
}
void div_gradient(Gradient& g) {
  Value per_a = g.dy() / conj(g, g.x(1));
  g.add(0, per_a);
  if (g.needs(1)) g.add(1, -(per_a * conj(g, g.y())));
}
void squared_difference_gradient(Gradient& g) {
  Value slope = (g.x(0) - g.x(1)) * g.dy() * 2.0;
  g.add(0, slope);
  if (g.needs(1)) g.add(1, -slope);
}
// 1 for the dividend, minus the integer quotient for the divisor.
void mod_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(1)) g.add(1, -(g.dy() * g.call("FloorDiv", {g.x(0), g.x(1)})));
}
// Computed from y and x divided by the larger of them, so that their squares neither overflow nor vanish.
void atan2_gradient(Gradient& g) {
  Value y = g.x_in_key(0), x = g.x_in_key(1);
  auto size = [&](const Value& v) { return v.is_number() ? Value(std::abs(v.number())) : g.call("Abs", {v}); };
  Value most = g.call("Maximum", {size(y), size(x)});
  y = y / most;
  x = x / most;
  Value share = g.dy() / (most * (y * y + x * x));
  Value flat = g.call("Equal", {most, most + most});
  auto sloped = [&](const Value& slope) { return g.call("SelectV2", {flat, 0.0, slope}); };
  if (g.needs(0)) g.add(0, sloped(share * x));
  if (g.needs(1)) g.add(1, sloped(-(share * y)));
}

// b a^(b - 1), and 0 for b = 0 whatever a is.
Value slope_in_base(Gradient& g, const Value& a, const Value& b) {
  if (b.is_number()) {
    double exponent = b.number();
    if (exponent == 0) return 0.0;
    if (exponent == 1) return 1.0;
    if (exponent == 2) return a * 2.0;
    return g.call("Pow", {a, exponent - 1}) * exponent;
  }
  Value less = g.call("SelectV2", {g.call("Equal", {b, 0.0}), 0.0, b - 1.0});
  return g.call("Pow", {a, less}) * b;
}
// log(a), but 0 where a <= 0: at a = 0, a^b does not change with b > 0; for a < 0 it has no derivative by b.
Value log_of_base(Gradient& g, const Value& a) {
  if (is_complex(g.key())) {
    Value base = a.is_number() ? g.fill(Shape(), a.number(), g.key()) : a;
    return g.call("Log", {g.call("SelectV2", {g.call("Equal", {base, 0.0}), 1.0, base})});
  }
  if (a.is_number()) return a.number() > 0 ? std::log(a.number()) : 0.0;
  return g.call("Log", {g.call("SelectV2", {g.call("Greater", {a, 0.0}), a, 1.0})});
}
void pow_gradient(Gradient& g) {
  Value a = g.x_in_key(0), b = g.x_in_key(1);
  if (g.needs(0)) g.add(0, g.dy() * conj(g, slope_in_base(g, a, b)));
  // a^b is recomputed rather than saved: most exponents are numbers, which need no gradient.
  if (g.needs(1)) g.add(1, g.dy() * conj(g, g.call("Pow", {a, b}) * log_of_base(g, a)));
}

// Where a and b are equal, each gets half.
void shared_extreme_gradient(Gradient& g, const char* share_of_first) {
  if (g.needs(0)) g.add(0, g.call(share_of_first, {g.dy(), g.x(0), g.x(1)}));
  if (g.needs(1)) g.add(1, g.call(share_of_first, {g.dy(), g.x(1), g.x(0)}));
}
// The gradient of that: it is linear in dy and a step function of the others.
void share_gradient(Gradient& g) {
  g.add(0, g.call(g.op().name, {g.dy(), g.x(1), g.x(2)}));
  for (int i = 1; i <= 2; ++i) {
    if (g.needs(i)) g.add(i, g.fill(g.shape_of(i), 0, g.dtype_of(i)));
  }
}

void define_share(OpRegistry& ops, const char* name, const char* summary) {
  ops.define({
      .name = name,
      .summary = summary,
      .inputs = {{"dy", kFloats, "any shape", kNumber | kByElement},
                 {"a", kFloats, "broadcasts", kNumber | kByElement},
                 {"b", kFloats, "broadcasts", kNumber | kByElement}},
      .output = "the broadcast shape of all three; the promoted dtype",
      .shape = broadcast_all,
      .gradient = share_gradient,
      .saves = kX1 | kX2,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

constexpr BinaryCommon kArithmetic = {
    "a",
    "b",
    kNumbers,
    "InvalidArgument if the shapes do not broadcast, if both are bool, or for a number "
    "that does not fit an integer dtype.",
    "the broadcast shape of both; the promoted dtype, in which a bool beside a number is 0 or 1",
    broadcast_all};
constexpr const char* kDivisionErrors =
    "InvalidArgument if the shapes do not broadcast, if both are bool, or for an integer divided by zero.";
Error divided_by_zero(const char* op, const Fault&) {
  return Error(ErrorCode::InvalidArgument,
               text(op, ": an integer is divided by zero; cast to a float for inf and nan"));
}
constexpr const char* kPowerErrors =
    "InvalidArgument if the shapes do not broadcast, if both are bool, or for a negative power of an integer.";
Error negative_power(const char* op, const Fault& fault) {
  return Error(ErrorCode::InvalidArgument,
               text(op, ": an integer to the negative power ", fault.value, " is a fraction; cast to a float"));
}
}  // namespace

void define_binary_ops(OpRegistry& ops) {
  const BinaryEntry arithmetic[] = {
      {"AddV2", "add", "a + b; integers wrap.", "numpy.add", "lutra.add({1, 2}, 3)  --> {4, 5}", add_gradient},
      {"Sub", "sub", "a - b; integers wrap.", "numpy.subtract", "lutra.sub({1, 2}, 3)  --> {-2, -1}", sub_gradient},
      {"Mul", "mul", "a * b; integers wrap.", "numpy.multiply", "lutra.mul({1, 2}, 3)  --> {3, 6}", mul_gradient,
       kX0 | kX1},
      {"RealDiv", "div", "a / b, true division: integers give float32.", "numpy.true_divide",
       "lutra.div({1, 2}, 4)  --> {0.25, 0.5}", div_gradient, kX1 | kY0, Compute::Float},
      {"FloorDiv", "floordiv", "a / b, rounded down.", "numpy.floor_divide", "lutra.floordiv({7, -7}, 2)  --> {3, -4}",
       gradient_is_zero, 0, Compute::Same, kDivisionErrors, divided_by_zero},
      {"FloorMod", "mod", "The remainder of a // b; it has the sign of b.", "numpy.remainder, tf.math.floormod",
       "lutra.mod({7, -7}, 3)  --> {1, 2}", mod_gradient, kX0 | kX1, Compute::Same, kDivisionErrors, divided_by_zero},
      {"Pow", "pow",
       "a to the power b; integers wrap. The error in float64 is below one unit in the last place; other floats are "
       "nearly always correctly rounded. If b is the number 1, 2, 3, -1 or 0.5, a multiplication, division or square "
       "root is used.",
       "numpy.power; fdlibm's e_pow by Sun Microsystems", "lutra.pow({2, 3}, 2)  --> {4, 9}", pow_gradient, kX0 | kX1,
       Compute::Same, kPowerErrors, negative_power},
      {"Maximum", "maximum", "The larger of a and b; nan if either is.", "numpy.maximum",
       "lutra.maximum({1, 5}, 3)  --> {3, 5}", [](Gradient& g) { shared_extreme_gradient(g, "MaximumGrad"); },
       kX0 | kX1},
      {"Minimum", "minimum", "The smaller of a and b; nan if either is.", "numpy.minimum",
       "lutra.minimum({1, 5}, 3)  --> {1, 3}", [](Gradient& g) { shared_extreme_gradient(g, "MinimumGrad"); },
       kX0 | kX1},
      {"SquaredDifference", "squared_difference", "(a - b) squared; integers wrap.", "tf.math.squared_difference",
       "lutra.squared_difference({1, 5}, 3)  --> {4, 4}", squared_difference_gradient, kX0 | kX1},
  };
  constexpr std::string_view kOfComplex[] = {"AddV2", "Sub", "Mul", "RealDiv", "Pow"};
  for (const BinaryEntry& entry : arithmetic) {
    const bool of_complex = std::ranges::find(kOfComplex, entry.name) != std::end(kOfComplex);
    define_binary(ops, of_complex ? entry.with(kComplex) : entry, kArithmetic);
  }
  define_binary(
      ops,
      {"Atan2", "atan2", "The angle of the point (x, y) to the x axis, in radians from -pi to pi.", "numpy.arctan2",
       "lutra.atan2({1.0, 0.0}, {1.0, -1.0})  --> {0.7853982, 3.1415927}", atan2_gradient, kX0 | kX1, Compute::Float},
      {"y", "x", kNumbers, kArithmetic.errors, kFraction, broadcast_all});
  define_share(ops, "MaximumGrad", "The gradient of maximum(a, b) by a.");
  define_share(ops, "MinimumGrad", "The gradient of minimum(a, b) by a.");
}

}  // namespace lutra
