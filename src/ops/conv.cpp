// Convolution of images, and its two gradients. Each of the three is a sum of products of the other two's arrays, so
// each is a gradient of the others. The gradient by the image is also an op for layers, the transposed convolution.

#include "ops/conv.h"

#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/windows.h"

namespace lutra {
namespace {

const char* const kAxisNames[2] = {"height", "width"};

void conv_shape(Inference& inference) {
  const ConvAttrs& attrs = inference.attrs<ConvAttrs>();
  Shape x = inference.shape(0), w = inference.shape(1);
  require_image(inference, 0, "[batch, height, width, channels]");
  require_image(inference, 1, "[height, width, in, out]");
  require_window(inference, "stride", attrs.stride, 1);
  require_window(inference, "dilation", attrs.dilation, 1);
  require_padding(inference, attrs.padding);
  require(attrs.groups >= 1, inference.who(), ": groups is ", attrs.groups, ", expected 1 or more");
  require(x[3] % attrs.groups == 0 && w[3] % attrs.groups == 0, inference.who(), ": groups ", attrs.groups,
          " does not divide both x's channels (", x[3], ") and w's (", w[3], ")");
  require(w[2] == x[3] / attrs.groups, inference.who(), ": x ", x, " and w ", w, " do not match: w's third axis (",
          w[2], ") must equal x's channels", attrs.groups > 1 ? " in a group" : "", " (", x[3] / attrs.groups, ")");
  for (int i = 0; i < 2; ++i) {
    require(w[i] >= 1 && w[i] <= kMostWindow, inference.who(), ": w's ", kAxisNames[i], " is ", w[i],
            ", expected 1 to ", kMostWindow);
  }
  ConvSizes sizes(attrs, x.data(), w.data());
  require_fit(inference, "w", sizes.height, sizes.width);
  inference.output(inference.key(), Shape{sizes.batch, sizes.height.out, sizes.width.out, sizes.out});
}

// Gradients need no checks: their shapes follow from an op that has been checked.
void conv_grad_shape(Inference& inference) {
  inference.output(inference.key(), inference.attrs<ConvAttrs>().result.shape());
}

Cost cost_of(const KernelArgs& args, const int64_t* x, const int64_t* w) {
  Cost cost = elements_cost<0>(args);
  cost.flops = 2 * ConvSizes(args.as<ConvAttrs>(), x, w).multiplications();
  return cost;
}
Cost conv_cost(const KernelArgs& args) { return cost_of(args, args.in[0].dims, args.in[1].dims); }
Cost input_cost(const KernelArgs& args) { return cost_of(args, args.out[0].dims, args.in[1].dims); }
Cost filter_cost(const KernelArgs& args) { return cost_of(args, args.in[0].dims, args.out[0].dims); }

// dx of w and dy, dw of x and dy, y of x and w.
Value input_gradient(Gradient& g, const Shape& x, Value w, Value dy) {
  ConvAttrs attrs = g.attrs<ConvAttrs>();
  attrs.result = Dims::of(x);
  return g.call("Conv2DBackpropInput", {dy, w}, attrs);
}
Value filter_gradient(Gradient& g, const Shape& w, Value x, Value dy) {
  ConvAttrs attrs = g.attrs<ConvAttrs>();
  attrs.result = Dims::of(w);
  return g.call("Conv2DBackpropFilter", {x, dy}, attrs);
}
Value convolution(Gradient& g, Value x, Value w) { return g.call("Conv2D", {x, w}, g.attrs<ConvAttrs>()); }

void conv_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, input_gradient(g, g.shape_of(0), g.x(1), g.dy()));
  if (g.needs(1)) g.add(1, filter_gradient(g, g.shape_of(1), g.x(0), g.dy()));
}

void conv_transpose_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, convolution(g, g.dy(), g.x(1)));
  if (g.needs(1)) g.add(1, filter_gradient(g, g.shape_of(1), g.dy(), g.x(0)));
}

void filter_gradient_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, input_gradient(g, g.shape_of(0), g.dy(), g.x(1)));
  if (g.needs(1)) g.add(1, convolution(g, g.x(0), g.dy()));
}

// The result's size if output_size is not given: the smallest from which a convolution makes x, or with "same" x times
// the stride. With "valid" and a window smaller than the stride also x times the stride, as in Keras.
int64_t transposed_size(const Inference& inference, int axis, int64_t x, int64_t window) {
  const ConvAttrs& attrs = inference.attrs<ConvAttrs>();
  int64_t stride = attrs.stride.v[axis], reach = (window - 1) * attrs.dilation.v[axis] + 1, size = 0;
  require(x <= (int64_t{1} << 60) / stride, inference.who(), ": x's ", kAxisNames[axis], " is ", x, " and stride ",
          stride, ": the result would have more than 2^60 places");
  if (attrs.output_size.given) size = attrs.output_size.v[axis];
  else if (attrs.padding.kind == Padding::Kind::Same) size = x * stride;
  else if (attrs.padding.kind == Padding::Kind::Valid) size = (x - 1) * stride + std::max(reach, stride);
  else size = (x - 1) * stride + reach - 2 * attrs.padding.v[axis];
  int64_t back = size < 0 ? -1 : WindowAxis(size, window, stride, attrs.dilation.v[axis], attrs.padding, axis).out;
  const char* name = kAxisNames[axis];
  require(back == x, inference.who(), ": ", back < 0 ? "no x gives a result of " : "a result of ", name, " ", size,
          back < 0 ? std::string() : text(" needs an x of ", name, " ", back), ", and x has ", x);
  return size;
}

void conv_transpose_shape(Inference& inference) {
  const ConvAttrs& attrs = inference.attrs<ConvAttrs>();
  if (attrs.result.given()) return conv_grad_shape(inference);
  Shape x = inference.shape(0), w = inference.shape(1);
  require_image(inference, 0, "[batch, height, width, in]");
  require_image(inference, 1, "[height, width, out / groups, in]");
  require_window(inference, "stride", attrs.stride, 1);
  require_window(inference, "dilation", attrs.dilation, 1);
  require_padding(inference, attrs.padding);
  if (attrs.output_size.given) require_window(inference, "output_size", attrs.output_size, 0);
  require(attrs.groups >= 1, inference.who(), ": groups is ", attrs.groups, ", expected 1 or more");
  require(w[3] == x[3], inference.who(), ": x ", x, " and w ", w, " do not match: w's last axis (", w[3],
          ") must equal x's channels (", x[3], ")");
  require(x[3] % attrs.groups == 0, inference.who(), ": groups ", attrs.groups, " does not divide x's channels (", x[3],
          ")");
  require(w[2] <= (int64_t{1} << 60) / attrs.groups, inference.who(), ": w's third axis (", w[2], ") times groups (",
          attrs.groups, ") are more than 2^60 channels");
  int64_t sizes[2];
  for (int i = 0; i < 2; ++i) {
    require(w[i] >= 1 && w[i] <= kMostWindow, inference.who(), ": w's ", kAxisNames[i], " is ", w[i],
            ", expected 1 to ", kMostWindow);
    sizes[i] = transposed_size(inference, i, x[i + 1], w[i]);
  }
  inference.output(inference.key(), Shape{x[0], sizes[0], sizes[1], w[2] * attrs.groups});
}

void define_transpose(OpRegistry& ops) {
  ops.define({
      .name = "Conv2DBackpropInput",
      .lua_name = "conv2d_transpose",
      .summary =
          "The transposed convolution, or the gradient of conv2d by its x: every element of x adds the window w, times "
          "the element, to the positions that conv2d would have read for it. With data_format = \"channels_first\" x "
          "and the "
          "result are [batch, channels, height, width].",
      .inputs = {{"x", kNumbers, "[batch, height, width, in]"}, {"w", kNumbers, "[height, width, out / groups, in]"}},
      .attrs = attrs<ConvAttrs>(
          {attr("stride", &ConvAttrs::stride,
                "the distance of x's elements in the result: a number, or {height, width}")
               .otherwise("1"),
           attr("padding", &ConvAttrs::padding,
                "\"valid\": the result contains all windows; \"same\": its size is x's times the stride; {height, "
                "width}: so many rows and columns are cut off on both sides")
               .otherwise("\"valid\""),
           attr("dilation", &ConvAttrs::dilation, "the distance of w's elements: a number, or {height, width}")
               .otherwise("1"),
           attr("groups", &ConvAttrs::groups,
                "the number of groups of channels, each of which uses its own part of w's in")
               .otherwise("1"),
           attr("output_size", &ConvAttrs::output_size,
                "height and width of the result, from which conv2d must make x's")
               .otherwise("the smallest possible; x's times the stride with \"same\", and with \"valid\" if w is "
                          "smaller than the stride")}),
      .output = "[batch, height, width, out]; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if x or w does not have four axes, the channels do not match, groups does not divide "
                "them, conv2d would not make x's size from output_size or with this padding, or both are bool.",
      .source = "tf.nn.conv2d_transpose (NHWC)",
      .example = "lutra.conv2d_transpose({{{{1.0}, {2.0}}}}, lutra.ones{1, 2, 1, 1}):flatten()  --> {1.0, 3.0, 2.0}",
      .compute = Compute::Float,
      .shape = conv_transpose_shape,
      .gradient = conv_transpose_gradient,
      .saves = kX0 | kX1,
      .cost = input_cost,
      .gpu = kFloats,
  });
}

void define_filter_gradient(OpRegistry& ops) {
  ops.define({
      .name = "Conv2DBackpropFilter",
      .summary = "The gradient of a convolution's w.",
      .inputs = {{"x", kFloats, "four axes"}, {"dy", kFloats, "[batch, height, width, out]"}},
      .attrs = inner_attrs<ConvAttrs>(),
      .output = "the shape of what it is the gradient of; the promoted dtype",
      .shape = conv_grad_shape,
      .gradient = filter_gradient_gradient,
      .saves = kX0 | kX1,
      .cost = filter_cost,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

}  // namespace

void require_image(const Inference& inference, int input, const char* wanted) {
  Shape shape = inference.shape(input);
  require(shape.rank() == 4, inference.who(), ": ", inference.call().op->input(input).name, " has the shape ", shape,
          ", expected four axes: ", wanted);
  for (int64_t size : shape.dims()) {
    // Possible only if another axis is empty. Its sum with a window's reach must not overflow.
    require(size <= int64_t{1} << 60, inference.who(), ": ", inference.call().op->input(input).name, " ", shape,
            " has an axis of more than 2^60");
  }
}

void require_window(const Inference& inference, const char* option, const Pair& pair, int64_t least) {
  for (int64_t size : pair.v) {
    require(size >= least && size <= kMostWindow, inference.who(), ": ", option, " is ", size, ", expected ", least,
            " to ", kMostWindow);
  }
}

void require_padding(const Inference& inference, const Padding& padding) {
  if (padding.kind != Padding::Kind::Given) return;
  require_window(inference, "padding", {true, {padding.v[0], padding.v[1]}}, 0);
}

void require_fit(const Inference& inference, const char* window, const WindowAxis& height, const WindowAxis& width) {
  for (const WindowAxis* axis : {&height, &width}) {
    require(axis->out >= 0, inference.who(), ": ", window, " reaches over ", (axis->size - 1) * axis->dilation + 1,
            " places, and x's ", kAxisNames[axis == &width], " has ", axis->in,
            axis->before > 0 ? text(" and padding of ", axis->before, " on each side") : std::string(),
            "; padding = \"same\" would give every stride a result");
  }
}

void define_conv_ops(OpRegistry& ops) {
  ops.define({
      .name = "Conv2D",
      .lua_name = "conv2d",
      .summary =
          "Slides the window w over images and computes at every step, for each output channel, the sum of products "
          "over the window and the input channels (cross-correlation: w is not flipped). With data_format = "
          "\"channels_first\" x and the result are [batch, channels, height, width].",
      .inputs = {{"x", kNumbers, "[batch, height, width, channels]"},
                 {"w", kNumbers, "[height, width, channels / groups, out]"}},
      .attrs = attrs<ConvAttrs>(
          {attr("stride", &ConvAttrs::stride, "the step of the window: a number, or {height, width}").otherwise("1"),
           attr("padding", &ConvAttrs::padding,
                "\"valid\": none; \"same\": zeros around the image, for one result per stride (an odd one is added "
                "below and to the right); {height, width}: so many rows and columns on both sides")
               .otherwise("\"valid\""),
           attr("dilation", &ConvAttrs::dilation, "the distance of w's elements in x: a number, or {height, width}")
               .otherwise("1"),
           attr("groups", &ConvAttrs::groups,
                "the number of groups of channels, each of which uses its own part of w's out; if equal to channels, "
                "depthwise")
               .otherwise("1")}),
      .output = "[batch, height, width, out]; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument if x or w does not have four axes, the channels do not match, groups does not divide "
                "them, the window is larger than the padded image, or both are bool.",
      .source = "tf.nn.conv2d (NHWC, HWIO); groups as torch.nn.functional.conv2d",
      .example = "lutra.conv2d(lutra.ones{1, 2, 2, 1}, lutra.ones{2, 2, 1, 1})  --> {{{{4.0}}}}",
      .compute = Compute::Float,
      .shape = conv_shape,
      .gradient = conv_gradient,
      .saves = kX0 | kX1,
      .cost = conv_cost,
      .gpu = kFloats,
  });
  define_transpose(ops);
  define_filter_gradient(ops);
}

}  // namespace lutra
