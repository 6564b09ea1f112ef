// Polynomials through points, by least squares.

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/factorise.h"
#include "ops/matmul.h"
#include "ops/shape.h"

namespace lutra {
namespace {

struct PolyfitAttrs {
  int64_t deg = 1;
};

constexpr int64_t kMostDegree = 1000;

void polyfit_shape(Inference& inference) {
  Shape x = inference.shape(0), y = inference.shape(1);
  int64_t degree = inference.attrs<PolyfitAttrs>().deg;
  require(degree >= 0 && degree <= kMostDegree, inference.who(), ": deg is ", degree, ", expected 0 to ", kMostDegree);
  require(x.rank() == 1 && (y.rank() == 1 || y.rank() == 2) && y[0] == x[0], inference.who(), ": x ", x, " and y ", y,
          " do not match: expected a vector x, and a y for each x");
  require(x[0] > degree, inference.who(), ": x has ", x[0], " points, and a polynomial of degree ", degree,
          " is determined by ", degree + 1, " or more");
  Shape out{degree + 1};
  if (y.rank() == 2) out.push(y[1]);
  inference.output(inference.key(), out);
}

// By QR of the matrix of x's powers, in float64. Its columns are scaled to one length, as NumPy does.
void compose_polyfit(Composition& c) {
  const int64_t degree = c.attrs<PolyfitAttrs>().deg;
  Value x = c.cast(c.x(0), DType::Float64), y = c.cast(c.x(1), DType::Float64);
  const int64_t n = c.shape(x)[0];
  std::vector<Value> powers(static_cast<std::size_t>(degree + 1));
  for (int64_t i = degree; i >= 0; --i) {
    Value& power = powers[static_cast<std::size_t>(i)];
    power = i == degree ? c.fill(Shape{n}, 1, DType::Float64) : powers[static_cast<std::size_t>(i + 1)] * x;
  }
  Value matrix = c.call("Pack", std::span<const Value>(powers), AxisAttrs{single(1)});
  Value length = c.call("Sqrt", {c.sum(matrix * matrix, 1u)});
  Value q_and_r[2];
  c.call_all("Qr", {matrix / length}, q_and_r);
  if (c.shape(y).rank() == 1) y = c.reshape(y, Shape{n, 1});
  Value rotated = c.call("MatMul", {q_and_r[0], y}, MatMulAttrs{true, false});
  Value scaled = c.call("MatrixTriangularSolve", {q_and_r[1], rotated}, TriangularAttrs{false, false});
  c.give(c.reshape(scaled / c.reshape(length, Shape{degree + 1, 1}), c.output_shape()));
}

}  // namespace

void define_polyfit_ops(OpRegistry& ops) {
  ops.define({
      .name = "Polyfit",
      .lua_name = "polyfit",
      .summary =
          "The coefficients, the highest power first, of the polynomial of a degree that is closest to the points "
          "(x, y) in squares. nan or inf if the points do not determine it.",
      .inputs = {{"x", kNumbers, "[n]"}, {"y", kNumbers, "[n] or [n, k]"}},
      .attrs = attrs<PolyfitAttrs>({attr("deg", &PolyfitAttrs::deg, "the polynomial's degree").required()}),
      .output = "[deg + 1] or [deg + 1, k]; float32 for integers, else the promoted dtype. Computed on the CPU, in "
                "float64",
      .errors = "InvalidArgument if x and y do not match, have too few points, for a negative degree, or if both are "
                "bool.",
      .source = "numpy.polyfit; by QR",
      .example = "lutra.polyfit({0, 1, 2, 3}, {1, 3, 5, 7}, 1)  --> {2.0, 1.0}",
      .compute = Compute::Float,
      .shape = polyfit_shape,
      .compose = compose_polyfit,
  });
}

}  // namespace lutra
