// Determinants, LU, eigenvalues of symmetric and Hermitian matrices, and exponentials. Their gradients: Giles 2008 (see
// factorise.cpp); of exponentials: Al-Mohy and Higham, "Computing the Frechet derivative of the matrix exponential"
// (2009).

#include "core/error.h"
#include "ops/matrices.h"
#include "ops/scan.h"
#include "ops/shape.h"

namespace lutra {
namespace {

using namespace matrices;

void determinant_shape(Inference& inference) { inference.output(inference.key(), batch_of(square(inference, 0))); }

void log_determinant_shape(Inference& inference) {
  Shape batch = batch_of(square(inference, 0));
  inference.output(inference.key(), batch);
  inference.output(real_dtype(inference.key()), batch);
}

// (...,) as (..., 1, 1).
Value as_matrices(Gradient& g, Value x) {
  Shape shape = g.shape(x);
  shape.push(1);
  shape.push(1);
  return g.reshape(x, shape);
}

// The conjugate of the determinant's derivatives, the cofactors, of any matrices: with x = u diag(s) v^H they are
// u diag(the products of all other s) v^H, times the conjugate of det(u) det(v^H).
Value cofactors(Gradient& g, Value x) {
  Value found[3];
  g.call_all("Svd", {x}, found);
  Value s = found[1], vh = found[2];
  const Axes last = single(g.shape(s).rank() - 1);
  Value before = g.call("Cumprod", {s}, ScanAttrs{.axis = last, .exclusive = true, .reverse = false});
  Value behind = g.call("Cumprod", {s}, ScanAttrs{.axis = last, .exclusive = true, .reverse = true});
  Value turn = g.call("MatrixDeterminant", {found[0]}) * g.call("MatrixDeterminant", {vh});
  return as_matrices(g, conj(g, turn)) * mul(g, found[0] * g.cast(as_row(g, before * behind), g.dtype(x)), vh);
}

// The inverses of x, or false if one of the matrices has none.
bool invert(Gradient& g, Value* inverse) {
  try {
    *inverse = g.call("MatrixInverse", {g.x_in_key(0)});
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidArgument) throw;
    return false;
  }
}

void determinant_gradient(Gradient& g) {
  if (g.shape_of(0).size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.key()));
  Value inverse;
  if (!g.is_recorded() && invert(g, &inverse)) {
    return g.add(0, as_matrices(g, g.dy() * conj(g, g.y())) * adjoint(g, inverse));
  }
  g.add(0, as_matrices(g, unhalved(g, g.dy())) * cofactors(g, unhalved(g, g.x_in_key(0))));
}

void log_determinant_gradient(Gradient& g) {
  if (g.shape_of(0).size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.key()));
  Value inverse, slope = g.dy(1);
  require(invert(g, &inverse), g.op().lua_name, ": the matrix is singular: the logarithm has no gradient there");
  // A complex sign turns by the imaginary part of trace(inverse dx).
  if (is_complex(g.key())) {
    Value turning = g.has_dy(0) ? g.call("Imag", {g.dy(0) * conj(g, g.y(0))}) : Value(0.0);
    slope = g.call("Complex", {slope, turning});
  }
  g.add(0, as_matrices(g, slope) * adjoint(g, inverse));
}

void lu_shape(Inference& inference) {
  Shape x = matrix(inference, 0), batch = batch_of(x);
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  inference.output(inference.key(), with_matrix(batch, m, m));
  inference.output(inference.key(), with_matrix(batch, m, k));
  inference.output(inference.key(), with_matrix(batch, k, n));
}

// The rows [first, end) of matrices.
Value rows(Builder& g, Value x, int64_t first, int64_t end) {
  return g.call("StridedSlice", {x}, range_along(g.shape(x).rank() - 2, first, end - 1));
}

// l^-H b for the ones on l's diagonal and what is below; b u^-H.
Value by_lower(Gradient& g, Value l, Value b) { return solve_with(g, l, b, true, true); }
Value by_upper(Gradient& g, Value b, Value u) { return adjoint(g, solve_with(g, u, adjoint(g, b), false, false)); }

// p^T x = l u. With square parts l1, u1 and x = [x1 x2] or one over the other: u2 = l^-1 x2, l2 = x2 u^-1, and
// dx1 = l1^-H (the lower triangle of l1^H dl, without its diagonal, and the upper one of du u1^H) u1^-H.
void lu_gradient(Gradient& g) {
  Shape x = g.shape_of(0);
  if (x.size() == 0) return g.add(0, g.fill(x, 0, g.key()));
  int64_t m = rows_of(x), n = columns_of(x), k = std::min(m, n);
  Value p = g.y(0), l = g.y(1), u = g.y(2), dl = tril(g, g.dy(1), -1), du = g.call("Triu", {g.dy(2)}, DiagonalAttrs{0});
  Value l1 = rows(g, l, 0, k), u1 = columns(g, u, 0, k), dl1 = rows(g, dl, 0, k), du1 = columns(g, du, 0, k), rest;
  if (n > k) {
    rest = by_lower(g, l1, columns(g, du, k, n));
    dl1 = dl1 - mul_h(g, rest, columns(g, u, k, n));
  } else if (m > k) {
    rest = by_upper(g, rows(g, dl, k, m), u1);
    du1 = du1 - h_mul(g, rows(g, l, k, m), rest);
  }
  Value inner = tril(g, h_mul(g, l1, dl1), -1) + g.call("Triu", {mul_h(g, du1, u1)}, DiagonalAttrs{0});
  Value dx = by_upper(g, by_lower(g, l1, inner), u1);
  if (m != n) dx = g.call("ConcatV2", {dx, rest}, AxisAttrs{single(n > k ? -1 : -2)});
  g.add(0, mul(g, p, dx));
}

void eigh_shape(Inference& inference) {
  Shape x = square(inference, 0), values = batch_of(x);
  values.push(rows_of(x));
  inference.output(real_dtype(inference.key()), values);
  if (inference.call().op->outputs > 1) inference.output(inference.key(), x);
}

void add_hermitian(Gradient& g, Value da) { g.add(0, (da + adjoint(g, da)) * 0.5); }

// v (dw + f * v^H dv) v^H with f_ij = 1 / (w_j - w_i), 0 for equal eigenvalues, which leave v open.
void eigh_gradient(Gradient& g) {
  if (g.shape_of(0).size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.key()));
  Value w = unhalved(g, g.y(0)), v = unhalved(g, g.y(1));
  Value da = mul_h(g, v * unhalved(g, as_row(g, g.dy(0))), v);
  if (g.has_dy(1)) {
    Value turning = reciprocal_or_zero(g, as_row(g, w) - g.as_column(w)) * h_mul(g, v, unhalved(g, g.dy(1)));
    da = da + mul_h(g, mul(g, v, turning), v);
  }
  add_hermitian(g, da);
}

void eigenvalues_gradient(Gradient& g) {
  if (g.shape_of(0).size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.key()));
  Value found[2];
  g.call_all("SelfAdjointEig", {g.x_in_key(0)}, found);
  Value v = unhalved(g, found[1]);
  add_hermitian(g, mul_h(g, v * unhalved(g, as_row(g, g.dy(0))), v));
}

void exponential_shape(Inference& inference) {
  square(inference, 0);
  same_as_first(inference);
}

// The upper right quarter of the exponential of [x^H dy; 0 x^H].
void exponential_gradient(Gradient& g) {
  Shape shape = g.shape_of(0);
  if (shape.size() == 0) return g.add(0, g.fill(shape, 0, g.key()));
  const int64_t n = rows_of(shape);
  Value x = adjoint(g, unhalved(g, g.x_in_key(0))), dy = unhalved(g, g.dy());
  Value top = g.call("ConcatV2", {x, dy}, AxisAttrs{single(-1)});
  Value bottom = g.call("ConcatV2", {g.fill(shape, 0, g.dtype(x)), x}, AxisAttrs{single(-1)});
  Value both = g.call("MatrixExponential", {g.call("ConcatV2", {top, bottom}, AxisAttrs{single(-2)})});
  g.add(0, columns(g, rows(g, both, 0, n), n, 2 * n));
}

constexpr const char* kSquareErrors = "InvalidArgument if x is not square or is bool.";

}  // namespace

void define_decompose_ops(OpRegistry& ops) {
  ops.define({
      .name = "MatrixDeterminant",
      .lua_name = "det",
      .summary = "The determinant of each matrix, by LU factorisation; 1 of a matrix without rows.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output = "[...]; float32 for integers, else x's dtype. Computed on the CPU, in float64; large matrices of "
                "float32 in float32 where OpenBLAS is installed",
      .errors = kSquareErrors,
      .source = "numpy.linalg.det; gradient: Giles 2008",
      .example = "lutra.det{{1.0, 2.0}, {3.0, 4.0}}  --> -2.0",
      .compute = Compute::Float,
      .shape = determinant_shape,
      .gradient = determinant_gradient,
      .saves = kX0 | kY0,
      .cost = factorise_cost<1>,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "LogMatrixDeterminant",
      .lua_name = "slogdet",
      .summary =
          "The sign of each matrix's determinant, and the logarithm of its absolute value: 0 and -inf of a singular "
          "one. The sign of a complex matrix is a number of absolute value 1.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output = "sign [...], log [...]; float32 for integers, else x's dtype; log is real. "
                "Computed on the CPU, in float64; large matrices of float32 in float32 where OpenBLAS is installed",
      .errors = "InvalidArgument if x is not square or is bool; in the gradient, if it is singular.",
      .source = "numpy.linalg.slogdet, tf.linalg.slogdet; gradient: Giles 2008",
      .example = "lutra.slogdet{{1.0, 2.0}, {3.0, 4.0}}  --> -1.0, 0.6931",
      .outputs = 2,
      .compute = Compute::Float,
      .shape = log_determinant_shape,
      .gradient = log_determinant_gradient,
      .saves = kX0 | kY0,
      .cost = factorise_cost<1>,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "Lu",
      .lua_name = "lu",
      .summary = "The LU factorisation of each matrix with partial pivoting, x = p l u: p is a permutation, l a lower "
                 "triangle with ones on its diagonal, u an upper one. k is the smaller of x's two sizes.",
      .inputs = {{"x", kEveryNumber, "[..., m, n]"}},
      .output = "p [..., m, m], l [..., m, k], u [..., k, n]; float32 for integers, else x's dtype. Computed on the "
                "CPU, in float64; large matrices of float32 in float32 where OpenBLAS is installed",
      .errors = "InvalidArgument if x has fewer than two axes or is bool.",
      .source = "scipy.linalg.lu, torch.linalg.lu; its gradient needs x's first k columns to be independent",
      .example = "lutra.lu{{4.0, 2.0}, {2.0, 5.0}}  --> {{1.0, 0.0}, {0.0, 1.0}}, {{1.0, 0.0}, {0.5, 1.0}}, {{4.0, "
                 "2.0}, {0.0, 4.0}}",
      .outputs = 3,
      .compute = Compute::Float,
      .shape = lu_shape,
      .gradient = lu_gradient,
      .saves = kY0 | kY1 | kY2,
      .cost = factorise_cost<1>,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "SelfAdjointEig",
      .lua_name = "eigh",
      .summary =
          "The eigenvalues of each symmetric or Hermitian matrix, ascending, and its orthonormal eigenvectors, the "
          "columns of v: x v = v diag(w). Only the lower triangle of x is read; the gradient is that of such an x. The "
          "sign of an eigenvector is arbitrary, of a complex one the phase: a loss must not depend on it. All nan if x "
          "is not finite.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output = "w [..., n], v [..., n, n]; float32 for integers, else x's dtype; w is real. Computed on the CPU, in "
                "float64; "
                "large matrices of float32 in float32 where OpenBLAS is installed",
      .errors = kSquareErrors,
      .source = "numpy.linalg.eigh, tf.linalg.eigh; gradient: Giles 2008, 0 where equal eigenvalues leave v open",
      .example = "lutra.eigh{{3.0, 0.0}, {0.0, 1.0}}  --> {1.0, 3.0}, {{0.0, 1.0}, {1.0, 0.0}}",
      .outputs = 2,
      .compute = Compute::Float,
      .shape = eigh_shape,
      .gradient = eigh_gradient,
      .saves = kY0 | kY1,
      .cost = factorise_cost<9>,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "SelfAdjointEigenvalues",
      .lua_name = "eigvalsh",
      .summary =
          "The eigenvalues of each symmetric or Hermitian matrix, ascending. Only the lower triangle of x is read; "
          "the gradient is that of such an x. All nan if x is not finite.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output =
          "[..., n], real; float32 for integers, else x's dtype. Computed on the CPU, in float64; large matrices of "
          "float32 in float32 where OpenBLAS is installed",
      .errors = kSquareErrors,
      .source = "numpy.linalg.eigvalsh, tf.linalg.eigvalsh",
      .example = "lutra.eigvalsh{{2.0, 1.0}, {1.0, 2.0}}  --> {1.0, 3.0}",
      .compute = Compute::Float,
      .shape = eigh_shape,
      .gradient = eigenvalues_gradient,
      .saves = kX0,
      .cost = factorise_cost<4>,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "MatrixExponential",
      .lua_name = "expm",
      .summary = "The exponential of each matrix, 1 + x + x x / 2 + x x x / 6 + ... All nan if x is not finite.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output = "x's shape; float32 for integers, else x's dtype. Computed on the CPU, in float64",
      .errors = kSquareErrors,
      .source = "scipy.linalg.expm, tf.linalg.expm; Higham, \"The Scaling and Squaring Method for the Matrix "
                "Exponential Revisited\", 2005",
      .example = "lutra.expm{{0.0, 1.0}, {0.0, 0.0}}  --> {{1.0, 1.0}, {0.0, 1.0}}",
      .compute = Compute::Float,
      .shape = exponential_shape,
      .gradient = exponential_gradient,
      .saves = kX0,
      .cost = factorise_cost<20>,
      .flags = kChecksValues,
  });
}

}  // namespace lutra
