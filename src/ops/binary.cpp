// Arithmetic, comparisons and logic of two tensors, element by element, with NumPy's broadcasting.

#include "ops/gradient.h"

namespace lutra {
namespace {

constexpr const char* kBroadcast = "the broadcast shape of both; the promoted dtype";

struct Entry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* example;
  void (*gradient)(Gradient& g) = nullptr;
  uint16_t saves = 0;
  Compute compute = Compute::Same;
  uint8_t flags = 0;
};

void define(OpRegistry& ops, const Entry& entry, DTypes dtypes, void (*shape)(Inference&), DTypes gpu,
            const char* output) {
  ops.define({
      .name = entry.name,
      .lua_name = entry.lua_name,
      .summary = entry.summary,
      .inputs = {{"a", dtypes, "any shape", kNumber}, {"b", dtypes, "broadcasts with a", kNumber}},
      .output = output,
      .errors = (entry.flags & kChecksValues) != 0
                    ? "InvalidArgument if the shapes do not broadcast, or for a value the op has no integer answer for."
                    : "InvalidArgument if the shapes do not broadcast.",
      .source = "NumPy's function of the same meaning",
      .example = entry.example,
      .compute = entry.compute,
      .shape = shape,
      .gradient = entry.gradient,
      .saves = entry.saves,
      .gpu = gpu,
      .flags = entry.flags,
  });
}

void add_gradient(Gradient& g) {
  g.add(0, g.dy());
  g.add(1, g.dy());
}
void sub_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(1)) g.add(1, -g.dy());
}
void mul_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.dy() * g.x(1));
  if (g.needs(1)) g.add(1, g.dy() * g.x(0));
}
void div_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.dy() / g.x(1));
  if (g.needs(1)) g.add(1, -(g.dy() * g.x(0) / (g.x(1) * g.x(1))));
}
// 1 for the dividend; the divisor counts as often as it went in.
void mod_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(1)) g.add(1, -(g.dy() * g.call("FloorDiv", {g.x(0), g.x(1)})));
}
// At a = 0 the logarithm counts as 0, as a^b does not change with b > 0 there.
void pow_gradient(Gradient& g) {
  if (g.needs(0)) {
    Value b = g.x(1);
    g.add(0, g.dy() * b * g.call("Pow", {g.x(0), b - 1.0}));
  }
  if (g.needs(1)) {
    Value a = g.x(0);
    Value safe = g.call("SelectV2", {g.call("Greater", {a, 0.0}), a, 1.0});
    g.add(1, g.dy() * g.y() * g.call("Log", {safe}));
  }
}
// Half to each where they are equal.
void extreme_gradient(Gradient& g, const char* wins) {
  Value a = g.x(0), b = g.x(1);
  Value half = g.call("SelectV2", {g.call("Equal", {a, b}), 0.5, 0.0});
  if (g.needs(0)) g.add(0, g.dy() * g.call("SelectV2", {g.call(wins, {a, b}), 1.0, half}));
  if (g.needs(1)) g.add(1, g.dy() * g.call("SelectV2", {g.call(wins, {b, a}), 1.0, half}));
}

}  // namespace

void define_binary_ops(OpRegistry& ops) {
  const Entry arithmetic[] = {
      {"AddV2", "add", "a + b.", "lutra.add({1, 2}, 3)  --> {4, 5}", add_gradient},
      {"Sub", "sub", "a - b.", "lutra.sub({1, 2}, 3)  --> {-2, -1}", sub_gradient},
      {"Mul", "mul", "a * b.", "lutra.mul({1, 2}, 3)  --> {3, 6}", mul_gradient, kX0 | kX1},
      {"RealDiv", "div", "a / b, true division: integers give float32.", "lutra.div({1, 2}, 4)  --> {0.25, 0.5}",
       div_gradient, kX0 | kX1, Compute::Float},
      {"FloorDiv", "floordiv", "a / b, rounded down.", "lutra.floordiv({7, -7}, 2)  --> {3, -4}", gradient_is_zero, 0,
       Compute::Same, kChecksValues},
      {"FloorMod", "mod", "The remainder of a // b; it has the sign of b.", "lutra.mod({7, -7}, 3)  --> {1, 2}",
       mod_gradient, kX0 | kX1, Compute::Same, kChecksValues},
      {"Pow", "pow", "a to the power b.", "lutra.pow({2, 3}, 2)  --> {4, 9}", pow_gradient, kX0 | kX1 | kY0,
       Compute::Same, kChecksValues},
      {"Maximum", "maximum", "The larger of a and b; nan if either is.", "lutra.maximum({1, 5}, 3)  --> {3, 5}",
       [](Gradient& g) { extreme_gradient(g, "Greater"); }, kX0 | kX1},
      {"Minimum", "minimum", "The smaller of a and b; nan if either is.", "lutra.minimum({1, 5}, 3)  --> {1, 3}",
       [](Gradient& g) { extreme_gradient(g, "Less"); }, kX0 | kX1},
  };
  for (const Entry& entry : arithmetic) {
    DTypes gpu = entry.compute == Compute::Float ? DType::Float32 | DType::Float64 : kComputedNumbers;
    define(ops, entry, kNumbers, broadcast_all, gpu, kBroadcast);
  }

  const Entry comparisons[] = {
      {"Equal", "eq", "Whether a == b.", "lutra.eq({1, 2}, 2)  --> {false, true}"},
      {"NotEqual", "ne", "Whether a ~= b.", "lutra.ne({1, 2}, 2)  --> {true, false}"},
      {"Less", "lt", "Whether a < b.", "lutra.lt({1, 2}, 2)  --> {true, false}"},
      {"LessEqual", "le", "Whether a <= b.", "lutra.le({1, 2}, 2)  --> {true, true}"},
      {"Greater", "gt", "Whether a > b.", "lutra.gt({1, 2}, 1)  --> {false, true}"},
      {"GreaterEqual", "ge", "Whether a >= b.", "lutra.ge({1, 2}, 2)  --> {false, true}"},
  };
  for (const Entry& entry : comparisons) {
    define(ops, entry, kAnyDType, broadcast_to_bool, kComputedNumbers | kBool, "the broadcast shape of both; bool");
  }

  const Entry logic[] = {
      {"LogicalAnd", "logical_and", "Whether both are true.",
       "lutra.logical_and({true, false}, true)  --> {true, false}"},
      {"LogicalOr", "logical_or", "Whether either is true.",
       "lutra.logical_or({true, false}, false)  --> {true, false}"},
      {"LogicalXor", "logical_xor", "Whether exactly one is true.",
       "lutra.logical_xor({true, false}, true)  --> {false, true}"},
  };
  for (const Entry& entry : logic) define(ops, entry, kBool, broadcast_all, kBool, "the broadcast shape of both; bool");
}

}  // namespace lutra
