// Splitting a tensor along an axis into a list. Pieces that are contiguous in memory share the tensor's memory.
#include "ops/pieces.h"
#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/slice.h"

namespace lutra {
namespace {

int split_axis(const Inference& list) {
  Shape x = list.shape(0);
  require(x.rank() > 0, list.who(), ": x is a scalar, which has no axis to split along");
  return one_axis(list, list.attrs<SplitAttrs>().axis, 0);
}

// The sum of the sizes without the -1, whose index is `open` (-1: there is none).
int64_t sum_of_sizes(const Inference& list, const Ints& sizes, int64_t* open) {
  int64_t sum = 0;
  *open = -1;
  for (int64_t i = 0; i < sizes.count; ++i) {
    if (sizes.v[i] == -1) {
      require(*open < 0, list.who(), ": sizes has more than one -1");
      *open = i;
      continue;
    }
    require(sizes.v[i] >= 0, list.who(), ": sizes[", list.shown(i), "] is ", sizes.v[i],
            ", expected 0 or more, or one -1");
    require(!__builtin_add_overflow(sum, sizes.v[i], &sum), list.who(),
            ": sizes add up to more elements than memory can address");
  }
  return sum;
}

int64_t split_pieces(const Inference& list) {
  const Ints& sizes = list.attrs<SplitAttrs>().sizes;
  int axis = split_axis(list);
  int64_t size = list.shape(0)[axis];
  if (!sizes.is_list()) {
    require(sizes.one > 0, list.who(), ": sizes is ", sizes.one, ", expected the number of pieces or a list of sizes");
    require(size % sizes.one == 0, list.who(), ": axis ", list.shown(axis), " of x ", list.shape(0), " has ", size,
            size == 1 ? " element" : " elements", ", which cannot be divided into ", sizes.one, " equal pieces");
    return sizes.one;
  }
  require(sizes.count > 0, list.who(), ": sizes is empty, expected at least one size");
  int64_t open, sum = sum_of_sizes(list, sizes, &open);
  require(open >= 0 ? sum <= size : sum == size, list.who(), ": sizes add up to ", sum, ", and axis ", list.shown(axis),
          " of x ", list.shape(0), " has ", size, size == 1 ? " element" : " elements");
  return sizes.count;
}

void next_split(const Inference& list, int64_t piece, Part* part) {
  const Ints& sizes = list.attrs<SplitAttrs>().sizes;
  int64_t axis_size = list.shape(0)[split_axis(list)];
  part->first += part->size;
  if (!sizes.is_list()) {
    part->size = axis_size / sizes.one;
  } else if (sizes.v[piece] != -1) {
    part->size = sizes.v[piece];
  } else {
    int64_t open;
    part->size = axis_size - sum_of_sizes(list, sizes, &open);
  }
}

// The shape of one piece: `part` of the axis, without the axis if `drops`.
void piece_shape(Inference& inference, int axis, const Part& part, bool drops) {
  Shape x = inference.shape(0), out;
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) out.push(x[i]);
    else if (!drops) out.push(part.size);
  }
  inference.output(inference.key(), out);
  if (out.size() == 0) return inference.share();
  Extent extent = Extent::around(x.data(), x.rank(), axis);
  if (extent.outer == 1) inference.share(part.first * extent.inner);
}

void piece_gradient(Gradient& g, int axis, const Part& part, bool drops) {
  if (g.output_shape().size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.dtype_of(0)));
  SliceAttrs slice = range_along(axis, part.first, part.first + part.size - 1);
  slice.drops[axis] = drops;
  g.add_part(0, slice, g.dy());
}

int unstack_axis(const Inference& list) {
  Shape x = list.shape(0);
  require(x.rank() > 0, list.who(), ": x is a scalar, which has no axis to take apart");
  return one_axis(list, list.attrs<UnstackAttrs>().axis, 0);
}

void next_unstacked(const Inference&, int64_t piece, Part* part) { *part = {piece, 1}; }

}  // namespace

void define_pieces_ops(OpRegistry& ops) {
  ops.define({
      .name = "Unpack",
      .lua_name = "unstack",
      .summary =
          "A list of the slices of a tensor along an axis, each without that axis. Along the first axis nothing is "
          "copied. The inverse of stack.",
      .inputs = {{"x", kEveryDType, "at least one axis"}},
      .attrs =
          attrs<UnstackAttrs>({attr("axis", &UnstackAttrs::axis, "the axis to split along").positional().otherwise("1"),
                               attr("part", &UnstackAttrs::part, "which of the slices")}),
      .output = "a list as long as the axis; each tensor has x's other axes; x's dtype",
      .errors = "InvalidArgument for a scalar or an axis that does not exist.",
      .source = "tf.unstack",
      .example = "lutra.unstack({{1, 2}, {3, 4}})[2]  --> {3, 4}",
      .shape =
          [](Inference& inference) {
            piece_shape(inference, unstack_axis(inference), inference.attrs<UnstackAttrs>().part, true);
          },
      .pieces = [](const Inference& list) { return list.shape(0)[unstack_axis(list)]; },
      .next_piece = next_unstacked,
      .gradient =
          [](Gradient& g) {
            const UnstackAttrs& attrs = g.attrs<UnstackAttrs>();
            piece_gradient(g, axis_of(attrs.axis, g.shape_of(0).rank(), 0), attrs.part, true);
          },
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Split",
      .lua_name = "split",
      .summary =
          "A tensor cut into pieces along an axis, as a list. Along the first axis nothing is copied. The inverse "
          "of concat.",
      .inputs = {{"x", kEveryDType, "at least one axis"}},
      .attrs = attrs<SplitAttrs>(
          {attr(
               "sizes", &SplitAttrs::sizes,
               "the number of pieces, all of one size; or a list of their sizes, one of which may be -1: the remaining "
               "elements")
               .required(),
           attr("axis", &SplitAttrs::axis, "the axis to cut").positional().otherwise("1"),
           attr("part", &SplitAttrs::part, "which of the pieces")}),
      .output = "a list of tensors with x's shape, except along the axis; x's dtype",
      .errors = "InvalidArgument for a scalar, an axis that does not exist, an axis that cannot be divided into that "
                "many equal pieces, and sizes that do not add up to the axis'.",
      .source = "numpy.split, tf.split",
      .example = "lutra.split({1, 2, 3}, {1, -1})[2]  --> {2, 3}",
      .shape =
          [](Inference& inference) {
            piece_shape(inference, split_axis(inference), inference.attrs<SplitAttrs>().part, false);
          },
      .pieces = split_pieces,
      .next_piece = next_split,
      .gradient =
          [](Gradient& g) {
            const SplitAttrs& attrs = g.attrs<SplitAttrs>();
            piece_gradient(g, axis_of(attrs.axis, g.shape_of(0).rank(), 0), attrs.part, false);
          },
      .gpu = kAnyDType,
  });
}

}  // namespace lutra
