// Elements by their place, and places of elements.

#include "ops/index.h"

#include "ops/inference.h"

namespace lutra {
namespace {

void gather_shape(Inference& inference) {
  const GatherAttrs& attrs = inference.attrs<GatherAttrs>();
  Shape x = inference.shape(0), indices = inference.shape(1), out;
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to gather along");
  require(!attrs.axis.is_list, inference.who(), ": axis is a list, expected one axis");
  int axis = inference.axis(attrs.axis.given() ? attrs.axis.v[0] : 0, x.rank());
  require(x.rank() - 1 + indices.rank() <= kMaxRank, inference.who(), ": x ", x, " and indices ", indices, " make ",
          x.rank() - 1 + indices.rank(), " axes, and there can be ", kMaxRank);
  for (int i = 0; i < axis; ++i) out.push(x[i]);
  for (int i = 0; i < indices.rank(); ++i) out.push(indices[i]);
  for (int i = axis + 1; i < x.rank(); ++i) out.push(x[i]);
  inference.output(inference.key(), out);
}

// The most there can be: the kernel says how many there are.
void unique_shape(Inference& inference) {
  Shape all{inference.shape(0).size()};
  inference.output(inference.key(), all);
  inference.output(DType::Int64, all);
  inference.output(DType::Int64, all);
}

}  // namespace

void define_index_ops(OpRegistry& ops) {
  ops.define({
      .name = "GatherV2",
      .lua_name = "gather",
      .summary = "The parts of x at the given indices along an axis. Indices count from 1; negative ones from the end.",
      .inputs = {{"x", kAnyDType, "at least one axis"}, {"indices", kInts, "any shape", kOwnDType}},
      .attrs =
          attrs<GatherAttrs>({attr("axis", &GatherAttrs::axis, "x's axis to pick along").positional().otherwise("1"),
                              attr("index_base", &GatherAttrs::base, "what the first index is")}),
      .output = "x's shape with axis replaced by the axes of indices; x's dtype",
      .errors =
          "InvalidArgument for the index 0, an axis that is not there, or a ninth axis; OutOfRange for an index past "
          "the axis' end.",
      .source = "numpy.take, tf.gather",
      .example = "lutra.gather({10, 20, 30}, {3, 1, -1})  --> {30, 10, 30}",
      .shape = gather_shape,
      .gpu = kAnyDType,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "Unique",
      .lua_name = "unique",
      .summary =
          "The different values of x in ascending order; for each element of x, flattened, the place of its value "
          "among them; and how often each occurs. All nans are one value, the last.",
      .inputs = {{"x", kAnyDType, "any shape"}},
      .attrs = attrs<UniqueAttrs>({attr("index_base", &UniqueAttrs::base, "what the first index is")}),
      .output = "values [n] in x's dtype, inverse [x's size] int64, counts [n] int64",
      .source = "numpy.unique",
      .example = "lutra.unique{3, 1, 3}  --> {1, 3}",
      .outputs = 3,
      .shape = unique_shape,
      .flags = kDynamic,
  });
}

}  // namespace lutra
