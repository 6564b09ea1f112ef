// argmax and argmin.

#include "ops/argmax.h"

#include "ops/axes.h"
#include "ops/cost.h"
#include "ops/inference.h"
#include "ops/kernel.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

void argmax_shape(Inference& inference) {
  const ArgMaxAttrs& attrs = inference.attrs<ArgMaxAttrs>();
  require_one(inference, attrs.axis);
  Shape x = inference.shape(0);
  uint32_t mask = inference.axes(attrs.axis, x.rank());
  require_elements(inference, mask);
  inference.output(DType::Int64, reduced_shape(x, mask, attrs.keepdims));
}

void define_place(OpRegistry& ops, const char* name, const char* lua_name, const char* summary, const char* source,
                  const char* example) {
  ops.define({
      .name = name,
      .lua_name = lua_name,
      .summary = summary,
      .inputs = {{"x", kAnyDType, "any shape"}},
      .attrs = attrs<ArgMaxAttrs>(
          {attr("axis", &ArgMaxAttrs::axis, "the axis to search along").positional().otherwise("the flattened tensor"),
           attr("keepdims", &ArgMaxAttrs::keepdims, "leave an axis of size 1 in its place").otherwise("false"),
           attr("index_base", &ArgMaxAttrs::base, "what the first index is")}),
      .output = "x's shape without the axis; int64",
      .errors = "InvalidArgument for an axis that does not exist, for more than one, or if there are no elements.",
      .source = source,
      .example = example,
      .shape = argmax_shape,
      .cost = reduction_cost,
      .gpu = kAnyDType,
  });
}

}  // namespace

void define_argmax_ops(OpRegistry& ops) {
  define_place(ops, "ArgMax", "argmax",
               "The index of the largest element along the axis, counted from 1; without an axis its row-major "
               "position. Of equal elements the first; if there are nans, the first nan.",
               "numpy.argmax", "lutra.argmax{1, 5, 3}  --> 2");
  define_place(ops, "ArgMin", "argmin",
               "The index of the smallest element along the axis, counted from 1; without an axis its row-major "
               "position. Of equal elements the first; if there are nans, the first nan.",
               "numpy.argmin", "lutra.argmin{4, 1, 3}  --> 2");
}

}  // namespace lutra
