// What the entries of ops on matrices share: checks of shapes, costs, and steps of gradient rules.
#pragma once

#include <algorithm>
#include <string>

#include "ops/create.h"
#include "ops/factorise.h"
#include "ops/gradient.h"
#include "ops/kernel.h"
#include "ops/linalg.h"
#include "ops/matmul.h"
#include "ops/reduce.h"
#include "ops/slice.h"

namespace lutra::matrices {

inline constexpr const char* kMatrix = "expected a matrix or a batch of matrices";

inline int64_t rows_of(const Shape& x) { return x[x.rank() - 2]; }
inline int64_t columns_of(const Shape& x) { return x[x.rank() - 1]; }
inline Shape batch_of(const Shape& x) { return Shape(x.dims().first(static_cast<std::size_t>(x.rank() - 2))); }
inline Shape with_matrix(Shape batch, int64_t rows, int64_t columns) {
  batch.push(rows);
  batch.push(columns);
  return batch;
}

inline Shape matrix(const Inference& inference, int input) {
  Shape x = inference.shape(input);
  require(x.rank() >= 2, inference.who(), ": ", inference.call().op->input(input).name, " ", x, " has ", x.rank(),
          x.rank() == 1 ? " axis, " : " axes, ", kMatrix);
  return x;
}

inline Shape square(const Inference& inference, int input) {
  Shape x = matrix(inference, input);
  require(rows_of(x) == columns_of(x), inference.who(), ": ", inference.call().op->input(input).name, " ", x,
          " is not square: its last two axes must be equal");
  return x;
}

// kFactor * rows * columns * min(rows, columns) flops for each matrix.
template <int kFactor> Cost factorise_cost(const KernelArgs& args) {
  const Array& x = args.in[0];
  double rows = static_cast<double>(x.dims[x.rank - 2]), columns = static_cast<double>(x.dims[x.rank - 1]);
  double bytes = 0;
  for (int i = 0; i < args.n_in; ++i) bytes += static_cast<double>(args.in[i].size);
  for (int i = 0; i < args.n_out; ++i) bytes += static_cast<double>(args.out[i].size);
  return {.flops = kFactor * static_cast<double>(x.size) * std::min(rows, columns),
          .bytes = bytes * static_cast<double>(size_of(args.out[0].dtype))};
}

// Short names for the rules below. t: transposed; h: the adjoint, which is transposed and conjugate.
inline Value mul(Builder& g, Value a, Value b) { return g.call("MatMul", {a, b}, MatMulAttrs{false, false}); }
inline Value mul_t(Builder& g, Value a, Value b) { return g.call("MatMul", {a, b}, MatMulAttrs{false, true}); }
inline Value mul_h(Builder& g, Value a, Value b) { return mul_t(g, a, conj(g, b)); }
inline Value h_mul(Builder& g, Value a, Value b) { return g.call("MatMul", {conj(g, a), b}, MatMulAttrs{true, false}); }
inline Value adjoint(Builder& g, Value x) { return g.transpose(conj(g, x)); }
inline Value tril(Builder& g, Value x, int64_t k) { return g.call("Tril", {x}, DiagonalAttrs{k}); }
// t^-1 b, or t^-H b.
inline Value solve_with(Builder& g, Value t, Value b, bool lower, bool adjoint) {
  return g.call("MatrixTriangularSolve", {t, b}, TriangularAttrs{lower, adjoint});
}

// b (n,) as a column; a result of vectors (..., n) as (..., n, 1).
inline Value as_columns(Builder& g, Value x, bool is_vector) {
  if (!is_vector) return x;
  Shape shape = g.shape(x);
  shape.push(1);
  return g.reshape(x, shape);
}

// The columns [first, end) of matrices.
inline Value columns(Builder& g, Value x, int64_t first, int64_t end) {
  return g.call("StridedSlice", {x}, range_along(g.shape(x).rank() - 1, first, end - 1));
}

inline Value identity(Builder& g, int64_t n, DType dtype) { return g.call("Eye", {}, EyeAttrs{n, {}, dtype}); }

// 1 / x, and 0 where x is 0.
inline Value reciprocal_or_zero(Builder& g, Value x) {
  Value is_zero = g.cast(g.call("Equal", {x, 0.0}), g.dtype(x));
  return (1.0 - is_zero) / (x + is_zero);
}

// s (..., k) as (..., 1, k).
inline Value as_row(Builder& g, Value s) {
  Shape shape = g.shape(s);
  int64_t k = shape[shape.rank() - 1];
  shape[shape.rank() - 1] = 1;
  shape.push(k);
  return g.reshape(s, shape);
}

// Fault::value: which matrix of the batch, from 1 on; limit: how many there are.
inline Error wrong_matrix(const char* op, const Fault& fault, const char* what) {
  std::string which = fault.limit > 1 ? text("matrix ", fault.value, " of the batch of ", fault.limit) : "the matrix";
  return Error(ErrorCode::InvalidArgument, text(op, ": ", which, " ", what));
}
inline Error singular(const char* op, const Fault& fault) { return wrong_matrix(op, fault, "is singular"); }

// For all of them: factorisations run on the CPU.
inline constexpr const char* kOutput =
    "x's shape; float32 for integers, else x's dtype. Computed on the CPU, in float64; large matrices of float32 in "
    "float32 where OpenBLAS is installed";

}  // namespace lutra::matrices
