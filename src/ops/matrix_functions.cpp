// Functions of matrices that factorisations and products compute: pseudo-inverses, least squares, ranks, powers, norms.
// The gradient of the pseudo-inverse: Golub and Pereyra, "The differentiation of pseudo-inverses" (1973).

#include <cmath>
#include <limits>

#include "ops/axes.h"
#include "ops/composition.h"
#include "ops/matrices.h"
#include "ops/vector_norm.h"

namespace lutra {
namespace {

using namespace matrices;

struct CutAttrs {
  Number rcond;
};
struct RankAttrs {
  Number tol;
};

void require_cut(const Inference& inference, const char* option, const Number& number) {
  if (!number.given()) return;
  double value = number.value.as_double();
  require(value >= 0 && value <= std::numeric_limits<double>::max(), inference.who(), ": ", option, " is ", value,
          ", expected 0 or more");
}

// The distance of 1 and the next number of the dtype that SVD is computed in, times the larger size.
double usual_cut(const Shape& x, DType key) {
  double epsilon = real_dtype(key) == DType::Float64 ? std::numeric_limits<double>::epsilon()
                                                     : static_cast<double>(std::numeric_limits<float>::epsilon());
  return epsilon * static_cast<double>(std::max(rows_of(x), columns_of(x)));
}

struct Factors {
  Value u, s, vh;
};
Factors svd_of(Builder& c, Value x) {
  Value found[3];
  c.call_all("Svd", {x}, found);
  return {found[0], found[1], found[2]};
}

// 1 / s as a column, 0 for those that are at most `cut` times the largest.
Value inverse_column(Builder& c, Value s, double cut) {
  ReduceAttrs last;
  last.axis = single(-1);
  last.keepdims = true;
  Value is_kept = c.call("Greater", {s, c.call("Max", {s}, last) * cut});
  Value inverse = c.call("SelectV2", {is_kept, c.call("Reciprocal", {c.call("SelectV2", {is_kept, s, 1.0})}), 0.0});
  // nan stays: it is greater than nothing.
  return c.as_column(c.call("SelectV2", {c.call("IsNan", {s}), s, inverse}));
}

double cut_of(const Number& rcond, const Shape& x, DType key) {
  return rcond.given() ? rcond.value.as_double() : usual_cut(x, key);
}

void pinv_shape(Inference& inference) {
  require_cut(inference, "rcond", inference.attrs<CutAttrs>().rcond);
  Shape x = matrix(inference, 0);
  inference.output(inference.key(), with_matrix(batch_of(x), columns_of(x), rows_of(x)));
}

void compose_pinv(Composition& c) {
  Value x = unhalved(c, c.x());
  if (c.shape(x).size() == 0) return c.give(0.0);
  Factors f = svd_of(c, x);
  Value scaled = f.vh * inverse_column(c, f.s, cut_of(c.attrs<CutAttrs>().rcond, c.shape(x), c.key()));
  c.give(mul_h(c, adjoint(c, scaled), f.u));
}

// dx of y, the pseudo-inverse of x, and dy.
Value pinv_slope(Gradient& g, Value x, Value y, Value dy) {
  Value direct = mul_h(g, h_mul(g, y, dy), y);
  // (1 - x y) dy^H y y^H and y^H y dy^H (1 - y x).
  Value turned = adjoint(g, dy), right = mul_h(g, mul(g, turned, y), y), left = mul(g, h_mul(g, y, y), turned);
  Value outside = right - mul(g, mul(g, x, y), right), inside = left - mul(g, mul(g, left, y), x);
  return outside + inside - direct;
}

void pinv_gradient(Gradient& g) {
  if (g.shape_of(0).size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.key()));
  g.add(0, pinv_slope(g, unhalved(g, g.x_in_key(0)), unhalved(g, g.y()), unhalved(g, g.dy())));
}

void lstsq_shape(Inference& inference) {
  require_cut(inference, "rcond", inference.attrs<CutAttrs>().rcond);
  Shape a = matrix(inference, 0), b = inference.shape(1);
  require(b.rank() > 0, inference.who(), ": b is a scalar, expected a vector, a matrix or a batch of matrices");
  bool is_vector = b.rank() == 1;
  int64_t rows = is_vector ? b[0] : rows_of(b);
  require(rows == rows_of(a), inference.who(), ": a ", a, " and b ", b, " do not match: b's ",
          b.rank() > 2 ? "second-last" : "first", " axis (", rows, ") must equal a's ",
          a.rank() > 2 ? "second-last" : "first", " (", rows_of(a), ")");
  Shape out = batch_of(a);
  if (!is_vector) {
    require(broadcast(batch_of(a), batch_of(b), &out), inference.who(), ": the batch axes ", batch_of(a), " and ",
            batch_of(b), " do not broadcast");
  }
  out.push(columns_of(a));
  if (!is_vector) out.push(columns_of(b));
  inference.output(inference.key(), out);
}

// A vector as one column.
Value with_columns(Builder& c, Value b) {
  if (c.shape(b).rank() > 1) return b;
  return c.reshape(b, Shape{c.shape(b)[0], 1});
}

void compose_lstsq(Composition& c) {
  Value a = unhalved(c, c.x(0)), b = with_columns(c, unhalved(c, c.x(1)));
  if (c.shape(a).size() == 0) return c.give(0.0);
  Factors f = svd_of(c, a);
  Value rotated = h_mul(c, f.u, b);
  Value scaled = rotated * inverse_column(c, f.s, cut_of(c.attrs<CutAttrs>().rcond, c.shape(a), c.key()));
  Value x = h_mul(c, f.vh, scaled);
  c.give(c.reshape(x, c.output_shape()));
}

// Of x = y b with the pseudo-inverse y of a.
void lstsq_gradient(Gradient& g) {
  Value a = unhalved(g, g.x_in_key(0)), b = with_columns(g, unhalved(g, g.x_in_key(1)));
  if (g.shape(a).size() == 0) {
    g.add(0, g.fill(g.shape_of(0), 0, g.key()));
    return g.add(1, g.fill(g.shape_of(1), 0, g.key()));
  }
  Value dx = unhalved(g, g.dy());
  bool is_vector = g.shape_of(1).rank() == 1;
  if (is_vector) {
    Shape column = g.output_shape();
    column.push(1);
    dx = g.reshape(dx, column);
  }
  Value y = g.call("PseudoInverse", {a}, g.attrs<CutAttrs>());
  if (g.needs(1)) {
    Value db = h_mul(g, y, dx);
    Shape flat = g.shape(db);
    if (is_vector) {
      Shape vectors = batch_of(flat);
      vectors.push(rows_of(flat));
      db = g.reshape(db, vectors);
    }
    g.add(1, db);
  }
  if (g.needs(0)) g.add(0, pinv_slope(g, a, y, mul_h(g, dx, b)));
}

void rank_shape(Inference& inference) {
  require_cut(inference, "tol", inference.attrs<RankAttrs>().tol);
  inference.output(DType::Int64, batch_of(matrix(inference, 0)));
}

void compose_rank(Composition& c) {
  Value x = unhalved(c, c.x());
  if (c.shape(x).size() == 0) return c.give(0.0);
  Value s = svd_of(c, x).s;
  ReduceAttrs last;
  last.axis = single(-1);
  const Number& tol = c.attrs<RankAttrs>().tol;
  ReduceAttrs kept = last;
  kept.keepdims = true;
  Value above = tol.given() ? c.call("Greater", {s, tol.value.as_double()})
                            : c.call("Greater", {s, c.call("Max", {s}, kept) * usual_cut(c.shape(x), c.key())});
  c.give(c.call("Sum", {above}, last));
}

struct PowerAttrs {
  int64_t n = 1;
};

void power_shape(Inference& inference) {
  int64_t n = inference.attrs<PowerAttrs>().n;
  require(n >= -(int64_t{1} << 40) && n <= int64_t{1} << 40, inference.who(), ": n is ", n,
          ", expected a whole number within 2^40");
  square(inference, 0);
  same_as_first(inference);
}

// By squares, from the lowest bit of n on.
void compose_power(Composition& c) {
  int64_t n = c.attrs<PowerAttrs>().n;
  Value x = unhalved(c, c.x());
  Shape shape = c.shape(x);
  if (n == 0) return c.give(identity(c, rows_of(shape), c.dtype(x)));
  if (n < 0) {
    x = c.call("MatrixInverse", {x});
    n = -n;
  }
  Value result;
  for (bool is_started = false;; x = mul(c, x, x)) {
    if ((n & 1) != 0) {
      result = is_started ? mul(c, result, x) : x;
      is_started = true;
    }
    n >>= 1;
    if (n == 0) break;
  }
  c.give(result);
}

void cholesky_solve_shape(Inference& inference) {
  Shape l = square(inference, 0), b = inference.shape(1);
  require(b.rank() > 0, inference.who(), ": b is a scalar, expected a vector, a matrix or a batch of matrices");
  bool is_vector = b.rank() == 1;
  int64_t rows = is_vector ? b[0] : rows_of(b), n = rows_of(l);
  require(rows == n, inference.who(), ": l ", l, " and b ", b, " do not match: b's ",
          b.rank() > 2 ? "second-last" : "first", " axis (", rows, ") must equal l's last (", n, ")");
  Shape out = batch_of(l);
  if (is_vector) {
    out.push(n);
  } else {
    require(broadcast(batch_of(l), batch_of(b), &out), inference.who(), ": the batch axes ", batch_of(l), " and ",
            batch_of(b), " do not broadcast");
    out = with_matrix(out, n, columns_of(b));
  }
  inference.output(inference.key(), out);
}

void compose_cholesky_solve(Composition& c) {
  Value half = c.call("MatrixTriangularSolve", {c.x(0), c.x(1)}, TriangularAttrs{true, false});
  // A batch of vectors, as which the result of one vector comes back, is not told from a matrix.
  bool is_vector = c.shape(c.x(1)).rank() == 1;
  if (is_vector) {
    Shape column = c.output_shape();
    column.push(1);
    half = c.reshape(half, column);
  }
  Value x = c.call("MatrixTriangularSolve", {c.x(0), half}, TriangularAttrs{true, true});
  c.give(c.reshape(x, c.output_shape()));
}

struct MatrixNormAttrs {
  Number ord;
  bool nuclear = false;
  bool keepdims = false;
};

void matrix_norm_shape(Inference& inference) {
  const MatrixNormAttrs& attrs = inference.attrs<MatrixNormAttrs>();
  Shape x = matrix(inference, 0), out = batch_of(x);
  if (attrs.ord.given()) {
    double ord = std::fabs(attrs.ord.value.as_double());
    require(ord == 1 || ord == 2 || ord == std::numeric_limits<double>::infinity(), inference.who(), ": ord is ",
            attrs.ord.value.as_double(), ", expected 1, 2, inf or one of these negative");
    require(!attrs.nuclear, inference.who(), ": ord and nuclear are two norms, expected one of them");
    require(rows_of(x) > 0 && columns_of(x) > 0, inference.who(), ": x ", x, " has matrices without elements");
  }
  inference.output(real_dtype(inference.key()), attrs.keepdims ? with_matrix(out, 1, 1) : out);
}

// Of 1 and inf, the largest sum of a column or a row; of 2 the largest singular value; negative: the smallest.
void compose_norm(Composition& c) {
  const MatrixNormAttrs& attrs = c.attrs<MatrixNormAttrs>();
  Value x = unhalved(c, c.x());
  const int rank = c.shape(x).rank();
  ReduceAttrs last;
  last.axis = single(-1);
  Value result;
  if (attrs.ord.given()) {
    double ord = attrs.ord.value.as_double();
    Value sizes = std::fabs(ord) == 2 ? svd_of(c, x).s
                                      : c.sum(c.call("Abs", {x}), 1u << (std::fabs(ord) == 1 ? rank - 2 : rank - 1));
    result = c.call(ord > 0 ? "Max" : "Min", {sizes}, last);
  } else if (attrs.nuclear) {
    result = c.shape(x).size() == 0 ? Value(0.0) : c.call("Sum", {svd_of(c, x).s}, last);
  } else {
    NormAttrs frobenius;
    frobenius.axis.count = 2;
    frobenius.axis.is_list = true;
    frobenius.axis.v[0] = rank - 2;
    frobenius.axis.v[1] = rank - 1;
    result = c.call("Norm", {x}, frobenius);
  }
  if (!result.is_number()) result = c.reshape(result, c.output_shape());
  c.give(result);
}

}  // namespace

void define_matrix_functions_ops(OpRegistry& ops) {
  AttrTable cut = attrs<CutAttrs>(
      {attr("rcond", &CutAttrs::rcond, "singular values of at most this share of the largest count as 0")
           .otherwise("the larger of m and n times the dtype's epsilon")});
  ops.define({
      .name = "PseudoInverse",
      .lua_name = "pinv",
      .summary = "The Moore-Penrose pseudo-inverse of each matrix, by SVD.",
      .inputs = {{"x", kEveryNumber, "[..., m, n]"}},
      .attrs = cut,
      .output = "[..., n, m]; float32 for integers, else x's dtype. Computed on the CPU, like svd",
      .errors = "InvalidArgument if x has fewer than two axes or is bool, or for a negative rcond.",
      .source = "numpy.linalg.pinv, tf.linalg.pinv; gradient: Golub and Pereyra 1973",
      .example = "lutra.pinv{{2.0, 0.0}, {0.0, 0.0}}  --> {{0.5, 0.0}, {0.0, 0.0}}",
      .compute = Compute::Float,
      .shape = pinv_shape,
      .compose = compose_pinv,
      .gradient = pinv_gradient,
      .saves = kX0 | kY0,
  });
  ops.define({
      .name = "MatrixSolveLs",
      .lua_name = "lstsq",
      .summary = "The x for which a x is closest to b in squares, of several the one of least norm, by SVD.",
      .inputs = {{"a", kEveryNumber, "[..., m, n]"}, {"b", kEveryNumber, "[m] or [..., m, k]"}},
      .attrs = cut,
      .output = "[..., n] or [..., n, k]; float32 for integers, else the promoted dtype. Computed on the CPU, like svd",
      .errors = "InvalidArgument if a is no matrix, b does not match, both are bool, or for a negative rcond.",
      .source = "tf.linalg.lstsq, the first result of numpy.linalg.lstsq; gradient: Golub and Pereyra 1973",
      .example = "lutra.lstsq({{1.0, 0.0}, {1.0, 1.0}, {1.0, 2.0}}, {1.0, 3.0, 5.0})  --> {1.0, 2.0}",
      .compute = Compute::Float,
      .shape = lstsq_shape,
      .compose = compose_lstsq,
      .gradient = lstsq_gradient,
      .saves = kX0 | kX1,
  });
  ops.define({
      .name = "MatrixRank",
      .lua_name = "matrix_rank",
      .summary = "How many singular values of each matrix are above a limit.",
      .inputs = {{"x", kEveryNumber, "[..., m, n]"}},
      .attrs = attrs<RankAttrs>({attr("tol", &RankAttrs::tol, "the limit")
                                     .otherwise("the largest one, times the larger of m and n, times the dtype's "
                                                "epsilon")}),
      .output = "[...]; int64. Computed on the CPU, like svd",
      .errors = "InvalidArgument if x has fewer than two axes or is bool, or for a negative tol.",
      .source = "numpy.linalg.matrix_rank",
      .example = "lutra.matrix_rank{{1.0, 2.0}, {2.0, 4.0}}  --> 1",
      .compute = Compute::Float,
      .shape = rank_shape,
      .compose = compose_rank,
      .flags = kNoSlope,
  });
  ops.define({
      .name = "MatrixPower",
      .lua_name = "matrix_power",
      .summary = "The product of n copies of each matrix, of its inverse for negative n, the identity for 0.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .attrs = attrs<PowerAttrs>({attr("n", &PowerAttrs::n, "a whole number").required()}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is not square or is bool, or is singular and n negative.",
      .source = "numpy.linalg.matrix_power",
      .example = "lutra.matrix_power({{1.0, 1.0}, {0.0, 1.0}}, 5)  --> {{1.0, 5.0}, {0.0, 1.0}}",
      .compute = Compute::Float,
      .shape = power_shape,
      .compose = compose_power,
      .gpu = kFloats,
  });
  ops.define({
      .name = "CholeskySolve",
      .lua_name = "cholesky_solve",
      .summary = "The solution x of a x = b, where a = l l^H and l is its Cholesky factor, a lower triangle.",
      .inputs = {{"l", kEveryNumber, "[..., n, n]"}, {"b", kEveryNumber, "[n] or [..., n, k]"}},
      .output =
          "[..., n] or [..., n, k]; float32 for integers, else the promoted dtype. Computed on the CPU, like solve",
      .errors = "InvalidArgument if l is not square, b does not match, or both are bool.",
      .source = "tf.linalg.cholesky_solve, scipy.linalg.cho_solve",
      .example = "lutra.cholesky_solve({{2.0, 0.0}, {1.0, 2.0}}, {8.0, 9.0})  --> {1.375, 1.25}",
      .compute = Compute::Float,
      .shape = cholesky_solve_shape,
      .compose = compose_cholesky_solve,
  });
  ops.define({
      .name = "MatrixNorm",
      .lua_name = "matrix_norm",
      .summary = "A norm of each matrix: Frobenius' unless another is named. ord = 1: the largest sum of a column's "
                 "absolute values; inf: of a row's; 2: the largest singular value; the same negative: the smallest.",
      .inputs = {{"x", kEveryNumber, "[..., m, n]"}},
      .attrs = attrs<MatrixNormAttrs>(
          {attr("ord", &MatrixNormAttrs::ord, "1, 2, inf, -1, -2 or -inf").positional().otherwise("Frobenius' norm"),
           attr("nuclear", &MatrixNormAttrs::nuclear, "the sum of the singular values").otherwise("false"),
           attr("keepdims", &MatrixNormAttrs::keepdims, "leave two axes of size 1").otherwise("false")}),
      .output = "[...], real; float32 for integers, else x's dtype. Norms of singular values are computed on the CPU",
      .errors = "InvalidArgument if x has fewer than two axes or is bool, or for another ord.",
      .source = "numpy.linalg.norm with two axes, torch.linalg.matrix_norm",
      .example = "lutra.matrix_norm({{1.0, -2.0}, {3.0, 4.0}}, 1)  --> 6.0",
      .compute = Compute::Float,
      .shape = matrix_norm_shape,
      .compose = compose_norm,
      .gpu = kFloats,
  });
}

}  // namespace lutra
