// Factorisations of matrices and what is solved with them. Their gradients: Giles, "Collected matrix derivative results
// for forward and reverse mode algorithmic differentiation" (2008); Townsend, "Differentiating the singular value
// decomposition" (2016); Walter and Lehmann, "On evaluating higher-order derivatives of the QR decomposition" (2010).

#include <algorithm>

#include "ops/factorise.h"
#include "ops/matrices.h"
#include "ops/shape.h"

namespace lutra {
namespace {

using namespace matrices;

void square_shape(Inference& inference) {
  square(inference, 0);
  same_as_first(inference);
}

void solve_shape(Inference& inference) {
  Shape a = square(inference, 0), b = inference.shape(1);
  int64_t n = rows_of(a);
  require(b.rank() > 0, inference.who(), ": b is a scalar, expected a vector, a matrix or a batch of matrices");
  bool is_vector = b.rank() == 1;
  int64_t rows = is_vector ? b[0] : rows_of(b);
  require(rows == n, inference.who(), ": a ", a, " and b ", b, " do not match: b's ",
          b.rank() > 2 ? "second-last" : "first", " axis (", rows, ") must equal a's last (", n, ")");
  Shape out = batch_of(a);
  if (is_vector) {
    out.push(n);
  } else {
    require(broadcast(batch_of(a), batch_of(b), &out), inference.who(), ": a ", a, " and b ", b,
            " do not match: the batch axes ", batch_of(a), " and ", batch_of(b),
            " do not broadcast: sizes of an axis must be equal or 1");
    out = with_matrix(out, n, columns_of(b));
  }
  inference.output(inference.key(), out);
}

void qr_shape(Inference& inference) {
  Shape x = matrix(inference, 0), batch = batch_of(x);
  int64_t k = std::min(rows_of(x), columns_of(x));
  inference.output(inference.key(), with_matrix(batch, rows_of(x), k));
  inference.output(inference.key(), with_matrix(batch, k, columns_of(x)));
}

void svd_shape(Inference& inference) {
  Shape x = matrix(inference, 0), batch = batch_of(x), values = batch;
  int64_t k = std::min(rows_of(x), columns_of(x));
  values.push(k);
  inference.output(inference.key(), with_matrix(batch, rows_of(x), k));
  inference.output(real_dtype(inference.key()), values);
  inference.output(inference.key(), with_matrix(batch, k, columns_of(x)));
}

// a = l l^H. With p the lower triangle of l^H dl, its diagonal halved: s = l^-H p l^-1, and da is s made Hermitian.
void cholesky_gradient(Gradient& g) {
  Value l = g.y();
  Value product = h_mul(g, l, g.dy());
  Value p = (tril(g, product, 0) + tril(g, product, -1)) * 0.5;
  Value left = solve_with(g, l, p, true, true);
  Value s = solve_with(g, l, adjoint(g, left), true, true);  // the adjoint of s
  g.add(0, (s + adjoint(g, s)) * 0.5);
}

void inverse_gradient(Gradient& g) { g.add(0, -mul_h(g, h_mul(g, g.y(), g.dy()), g.y())); }

void solve_gradient(Gradient& g) {
  bool adjoint = g.attrs<SolveAttrs>().adjoint, is_vector = g.shape_of(1).rank() == 1;
  Value dy = as_columns(g, g.dy(), is_vector);
  Value db = g.call("MatrixSolve", {g.x(0), dy}, SolveAttrs{!adjoint});
  if (g.needs(0)) {
    Value y = as_columns(g, g.y(), is_vector);
    g.add(0, -(adjoint ? mul_h(g, y, db) : mul_h(g, db, y)));
  }
  if (g.needs(1)) g.add(1, is_vector ? g.reshape(db, g.output_shape()) : db);
}

void triangular_solve_gradient(Gradient& g) {
  TriangularAttrs attrs = g.attrs<TriangularAttrs>();
  bool is_vector = g.shape_of(1).rank() == 1;
  Value db = solve_with(g, g.x_in_key(0), as_columns(g, g.dy(), is_vector), attrs.lower, !attrs.adjoint);
  if (g.needs(0)) {
    Value y = as_columns(g, g.y(), is_vector);
    Value da = attrs.adjoint ? mul_h(g, y, db) : mul_h(g, db, y);
    g.add(0, -g.call(attrs.lower ? "Tril" : "Triu", {da}, DiagonalAttrs{0}));
  }
  if (g.needs(1)) g.add(1, is_vector ? g.reshape(db, g.output_shape()) : db);
}

// x r^-H for an upper triangle r.
Value times_inverse_h(Gradient& g, Value x, Value r) {
  return adjoint(g, solve_with(g, r, adjoint(g, x), false, false));
}

// For a with at least as many rows as columns.
Value tall_qr_gradient(Gradient& g, Value q, Value r, Value dq, Value dr) {
  Value qdq = h_mul(g, q, dq), rdr = mul_h(g, r, dr);
  Value twice = (qdq - adjoint(g, qdq)) + (rdr - adjoint(g, rdr)), turning = tril(g, twice, -1);
  // r's diagonal is real. r's diagonal is real, which fixes the phases of q's columns: half of the diagonal, which is
  // imaginary, is added.
  if (is_complex(g.key())) turning = (turning + tril(g, twice, 0)) * 0.5;
  return mul(g, q, dr + times_inverse_h(g, turning, r)) + times_inverse_h(g, dq - mul(g, q, qdq), r);
}

void qr_gradient(Gradient& g) {
  Shape x = g.shape_of(0);
  int64_t m = rows_of(x), n = columns_of(x);
  if (x.size() == 0) return g.add(0, g.fill(x, 0, g.key()));
  Value q = g.y(0), r = g.y(1), dq = g.dy(0);
  // Below its diagonal r is always zero.
  Value dr = g.call("Triu", {g.dy(1)}, DiagonalAttrs{0});
  if (m >= n) return g.add(0, tall_qr_gradient(g, q, r, dq, dr));
  // a = [x y], r = [u v]: x = q u, y = q v.
  Value v = columns(g, r, m, n), dv = columns(g, dr, m, n);
  Value dx = tall_qr_gradient(g, q, columns(g, r, 0, m), dq + mul_h(g, mul(g, q, v), dv), columns(g, dr, 0, m));
  g.add(0, g.call("ConcatV2", {dx, mul(g, q, dv)}, AxisAttrs{single(-1)}));
}

// da = u (ds + f * (u^H du - du^H u) s + s f * (v^H dv - dv^H v)) v^H, and what du and dv have outside u's and v's
// columns; f_ij = 1 / (s_j^2 - s_i^2). Directions in which u and v are not determined (equal singular values) get 0.
// f s is 1 / (s_j - s_i) times a share of 1: the squares may be too large or too small for the dtype.
// Complex: plus u (the diagonal of (u^H du - du^H u) / (2 s)) v^H, for turns of a column of u against that of v.
void svd_gradient(Gradient& g) {
  Shape x = g.shape_of(0);
  if (x.size() == 0) return g.add(0, g.fill(x, 0, g.key()));
  Value u = unhalved(g, g.y(0)), s = unhalved(g, g.y(1)), vh = unhalved(g, g.y(2));
  Value row = as_row(g, s), column = g.as_column(s);
  int64_t k = std::min(rows_of(x), columns_of(x));
  bool has_du = g.has_dy(0), has_dv = g.has_dy(2);
  Value inverse, apart, over_sum;
  if (has_du || has_dv) {
    apart = reciprocal_or_zero(g, row - column);
    over_sum = reciprocal_or_zero(g, row + column);
    inverse = reciprocal_or_zero(g, row);
  }
  Value da = mul(g, u * unhalved(g, as_row(g, g.dy(1))), vh);
  if (has_du) {
    Value dy = unhalved(g, g.dy(0)), udu = h_mul(g, u, dy), skew = udu - adjoint(g, udu);
    Value turning = apart * (over_sum * row) * skew;
    if (is_complex(g.key())) turning = turning + identity(g, k, g.key()) * skew * (inverse * 0.5);
    Value du = mul(g, u, turning);
    if (rows_of(x) > k) du = du + (dy - mul(g, u, udu)) * inverse;
    da = da + mul(g, du, vh);
  }
  if (has_dv) {
    Value dy = unhalved(g, g.dy(2)), vdv = mul_h(g, vh, dy), vdv_h = adjoint(g, vdv);
    Value dv = mul(g, apart * (over_sum * column) * (vdv - vdv_h), vh);
    if (columns_of(x) > k) dv = dv + (dy - mul(g, vdv_h, vh)) * g.reshape(inverse, g.shape(column));
    da = da + mul(g, u, dv);
  }
  g.add(0, da);
}

}  // namespace

void define_factorise_ops(OpRegistry& ops) {
  ops.define({
      .name = "Cholesky",
      .lua_name = "cholesky",
      .summary =
          "The Cholesky factor l of each positive definite matrix, symmetric or Hermitian, a lower triangle: x = l "
          "l^H. Only the lower triangle of x is read; the gradient is that of such an x.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output = kOutput,
      .errors = "InvalidArgument if x is not square, not positive definite, or bool.",
      .source = "numpy.linalg.cholesky; gradient: Giles 2008",
      .example = "lutra.cholesky({{4.0, 2.0}, {2.0, 5.0}})  --> {{2.0, 0.0}, {1.0, 2.0}}",
      .compute = Compute::Float,
      .shape = square_shape,
      .gradient = cholesky_gradient,
      .saves = kY0,
      .fault = [](const char* op, const Fault& fault) { return wrong_matrix(op, fault, "is not positive definite"); },
      .cost = factorise_cost<1>,
  });
  ops.define({
      .name = "MatrixSolve",
      .lua_name = "solve",
      .summary = "The solution x of a x = b, by LU factorisation with partial pivoting. b is a vector if it has one "
                 "axis, else "
                 "a matrix of columns; axes before the last two are a batch and broadcast.",
      .inputs = {{"a", kEveryNumber, "[..., n, n]"}, {"b", kEveryNumber, "[n] or [..., n, k]"}},
      .attrs = attrs<SolveAttrs>(
          {attr("adjoint", &SolveAttrs::adjoint, "solve with a's conjugate transpose instead").otherwise("false")}),
      .output = "[..., n] or [..., n, k]; float32 for integers, else the promoted dtype. Computed on the CPU, in "
                "float64; large matrices of float32 in float32 where OpenBLAS is installed",
      .errors = "InvalidArgument if a is not square, b does not match, a matrix is exactly singular (a pivot is 0), or "
                "both are bool.",
      .source = "numpy.linalg.solve; adjoint as in tf.linalg.solve; gradient: Giles 2008",
      .example = "lutra.solve({{2.0, 0.0}, {0.0, 4.0}}, {1.0, 2.0})  --> {0.5, 0.5}",
      .compute = Compute::Float,
      .shape = solve_shape,
      .gradient = solve_gradient,
      .saves = kX0 | kY0,
      .fault = singular,
      .cost = factorise_cost<1>,
  });
  ops.define({
      .name = "MatrixTriangularSolve",
      .lua_name = "triangular_solve",
      .summary = "The solution x of a x = b, where a is the lower or the upper triangle of a matrix, whose other "
                 "elements are not read. A 0 on the diagonal gives inf or nan.",
      .inputs = {{"a", kEveryNumber, "[..., n, n]"}, {"b", kEveryNumber, "[n] or [..., n, k]"}},
      .attrs = attrs<TriangularAttrs>(
          {attr("lower", &TriangularAttrs::lower, "a is the lower triangle").otherwise("true"),
           attr("adjoint", &TriangularAttrs::adjoint, "solve with a's conjugate transpose instead")
               .otherwise("false")}),
      .output = "[..., n] or [..., n, k]; float32 for integers, else the promoted dtype. Computed on the CPU, in "
                "float64; large matrices of float32 in float32 where OpenBLAS is installed",
      .errors = "InvalidArgument if a is not square, b does not match, or both are bool.",
      .source = "tf.linalg.triangular_solve, scipy.linalg.solve_triangular; gradient: Giles 2008",
      .example = "lutra.triangular_solve({{2.0, 0.0}, {1.0, 4.0}}, {2.0, 9.0})  --> {1.0, 2.0}",
      .compute = Compute::Float,
      .shape = solve_shape,
      .gradient = triangular_solve_gradient,
      .saves = kX0 | kY0,
      .fault = singular,
      .cost = factorise_cost<1>,
  });
  ops.define({
      .name = "MatrixInverse",
      .lua_name = "inv",
      .summary = "The inverse of each matrix. For linear systems, solve is faster and more accurate.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output = kOutput,
      .errors = "InvalidArgument if x is not square, exactly singular (a pivot is 0), or bool.",
      .source = "numpy.linalg.inv; gradient: Giles 2008",
      .example = "lutra.inv({{2.0, 0.0}, {0.0, 4.0}})  --> {{0.5, 0.0}, {0.0, 0.25}}",
      .compute = Compute::Float,
      .shape = square_shape,
      .gradient = inverse_gradient,
      .saves = kY0,
      .fault = singular,
      .cost = factorise_cost<2>,
  });
  ops.define({
      .name = "Qr",
      .lua_name = "qr",
      .summary = "The reduced QR decomposition of each matrix, x = q r: q has orthonormal columns, r is an upper "
                 "triangle with a real diagonal. k is the smaller of x's two sizes.",
      .inputs = {{"x", kEveryNumber, "[..., m, n]"}},
      .output = "q [..., m, k], r [..., k, n]; float32 for integers, else x's dtype. Computed on the CPU, in float64; "
                "large matrices of float32 in float32 where OpenBLAS is installed",
      .errors = "InvalidArgument if x has fewer than two axes or is bool; ResourceExhausted without memory to work in.",
      .source = "numpy.linalg.qr, whose signs it has; gradient: Walter and Lehmann 2010, where x's first k columns are "
                "independent",
      .example = "lutra.qr({{3.0, 1.0}, {4.0, 2.0}})  --> {{-0.6, -0.8}, {-0.8, 0.6}}, {{-5.0, -2.2}, {0.0, 0.4}}",
      .outputs = 2,
      .compute = Compute::Float,
      .shape = qr_shape,
      .gradient = qr_gradient,
      .saves = kY0 | kY1,
      .cost = factorise_cost<4>,
      .flags = kChecksValues,
  });
  ops.define({
      .name = "Svd",
      .lua_name = "svd",
      .summary =
          "The reduced singular value decomposition of each matrix: x = u diag(s) vt. u's columns and vt's rows are "
          "orthonormal, s is real, not negative and descending. k is the smaller of x's two sizes. The sign of a "
          "column of u together with its row of vt is arbitrary, of complex ones the phase: a loss must not depend on "
          "it. All nan if x is not finite.",
      .inputs = {{"x", kEveryNumber, "[..., m, n]"}},
      .output =
          "u [..., m, k], s [..., k], vt [..., k, n]; float32 for integers, else x's dtype; s is real. Computed on "
          "the CPU, in float64; large matrices of float32 in float32 where OpenBLAS is installed",
      .errors = "InvalidArgument if x has fewer than two axes or is bool; ResourceExhausted without memory to work in.",
      .source = "numpy.linalg.svd(full_matrices=False); gradient: Townsend 2016, 0 where equal singular values leave u "
                "and vt open",
      .example =
          "lutra.svd({{3.0, 0.0}, {0.0, 2.0}})  --> {{1.0, 0.0}, {0.0, 1.0}}, {3.0, 2.0}, {{1.0, 0.0}, {0.0, 1.0}}",
      .outputs = 3,
      .compute = Compute::Float,
      .shape = svd_shape,
      .gradient = svd_gradient,
      .saves = kY0 | kY1 | kY2,
      .cost = factorise_cost<20>,
      .flags = kChecksValues,
  });
}

}  // namespace lutra
