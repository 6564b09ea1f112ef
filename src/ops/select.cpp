// Elementwise choice among values, and sums of lists.

#include "ops/elementwise.h"
#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void where_shape(Inference& inference) {
  require(inference.has(2), inference.who(), ": y is missing: what to take where cond is false");
  broadcast_all(inference);
}

void add_n_shape(Inference& inference) {
  require(inference.inputs() > 0, inference.who(), ": the list is empty, expected at least one tensor");
  for (int i = 1; i < inference.inputs(); ++i) {
    require(inference.shape(i) == inference.shape(0), inference.who(), ": tensors[", inference.shown(0), "] ",
            inference.shape(0), " and tensors[", inference.shown(i), "] ", inference.shape(i),
            " differ: all must have the same shape");
  }
  same_as_first(inference);
}

Cost add_n_cost(const KernelArgs& args) {
  double elements = static_cast<double>(args.out[0].size);
  double bytes = elements * static_cast<double>(size_of(args.out[0].dtype));
  return {.flops = elements * (args.n_in - 1), .bytes = bytes * (args.n_in + 1)};
}

void where_gradient(Gradient& g) {
  if (g.needs(1)) g.add(1, g.call("SelectV2", {g.x(0), g.dy(), 0.0}));
  if (g.needs(2)) g.add(2, g.call("SelectV2", {g.x(0), 0.0, g.dy()}));
}

// Each element's gradient goes to its source: x, or the bound that replaced it.
void clip_gradient(Gradient& g) {
  Value stayed = g.call("Equal", {g.x(0), g.y()});
  if (g.needs(0)) g.add(0, g.call("SelectV2", {stayed, g.dy(), 0.0}));
  if (!g.needs(1) && !g.needs(2)) return;
  Value rest = g.call("SelectV2", {stayed, 0.0, g.dy()});
  Value is_max = g.call("Equal", {g.y(), g.x(2)});
  if (g.needs(1)) g.add(1, g.call("SelectV2", {is_max, 0.0, rest}));
  if (g.needs(2)) g.add(2, g.call("SelectV2", {is_max, rest, 0.0}));
}

void add_n_gradient(Gradient& g) {
  for (int i = 0; i < g.inputs(); ++i) g.add(i, g.dy());
}

}  // namespace

void define_select_ops(OpRegistry& ops) {
  ops.define({
      .name = "SelectV2",
      .lua_name = "where",
      .summary = "x where cond is true, y where it is false. where(cond) alone is nonzero(cond).",
      .inputs = {{"cond", kBool, "any shape", kOwnDType | kByElement},
                 {"x", kEveryDType, "broadcasts with cond and y", kNumber | kByElement},
                 {"y", kEveryDType, "broadcasts with cond and x", kNumber | kByElement}},
      .output = "the broadcast shape of all three; the promoted dtype of x and y",
      .errors = "InvalidArgument if cond is not bool, if y is missing, or if the shapes do not broadcast.",
      .source = "numpy.where with three arguments",
      .example = "lutra.where({true, false}, {1, 2}, 0)  --> {1, 0}",
      .shape = where_shape,
      .gradient = where_gradient,
      .saves = kX0,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "ClipByValue",
      .lua_name = "clip",
      .summary = "x limited to the range from min to max; max where min is above max. nan stays nan.",
      .inputs = {{"x", kNumbers, "any shape", kNumber | kByElement},
                 {"min", kNumbers, "broadcasts with x", kNumber | kByElement},
                 {"max", kNumbers, "broadcasts with x", kNumber | kByElement}},
      .output =
          "the broadcast shape of all three; the promoted dtype: integers stay integers unless a bound is a float",
      .errors = "InvalidArgument if all inputs are bool or the shapes do not broadcast.",
      .source = "numpy.clip, tf.clip_by_value",
      .example = "lutra.clip({-1, 2, 9}, 0, 5)  --> {0, 2, 5}",
      .shape = broadcast_all,
      .gradient = clip_gradient,
      .saves = kX0 | kX2 | kY0,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "AddN",
      .lua_name = "add_n",
      .summary = "The elementwise sum of a list of tensors, from the first to the last.",
      .inputs = {{"tensors", kEveryNumber, "a list of tensors of one shape", kVariadic}},
      .output = "the tensors' shape; their promoted dtype",
      .errors = "InvalidArgument for an empty list, for shapes that differ (nothing broadcasts), or if all are bool.",
      .source = "tf.math.add_n",
      .example = "lutra.add_n{ {1, 2}, {3, 4}, {5, 6} }  --> {9, 12}",
      .shape = add_n_shape,
      .gradient = add_n_gradient,
      .cost = add_n_cost,
      .gpu = kNumbers,
  });
}

}  // namespace lutra
