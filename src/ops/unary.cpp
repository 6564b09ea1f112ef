// Functions of one element. Angles are in trigonometric.cpp, activations in activations.cpp.

#include "ops/unary.h"

#include <string_view>

#include "ops/elementwise.h"
#include "ops/reduce.h"

namespace lutra {

void define_unary(OpRegistry& ops, const UnaryEntry& entry, Compute compute) {
  bool is_fraction = compute == Compute::Float;
  ops.define({
      .name = entry.name,
      .lua_name = entry.lua_name,
      .summary = entry.summary,
      .inputs = {{"x", kNumbers | entry.also, "any shape", kNumber | kByElement}},
      .attrs = entry.attrs,
      .output = is_fraction ? "x's shape; float32 for integers, else x's dtype" : "x's shape and dtype",
      .errors = "InvalidArgument if x is bool.",
      .source = entry.source,
      .example = entry.example,
      .compute = compute,
      .shape = entry.shape,
      .gradient = entry.gradient,
      .saves = entry.saves,
      .gpu = is_fraction ? kFloats : kNumbers,
  });
}

namespace {

void same_shapes(Inference& inference) {
  require(inference.shape(0) == inference.shape(1), inference.who(), ": the shapes ", inference.shape(0), " and ",
          inference.shape(1), " differ");
  same_as_first(inference);
}

}  // namespace

void define_unary_grad(OpRegistry& ops, const UnaryGradEntry& entry) {
  ops.define({
      .name = entry.name,
      .summary = entry.summary,
      .inputs = {{entry.first, kFloats, "any shape", kByElement},
                 {entry.second, kFloats, "the same shape", kByElement}},
      .attrs = entry.attrs,
      .output = "the inputs' shape and dtype",
      .source = entry.source,
      .shape = same_shapes,
      .gradient = entry.gradient,
      .saves = kX0 | kX1,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

namespace {

// A rule that calls one hidden op on the output and its gradient.
template <const auto& kOp> void by_output(Gradient& g) { g.add(0, g.call(kOp, {g.y(), g.dy()})); }
constexpr char kSqrtGrad[] = "SqrtGrad", kRsqrtGrad[] = "RsqrtGrad", kReciprocalGrad[] = "ReciprocalGrad";
void sqrt_gradient(Gradient& g) {
  if (!is_complex(g.key())) return by_output<kSqrtGrad>(g);
  g.add(0, g.dy() * 0.5 / conj(g, g.y()));
}
void rsqrt_gradient(Gradient& g) {
  if (!is_complex(g.key())) return by_output<kRsqrtGrad>(g);
  g.add(0, g.dy() * -0.5 * conj(g, g.y() * g.call("Square", {g.y()})));
}
void reciprocal_gradient(Gradient& g) {
  if (!is_complex(g.key())) return by_output<kReciprocalGrad>(g);
  g.add(0, -(g.dy() * conj(g, g.call("Square", {g.y()}))));
}
// Of a complex x it points away from 0, and is 0 there.
void abs_gradient(Gradient& g) {
  if (!is_complex(g.key())) return g.add(0, g.dy() * g.call("Sign", {g.x()}));
  Value size = g.call("Abs", {g.x()});
  g.add(0, over_result(g, g.dy(), size) * g.x());
}
void abs_shape(Inference& inference) { inference.output_like(real_dtype(inference.key()), 0); }

void define_same_dtype(OpRegistry& ops) {
  const UnaryEntry entries[] = {
      {"Neg", "neg", "-x. The smallest integer stays itself.", "numpy.negative", "lutra.neg{1, -2}  --> {-1, 2}",
       [](Gradient& g) { g.add(0, -g.dy()); }},
      {"Abs", "abs", "The absolute value of x. The smallest integer stays itself.", "numpy.absolute",
       "lutra.abs{1, -2}  --> {1, 2}", abs_gradient, kX0},
      {"Sign", "sign", "-1, 0 or 1 for x negative, 0 or positive; nan stays nan.", "numpy.sign",
       "lutra.sign{-2.5, 0, 7}  --> {-1.0, 0.0, 1.0}", gradient_is_zero},
      {"Square", "square", "x times x; integers wrap.", "numpy.square", "lutra.square{3, -2}  --> {9, 4}",
       [](Gradient& g) { g.add(0, g.dy() * conj(g, g.x()) * 2.0); }, kX0},
      {"Floor", "floor", "The largest integer not above x; integers stay as they are.", "numpy.floor",
       "lutra.floor{1.5, -1.5}  --> {1.0, -2.0}", gradient_is_zero},
      {"Ceil", "ceil", "The smallest integer not below x; integers stay as they are.", "numpy.ceil",
       "lutra.ceil{1.5, -1.5}  --> {2.0, -1.0}", gradient_is_zero},
      {"Rint", "round", "The integer nearest to x, halves to the even one; integers stay as they are.", "numpy.rint",
       "lutra.round{0.5, 1.5, -2.6}  --> {0.0, 2.0, -3.0}", gradient_is_zero},
      {"Trunc", "trunc", "x without its fraction, rounded towards 0; integers stay as they are.", "numpy.trunc",
       "lutra.trunc{1.5, -1.5}  --> {1.0, -1.0}", gradient_is_zero},
  };
  for (const UnaryEntry& entry : entries) {
    const std::string_view name = entry.name;
    UnaryEntry defined = name == "Neg" || name == "Abs" || name == "Square" ? entry.with(kComplex) : entry;
    if (name == "Abs") defined.shape = abs_shape;
    define_unary(ops, defined, Compute::Same);
  }
}

void define_powers(OpRegistry& ops) {
  const UnaryEntry entries[] = {
      {"Sqrt", "sqrt", "The square root; nan below 0.", "numpy.sqrt", "lutra.sqrt{4, 2.25}  --> {2.0, 1.5}",
       sqrt_gradient, kY0},
      {"Rsqrt", "rsqrt", "1 / sqrt(x): inf at 0, nan below.", "tf.math.rsqrt", "lutra.rsqrt{4, 0.25}  --> {0.5, 2.0}",
       rsqrt_gradient, kY0},
      {"Reciprocal", "reciprocal", "1 / x: inf at 0.", "tf.math.reciprocal",
       "lutra.reciprocal{4, -0.5}  --> {0.25, -2.0}", reciprocal_gradient, kY0},
      {"Exp", "exp", "e to the power x.", "numpy.exp", "lutra.exp{0.0, 1.0}  --> {1.0, 2.7182817}",
       [](Gradient& g) { g.add(0, g.dy() * conj(g, g.y())); }, kY0},
      // Not dy (y + 1): for a large negative x that has lost all digits of e^x.
      {"Expm1", "expm1", "e^x - 1, with all digits where x is close to 0.", "numpy.expm1",
       "lutra.expm1{0.0, 1e-6}  --> {0.0, 1.0000005e-06}",
       [](Gradient& g) { g.add(0, g.dy() * g.call("Exp", {g.x()})); }, kX0},
      {"Log", "log", "The natural logarithm; -inf at 0, nan below.", "numpy.log",
       "lutra.log{1.0, 10.0}  --> {0.0, 2.3025851}", [](Gradient& g) { g.add(0, g.dy() / conj(g, g.x())); }, kX0},
      {"Log1p", "log1p", "log(1 + x), with all digits where x is close to 0; -inf at -1, nan below.", "numpy.log1p",
       "lutra.log1p{0.0, 1e-6}  --> {0.0, 9.999995e-07}", [](Gradient& g) { g.add(0, g.dy() / (1.0 + g.x())); }, kX0},
      {"Erf", "erf", "The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.", "tf.math.erf",
       "lutra.erf{0.0, 1.0}  --> {0.0, 0.8427008}",
       [](Gradient& g) {
         constexpr double kTwoOverRootPi = 1.12837916709551257390;
         g.add(0, g.dy() * g.call("Exp", {-g.call("Square", {g.x()})}) * kTwoOverRootPi);
       },
       kX0},
  };
  for (const UnaryEntry& entry : entries) {
    const std::string_view name = entry.name;
    const bool of_complex = name != "Expm1" && name != "Log1p" && name != "Erf";
    define_unary(ops, of_complex ? entry.with(kComplex) : entry, Compute::Float);
  }
}

void define_unary_grads(OpRegistry& ops) {
  const UnaryGradEntry entries[] = {
      {"SqrtGrad", "y", "dy", "0.5 dy / y, sqrt's gradient.", "tf.raw_ops.SqrtGrad",
       [](Gradient& g) {
         if (g.needs(0)) g.add(0, -(g.call("SqrtGrad", {g.x(0), g.dy() * g.x(1)}) / g.x(0)));
         if (g.needs(1)) g.add(1, g.call("SqrtGrad", {g.x(0), g.dy()}));
       }},
      {"RsqrtGrad", "y", "dy", "-0.5 dy y^3, rsqrt's gradient.", "tf.raw_ops.RsqrtGrad",
       [](Gradient& g) {
         if (g.needs(0)) g.add(0, g.dy() * g.x(1) * g.call("Square", {g.x(0)}) * -1.5);
         if (g.needs(1)) g.add(1, g.call("RsqrtGrad", {g.x(0), g.dy()}));
       }},
      {"ReciprocalGrad", "y", "dy", "-dy y^2, reciprocal's gradient.", "tf.raw_ops.ReciprocalGrad",
       [](Gradient& g) {
         if (g.needs(0)) g.add(0, g.dy() * g.x(1) * g.x(0) * -2.0);
         if (g.needs(1)) g.add(1, g.call("ReciprocalGrad", {g.x(0), g.dy()}));
       }},
  };
  for (const UnaryGradEntry& entry : entries) define_unary_grad(ops, entry);
}

void bool_like_first(Inference& inference) { inference.output(DType::Bool, inference.shape(0)); }

void define_questions(OpRegistry& ops) {
  const UnaryEntry entries[] = {
      {"IsNan", "isnan", "Whether x, or a part of a complex x, is nan; false for integers.", "numpy.isnan",
       "lutra.isnan{1.0, 0 / 0}  --> {false, true}"},
      {"IsInf", "isinf", "Whether x, or a part of a complex x, is inf or -inf; false for integers.", "numpy.isinf",
       "lutra.isinf{1.0, -math.huge}  --> {false, true}"},
      {"IsFinite", "isfinite",
       "Whether x, and both parts of a complex x, are neither nan nor infinite; true for integers.", "numpy.isfinite",
       "lutra.isfinite{1.0, math.huge}  --> {true, false}"},
  };
  for (const UnaryEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .lua_name = entry.lua_name,
        .summary = entry.summary,
        .inputs = {{"x", kNumbers | kComplex, "any shape", kNumber | kByElement}},
        .output = "x's shape; bool",
        .errors = "InvalidArgument if x is bool.",
        .source = entry.source,
        .example = entry.example,
        .shape = bool_like_first,
        .gpu = kNumbers,
    });
  }
}

// TensorFlow's ~ of a bool tensor runs LogicalNot.
const char* inversion_logged_as(const Call& call) {
  const TensorRep* x = call.n_in > 0 ? call.in[0].tensor : nullptr;
  bool is_bool = x != nullptr ? x->dtype == DType::Bool : call.n_in > 0 && call.in[0].number.kind == Scalar::Kind::Bool;
  return is_bool ? "LogicalNot" : "Invert";
}

void define_inversions(OpRegistry& ops) {
  ops.define({
      .name = "LogicalNot",
      .lua_name = "logical_not",
      .summary = "true for false, false for true.",
      .inputs = {{"x", kBool, "any shape", kNumber | kByElement}},
      .output = "x's shape; bool",
      .errors = "InvalidArgument if x is not bool.",
      .source = "numpy.logical_not",
      .example = "lutra.logical_not{true, false}  --> {false, true}",
      .shape = same_as_first,
      .gpu = kBool,
  });
  ops.define({
      .name = "Invert",
      .lua_name = "bitwise_not",
      .logged_as = inversion_logged_as,
      .summary =
          "~x: inverts each bit; for signed integers -x - 1. For bool the same as logical_not, and logged as that.",
      .inputs = {{"x", kInts | kBool, "any shape", kNumber | kByElement}},
      .output = "x's shape and dtype",
      .errors = "InvalidArgument if x is of a float dtype.",
      .source = "numpy.invert",
      .example = "lutra.bitwise_not{0, 5}  --> {-1, -6}",
      .shape = same_as_first,
      .gpu = kInts | kBool,
  });
}

}  // namespace

void define_unary_ops(OpRegistry& ops) {
  define_same_dtype(ops);
  define_powers(ops);
  define_unary_grads(ops);
  define_questions(ops);
  define_inversions(ops);
}

}  // namespace lutra
