// Ops that create tensors, or give the same values in another tensor, dtype or device.

#include <cmath>

#include "ops/axes.h"
#include "ops/create.h"
#include "ops/elementwise.h"
#include "ops/gradient.h"

namespace lutra {
namespace {

void fill_shape(Inference& inference) {
  const FillAttrs& attrs = inference.attrs<FillAttrs>();
  DType dtype = attrs.dtype != kNoDType ? attrs.dtype : inference.dtype(0);
  require(inference.shape(0).size() == 1, inference.who(), ": value ", inference.shape(0), " has ",
          inference.shape(0).size(), " elements, expected a number or a scalar tensor");
  const Operand& value = inference.call().in[0];
  if (value.tensor == nullptr && value.number.kind != Scalar::Kind::Bool) {
    require(dtype == DType::Bool || fits(dtype, value.number), inference.who(), ": value is ", value.number.as_double(),
            ", which does not fit ", dtype);
  }
  inference.output(dtype, attrs.shape.shape());
}

void zeros_shape(Inference& inference) {
  const ZerosAttrs& attrs = inference.attrs<ZerosAttrs>();
  inference.output(attrs.dtype != kNoDType ? attrs.dtype : DType::Float32, attrs.shape.shape());
}

void like_shape(Inference& inference) {
  const LikeAttrs& attrs = inference.attrs<LikeAttrs>();
  inference.output_like(attrs.dtype != kNoDType ? attrs.dtype : inference.dtype(0), 0);
}

void eye_shape(Inference& inference) {
  const EyeAttrs& attrs = inference.attrs<EyeAttrs>();
  int64_t columns = attrs.n;
  if (attrs.m.given()) {
    require(fits(DType::Int64, attrs.m.value), inference.who(), ": m is ", attrs.m.value.as_double(),
            ", expected an integer");
    columns = attrs.m.value.kind == Scalar::Kind::Int ? attrs.m.value.i : static_cast<int64_t>(attrs.m.value.d);
  }
  inference.output(attrs.dtype != kNoDType ? attrs.dtype : DType::Float32, Shape{attrs.n, columns});
}

void require_number(const Inference& inference, DType dtype) {
  require(dtype != DType::Bool, inference.who(), ": dtype is bool, expected a number's");
}
// A fraction is cut off for integer dtypes; any other loss is an error.
void require_fits(const Inference& inference, DType dtype, const Scalar& end, const char* name) {
  double value = end.as_double();
  require(is_float(dtype) ? std::abs(value) <= largest_of(dtype)
                          : fits(dtype, end) || fits(dtype, Scalar::of(std::floor(value))),
          inference.who(), ": ", name, " is ", value, ", which does not fit ", dtype);
}

void arange_shape(Inference& inference) {
  const RangeAttrs& attrs = inference.attrs<RangeAttrs>();
  auto is_float_number = [](const Number& n) { return n.value.kind == Scalar::Kind::Float; };
  bool integral = !is_float_number(attrs.start) && !is_float_number(attrs.limit) && !is_float_number(attrs.step);
  const char* who = inference.who();
  double size;
  DType dtype = DType::Float32;
  Scalar last_number;
  if (integral) {
    // In 128 bits, as limit - start may not fit in an int64.
    __int128 start = attrs.start.value.i, limit = attrs.limit.value.i, step = attrs.step.value.i;
    require(step != 0, who, ": step is 0");
    __int128 span = step > 0 ? limit - start : start - limit;
    __int128 stride = step > 0 ? step : -step;
    __int128 count = span <= 0 ? 0 : (span + stride - 1) / stride;
    size = static_cast<double>(count);
    __int128 last = count > 0 ? start + (count - 1) * step : start;
    bool narrow = start >= INT32_MIN && start <= INT32_MAX && last >= INT32_MIN && last <= INT32_MAX;
    dtype = narrow ? DType::Int32 : DType::Int64;
    last_number = Scalar::of(static_cast<int64_t>(last));
  } else {
    double start = attrs.start.value.as_double(), limit = attrs.limit.value.as_double(),
           step = attrs.step.value.as_double();
    require(std::isfinite(start) && std::isfinite(limit) && std::isfinite(step), who, ": start ", start, ", limit ",
            limit, " and step ", step, " must be finite");
    require(step != 0, who, ": step is 0");
    size = std::max(0.0, std::ceil((limit - start) / step));
    last_number = Scalar::of(start + (size - 1) * step);
  }
  require(size <= 0x1p60, who, ": from ", attrs.start.value.as_double(), " to ", attrs.limit.value.as_double(),
          " in steps of ", attrs.step.value.as_double(), " are more elements than memory can address");
  if (attrs.dtype != kNoDType) dtype = attrs.dtype;
  require_number(inference, dtype);
  if (size > 0) {
    require_fits(inference, dtype, attrs.start.value, "start");
    require_fits(inference, dtype, last_number, "the last number");
  }
  inference.output(dtype, Shape{static_cast<int64_t>(size)});
}

void linspace_shape(Inference& inference) {
  const LinSpaceAttrs& attrs = inference.attrs<LinSpaceAttrs>();
  DType dtype = attrs.dtype != kNoDType ? attrs.dtype : DType::Float32;
  require_number(inference, dtype);
  auto check = [&](const Number& end, const char* name) {
    double value = end.value.as_double();
    require(std::isfinite(value), inference.who(), ": ", name, " is ", value, ", expected a finite number");
    require_fits(inference, dtype, end.value, name);
  };
  check(attrs.start, "start");
  check(attrs.stop, "stop");
  inference.output(dtype, Shape{attrs.n});
}

void one_hot_shape(Inference& inference) {
  const OneHotAttrs& attrs = inference.attrs<OneHotAttrs>();
  Shape labels = inference.shape(0), out;
  require(labels.rank() < kMaxRank, inference.who(), ": labels ", labels, " has ", kMaxRank,
          " axes already, and there can be no more");
  int axis = one_axis(inference, attrs.axis, labels.rank() + 1, "the result", -1);
  for (int i = 0; i <= labels.rank(); ++i) {
    if (i == axis) out.push(attrs.depth);
    if (i < labels.rank()) out.push(labels[i]);
  }
  inference.output(attrs.dtype != kNoDType ? attrs.dtype : DType::Float32, out);
}

void fill_gradient(Gradient& g) {
  g.add(0, g.reshape(g.sum(g.dy(), (1u << g.output_shape().rank()) - 1u), g.shape_of(0)));
}

void cast_shape(Inference& inference) {
  DType dtype = inference.attrs<CastAttrs>().dtype;
  require(dtype != kNoDType, inference.who(), ": dtype is not given: cast(x, dtype)");
  inference.output_like(dtype, 0);
}

void identity_shape(Inference& inference) {
  inference.output_like(inference.dtype(0), 0);
  inference.share();
}

void constant_shape(Inference& inference) { inference.output_like(inference.dtype(0), 0); }

const char* const kDTypeDoc = "dtype of the result";

}  // namespace

void define_create_ops(OpRegistry& ops) {
  ops.define({
      .name = "_EagerConst",
      .summary = "A tensor from a literal of the script.",
      .inputs = {{"value", kEveryDType, "any shape"}},
      .shape = constant_shape,
      .gpu = kAnyDType,
      .flags = kHidden,
  });
  ops.define({
      .name = "Fill",
      .lua_name = "fill",
      .summary = "A tensor whose elements all have one value.",
      .inputs = {{"value", kEveryDType, "a scalar", kNumber}},
      .attrs = attrs<FillAttrs>({attr("shape", &FillAttrs::shape, "sizes of the axes").before_inputs(),
                                 attr("dtype", &FillAttrs::dtype, kDTypeDoc).otherwise("value's")}),
      .output = "the given shape; value's dtype unless dtype says otherwise",
      .errors = "InvalidArgument for a negative size or a value of more than one element.",
      .source = "numpy.full",
      .example = "lutra.fill({2}, 7)  --> {7, 7}",
      .shape = fill_shape,
      .gradient = fill_gradient,
      .gpu = kAnyDType,
      .flags = kKeyIsOutput | kNoMethod,
  });
  struct Constant {
    const char* name;
    const char* lua_name;
    const char* summary;
    const char* example;
  };
  for (const Constant& c :
       {Constant{"Zeros", "zeros", "A tensor of zeros (false for bool).", "lutra.zeros{2}  --> {0.0, 0.0}"},
        Constant{"Ones", "ones", "A tensor of ones (true for bool).", "lutra.ones{2}  --> {1.0, 1.0}"}}) {
    ops.define({
        .name = c.name,
        .lua_name = c.lua_name,
        .log_name = "Fill",
        .summary = c.summary,
        .attrs = attrs<ZerosAttrs>({attr("shape", &ZerosAttrs::shape, "sizes of the axes").required(),
                                    attr("dtype", &ZerosAttrs::dtype, kDTypeDoc).otherwise("float32")}),
        .output = "the given shape; float32 unless dtype says otherwise",
        .errors = "InvalidArgument for a negative size.",
        .source = "numpy.zeros, numpy.ones",
        .example = c.example,
        .shape = zeros_shape,
        .gpu = kAnyDType,
        .flags = kNoMethod,
    });
  }
  for (const Constant& c :
       {Constant{"ZerosLike", "zeros_like", "Zeros in another tensor's shape.", "lutra.zeros_like{1, 2}  --> {0, 0}"},
        Constant{"OnesLike", "ones_like", "Ones in another tensor's shape.", "lutra.ones_like{1, 2}  --> {1, 1}"}}) {
    ops.define({
        .name = c.name,
        .lua_name = c.lua_name,
        .summary = c.summary,
        .inputs = {{"x", kEveryDType, "any shape", kOwnDType}},
        .attrs = attrs<LikeAttrs>({attr("dtype", &LikeAttrs::dtype, kDTypeDoc).otherwise("x's")}),
        .output = "x's shape; x's dtype unless dtype says otherwise",
        .source = "numpy.zeros_like, numpy.ones_like",
        .example = c.example,
        .shape = like_shape,
        .gpu = kAnyDType,
        .flags = kKeyIsOutput,
    });
  }
  ops.define({
      .name = "Eye",
      .lua_name = "eye",
      .summary = "The identity matrix: ones on the diagonal, zeros elsewhere.",
      .attrs = attrs<EyeAttrs>({attr("n", &EyeAttrs::n, "rows").required(),
                                attr("m", &EyeAttrs::m, "columns").positional().otherwise("n"),
                                attr("dtype", &EyeAttrs::dtype, kDTypeDoc).otherwise("float32")}),
      .output = "(n, m); float32 unless dtype says otherwise",
      .errors = "InvalidArgument for a negative size.",
      .source = "numpy.eye",
      .example = "lutra.eye(2)  --> {{1.0, 0.0}, {0.0, 1.0}}",
      .shape = eye_shape,
      .gpu = kAnyDType,
      .flags = kNoMethod,
  });
  ops.define({
      .name = "Range",
      .lua_name = "range",
      .summary = "Numbers from start on in steps, without limit: lutra.range(1, n + 1) are the indices 1 to n.",
      .attrs = attrs<RangeAttrs>(
          {attr("start", &RangeAttrs::start, "the first number").leading_optional().otherwise("0"),
           attr("limit", &RangeAttrs::limit, "where to stop; not in the result").required(),
           attr("step", &RangeAttrs::step, "the difference of neighbours").positional().otherwise("1"),
           attr("dtype", &RangeAttrs::dtype, kDTypeDoc).otherwise("int32 or int64 for integers, else float32")}),
      .output = "(ceil((limit - start) / step),)",
      .errors = "InvalidArgument for a step of 0, numbers that are not finite or do not fit dtype, or bool.",
      .source = "numpy.arange",
      .example = "lutra.range(3)  --> {0, 1, 2}",
      .shape = arange_shape,
      .gpu = kAnyDType,
      .flags = kNoMethod,
  });
  ops.define({
      .name = "LinSpace",
      .lua_name = "linspace",
      .summary = "n numbers at equal distances, including start and stop. In an integer dtype each is rounded down.",
      .attrs = attrs<LinSpaceAttrs>({attr("start", &LinSpaceAttrs::start, "the first number").required(),
                                     attr("stop", &LinSpaceAttrs::stop, "the last number").required(),
                                     attr("n", &LinSpaceAttrs::n, "how many; if 1, only start").required(),
                                     attr("dtype", &LinSpaceAttrs::dtype, kDTypeDoc).otherwise("float32")}),
      .output = "(n,); float32 unless dtype says otherwise",
      .errors = "InvalidArgument for a negative n, ends that are not finite or do not fit the dtype, or bool.",
      .source = "numpy.linspace",
      .example = "lutra.linspace(0, 1, 5)  --> {0.0, 0.25, 0.5, 0.75, 1.0}",
      .shape = linspace_shape,
      .gpu = kNumbers,
      .flags = kNoMethod,
  });
  ops.define({
      .name = "OneHot",
      .lua_name = "one_hot",
      .summary = "For each label a vector with a one at the label's index and zeros elsewhere; only zeros if the label "
                 "is not in 1 to depth.",
      .inputs = {{"labels", kInts, "any shape of up to seven axes", kOwnDType}},
      .attrs = attrs<OneHotAttrs>(
          {attr("depth", &OneHotAttrs::depth, "how many labels there are").required(),
           attr("axis", &OneHotAttrs::axis, "the vectors' axis in the result").positional().otherwise("-1"),
           attr("dtype", &OneHotAttrs::dtype, kDTypeDoc).otherwise("float32"),
           attr("index_base", &OneHotAttrs::base, "what the first label is")}),
      .output = "labels' shape with depth at axis; float32 unless dtype says otherwise",
      .errors =
          "InvalidArgument if labels are not integers, for a negative depth, an axis that does not exist or a ninth.",
      .source = "tf.one_hot",
      .example = "lutra.one_hot({1, 3}, 3)  --> {{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}",
      .shape = one_hot_shape,
      .gpu = kAnyDType,
      .flags = kKeyIsOutput,
  });
  ops.define({
      .name = "Cast",
      .lua_name = "cast",
      .summary =
          "The same values in another dtype. To an integer dtype floats are rounded towards zero, and become its "
          "smallest or largest value if out of range; integers wrap.",
      .inputs = {{"x", kEveryDType, "any shape", kNumber | kByElement}},
      .attrs = attrs<CastAttrs>({attr("dtype", &CastAttrs::dtype, "the new dtype; must be given").positional()}),
      .output = "x's shape; the given dtype",
      .errors = "InvalidArgument for an unknown dtype, and without one.",
      .source = "numpy.ndarray.astype; a float outside an integer's range saturates, nan gives 0",
      .example = "lutra.cast({1.7, -1.7}, \"int32\")  --> {1, -1}",
      .shape = cast_shape,
      .gradient = [](Gradient& g) { g.add(0, g.dy()); },
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Identity",
      .lua_name = "identity",
      .summary = "The same tensor, on the scope's device.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .output = "x's shape and dtype",
      .source = "tf.identity",
      .example = "lutra.identity{1, 2}  --> {1, 2}",
      .shape = identity_shape,
      .gradient = gradient_passes,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "StopGradient",
      .lua_name = "stop_gradient",
      .summary = "The same tensor, but no gradient flows through it.",
      .inputs = {{"x", kEveryDType, "any shape"}},
      .output = "x's shape and dtype",
      .source = "tf.stop_gradient",
      .example = "lutra.stop_gradient{1, 2}  --> {1, 2}",
      .shape = identity_shape,
      .gpu = kAnyDType,
  });
}

}  // namespace lutra
