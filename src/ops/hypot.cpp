// Functions of two numbers that stay in range where the formula's intermediate results do not.

#include <limits>
#include <utility>

#include "ops/composition.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

// The larger magnitude times a root of at most 2. `flat`: it is 0 or infinite, and no number can be divided by it.
void compose_hypot(Composition& c) {
  Value a = c.call("Abs", {unhalved(c, c.x(0))}), b = c.call("Abs", {unhalved(c, c.x(1))});
  Value most = c.call("Maximum", {a, b});
  Value flat = c.call("Equal", {most, most + most});
  Value ratio = c.call("Minimum", {a, b}) / c.call("SelectV2", {flat, 1.0, most});
  Value root = c.call("Sqrt", {c.call("Square", {c.call("SelectV2", {flat, 0.0, ratio})}) + 1.0});
  // An infinite side makes the result infinite even beside nan.
  Value is_infinite = c.call("LogicalOr", {c.call("IsInf", {a}), c.call("IsInf", {b})});
  c.give(c.call("SelectV2", {is_infinite, std::numeric_limits<double>::infinity(), most * root}));
}

// Each side's share of the length; 0 where that is 0.
void hypot_gradient(Gradient& g) {
  Value dy = unhalved(g, g.dy()), y = unhalved(g, g.y());
  Value length = g.call("SelectV2", {g.call("Equal", {y, 0.0}), std::numeric_limits<double>::infinity(), y});
  for (int i = 0; i < 2; ++i) {
    if (g.needs(i)) g.add(i, dy * (unhalved(g, g.x_in_key(i)) / length));
  }
}

// a - b, and 0 for two equal infinities.
Value difference(Builder& builder, Value a, Value b) {
  Value is_same = builder.call("LogicalAnd", {builder.call("Equal", {a, b}), builder.call("IsInf", {a})});
  return builder.call("SelectV2", {is_same, 0.0, a - b});
}

void compose_logaddexp(Composition& c) {
  Value a = unhalved(c, c.x(0)), b = unhalved(c, c.x(1));
  Value distance = c.call("Abs", {difference(c, a, b)});
  c.give(c.call("Maximum", {a, b}) + c.call("Softplus", {-distance}));
}

// Each power's share of the sum. The rules of the inner ops have no slope of the share where a and b are equal.
void logaddexp_gradient(Gradient& g) {
  Value dy = unhalved(g, g.dy());
  Value distance = difference(g, unhalved(g, g.x_in_key(0)), unhalved(g, g.x_in_key(1)));
  if (g.needs(0)) g.add(0, dy * g.call("Sigmoid", {distance}));
  if (g.needs(1)) g.add(1, dy * g.call("Sigmoid", {-distance}));
}

void define_of_two(OpRegistry& ops, OpDef def) {
  def.inputs = {{"a", kNumbers, "any shape", kNumber}, {"b", kNumbers, "broadcasts with the other", kNumber}};
  def.output = "the broadcast shape of both; float32 for integers, else the promoted dtype";
  def.errors = "InvalidArgument if the shapes do not broadcast, or if both are bool.";
  def.compute = Compute::Float;
  def.shape = broadcast_all;
  def.gpu = kFloats;
  ops.define(std::move(def));
}

}  // namespace

void define_hypot_ops(OpRegistry& ops) {
  define_of_two(ops,
                {
                    .name = "Hypot",
                    .lua_name = "hypot",
                    .summary = "The square root of a^2 + b^2, which neither overflows nor vanishes on the way; inf "
                               "if either is infinite. Its gradient is 0 where it is 0.",
                    .source = "numpy.hypot",
                    .example = "lutra.hypot({3, 5}, {4, 12})  --> {5.0, 13.0}",
                    .compose = compose_hypot,
                    .gradient = hypot_gradient,
                    .saves = kX0 | kX1 | kY0,
                });
  define_of_two(ops, {
                         .name = "LogAddExp",
                         .lua_name = "logaddexp",
                         .summary = "log(e^a + e^b), which neither overflows nor loses digits.",
                         .source = "numpy.logaddexp",
                         .example = "lutra.logaddexp({0, 1000}, {0, 1000})  --> {0.6931, 1000.6931}",
                         .compose = compose_logaddexp,
                         .gradient = logaddexp_gradient,
                         .saves = kX0 | kX1,
                     });
}

}  // namespace lutra
