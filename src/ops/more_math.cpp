// Elementwise functions that others compute: inverse hyperbolic functions, logarithms to other bases, remainders.

#include <utility>

#include "ops/composition.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

void asinh_gradient(Gradient& g) {
  Value x = unhalved(g, g.x_in_key());
  Value size = g.call("Maximum", {g.call("Abs", {x}), 1.0}), share = x / size;
  // The root of x^2 + 1 without overflow.
  Value root = size * g.call("Sqrt", {share * share + g.call("Square", {g.call("Reciprocal", {size})})});
  g.add(0, unhalved(g, g.dy()) / root);
}

void acosh_gradient(Gradient& g) {
  Value x = unhalved(g, g.x_in_key());
  g.add(0, unhalved(g, g.dy()) / (g.call("Sqrt", {x - 1.0}) * g.call("Sqrt", {x + 1.0})));
}

void atanh_gradient(Gradient& g) {
  Value x = unhalved(g, g.x_in_key());
  g.add(0, unhalved(g, g.dy()) / ((1.0 - x) * (x + 1.0)));
}

template <int base> constexpr double kInverseLog = base == 2 ? 1.4426950408889634 : 0.4342944819032518;
template <int base> void compose_log(Composition& c) {
  c.give(c.call("Log", {unhalved(c, c.x())}) * kInverseLog<base>);
}
template <int base> void log_gradient(Gradient& g) {
  g.add(0, unhalved(g, g.dy()) * kInverseLog<base> / unhalved(g, g.x_in_key()));
}

void compose_frac(Composition& c) {
  Value x = c.x();
  c.give(x - c.call("Trunc", {x}));
}

// Of positive floats FloorMod is exact; of integers it differs by b where the signs do.
void compose_fmod(Composition& c) {
  if (!is_float(c.key())) {
    Value rest = c.call("FloorMod", {c.x(0), c.x(1)});
    Value differs = c.call("LogicalXor", {c.call("Less", {c.x(0), 0.0}), c.call("Less", {c.x(1), 0.0})});
    Value is_off = c.call("LogicalAnd", {differs, c.call("NotEqual", {rest, 0.0})});
    return c.give(c.call("SelectV2", {is_off, rest - c.x(1), rest}));
  }
  Value a = c.call("Abs", {c.x(0)}), b = c.call("Abs", {c.x(1)});
  Value rest = c.call("FloorMod", {a, b});
  c.give(c.call("SelectV2", {c.call("Less", {c.x(0), 0.0}), -rest, rest}));
}

void fmod_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.dy());
  if (g.needs(1)) g.add(1, -g.dy() * g.call("Trunc", {g.x_in_key(0) / g.x_in_key(1)}));
}

void compose_lerp(Composition& c) {
  Value a = unhalved(c, c.x(0)), b = unhalved(c, c.x(1)), weight = unhalved(c, c.x(2));
  Value distance = b - a;
  c.give(c.call("SelectV2", {c.call("Less", {weight, 0.5}), a + distance * weight, b - distance * (1.0 - weight)}));
}

void lerp_gradient(Gradient& g) {
  Value dy = unhalved(g, g.dy()), weight = unhalved(g, g.x_in_key(2));
  if (g.needs(0)) g.add(0, dy * (1.0 - weight));
  if (g.needs(1)) g.add(1, dy * weight);
  if (g.needs(2)) g.add(2, dy * (unhalved(g, g.x_in_key(1)) - unhalved(g, g.x_in_key(0))));
}

void compose_heaviside(Composition& c) {
  Value x = c.x(0), at_zero = c.x(1);
  Value side = c.cast(c.call("Greater", {x, 0.0}), c.key());
  Value result = c.call("SelectV2", {c.call("Equal", {x, 0.0}), at_zero, side});
  c.give(is_float(c.key()) ? c.call("SelectV2", {c.call("IsNan", {x}), x, result}) : result);
}

struct MathEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* source;
  const char* example;
  void (*compose)(Composition& c);  // null: it has a kernel (trigonometric)
  void (*gradient)(Gradient& g);
};

}  // namespace

void define_more_math_ops(OpRegistry& ops) {
  const MathEntry entries[] = {
      {"Asinh", "asinh", "The inverse of sinh.", "numpy.arcsinh, tf.math.asinh",
       "lutra.asinh{0.0, 1.0}  --> {0.0, 0.8814}", nullptr, asinh_gradient},
      {"Acosh", "acosh", "The inverse of cosh, from 0 on; nan below 1.", "numpy.arccosh, tf.math.acosh",
       "lutra.acosh{1.0, 2.0}  --> {0.0, 1.3170}", nullptr, acosh_gradient},
      {"Atanh", "atanh", "The inverse of tanh: -inf at -1, inf at 1, nan outside.", "numpy.arctanh, tf.math.atanh",
       "lutra.atanh{0.0, 0.5}  --> {0.0, 0.5493}", nullptr, atanh_gradient},
      {"Log2", "log2", "The logarithm to base 2: -inf at 0, nan below.", "numpy.log2",
       "lutra.log2{1.0, 8.0}  --> {0.0, 3.0}", compose_log<2>, log_gradient<2>},
      {"Log10", "log10", "The logarithm to base 10: -inf at 0, nan below.", "numpy.log10",
       "lutra.log10{1.0, 1000.0}  --> {0.0, 3.0}", compose_log<10>, log_gradient<10>},
  };
  for (const MathEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .lua_name = entry.lua_name,
        .summary = entry.summary,
        .inputs = {{"x", kNumbers, "any shape"}},
        .output = "x's shape; float32 for integers, else x's dtype",
        .errors = "InvalidArgument if x is bool.",
        .source = entry.source,
        .example = entry.example,
        .compute = Compute::Float,
        .shape = same_as_first,
        .compose = entry.compose,
        .gradient = entry.gradient,
        .saves = kX0,
        .gpu = kFloats,
    });
  }
  ops.define({
      .name = "Frac",
      .lua_name = "frac",
      .summary = "x without its whole part, with x's sign; nan of infinities.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is bool.",
      .source = "torch.frac",
      .example = "lutra.frac{1.75, -2.5}  --> {0.75, -0.5}",
      .compute = Compute::Float,
      .shape = same_as_first,
      .compose = compose_frac,
      .gradient = gradient_passes,
      .gpu = kFloats,
  });
  ops.define({
      .name = "Fmod",
      .lua_name = "fmod",
      .summary = "The remainder of a / b with the sign of a, as of math.fmod; mod's has the sign of b.",
      .inputs = {{"a", kNumbers, "any shape", kNumber}, {"b", kNumbers, "broadcasts with the other", kNumber}},
      .output = "the broadcast shape of both; the promoted dtype",
      .errors = "InvalidArgument if the shapes do not broadcast, if both are bool, or for an integer division by 0.",
      .source = "numpy.fmod, torch.fmod",
      .example = "lutra.fmod({5, -5}, 3)  --> {2, -2}",
      .shape = broadcast_all,
      .compose = compose_fmod,
      .gradient = fmod_gradient,
      .saves = kX0 | kX1,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Lerp",
      .lua_name = "lerp",
      .summary = "a + weight (b - a): a where weight is 0, b where it is 1.",
      .inputs = {{"a", kNumbers, "any shape", kNumber},
                 {"b", kNumbers, "broadcasts with the others", kNumber},
                 {"weight", kNumbers, "broadcasts with the others", kNumber}},
      .output = "the broadcast shape of all three; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if the shapes do not broadcast, or if all are bool.",
      .source = "torch.lerp",
      .example = "lutra.lerp({0.0, 10.0}, {1.0, 20.0}, 0.25)  --> {0.25, 12.5}",
      .compute = Compute::Float,
      .shape = broadcast_all,
      .compose = compose_lerp,
      .gradient = lerp_gradient,
      .saves = kX0 | kX1 | kX2,
      .gpu = kFloats,
  });
  ops.define({
      .name = "Heaviside",
      .lua_name = "heaviside",
      .summary = "0 where x is negative, 1 where it is positive, `values` where it is 0.",
      .inputs = {{"x", kNumbers, "any shape", kNumber}, {"values", kNumbers, "broadcasts with x", kNumber}},
      .output = "the broadcast shape of both; the promoted dtype",
      .errors = "InvalidArgument if the shapes do not broadcast, or if both are bool.",
      .source = "numpy.heaviside",
      .example = "lutra.heaviside({-1.5, 0.0, 2.0}, 0.5)  --> {0.0, 0.5, 1.0}",
      .shape = broadcast_all,
      .compose = compose_heaviside,
      .gpu = kNumbers,
  });
}

}  // namespace lutra
