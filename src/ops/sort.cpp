// Sorting. nan counts as larger than every number, -0 as equal to 0.

#include "ops/sort.h"

#include <cmath>

#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/index.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void sort_shape(Inference& inference) {
  sorted_axis(inference, inference.attrs<SortAttrs>().axis);
  inference.output_like(inference.key(), 0);
}

void argsort_shape(Inference& inference) {
  sorted_axis(inference, inference.attrs<ArgsortAttrs>().axis);
  inference.output_like(DType::Int64, 0);
}

// The largest possible size; the kernel reports the real one.
void unique_shape(Inference& inference) {
  Shape all{inference.shape(0).size()};
  inference.output(inference.key(), all);
  inference.output(DType::Int64, all);
  inference.output(DType::Int64, all);
}

Cost sorting_cost(const KernelArgs& args, const Axes& axes) {
  const Array& x = args.in[0];
  double size = static_cast<double>(x.size), element = static_cast<double>(size_of(x.dtype));
  double line = static_cast<double>(x.dims[axis_of(axes, x.rank, -1)]);
  // A radix sort reads and writes each element once per byte of its key.
  return {.flops = size * std::log2(line + 1), .bytes = 2 * size * element * element};
}
Cost sort_cost(const KernelArgs& args) { return sorting_cost(args, args.as<SortAttrs>().axis); }
Cost argsort_cost(const KernelArgs& args) { return sorting_cost(args, args.as<ArgsortAttrs>().axis); }

void sort_gradient(Gradient& g) {
  const SortAttrs& attrs = g.attrs<SortAttrs>();
  Value places = g.call("Argsort", {g.x()}, ArgsortAttrs{attrs.axis, attrs.descending, {}});
  add_to_places(g, attrs.axis, places, {});
}

constexpr const char* kSortErrors =
    "InvalidArgument if x is a scalar, for an axis that does not exist, or for more than one.";

}  // namespace

int sorted_axis(const Inference& inference, const Axes& axes) {
  require(inference.shape(0).rank() > 0, inference.who(), ": x is a scalar, which has no axis to put in order");
  return one_axis(inference, axes, -1);
}

void add_to_places(Gradient& g, const Axes& axis, const Value& places, IndexBase base) {
  Shape x = g.shape_of(0);
  ScatterAttrs attrs;
  attrs.shape = Dims::of(x);
  attrs.axis = axis_of(axis, x.rank(), -1);
  attrs.base = base;
  g.add(0, g.call("TakeAlongAxisGrad", {g.dy(), places}, attrs));
}

void define_sort_ops(OpRegistry& ops) {
  ops.define({
      .name = "Sort",
      .lua_name = "sort",
      .summary = "The elements along an axis in ascending or descending order. Equal elements keep their order; nan "
                 "counts as larger than every number.",
      .inputs = {{"x", kAnyDType, "at least one axis"}},
      .attrs = attrs<SortAttrs>({attr("axis", &SortAttrs::axis, "the axis to sort along").positional().otherwise("-1"),
                                 attr("descending", &SortAttrs::descending, "the largest first").otherwise("false")}),
      .output = "x's shape and dtype",
      .errors = kSortErrors,
      .source = "numpy.sort, tf.sort",
      .example = "lutra.sort{3, 1, 2}  --> {1, 2, 3}",
      .shape = sort_shape,
      .gradient = sort_gradient,
      .saves = kX0,
      .cost = sort_cost,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Argsort",
      .lua_name = "argsort",
      .summary =
          "The indices, counted from 1, that sort the elements along an axis: take_along_axis(x, argsort(x), -1) "
          "is sort(x).",
      .inputs = {{"x", kAnyDType, "at least one axis"}},
      .attrs =
          attrs<ArgsortAttrs>({attr("axis", &ArgsortAttrs::axis, "the axis to sort along").positional().otherwise("-1"),
                               attr("descending", &ArgsortAttrs::descending, "the largest first").otherwise("false"),
                               attr("index_base", &ArgsortAttrs::base, "what the first index is")}),
      .output = "x's shape; int64",
      .errors = kSortErrors,
      .source = "numpy.argsort, tf.argsort",
      .example = "lutra.argsort{30, 10, 20}  --> {2, 3, 1}",
      .shape = argsort_shape,
      .cost = argsort_cost,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Unique",
      .lua_name = "unique",
      .summary =
          "The distinct values of x in ascending order; for each element of x, flattened, the index of its value among "
          "them; and how often each occurs. All nans are one value, the last. The sizes depend on values, so it runs "
          "on the CPU. With the option axis = k the slices along that axis take the place of elements: rows with "
          "axis = 1, in lexicographic order; a slice with a nan equals no other, as in NumPy.",
      .inputs = {{"x", kAnyDType, "any shape"}},
      .attrs = attrs<IndexAttrs>({attr("index_base", &IndexAttrs::base, "what the first index is")}),
      .output =
          "values [n] in x's dtype, inverse [x's size] int64, counts [n] int64; with an axis, values of x's shape "
          "with n slices along it, inverse as long as the axis",
      .errors = "InvalidArgument for an axis that does not exist.",
      .source = "numpy.unique",
      .example = "lutra.unique{3, 1, 3}  --> {1, 3}",
      .outputs = 3,
      .shape = unique_shape,
      .flags = kDynamic,
  });
}

}  // namespace lutra
