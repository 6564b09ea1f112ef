// The middle of elements in order.

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/slice.h"
#include "ops/sort.h"

namespace lutra {
namespace {

// x as lines of the elements that are reduced together, [results, elements].
Value reduced_lines(Composition& c) {
  Value x = c.x();
  Shape shape = c.shape(x);
  uint32_t axes = reduced_axes(c.attrs<ReduceAttrs>().axis, shape.rank());
  TransposeAttrs order;
  order.perm.count = 0;
  order.perm.is_list = true;
  int64_t results = 1, elements = 1;
  bool is_in_order = true;
  for (uint32_t reduced : {0u, 1u}) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if ((axes >> axis & 1u) != reduced) continue;
      (reduced != 0 ? elements : results) *= shape[axis];
      is_in_order &= order.perm.count == axis;
      order.perm.v[order.perm.count++] = axis;
    }
  }
  if (!is_in_order) x = c.call("Transpose", {x}, order);
  return c.reshape(x, Shape{results, elements});
}

// The elements [first, last] of each line.
Value picked(Composition& c, Value lines, int64_t first, int64_t last) {
  SliceAttrs slice;
  slice.count = 2;
  slice.all[0] = true;
  slice.axis[1] = {first, last, 1};
  return c.call("StridedSlice", {lines}, slice);
}

// A line with a nan has it at its end.
void compose_median(Composition& c) {
  Value lines = reduced_lines(c);
  int64_t count = c.shape(lines)[1];
  if (c.shape(lines).size() == 0) return c.give(c.call("Mean", {c.x()}, c.attrs<ReduceAttrs>()));
  Axes of_lines;
  of_lines.count = 1;
  of_lines.v[0] = 1;
  Value sorted = c.call("Sort", {lines}, SortAttrs{.axis = of_lines});
  Value middle = picked(c, sorted, (count - 1) / 2, count / 2);
  if (count % 2 == 0) middle = c.call("Mean", {middle}, ReduceAttrs{of_lines, true});
  Value last = picked(c, sorted, count - 1, count - 1);
  Value median = c.call("SelectV2", {c.call("IsNan", {last}), last, middle});
  c.give(c.reshape(median, c.output_shape()));
}

}  // namespace

void define_median_ops(OpRegistry& ops) {
  ops.define({
      .name = "Median",
      .lua_name = "median",
      .summary = "The middle element in order over the given axes, or of all; of an even number the mean of the middle "
                 "two. nan if there is one, and of nothing.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<ReduceAttrs>({axis_option<ReduceAttrs>(), keepdims_option<ReduceAttrs>()}),
      .output = kReducedFraction,
      .errors = "InvalidArgument for an axis that does not exist or is given twice, or if x is bool.",
      .source = "numpy.median",
      .example = "lutra.median{4, 1, 9, 2}  --> 3.0",
      .compute = Compute::Float,
      .shape = reduced_like_key,
      .compose = compose_median,
      .gpu = kFloats,
  });
}

}  // namespace lutra
