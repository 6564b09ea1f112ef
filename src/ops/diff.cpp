// Differences of neighbours.

#include <algorithm>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/slice.h"

namespace lutra {
namespace {

struct DiffAttrs {
  Axes axis;
  int64_t n = 1;
};

void diff_shape(Inference& inference) {
  const DiffAttrs& attrs = inference.attrs<DiffAttrs>();
  Shape x = inference.shape(0);
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis");
  require(attrs.n >= 0, inference.who(), ": n is ", attrs.n, ", expected 0 or more");
  int axis = one_axis(inference, attrs.axis, -1);
  x[axis] = std::max<int64_t>(x[axis] - std::min(attrs.n, x[axis]), 0);
  inference.output(inference.key(), x);
}

void compose_diff(Composition& c) {
  const DiffAttrs& attrs = c.attrs<DiffAttrs>();
  Value x = c.x();
  int axis = axis_of(attrs.axis, c.shape(x).rank(), -1);
  // The elements [first, last] along the axis.
  auto part = [&](int64_t first, int64_t last) {
    SliceAttrs slice;
    slice.count = static_cast<int8_t>(axis + 1);
    for (int i = 0; i < axis; ++i) slice.all[i] = true;
    slice.axis[axis] = {first, last, 1};
    return c.call("StridedSlice", {x}, slice);
  };
  int64_t size = c.shape(x)[axis], kept = c.output_shape()[axis];
  if (kept == 0 && size > 0) return c.give(part(1, 0));
  for (; size > kept; --size) x = part(1, size - 1) - part(0, size - 2);
  c.give(x);
}

}  // namespace

void define_diff_ops(OpRegistry& ops) {
  ops.define({
      .name = "Diff",
      .lua_name = "diff",
      .summary = "Each element along an axis less the one before it, n times over; integers wrap.",
      .inputs = {{"x", kNumbers, "at least one axis"}},
      .attrs = attrs<DiffAttrs>(
          {attr("axis", &DiffAttrs::axis, "the axis along which to subtract").positional().otherwise("-1"),
           attr("n", &DiffAttrs::n, "how many times").otherwise("1")}),
      .output = "x's shape with n elements less along the axis, or none; x's dtype",
      .errors =
          "InvalidArgument if x is a scalar or bool, for a negative n, for an axis that does not exist, or for more "
          "than one.",
      .source = "numpy.diff",
      .example = "lutra.diff{1, 4, 9, 16}  --> {3, 5, 7}",
      .shape = diff_shape,
      .compose = compose_diff,
      .gpu = kNumbers,
  });
}

}  // namespace lutra
