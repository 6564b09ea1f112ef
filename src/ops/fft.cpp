// Discrete Fourier transforms along an axis. Those along several axes are calls of these (lua/lutra/fft.lua).

#include "ops/fft.h"

#include <bit>
#include <cmath>

#include "ops/arrange.h"
#include "ops/axes.h"
#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/slice.h"

namespace lutra {
namespace {

// Checks the options. Returns the axis; n is the length of the transform, or of the real side of one.
int checked_axis(const Inference& inference, int64_t otherwise, int64_t* n) {
  const FftAttrs& attrs = inference.attrs<FftAttrs>();
  const Shape x = inference.shape(0);
  require(x.rank() > 0, inference.who(), ": x is a scalar, which has no axis to transform along");
  const int axis = one_axis(inference, attrs.axis, x.rank(), "x", -1);
  *n = otherwise >= 0 ? otherwise : x[axis];
  if (attrs.n.given()) {
    const Scalar& given = attrs.n.value;
    require(fits(DType::Int64, given), inference.who(), ": n is ", given.as_double(), ", expected an integer");
    *n = given.kind == Scalar::Kind::Int ? given.i : static_cast<int64_t>(given.d);
  }
  constexpr int64_t kMost = int64_t{1} << 48;
  require(*n >= 1 && *n < kMost, inference.who(), ": the transform would be of ", *n,
          " points, expected at least 1; n sets their number");
  const std::string_view norm = attrs.norm.view();
  require(norm.empty() || norm == "backward" || norm == "ortho" || norm == "forward", inference.who(), ": norm is \"",
          norm, "\", expected \"backward\", \"ortho\" or \"forward\"");
  return axis;
}

void full_shape(Inference& inference) {
  int64_t n;
  Shape out = inference.shape(0);
  const int axis = checked_axis(inference, -1, &n);
  out[axis] = n;
  inference.output(is_complex(inference.key()) ? inference.key() : complex_dtype(inference.key()), out);
}

void rfft_shape(Inference& inference) {
  int64_t n;
  Shape out = inference.shape(0);
  const int axis = checked_axis(inference, -1, &n);
  out[axis] = n / 2 + 1;
  inference.output(complex_dtype(inference.key()), out);
}

int64_t real_points(const Shape& x, const Axes& given) {
  if (x.rank() == 0) return -1;
  const int64_t axis = given.count == 1 ? given.v[0] : -1, at = axis < 0 ? axis + x.rank() : axis;
  return at < 0 || at >= x.rank() ? -1 : std::max<int64_t>(0, 2 * (x[static_cast<int>(at)] - 1));
}

void irfft_shape(Inference& inference) {
  int64_t n;
  Shape out = inference.shape(0);
  const int axis = checked_axis(inference, real_points(out, inference.attrs<FftAttrs>().axis), &n);
  out[axis] = n;
  inference.output(real_dtype(inference.key()), out);
}

// Five operations for each point and halving of n.
Cost fft_cost(const KernelArgs& args) {
  Cost cost;
  for (const Array* array : {&args.in[0], &args.out[0]}) cost.bytes += array->bytes();
  const FftAttrs& attrs = args.as<FftAttrs>();
  const Array& out = args.out[0];
  const int64_t n = out.dims[axis_of(attrs.axis, out.rank, -1)];
  cost.flops = 5.0 * static_cast<double>(out.size) * std::bit_width(static_cast<uint64_t>(n));
  return cost;
}

// The transform that is the conjugate transpose of this one: that in the other direction, scaled as much.
FftAttrs adjoint_attrs(const FftAttrs& attrs, int64_t n) {
  FftAttrs out = attrs;
  out.n = {Scalar::of(n)};
  const std::string_view norm = attrs.norm.view();
  if (norm == "forward") out.norm.assign("backward");
  else if (norm != "ortho") out.norm.assign("forward");
  return out;
}

// A gradient of `n` points along the axis, cut to those that the input has or continued by zeros.
Value fitted(Gradient& g, Value value, int axis) {
  const Shape x = g.shape_of(0), given = g.shape(value);
  if (given[axis] == x[axis]) return value;
  if (x.size() == 0) return g.fill(x, 0, g.dtype(value));
  if (given[axis] < x[axis]) {
    PadAttrs pads;
    pads.paddings.count = static_cast<int8_t>(x.rank());
    for (int i = 0; i < x.rank(); ++i) pads.paddings.v[i][0] = pads.paddings.v[i][1] = 0;
    pads.paddings.v[axis][1] = x[axis] - given[axis];
    return g.call("PadV2", {value}, pads);
  }
  return g.call("StridedSlice", {value}, range_along(axis, 0, x[axis] - 1));
}

int axis_in(Gradient& g) { return axis_of(g.attrs<FftAttrs>().axis, g.shape_of(0).rank(), -1); }

void full_gradient(Gradient& g, const char* other) {
  const int axis = axis_in(g);
  g.add(0, fitted(g, g.call(other, {g.dy()}, adjoint_attrs(g.attrs<FftAttrs>(), g.output_shape()[axis])), axis));
}

// 1 for the frequencies that a real transform has once, `twice` for those that it has in conjugate pairs.
Value weights(Gradient& g, int rank, int axis, int64_t count, int64_t n, double twice, DType dtype) {
  Value k = g.numbers_below(count);
  Value once = g.call("Equal", {k, 0.0});
  if (n % 2 == 0) once = g.call("LogicalOr", {once, g.call("Equal", {k, static_cast<double>(n / 2)})});
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push(i == axis ? count : 1);
  return g.reshape(g.cast(g.call("SelectV2", {once, 1.0, twice}), dtype), shape);
}

// irfft doubles the weight of the paired frequencies.
void rfft_gradient(Gradient& g) {
  const int axis = axis_in(g);
  const FftAttrs& attrs = g.attrs<FftAttrs>();
  const Shape x = g.shape_of(0), y = g.output_shape();
  int64_t n = x[axis];
  if (attrs.n.given()) n = static_cast<int64_t>(attrs.n.value.as_double());
  Value dy = g.dy() * weights(g, y.rank(), axis, y[axis], n, 0.5, real_dtype(g.dtype(g.dy())));
  g.add(0, fitted(g, g.call("IRFFT", {dy}, adjoint_attrs(attrs, n)), axis));
}

void irfft_gradient(Gradient& g) {
  const int axis = axis_in(g);
  const int64_t n = g.output_shape()[axis];
  Value spectrum = g.call("RFFT", {g.dy()}, adjoint_attrs(g.attrs<FftAttrs>(), n));
  const Shape y = g.shape(spectrum);
  g.add(0, fitted(g, spectrum * weights(g, y.rank(), axis, y[axis], n, 2.0, real_dtype(g.key())), axis));
}

struct FftEntry {
  const char* name;
  const char* lua_name;
  const char* summary;
  DTypes dtypes;
  const char* n;
  const char* otherwise;
  const char* output;
  const char* source;
  const char* example;
  void (*shape)(Inference&);
  void (*gradient)(Gradient&);
};

}  // namespace

double fft_scale(std::string_view norm, bool is_inverse, int64_t n) {
  const auto points = static_cast<double>(n);
  if (norm == "ortho") return 1 / std::sqrt(points);
  return (norm == "forward") != is_inverse ? 1 / points : 1;
}

void define_fft_ops(OpRegistry& ops) {
  constexpr DTypes kReals = kInts | DType::Float32 | DType::Float64;
  constexpr const char* kFull =
      "x's shape with n points along the axis; complex128 of float64, complex64 of other reals";
  const FftEntry entries[] = {
      {"FFT", "fft.fft",
       "The discrete Fourier transform along an axis: y[k] = sum of x[j] exp(-2 pi i j k / n), from 0.",
       kReals | kComplex, "points: x is cut, or continued by zeros", "x's", kFull, "numpy.fft.fft, tf.signal.fft",
       "lutra.real(lutra.fft.fft{1.0, 2.0, 0.0, 2.0})  --> {5.0, 1.0, -3.0, 1.0}", full_shape,
       [](Gradient& g) { full_gradient(g, "IFFT"); }},
      {"IFFT", "fft.ifft", "The inverse of fft.fft, divided by n.", kReals | kComplex,
       "points: x is cut, or continued by zeros", "x's", kFull, "numpy.fft.ifft, tf.signal.ifft",
       "lutra.real(lutra.fft.ifft{5.0, 1.0, -3.0, 1.0})  --> {1.0, 2.0, 0.0, 2.0}", full_shape,
       [](Gradient& g) { full_gradient(g, "FFT"); }},
      {"RFFT", "fft.rfft",
       "The first half of the Fourier transform of a real tensor along an axis: the frequencies 0 to n // 2. The "
       "others "
       "are their conjugates.",
       kReals, "points: x is cut, or continued by zeros", "x's",
       "x's shape with n // 2 + 1 points along the axis; complex128 of float64, else complex64",
       "numpy.fft.rfft, tf.signal.rfft", "lutra.real(lutra.fft.rfft{1.0, 2.0, 0.0, 2.0})  --> {5.0, 1.0, -3.0}",
       rfft_shape, rfft_gradient},
      {"IRFFT", "fft.irfft",
       "The inverse of fft.rfft, a real tensor. The imaginary part of frequency 0, and for even n of frequency n / 2, "
       "counts as 0.",
       kComplex, "points of the result; give it if they are odd", "2 (points of x - 1)",
       "x's shape with n points along the axis; float32 of complex64, float64 of complex128",
       "numpy.fft.irfft, tf.signal.irfft",
       "lutra.fft.irfft(lutra.fft.rfft{1.0, 2.0, 0.0, 2.0})  --> {1.0, 2.0, 0.0, 2.0}", irfft_shape, irfft_gradient},
  };
  for (const FftEntry& entry : entries) {
    ops.define({
        .name = entry.name,
        .lua_name = entry.lua_name,
        .summary = entry.summary,
        .inputs = {{"x", entry.dtypes, "at least one axis"}},
        .attrs =
            attrs<FftAttrs>({attr("n", &FftAttrs::n, entry.n).positional().otherwise(entry.otherwise),
                             attr("axis", &FftAttrs::axis, "the axis to transform along").positional().otherwise("-1"),
                             attr("norm", &FftAttrs::norm,
                                  "\"backward\": divides ifft by n; \"forward\": fft; \"ortho\": both by its root")
                                 .otherwise("\"backward\"")}),
        .output = entry.output,
        .errors = "InvalidArgument for a scalar, an axis that does not exist, n below 1, an unknown norm, or a dtype "
                  "that it does not take.",
        .source = entry.source,
        .example = entry.example,
        .compute = Compute::Float,
        .shape = entry.shape,
        .gradient = entry.gradient,
        .cost = fft_cost,
        .flags = kNoMethod,
    });
  }
}

}  // namespace lutra
