// Vectors of length 1, and the angles between vectors.

#include <cmath>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/reduce.h"
#include "ops/vector_norm.h"

namespace lutra {
namespace {

struct L2NormalizeAttrs {
  Axes axis;
  double epsilon = 1e-12;
};

void require_epsilon(const Inference& inference) {
  double epsilon = inference.attrs<L2NormalizeAttrs>().epsilon;
  require(epsilon >= 0, inference.who(), ": epsilon is ", epsilon, ", expected 0 or more");
}

void l2_normalize_shape(Inference& inference) {
  require_epsilon(inference);
  inference.axes(inference.attrs<L2NormalizeAttrs>().axis, inference.shape(0).rank());
  same_as_first(inference);
}

// `x` divided by its length over the axes.
Value unit(Composition& c, Value x, const Axes& axes) {
  NormAttrs length;
  length.axis = axes;
  length.keepdims = true;
  double least = std::sqrt(c.attrs<L2NormalizeAttrs>().epsilon);
  return x / c.call("Maximum", {c.call("Norm", {x}, length), least});
}

void compose_l2_normalize(Composition& c) { c.give(unit(c, unhalved(c, c.x()), c.attrs<L2NormalizeAttrs>().axis)); }

void cosine_similarity_shape(Inference& inference) {
  require_epsilon(inference);
  const Axes& axis = inference.attrs<L2NormalizeAttrs>().axis;
  Shape shape = broadcast_shape(inference);
  require(shape.rank() > 0, inference.who(), ": a and b are scalars, which have no axis");
  int at = one_axis(inference, axis, shape.rank(), "the broadcast shape of a and b", -1);
  inference.output(inference.key(), reduced_shape(shape, 1u << at, false));
}

// `x` with as many elements along the axis as `shape` has, since its length counts them all.
Value with_whole_axis(Composition& c, Value x, const Shape& shape, int axis) {
  Shape own = c.shape(x);
  int at = axis - (shape.rank() - own.rank());
  return at >= 0 && own[at] == shape[axis] ? x : c.broadcast_to(x, shape);
}

void compose_cosine_similarity(Composition& c) {
  Value a = unhalved(c, c.x(0)), b = unhalved(c, c.x(1));
  Shape shape;
  broadcast(c.shape(a), c.shape(b), &shape);
  int axis = axis_of(c.attrs<L2NormalizeAttrs>().axis, shape.rank(), -1);
  const Axes from_end = single(axis - shape.rank());
  a = unit(c, with_whole_axis(c, a, shape, axis), from_end);
  b = unit(c, with_whole_axis(c, b, shape, axis), from_end);
  c.give(c.sum(a * b, 1u << axis));
}

}  // namespace

void define_l2_normalize_ops(OpRegistry& ops) {
  AttrDef epsilon = attr("epsilon", &L2NormalizeAttrs::epsilon, "the least that a sum of squares counts as");
  ops.define({
      .name = "L2Normalize",
      .lua_name = "l2_normalize",
      .summary = "x divided by its length over the given axes, or all: the square root of the sum of squares, which "
                 "counts as no less than epsilon.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<L2NormalizeAttrs>(
          {attr("axis", &L2NormalizeAttrs::axis, "an axis or a list of axes that make up a vector")
               .positional()
               .otherwise("all"),
           epsilon.otherwise("1e-12")}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument for an axis that does not exist or is given twice, for a negative epsilon, or if x is "
                "bool.",
      .source = "tf.math.l2_normalize",
      .example = "lutra.l2_normalize{3, 4}  --> {0.6, 0.8}",
      .compute = Compute::Float,
      .shape = l2_normalize_shape,
      .compose = compose_l2_normalize,
      .gpu = kFloats,
  });
  ops.define({
      .name = "CosineSimilarity",
      .lua_name = "cosine_similarity",
      .summary = "The cosine of the angle between the vectors of a and b along an axis: the sum of the products of "
                 "both, each divided by its length as l2_normalize does.",
      .inputs = {{"a", kNumbers, "at least one axis"}, {"b", kNumbers, "broadcasts with the other"}},
      .attrs =
          attrs<L2NormalizeAttrs>({attr("axis", &L2NormalizeAttrs::axis, "the axis of the broadcast shape to take away")
                                       .positional()
                                       .otherwise("-1"),
                                   epsilon.otherwise("1e-12")}),
      .output = "the broadcast shape of both without the axis; float32 for integers, else the promoted dtype",
      .errors =
          "InvalidArgument if the shapes do not broadcast, for an axis that does not exist, for more than one, for "
          "a negative epsilon, or if both are bool.",
      .source = "torch.nn.functional.cosine_similarity, tf.keras.losses.cosine_similarity without its sign",
      .example = "lutra.cosine_similarity({1.0, 0.0}, {1.0, 1.0})  --> 0.7071",
      .compute = Compute::Float,
      .shape = cosine_similarity_shape,
      .compose = compose_cosine_similarity,
      .gpu = kFloats,
  });
}

}  // namespace lutra
