// One step of an optimiser for a variable: computes the new values of the variable and of its slots, which overwrite
// the old ones (eager/variable.h). The formulas are those of Keras 3.

#include "ops/optimisers.h"
#include "ops/cost.h"
#include "ops/inference.h"

namespace lutra {
namespace {

// The variable and its slots, in the order of the inputs without the gradient.
void step_shape(Inference& inference) {
  Shape shape = inference.shape(0);
  const int count = inference.inputs() - (inference.attrs<StepAttrs>().scaled ? 1 : 0);
  for (int i = 1; i < count; ++i) {
    require(inference.shape(i) == shape, inference.who(), ": ", inference.call().op->input(i).name, " has the shape ",
            inference.shape(i), ", and its variable ", shape);
  }
  for (int i = 1; i < count; ++i) inference.output(inference.key(), shape);
}

Cost step_cost(const KernelArgs& args) {
  Cost cost = elements_cost<0>(args);
  for (int i = 0; i < args.n_out; i += 1 + args.as<StepAttrs>().slots) {
    cost.flops += 8 * static_cast<double>(args.out[i].size);
  }
  return cost;
}

struct StepEntry {
  const char* name;
  const char* summary;
  std::vector<InputDef> slots;
  std::vector<AttrDef> attrs;
};

}  // namespace

void define_optimisers_ops(OpRegistry& ops) {
  constexpr const char* kShape = "the variable's shape";
  AttrDef rate = attr("learning_rate", &StepAttrs::learning_rate, "the step size");
  AttrDef decay = attr("decay", &StepAttrs::decay, "the fraction of the variable that is subtracted before the step");
  AttrDef momentum = attr("momentum", &StepAttrs::momentum, "the fraction of the last step that is repeated");
  AttrDef beta_1 = attr("beta_1", &StepAttrs::beta_1, "the decay rate of the mean of gradients");
  AttrDef beta_2 = attr("beta_2", &StepAttrs::beta_2, "the decay rate of the mean of their squares");
  AttrDef rho = attr("rho", &StepAttrs::rho, "the decay rate of the mean of squared gradients");
  AttrDef epsilon = attr("epsilon", &StepAttrs::epsilon, "added to divisors, to avoid a division by 0");
  AttrDef nesterov = attr("nesterov", &StepAttrs::nesterov, "Nesterov's momentum");
  AttrDef centered = attr("centered", &StepAttrs::centered, "divides by the variance instead of the mean square");
  AttrDef mean_factor = attr("mean_factor", &StepAttrs::mean_factor, "the mean's share of the step");
  AttrDef gradient_factor = attr("gradient_factor", &StepAttrs::gradient_factor, "the gradient's share of the step");
  AttrDef square_factor = attr("square_factor", &StepAttrs::square_factor, "corrects the mean of squares");
  AttrDef power = attr("power", &StepAttrs::power, "the power with which the learning rate falls");
  AttrDef l1 = attr("l1", &StepAttrs::l1, "the penalty on absolute values");
  AttrDef l2 = attr("l2", &StepAttrs::l2, "the penalty on squares");
  AttrDef l2_shrinkage = attr("l2_shrinkage", &StepAttrs::l2_shrinkage, "a penalty on squares in the gradient alone");
  const StepEntry entries[] = {
      {"ResourceApplyGradientDescent", "Gradient descent.", {}, {rate, decay}},
      {"ResourceApplyKerasMomentum",
       "Gradient descent with momentum.",
       {{"momentum", kFloats, kShape}},
       {rate, decay, momentum, nesterov}},
      {"ResourceApplyAdam",
       "Adam. The caller has corrected the learning rate for the first steps.",
       {{"m", kFloats, kShape}, {"v", kFloats, kShape}, {"v_hat", kFloats, kShape, kOptional}},
       {rate, decay, beta_1, beta_2, epsilon}},
      {"ResourceApplyRMSProp",
       "Root mean square propagation: slots are the mean square, then the mean where it is centered, then the "
       "momentum.",
       {{"mean_square", kFloats, kShape},
        {"mean", kFloats, kShape, kOptional},
        {"momentum", kFloats, kShape, kOptional}},
       {rate, decay, momentum, rho, epsilon, centered}},
      {"ResourceApplyAdagrad", "Adagrad.", {{"accumulator", kFloats, kShape}}, {rate, decay, epsilon}},
      {"ResourceApplyLion", "Lion.", {{"m", kFloats, kShape}}, {rate, decay, beta_1, beta_2}},
      {"ResourceApplyNadam",
       "Adam with Nesterov's momentum. The caller computes the factors of the step.",
       {{"m", kFloats, kShape}, {"v", kFloats, kShape}},
       {rate, decay, beta_1, beta_2, epsilon, mean_factor, gradient_factor, square_factor}},
      {"ResourceApplyAdaMax",
       "Adam by the largest gradient. The caller has corrected the learning rate for the first steps.",
       {{"m", kFloats, kShape}, {"largest", kFloats, kShape}},
       {rate, decay, beta_1, beta_2, epsilon}},
      {"ResourceApplyAdadelta",
       "Adadelta: the mean squares of gradients and of steps.",
       {{"mean_square", kFloats, kShape}, {"mean_step", kFloats, kShape}},
       {rate, decay, rho, epsilon}},
      {"ResourceApplyFtrlV2",
       "Follow the regularised leader: the sum of squared gradients, and the linear term.",
       {{"accumulator", kFloats, kShape}, {"linear", kFloats, kShape}},
       {rate, decay, power, l1, l2, l2_shrinkage}},
  };
  for (const StepEntry& entry : entries) {
    std::vector<InputDef> inputs = {{"variable", kFloats, "any shape"}, {"gradient", kFloats, kShape}};
    inputs.insert(inputs.end(), entry.slots.begin(), entry.slots.end());
    inputs.push_back({"scale", kFloats, "one element", kOptional});
    AttrTable table = attrs<StepAttrs>({});
    table.defs = entry.attrs;
    ops.define({
        .name = entry.name,
        .lua_name = "apply",
        .summary = entry.summary,
        .inputs = inputs,
        .attrs = table,
        .shape = step_shape,
        .cost = step_cost,
        .gpu = kFloats,
        .flags = kHidden,
    });
  }
}

}  // namespace lutra
