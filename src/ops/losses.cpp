// Losses: one value per row, from labels and predictions.

#include "ops/losses.h"
#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/index.h"

namespace lutra {
namespace {

Shape without_last(Shape shape) { return Shape(shape.dims().first(static_cast<std::size_t>(shape.rank() - 1))); }

// One value per row of two inputs that broadcast.
void rows_shape(Inference& inference) {
  Shape both = broadcast_shape(inference);
  const auto& defs = inference.call().op->inputs;
  require(both.rank() > 0, inference.who(), ": ", defs[0].name, " and ", defs[1].name,
          " are scalars, expected rows: at least one axis");
  inference.output(inference.key(), without_last(both));
}

// Labels that are distributions: the last axes of both inputs must be equal.
void distributions_shape(Inference& inference) {
  Shape labels = inference.shape(0), logits = inference.shape(1);
  require(labels.rank() > 0 && logits.rank() > 0, inference.who(), ": ", labels.rank() == 0 ? "labels" : "logits",
          " is a scalar, expected a number for each class");
  require(labels[labels.rank() - 1] == logits[logits.rank() - 1], inference.who(), ": labels ", labels, " and logits ",
          logits, " do not match: both must have as many classes, the last axis");
  rows_shape(inference);
}

void cross_entropy_shape(Inference& inference) {
  Shape labels = inference.shape(0), logits = inference.shape(1);
  require(logits.rank() > 0, inference.who(), ": logits is a scalar, expected a number for each class");
  require(labels == without_last(logits), inference.who(), ": labels ", labels, " and logits ", logits,
          " do not match: expected a label for each row of logits, ", without_last(logits));
  inference.output(inference.key(), labels);
}

void cross_entropy_grad_shape(Inference& inference) { inference.output_like(inference.key(), 1); }
void both_shape(Inference& inference) {
  // dy, the last input, has one value per row.
  Shape both = inference.shape(0);
  broadcast(both, inference.shape(1), &both);
  inference.output(inference.key(), both);
}

// The sum of each row.
Value row_sum(Gradient& g, Value rows, bool keepdims) {
  return g.sum(rows, 1u << (g.shape(rows).rank() - 1), keepdims);
}

void cross_entropy_gradient(Gradient& g) {
  g.add(1, g.call("CrossEntropyGrad", {g.x(0), g.x(1), g.dy()}, g.attrs<CrossEntropyAttrs>()));
}

// dy (p - onehot), p = softmax(logits)
void cross_entropy_grad_gradient(Gradient& g) {
  Value logits = g.cast(g.x(1), g.key()), dy = g.x(2), v = g.dy();
  if (g.needs(1)) {
    Value p = g.call("Softmax", {logits});
    g.add(1, g.as_column(dy) * g.call("SoftmaxGrad", {p, v}));
  }
  if (g.needs(2)) {
    Value ones = g.fill(g.shape_of(2), 1, g.dtype_of(2));
    Value difference = g.call("CrossEntropyGrad", {g.x(0), logits, ones}, g.attrs<CrossEntropyAttrs>());
    g.add(2, row_sum(g, v * difference, false));
  }
}

void softmax_cross_entropy_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, -(g.as_column(g.dy()) * g.call("LogSoftmax", {g.cast(g.x(1), g.key())})));
  if (g.needs(1)) g.add(1, g.call("SoftmaxCrossEntropyGrad", {g.x(0), g.x(1), g.dy()}));
}

// dy (p s - labels), p = softmax(logits), s the sum of a row of labels
void softmax_cross_entropy_grad_gradient(Gradient& g) {
  Value labels = g.x(0), logits = g.cast(g.x(1), g.key()), dy = g.x(2), v = g.dy();
  Value p = g.call("Softmax", {logits}), along = row_sum(g, v * p, true);
  Value column = g.as_column(dy);
  if (g.needs(0)) g.add(0, column * (along - v));
  if (g.needs(1)) {
    g.add(1, column * row_sum(g, labels, true) * p * (v - along));
  }
  if (g.needs(2)) {
    Value ones = g.fill(g.shape_of(2), 1, g.dtype_of(2));
    g.add(2, row_sum(g, v * g.call("SoftmaxCrossEntropyGrad", {labels, logits, ones}), false));
  }
}

void mean_error_gradient(Gradient& g, const char* op) {
  Value slope = g.call(op, {g.x(0), g.x(1), g.dy()});
  if (g.needs(1)) g.add(1, slope);
  if (g.needs(0)) g.add(0, -slope);
}
void mse_gradient(Gradient& g) { mean_error_gradient(g, "MseGrad"); }
void mae_gradient(Gradient& g) { mean_error_gradient(g, "MaeGrad"); }

// 2 dy (predictions - labels) / n, which is linear in all three.
void mse_grad_gradient(Gradient& g) {
  Value v = g.dy();
  if (g.needs(0) || g.needs(1)) {
    Value labels = g.fill(g.shape_of(0), 0, g.dtype_of(0));
    Value slope = g.call("MseGrad", {labels, v, g.x(2)});
    if (g.needs(1)) g.add(1, slope);
    if (g.needs(0)) g.add(0, -slope);
  }
  if (!g.needs(2)) return;
  Value ones = g.fill(g.shape_of(2), 1, g.dtype_of(2));
  g.add(2, row_sum(g, v * g.call("MseGrad", {g.x(0), g.x(1), ones}), false));
}

// dy sign(predictions - labels) / n: a step function of both.
void mae_grad_gradient(Gradient& g) {
  for (int i = 0; i < 2; ++i) {
    if (g.needs(i)) g.add(i, g.fill(g.shape_of(i), 0, g.dtype_of(i)));
  }
  if (!g.needs(2)) return;
  Value ones = g.fill(g.shape_of(2), 1, g.dtype_of(2));
  g.add(2, row_sum(g, g.dy() * g.call("MaeGrad", {g.x(0), g.x(1), ones}), false));
}

struct LossEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  const char* first;
  const char* second;
  const char* source;
  const char* example;
  void (*shape)(Inference& inference);
  void (*gradient)(Gradient& g);
  uint8_t flags;  // of the inputs
};

constexpr const char* kLossOutput =
    "the broadcast shape without its last axis; float32 for integers, else the promoted dtype";

}  // namespace

void define_losses_ops(OpRegistry& ops) {
  ops.define({
      .name = "SparseSoftmaxCrossEntropyWithLogits",
      .lua_name = "cross_entropy",
      .summary = "-log(softmax(logits)[label]) of each row, in nats: the loss of a classifier whose labels are "
                 "class numbers, 1..n.",
      .inputs = {{"labels", kInts, "[...]: a number for each row", kOwnDType},
                 {"logits", kNumbers, "[..., n]: a number for each class"}},
      .attrs =
          attrs<CrossEntropyAttrs>({attr("index_base", &CrossEntropyAttrs::base, "what the first class is called")}),
      .output = "labels' shape; float32 for integer logits, else logits' dtype",
      .errors = "InvalidArgument for the label 0, for shapes that do not match, or if logits is a scalar or bool; "
                "OutOfRange for any other label that is not one of 1..n.",
      .source = "tf.nn.sparse_softmax_cross_entropy_with_logits",
      .example = "lutra.cross_entropy({1, 2}, {{0.0, 0.0}, {0.0, 2.0}})  --> {0.6931, 0.1269}",
      .compute = Compute::Float,
      .shape = cross_entropy_shape,
      .gradient = cross_entropy_gradient,
      .saves = kX0 | kX1,
      .fault = [](const char* op, const Fault& fault) { return wrong_number(op, "label", "classes", fault); },
      .cost = elements_cost<4>,
      .gpu = kFloats,
  });
  ops.define({
      .name = "CrossEntropyGrad",
      .summary = "The gradient of a cross entropy's logits: dy * (softmax(logits) - one_hot(labels)).",
      .inputs = {{"labels", kInts, "[...]", kOwnDType}, {"logits", kNumbers, "[..., n]"}, {"dy", kNumbers, "[...]"}},
      .attrs = inner_attrs<CrossEntropyAttrs>(),
      .output = "logits' shape",
      .compute = Compute::Float,
      .shape = cross_entropy_grad_shape,
      .gradient = cross_entropy_grad_gradient,
      .saves = kX0 | kX1 | kX2,
      .cost = elements_cost<6>,
      .gpu = kFloats,
      .flags = kHidden,
  });
  const LossEntry entries[] = {
      {"SoftmaxCrossEntropyWithLogits", "softmax_cross_entropy",
       "-sum(labels * log(softmax(logits))) of each row, in nats: the loss of a classifier whose labels are "
       "distributions. "
       "A label of 0 adds nothing, even if its logit is -inf.",
       "labels", "logits", "tf.nn.softmax_cross_entropy_with_logits",
       "lutra.softmax_cross_entropy({{0.5, 0.5}}, {{0.0, 0.0}})  --> {0.6931}", distributions_shape,
       softmax_cross_entropy_gradient, 0},
      {"Mse", "mse", "The mean of (predictions - labels)^2 of each row.", "labels", "predictions",
       "tf.keras.losses.mean_squared_error", "lutra.mse({{1.0, 2.0}}, {{2.0, 4.0}})  --> {2.5}", rows_shape,
       mse_gradient, kNumber},
      {"Mae", "mae", "The mean of |predictions - labels| of each row.", "labels", "predictions",
       "tf.keras.losses.mean_absolute_error", "lutra.mae({{1.0, 2.0}}, {{2.0, 4.0}})  --> {1.5}", rows_shape,
       mae_gradient, kNumber},
  };
  for (const LossEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .lua_name = entry.lua_name,
        .summary = entry.summary,
        .inputs = {{entry.first, kNumbers, "[..., n]", entry.flags},
                   {entry.second, kNumbers, "[..., n]; the two broadcast", entry.flags}},
        .output = kLossOutput,
        .errors = "InvalidArgument if the shapes do not match, both are scalars, or both are bool.",
        .source = entry.source,
        .example = entry.example,
        .compute = Compute::Float,
        .shape = entry.shape,
        .gradient = entry.gradient,
        .saves = kX0 | kX1,
        .cost = elements_cost<4>,
        .gpu = kFloats,
    });
  }
  struct Hidden {
    const char* name;
    const char* summary;
    const char* second;
    void (*gradient)(Gradient& g);
  };
  const Hidden hidden[] = {
      {"SoftmaxCrossEntropyGrad",
       "The gradient of a softmax cross entropy's logits: dy * (softmax(logits) * sum(labels) - "
       "labels).",
       "logits", softmax_cross_entropy_grad_gradient},
      {"MseGrad", "The gradient of a mean squared error's predictions: 2 dy (predictions - labels) / n.", "predictions",
       mse_grad_gradient},
      {"MaeGrad", "The gradient of a mean absolute error's predictions: dy * sign(predictions - labels) / n.",
       "predictions", mae_grad_gradient},
  };
  for (const Hidden& entry : hidden) {
    ops.define({
        .name = entry.name,
        .summary = entry.summary,
        .inputs = {{"labels", kNumbers, "[..., n]", kNumber},
                   {entry.second, kNumbers, "[..., n]; the two broadcast", kNumber},
                   {"dy", kNumbers, "[...]"}},
        .output = "the broadcast shape of labels and the other",
        .compute = Compute::Float,
        .shape = both_shape,
        .gradient = entry.gradient,
        .saves = kX0 | kX1 | kX2,
        .cost = elements_cost<6>,
        .gpu = kFloats,
        .flags = kHidden,
    });
  }
}

}  // namespace lutra
