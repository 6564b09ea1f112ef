// Functions of one element.

#include "ops/gradient.h"

namespace lutra {
namespace {

struct Entry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* source;
  const char* example;
  void (*gradient)(Gradient& g);
  uint16_t saves = 0;
};

void define(OpRegistry& ops, const Entry& entry, Compute compute, DTypes gpu, const char* output) {
  ops.define({
      .name = entry.name,
      .lua_name = entry.lua_name,
      .summary = entry.summary,
      .inputs = {{"x", kNumbers, "any shape", kNumber}},
      .output = output,
      .errors = "InvalidArgument if x is bool.",
      .source = entry.source,
      .example = entry.example,
      .compute = compute,
      .shape = same_as_first,
      .gradient = entry.gradient,
      .saves = entry.saves,
      .gpu = gpu,
  });
}

Value sign_of(Gradient& g, const Value& x) {
  return g.call("SelectV2", {g.call("Greater", {x, 0.0}), 1.0, g.call("SelectV2", {g.call("Less", {x, 0.0}), -1.0, x * 0.0})});
}

}  // namespace

void define_unary_ops(OpRegistry& ops) {
  const Entry same_dtype[] = {
      {"Neg", "neg", "-x. Of the smallest integer: itself.", "numpy.negative", "lutra.neg{1, -2}  --> {-1, 2}",
       [](Gradient& g) { g.add(0, -g.dy()); }},
      {"Abs", "abs", "x without its sign. Of the smallest integer: itself.", "numpy.absolute",
       "lutra.abs{1, -2}  --> {1, 2}", [](Gradient& g) { g.add(0, g.dy() * sign_of(g, g.x())); }, kX0},
      {"Square", "square", "x times x; integers wrap.", "numpy.square", "lutra.square{3, -2}  --> {9, 4}",
       [](Gradient& g) { g.add(0, g.dy() * g.x() * 2.0); }, kX0},
      {"Relu", "relu", "x where it is positive, else 0; nan stays nan.", "Nair and Hinton, ICML 2010",
       "lutra.relu{-1, 2}  --> {0, 2}",
       [](Gradient& g) { g.add(0, g.call("SelectV2", {g.call("Greater", {g.y(), 0.0}), g.dy(), 0.0})); }, kY0},
  };
  for (const Entry& entry : same_dtype) define(ops, entry, Compute::Same, kComputedNumbers, "x's shape and dtype");

  const Entry fractions[] = {
      {"Sqrt", "sqrt", "The square root; nan below 0.", "numpy.sqrt", "lutra.sqrt{4, 2.25}  --> {2.0, 1.5}",
       [](Gradient& g) { g.add(0, g.dy() / (g.y() * 2.0)); }, kY0},
      {"Exp", "exp", "e to the power x.", "numpy.exp", "lutra.exp{0.0, 1.0}  --> {1.0, 2.7182817}",
       [](Gradient& g) { g.add(0, g.dy() * g.y()); }, kY0},
      {"Log", "log", "The natural logarithm; -inf at 0, nan below.", "numpy.log",
       "lutra.log{1.0, 10.0}  --> {0.0, 2.3025851}", [](Gradient& g) { g.add(0, g.dy() / g.x()); }, kX0},
      {"Tanh", "tanh", "The hyperbolic tangent.", "numpy.tanh", "lutra.tanh{0.0, 1.0}  --> {0.0, 0.7615942}",
       [](Gradient& g) { g.add(0, g.dy() * (1.0 - g.y() * g.y())); }, kY0},
      {"Sigmoid", "sigmoid", "The logistic function, 1 / (1 + exp(-x)).", "tf.math.sigmoid",
       "lutra.sigmoid{0.0, 1.0}  --> {0.5, 0.7310586}",
       [](Gradient& g) { g.add(0, g.dy() * g.y() * (1.0 - g.y())); }, kY0},
  };
  for (const Entry& entry : fractions) {
    define(ops, entry, Compute::Float, DType::Float32 | DType::Float64,
           "x's shape; float32 for integers, else x's dtype");
  }

  ops.define({
      .name = "LogicalNot",
      .lua_name = "logical_not",
      .summary = "true for false, false for true.",
      .inputs = {{"x", kBool, "any shape", kNumber}},
      .output = "x's shape; bool",
      .errors = "InvalidArgument if x is not bool.",
      .source = "numpy.logical_not",
      .example = "lutra.logical_not{true, false}  --> {false, true}",
      .shape = same_as_first,
      .gpu = kBool,
  });
}

}  // namespace lutra
