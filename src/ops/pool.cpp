// Pooling of images, and its gradients.

#include "ops/conv.h"
#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/windows.h"

namespace lutra {
namespace {

void pool_shape(Inference& inference) {
  const PoolAttrs& attrs = inference.attrs<PoolAttrs>();
  require_image(inference, 0, "[batch, height, width, channels]");
  require_window(inference, "size", attrs.size, 1);
  require_window(inference, "stride", attrs.stride, 1);
  require_padding(inference, attrs.padding);
  // So that each window contains an element.
  for (int i = 0; i < 2; ++i) {
    require(attrs.padding.v[i] < attrs.size.v[i], inference.who(), ": padding ", attrs.padding.v[i],
            " is as large as size ", attrs.size.v[i], ": a window would hold padding only");
  }
  Shape x = inference.shape(0);
  PoolSizes sizes(attrs, x.data());
  require_fit(inference, "size", sizes.height, sizes.width);
  // Padding alone is no image.
  int64_t height = sizes.height.in == 0 ? 0 : sizes.height.out, width = sizes.width.in == 0 ? 0 : sizes.width.out;
  inference.output(inference.key(), Shape{sizes.batch, height, width, sizes.channels});
}

void pool_grad_shape(Inference& inference) {
  inference.output(inference.key(), inference.attrs<PoolAttrs>().result.shape());
}

Cost cost_of_windows(const KernelArgs& args, const Array& results) {
  const PoolAttrs& attrs = args.as<PoolAttrs>();
  Cost cost = elements_cost<0>(args);
  cost.flops =
      static_cast<double>(results.size) * static_cast<double>(attrs.size.v[0]) * static_cast<double>(attrs.size.v[1]);
  return cost;
}
Cost pool_cost(const KernelArgs& args) { return cost_of_windows(args, args.out[0]); }
Cost gradient_cost(const KernelArgs& args) { return cost_of_windows(args, args.in[args.n_in - 1]); }

PoolAttrs with_result(Gradient& g, const Shape& shape) {
  PoolAttrs attrs = g.attrs<PoolAttrs>();
  attrs.result = Dims::of(shape);
  return attrs;
}

void max_gradient(Gradient& g) {
  g.add(0, g.call("MaxPoolGrad", {g.x(), g.y(), g.dy()}, with_result(g, g.shape_of(0))));
}

// Linear in dy. Which elements are the largest changes with x only at ties.
void max_grad_gradient(Gradient& g) {
  for (int i = 0; i < 2; ++i) {
    if (g.needs(i)) g.add(i, g.fill(g.shape_of(i), 0, g.dtype_of(i)));
  }
  if (!g.needs(2)) return;
  g.add(2, g.call("MaxPoolGradGrad", {g.x(0), g.x(1), g.dy()}, with_result(g, g.shape_of(1))));
}

void max_grad_grad_gradient(Gradient& g) {
  for (int i = 0; i < 2; ++i) {
    if (g.needs(i)) g.add(i, g.fill(g.shape_of(i), 0, g.dtype_of(i)));
  }
  if (g.needs(2)) g.add(2, g.call("MaxPoolGrad", {g.x(0), g.x(1), g.dy()}, with_result(g, g.shape_of(0))));
}

void avg_gradient(Gradient& g) { g.add(0, g.call("AvgPoolGrad", {g.dy()}, with_result(g, g.shape_of(0)))); }
void avg_grad_gradient(Gradient& g) { g.add(0, g.call("AvgPool", {g.dy()}, g.attrs<PoolAttrs>())); }

AttrTable pool_options(const char* padding) {
  return attrs<PoolAttrs>(
      {attr("size", &PoolAttrs::size, "the window: a number, or {height, width}").required(),
       attr("stride", &PoolAttrs::stride, "the step of the window: a number, or {height, width}").otherwise("size"),
       attr("padding", &PoolAttrs::padding, padding).otherwise("\"valid\"")});
}

constexpr const char* kPoolErrors =
    "InvalidArgument if x does not have four axes or is bool, for a size or stride below 1, for a window that is "
    "larger "
    "than the padded image, or for padding as large as the window.";

}  // namespace

void define_pool_ops(OpRegistry& ops) {
  ops.define({
      .name = "MaxPool",
      .lua_name = "max_pool2d",
      .summary = "The largest element under a window that moves over images, channel by channel; nan if there is one. "
                 "Equal largest elements share the gradient equally. With data_format = \"channels_first\" x and the "
                 "result are "
                 "[batch, channels, height, width].",
      .inputs = {{"x", kNumbers, "[batch, height, width, channels]"}},
      .attrs = pool_options("\"valid\": none; \"same\": -inf around the image, for one result per stride; "
                            "{height, width}: so many rows and columns on both sides"),
      .output = "[batch, height, width, channels]; x's dtype",
      .errors = kPoolErrors,
      .source = "tf.nn.max_pool2d (NHWC)",
      .example = "lutra.max_pool2d({{{{1}, {2}}, {{3}, {4}}}}, 2)  --> {{{{4}}}}",
      .shape = pool_shape,
      .gradient = max_gradient,
      .saves = kX0 | kY0,
      .cost = pool_cost,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "AvgPool",
      .lua_name = "avg_pool2d",
      .summary = "The mean of the elements under a window that moves over images, channel by channel. Padding does not "
                 "count. With data_format = \"channels_first\" x and the result are [batch, channels, height, width].",
      .inputs = {{"x", kNumbers, "[batch, height, width, channels]"}},
      .attrs =
          pool_options("\"valid\": none; \"same\": around the image, for one result per stride; {height, width}: so "
                       "many rows and columns on both sides"),
      .output = "[batch, height, width, channels]; float32 for integers, else x's dtype",
      .errors = kPoolErrors,
      .source = "tf.nn.avg_pool2d (NHWC)",
      .example = "lutra.avg_pool2d({{{{1}, {2}}, {{3}, {4}}}}, 2)  --> {{{{2.5}}}}",
      .compute = Compute::Float,
      .shape = pool_shape,
      .gradient = avg_gradient,
      .cost = pool_cost,
      .gpu = kFloats,
  });
  auto define_hidden = [&](const char* name, const char* summary, std::vector<InputDef> inputs,
                           void (*gradient)(Gradient&), uint16_t saves) {
    ops.define({
        .name = name,
        .summary = summary,
        .inputs = std::move(inputs),
        .attrs = inner_attrs<PoolAttrs>(),
        .output = "the shape of what it is the gradient of; the promoted dtype",
        .shape = pool_grad_shape,
        .gradient = gradient,
        .saves = saves,
        .cost = gradient_cost,
        .gpu = kFloats,
        .flags = kHidden,
    });
  };
  const InputDef x = {"x", kFloats, "four axes"}, y = {"y", kFloats, "the pooled x"};
  define_hidden("MaxPoolGrad", "The gradient of a max pool by x: each window's dy goes to its largest elements.",
                {x, y, {"dy", kFloats, "y's shape"}}, max_grad_gradient, kX0 | kX1);
  define_hidden("MaxPoolGradGrad", "In each window, the mean of v where x is largest.",
                {x, y, {"v", kFloats, "x's shape"}}, max_grad_grad_gradient, kX0 | kX1);
  define_hidden("AvgPoolGrad", "The gradient of an average pool by x: each window's dy is divided among its elements.",
                {{"dy", kFloats, "four axes"}}, avg_grad_gradient, 0);
}

}  // namespace lutra
