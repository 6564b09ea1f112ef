// Variances, standard deviations, and logarithms of sums of powers.

#include "ops/axes.h"
#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

// Two flops per element in each of two passes.
Cost two_pass_cost(const KernelArgs& args) {
  Cost cost = reduction_cost(args);
  cost.flops *= 4;
  return cost;
}

Value mean_of(Gradient& g, Value x) {
  ReduceAttrs attrs;
  attrs.axis = g.attrs<ReduceAttrs>().axis;
  attrs.keepdims = true;
  return g.call("Mean", {x}, attrs);
}

double degrees_of_freedom(Gradient& g) {
  int64_t outputs = g.output_shape().size(), ddof = g.attrs<VarAttrs>().ddof;
  if (outputs == 0) return 1;
  double count = static_cast<double>(g.shape_of(0).size()) / static_cast<double>(outputs);
  return std::max(count - static_cast<double>(ddof), 0.0);
}

void var_gradient(Gradient& g) {
  Value x = unhalved(g, g.x()), dy = unhalved(g, g.dy());
  g.add(0, (x - mean_of(g, x)) * with_axes(g, dy * (2.0 / degrees_of_freedom(g))));
}

void std_gradient(Gradient& g) {
  Value x = unhalved(g, g.x()), slope = over_result(g, unhalved(g, g.dy()), unhalved(g, g.y()));
  g.add(0, (x - mean_of(g, x)) * with_axes(g, slope / degrees_of_freedom(g)));
}

// The softmax of x. The powers are summed again, since y is rounded, by more than 1 if it is large. Where y is -inf, no
// single element changes it.
void logsumexp_gradient(Gradient& g) {
  Value y = g.call("SelectV2", {g.call("IsFinite", {g.y()}), g.y(), 0.0});
  Value powers = g.call("Exp", {unhalved(g, g.x()) - with_axes(g, unhalved(g, y))});
  Value sums = g.sum(powers, reduced_axes(g.attrs<ReduceAttrs>().axis, g.shape_of(0).rank()), true);
  g.add(0, powers * over_result(g, with_axes(g, unhalved(g, g.dy())), sums));
}

constexpr const char* kMomentsErrors =
    "InvalidArgument for an axis that does not exist or is given twice, or if x is bool.";

void define_variance(OpRegistry& ops, OpDef def) {
  def.inputs = {{"x", kNumbers | kComplex, "any shape"}};
  def.attrs = attrs<VarAttrs>(
      {axis_option<VarAttrs>(),
       attr("ddof", &VarAttrs::ddof, "subtracted from the number of elements in the divisor").otherwise("0"),
       keepdims_option<VarAttrs>()});
  def.output = kReducedReal;
  def.errors = kMomentsErrors;
  def.compute = Compute::Float;
  def.shape = reduced_to_real;
  def.cost = two_pass_cost;
  def.gpu = kFloats;
  ops.define(std::move(def));
}

}  // namespace

void define_moments_ops(OpRegistry& ops) {
  define_variance(ops, {
                           .name = "Var",
                           .lua_name = "var",
                           .summary = "The variance over the given axes, or of all elements: the mean square of the "
                                      "differences from the mean; nan if there are no elements.",
                           .source = "numpy.var, tf.math.reduce_variance; Chan, Golub and LeVeque 1983",
                           .example = "lutra.var{1, 2, 3, 4}  --> 1.25",
                           .gradient = var_gradient,
                           .saves = kX0,
                       });
  define_variance(ops,
                  {
                      .name = "Std",
                      .lua_name = "std",
                      .summary = "The standard deviation over the given axes, or of all elements: the square root "
                                 "of the variance; nan if there are no elements. Where it is 0, its gradient is 0.",
                      .source = "numpy.std",
                      .example = "lutra.std{1, 3}  --> 1.0",
                      .gradient = std_gradient,
                      .saves = kX0 | kY0,
                  });
  ops.define({
      .name = "Logsumexp",
      .lua_name = "logsumexp",
      .summary = "log(sum(exp(x))) over the given axes, or of all elements, without intermediate overflow; -inf if "
                 "there are no elements.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<ReduceAttrs>({axis_option<ReduceAttrs>(), keepdims_option<ReduceAttrs>()}),
      .output = kReducedFraction,
      .errors = kMomentsErrors,
      .source = "tf.math.reduce_logsumexp; the largest element is subtracted first",
      .example = "lutra.logsumexp{0, 0}  --> 0.6931",
      .compute = Compute::Float,
      .shape = reduced_like_key,
      .gradient = logsumexp_gradient,
      .saves = kX0 | kY0,
      .cost = two_pass_cost,
      .gpu = kFloats,
  });
}

}  // namespace lutra
