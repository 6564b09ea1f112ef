// Normalisation along the last axis: with given statistics, or with each row's own.

#include <cmath>

#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/normalise.h"
#include "ops/reduce.h"

namespace lutra {
namespace {

void check_epsilon(const Inference& inference) {
  double epsilon = inference.attrs<NormalizeAttrs>().epsilon;
  require(epsilon >= 0 && std::isfinite(epsilon), inference.who(), ": epsilon is ", epsilon,
          ", expected 0 or a finite number above it");
}

void batch_norm_shape(Inference& inference) {
  require_vectors(inference, 1, 4);
  check_epsilon(inference);
  same_as_first(inference);
}

void layer_norm_shape(Inference& inference) {
  require_vectors(inference, 1, 2);
  check_epsilon(inference);
  same_as_first(inference);
}

// A number for each element of the last axis.
void last_axis_shape(Inference& inference) {
  Shape x = inference.shape(0);
  inference.output(inference.key(), Shape{x[x.rank() - 1]});
}

Value sum_of_rows(Gradient& g, Value value) { return g.sum_leading(value, 1); }

// With s = 1 / sqrt(var + epsilon), all but two sums over rows are arithmetic on vectors. Not in halves, where the
// third power of s may overflow.
void batch_norm_gradient(Gradient& g) {
  Value x = g.x(0), mean = g.x(1), var = unhalved(g, g.cast(g.x(2), g.key())), scale = g.x(3), dy = g.dy();
  Value s = 1.0 / g.call("Sqrt", {var + g.attrs<NormalizeAttrs>().epsilon});
  if (g.needs(0)) g.add(0, dy * g.cast(scale * s, g.key()));
  if (g.needs(1) || g.needs(4)) {
    Value sum = sum_of_rows(g, dy);
    if (g.needs(1)) g.add(1, -(sum * (scale * s)));
    if (g.needs(4)) g.add(4, sum);
  }
  if (g.needs(2) || g.needs(3)) {
    Value sum = g.call("CenteredDot", {x, mean, dy});
    if (g.needs(2)) g.add(2, sum * (scale * (s * s * s) * -0.5));
    if (g.needs(3)) g.add(3, sum * s);
  }
}

// sum over rows of (x - mean) dy
void centered_dot_gradient(Gradient& g) {
  Value v = g.dy();
  if (g.needs(0)) g.add(0, g.x(2) * v);
  if (g.needs(1)) g.add(1, -(sum_of_rows(g, g.x(2)) * v));
  if (g.needs(2)) g.add(2, (g.x(0) - g.x(1)) * v);
}

void layer_norm_gradient(Gradient& g) {
  const NormalizeAttrs& attrs = g.attrs<NormalizeAttrs>();
  if (g.needs(0)) g.add(0, g.call("LayerNormGrad", {g.x(0), g.x(1), g.dy()}, attrs));
  if (g.needs(1)) g.add(1, g.call("LayerNormScaleGrad", {g.x(0), g.dy()}, attrs));
  if (g.needs(2)) g.add(2, sum_of_rows(g, g.dy()));
}

// The mean over the last axis, which is kept with size 1.
Value row_mean(Gradient& g, Value value) {
  Shape shape = g.shape(value);
  int64_t n = std::max<int64_t>(1, shape[shape.rank() - 1]);
  return g.sum(value, 1u << (shape.rank() - 1), true) / static_cast<double>(n);
}

// A row normalised: (x - mean) * inverse.
struct Normal {
  Value x, inverse;
  Normal(Gradient& g, Value row) {
    Value centered = row - row_mean(g, row);
    Value var = row_mean(g, centered * centered);
    inverse = 1.0 / g.call("Sqrt", {var + g.attrs<NormalizeAttrs>().epsilon});
    x = centered * inverse;
  }
};

// The op is inverse P(dy scale) with P(v) = v - mean(v) - x mean(v x), x the normalised row: linear in dy and scale,
// and by x through x and inverse.
void layer_norm_grad_gradient(Gradient& g) {
  const NormalizeAttrs& attrs = g.attrs<NormalizeAttrs>();
  Value scale = g.x(1), dy = g.x(2), v = unhalved(g, g.dy());
  Shape row = g.shape_of(1);
  Value ones = g.fill(row, 1, g.dtype_of(1));
  if (g.needs(1) || g.needs(2)) {
    Value projected = g.call("LayerNormGrad", {g.x(0), ones, v}, attrs);
    if (g.needs(1)) g.add(1, sum_of_rows(g, projected * dy));
    if (g.needs(2)) g.add(2, projected * scale);
  }
  if (!g.needs(0)) return;
  Normal normal(g, unhalved(g, g.cast(g.x(0), g.key())));
  Value u = unhalved(g, dy) * scale;
  Value u_along = row_mean(g, u * normal.x), v_along = row_mean(g, v * normal.x);
  Value by_normal = -(normal.inverse * (u * v_along + v * u_along));
  // Of the sum over the row of v P(u), a `row[0]`th: what inverse is multiplied with.
  Value by_inverse = row_mean(g, u * v) - row_mean(g, u) * row_mean(g, v) - u_along * v_along;
  g.add(0, g.call("LayerNormGrad", {g.x(0), ones, by_normal}, attrs) -
               by_inverse * normal.inverse * normal.inverse * normal.x);
}

// The sum over rows of dy times the normalised row.
void layer_norm_scale_grad_gradient(Gradient& g) {
  const NormalizeAttrs& attrs = g.attrs<NormalizeAttrs>();
  if (g.needs(0)) g.add(0, g.call("LayerNormGrad", {g.x(0), g.dy(), g.x(1)}, attrs));
  if (g.needs(1)) {
    Shape row = g.output_shape();
    DType dtype = g.dtype_of(1);
    g.add(1, g.call("LayerNorm", {g.x(0), g.dy(), g.fill(row, 0, dtype)}, attrs));
  }
}

AttrTable epsilon_option() {
  return attrs<NormalizeAttrs>(
      {attr("epsilon", &NormalizeAttrs::epsilon, "added to the variance, to avoid a division by 0")
           .otherwise("0.001")});
}

struct Hidden {
  const char* name;
  const char* summary;
  std::vector<InputDef> inputs;
  AttrTable attrs;
  const char* output;
  void (*shape)(Inference&);
  void (*gradient)(Gradient&);
  uint16_t saves;
};

}  // namespace

void define_normalise_ops(OpRegistry& ops) {
  ops.define({
      .name = "BatchNorm",
      .lua_name = "batch_norm",
      .summary =
          "(x - mean) / sqrt(var + epsilon) * scale + offset, with one mean, var, scale and offset for each element of "
          "the last axis.",
      .inputs = {{"x", kNumbers, "[..., n]"},
                 {"mean", kNumbers, "[n]"},
                 {"var", kNumbers, "[n]"},
                 {"scale", kNumbers, "[n]"},
                 {"offset", kNumbers, "[n]"}},
      .attrs = epsilon_option(),
      .output = "x's shape; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if x is a scalar, another input is not a vector as long as x's last axis, all inputs "
                "are bool, or epsilon is negative or not finite.",
      .source = "Ioffe and Szegedy, ICML 2015; tf.nn.batch_normalization",
      .example = "lutra.batch_norm({{1.0, 4.0}}, {1.0, 2.0}, {1.0, 4.0}, {1.0, 1.0}, {0.0, 0.5}, {epsilon = 0})  --> "
                 "{{0.0, 1.5}}",
      .compute = Compute::Float,
      .shape = batch_norm_shape,
      .gradient = batch_norm_gradient,
      .saves = kX0 | kX1 | kX2 | kX3,
      .cost = elements_cost<3>,
      .gpu = kFloats,
  });
  ops.define({
      .name = "LayerNorm",
      .lua_name = "layer_norm",
      .summary =
          "Normalises each row along the last axis: (row - mean) / sqrt(variance + epsilon) * scale + offset, with the "
          "row's own mean and variance (ddof = 0).",
      .inputs = {{"x", kNumbers, "[..., n]"}, {"scale", kNumbers, "[n]"}, {"offset", kNumbers, "[n]"}},
      .attrs = epsilon_option(),
      .output = "x's shape; float32 for integers, else the promoted dtype",
      .errors =
          "InvalidArgument if x is a scalar, scale or offset is not a vector as long as x's last axis, all inputs "
          "are bool, or epsilon is negative or not finite.",
      .source = "Ba, Kiros and Hinton, arXiv:1607.06450",
      .example = "lutra.layer_norm({1.0, 3.0}, {1.0, 1.0}, {0.0, 0.5}, {epsilon = 0})  --> {-1.0, 1.5}",
      .compute = Compute::Float,
      .shape = layer_norm_shape,
      .gradient = layer_norm_gradient,
      .saves = kX0 | kX1,
      .cost = elements_cost<8>,
      .gpu = kFloats,
  });
  const InputDef x = {"x", kNumbers, "[..., n]"}, dy = {"dy", kNumbers, "x's shape"};
  const Hidden hidden[] = {
      {"CenteredDot",
       "The sum over rows of (x - mean) * dy, for the gradients of a batch norm's var and scale.",
       {x, {"mean", kNumbers, "[n]"}, dy},
       {},
       "[n]",
       last_axis_shape,
       centered_dot_gradient,
       kX0 | kX1 | kX2},
      {"LayerNormGrad",
       "The gradient of a layer norm's x.",
       {x, {"scale", kNumbers, "[n]"}, dy},
       inner_attrs<NormalizeAttrs>(),
       "x's shape",
       same_as_first,
       layer_norm_grad_gradient,
       kX0 | kX1 | kX2},
      {"LayerNormScaleGrad",
       "The gradient of a layer norm's scale.",
       {x, dy},
       inner_attrs<NormalizeAttrs>(),
       "[n]",
       last_axis_shape,
       layer_norm_scale_grad_gradient,
       kX0 | kX1},
  };
  for (const Hidden& entry : hidden) {
    ops.define({
        .name = entry.name,
        .summary = entry.summary,
        .inputs = entry.inputs,
        .attrs = entry.attrs,
        .output = entry.output,
        .compute = Compute::Float,
        .shape = entry.shape,
        .gradient = entry.gradient,
        .saves = entry.saves,
        .cost = elements_cost<6>,
        .gpu = kFloats,
        .flags = kHidden,
    });
  }
}

}  // namespace lutra
