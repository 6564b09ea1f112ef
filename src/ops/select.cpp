// Choosing among values element by element, and sums of lists.

#include "ops/inference.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void where_shape(Inference& inference) {
  require(inference.has(1), inference.who(), ": x and y are missing; the places where cond is true are nonzero(cond)");
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

}  // namespace

void define_select_ops(OpRegistry& ops) {
  ops.define({
      .name = "SelectV2",
      .lua_name = "where",
      .summary = "x where cond is true, y where it is false.",
      .inputs = {{"cond", kBool, "any shape", kOwnDType},
                 {"x", kAnyDType, "broadcasts with cond and y", kNumber | kOptional},
                 {"y", kAnyDType, "broadcasts with cond and x", kNumber | kOptional}},
      .output = "the broadcast shape of all three; the promoted dtype of x and y",
      .errors = "InvalidArgument if cond is not bool, if x or y is missing, or if the shapes do not broadcast.",
      .source = "numpy.where with three arguments",
      .example = "lutra.where({true, false}, {1, 2}, 0)  --> {1, 0}",
      .shape = where_shape,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "ClipByValue",
      .lua_name = "clip",
      .summary = "x, but no less than min and no more than max; max where min is above it. nan stays nan.",
      .inputs = {{"x", kNumbers, "any shape", kNumber},
                 {"min", kNumbers, "broadcasts with x", kNumber},
                 {"max", kNumbers, "broadcasts with x", kNumber}},
      .output =
          "the broadcast shape of all three; the promoted dtype: integers stay integers unless a bound is a float",
      .errors = "InvalidArgument if an input is bool or the shapes do not broadcast.",
      .source = "numpy.clip",
      .example = "lutra.clip({-1, 2, 9}, 0, 5)  --> {0, 2, 5}",
      .shape = broadcast_all,
      .gpu = kComputedNumbers,
  });
  ops.define({
      .name = "AddN",
      .lua_name = "add_n",
      .summary = "The sum of a list of tensors, from the first to the last, element by element.",
      .inputs = {{"tensors", kNumbers, "a list of tensors of one shape", kVariadic}},
      .output = "the tensors' shape; their promoted dtype",
      .errors = "InvalidArgument for an empty list, for shapes that differ (nothing broadcasts), or for bool tensors.",
      .source = "tf.math.add_n",
      .example = "lutra.add_n{ {1, 2}, {3, 4}, {5, 6} }  --> {9, 12}",
      .shape = add_n_shape,
      .cost = add_n_cost,
      .gpu = kComputedNumbers,
  });
}

}  // namespace lutra
