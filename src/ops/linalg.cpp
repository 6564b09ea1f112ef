// Ops on matrices that only move elements, and products other than matmul. The matrix product is in matmul.cpp, einsum
// in einsum.cpp, factorisations in factorise.cpp.

#include "ops/linalg.h"

#include <string>

#include "ops/create.h"
#include "ops/einsum.h"
#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void require_matrix(const Inference& inference, const Shape& x) {
  require(x.rank() >= 2, inference.who(), ": x ", x, " has ", x.rank(), x.rank() == 1 ? " axis" : " axes",
          ", expected a matrix or a batch of matrices");
}

void triangle_shape(Inference& inference) {
  require_matrix(inference, inference.shape(0));
  same_as_first(inference);
}

void trace_shape(Inference& inference) {
  Shape x = inference.shape(0);
  require_matrix(inference, x);
  Shape out(x.dims().first(static_cast<std::size_t>(x.rank() - 2)));
  inference.output(is_inexact(inference.key()) ? inference.key() : DType::Int64, out);
}

void trace_gradient(Gradient& g) {
  Shape x = g.shape_of(0), dy = g.output_shape();
  int64_t rows = x[x.rank() - 2], columns = x[x.rank() - 1];
  dy.push(1);
  dy.push(1);
  EyeAttrs eye{rows, {Scalar::of(columns)}, g.key()};
  g.add(0, g.reshape(g.dy(), dy) * g.call("Eye", {}, eye));
}

// k limited to avoid overflow; a k outside the matrix stays outside.
int64_t within(int64_t k, int64_t size) { return k > size ? size : k < -size ? -size : k; }

void diag_shape(Inference& inference) {
  Shape x = inference.shape(0);
  int64_t k = inference.attrs<DiagonalAttrs>().k;
  require(x.rank() == 1 || x.rank() == 2, inference.who(), ": x ", x, " has ", x.rank(),
          " axes, expected a vector, to make a matrix of, or a matrix, to take the diagonal of");
  if (x.rank() == 2) return inference.output(inference.key(), Shape{diagonal_of(x[0], x[1], k).length});
  int64_t side;
  require(k != INT64_MIN && !__builtin_add_overflow(x[0], k < 0 ? -k : k, &side), inference.who(), ": k is ", k,
          ", and the matrix would be larger than memory");
  inference.output(inference.key(), Shape{side, side});
}

void diag_gradient(Gradient& g) {
  Shape x = g.shape_of(0);
  int64_t k = g.attrs<DiagonalAttrs>().k;
  if (x.rank() == 1) g.add(0, g.call("Diag", {g.dy()}, DiagonalAttrs{k}));
  else g.add(0, g.call("DiagGrad", {g.dy()}, DiagonalOfAttrs{within(k, x[0] + x[1]), x[0], x[1]}));
}

void diag_grad_shape(Inference& inference) {
  const DiagonalOfAttrs& attrs = inference.attrs<DiagonalOfAttrs>();
  inference.output(inference.key(), Shape{attrs.rows, attrs.columns});
}

void refuse_bool(const Inference& inference) {
  for (int i = 0; i < 2; ++i) {
    const char* name = inference.call().op->inputs[static_cast<std::size_t>(i)].name;
    require(inference.dtype(i) != DType::Bool, inference.who(), ": ", name,
            " is bool, expected a number; cast it first: ", name, ":cast(\"int32\")");
  }
}

void dot_shape(Inference& inference) {
  refuse_bool(inference);
  Shape a = inference.shape(0), b = inference.shape(1), out;
  if (a.rank() > 0 && b.rank() > 0) {
    int inner = b.rank() > 1 ? b.rank() - 2 : 0;
    require(a[a.rank() - 1] == b[inner], inference.who(), ": a ", a, " and b ", b, " do not match: a's last axis (",
            a[a.rank() - 1], ") must equal b's ", b.rank() > 2 ? "second-last" : "first", " (", b[inner], ")");
    require(a.rank() + b.rank() - 2 <= kMaxRank, inference.who(), ": a ", a, " and b ", b, " would give ",
            a.rank() + b.rank() - 2, " axes, and there can be no more than ", kMaxRank);
  }
  DotLetters letters(a.rank(), b.rank());
  for (int i = 0; i < a.rank() - (letters.joins ? 1 : 0); ++i) out.push(a[i]);
  for (int i = 0; i < b.rank(); ++i) {
    if (!letters.joins || i != letters.joined_of_b) out.push(b[i]);
  }
  inference.output(inference.key(), out);
}

Value einsum(Gradient& g, const std::string& spec, Value a, Value b) {
  EinsumAttrs attrs;
  attrs.spec.assign(spec);
  return g.call("Einsum", {a, b}, attrs);
}

void dot_gradient(Gradient& g) {
  for (int side : {0, 1}) {
    if (g.x(1 - side).is_number()) return g.add(side, g.dy() * conj(g, g.x(1 - side)));
  }
  DotLetters letters(g.shape_of(0).rank(), g.shape_of(1).rank());
  if (g.needs(0)) g.add(0, einsum(g, letters.out + "," + letters.b + "->" + letters.a, g.dy(), conj(g, g.x(1))));
  if (g.needs(1)) g.add(1, einsum(g, letters.a + "," + letters.out + "->" + letters.b, conj(g, g.x(0)), g.dy()));
}

void outer_shape(Inference& inference) {
  inference.output(inference.key(), Shape{inference.shape(0).size(), inference.shape(1).size()});
}

void outer_gradient(Gradient& g) {
  for (int side : {0, 1}) {
    if (g.x(1 - side).is_number()) return g.add(side, g.reshape(g.dy() * conj(g, g.x(1 - side)), g.shape_of(side)));
  }
  Shape a = g.shape_of(0), b = g.shape_of(1);
  if (g.needs(0))
    g.add(0, g.reshape(g.call("MatMul", {g.dy(), g.reshape(conj(g, g.x_in_key(1)), Shape{b.size()})}), a));
  if (g.needs(1))
    g.add(1, g.reshape(g.call("MatMul", {g.reshape(conj(g, g.x_in_key(0)), Shape{a.size()}), g.dy()}), b));
}

// Every element of the result is a sum of as many products as the summed axis is long.
Cost dot_cost(const KernelArgs& args) {
  const Array& a = args.in[0];
  double depth = a.rank > 0 && args.in[1].rank > 0 ? static_cast<double>(a.dims[a.rank - 1]) : 1;
  double elements = static_cast<double>(a.size + args.in[1].size + args.out[0].size);
  return {.flops = 2.0 * static_cast<double>(args.out[0].size) * depth,
          .bytes = elements * static_cast<double>(size_of(args.out[0].dtype))};
}

AttrTable diagonal_attrs(const char* summary) {
  return attrs<DiagonalAttrs>({attr("k", &DiagonalAttrs::k, summary).positional().otherwise("0")});
}

void define_triangle(OpRegistry& ops, const char* name, const char* lua_name, const char* summary, const char* source,
                     const char* example) {
  ops.define({
      .name = name,
      .lua_name = lua_name,
      .summary = summary,
      .inputs = {{"x", kEveryDType, "[..., m, n]"}},
      .attrs = diagonal_attrs("the last diagonal that is kept: 0 the main one, positive above it, negative below"),
      .output = "x's shape and dtype",
      .errors = "InvalidArgument if x has fewer than two axes.",
      .source = source,
      .example = example,
      .shape = triangle_shape,
      .gradient = [](Gradient& g) { g.add(0, g.call(g.op().name, {g.dy()}, g.attrs<DiagonalAttrs>())); },
      .gpu = kAnyDType,
  });
}

}  // namespace

DotLetters::DotLetters(int rank_a, int rank_b) {
  joins = rank_a > 0 && rank_b > 0;
  joined_of_b = rank_b > 1 ? rank_b - 2 : 0;
  char next = 'a';
  for (int i = 0; i < rank_a; ++i) a += next++;
  for (int i = 0; i < rank_b; ++i) b += joins && i == joined_of_b ? a.back() : next++;
  out = a.substr(0, a.size() - (joins ? 1 : 0));
  for (int i = 0; i < rank_b; ++i) {
    if (!joins || i != joined_of_b) out += b[static_cast<std::size_t>(i)];
  }
}

void define_linalg_ops(OpRegistry& ops) {
  ops.define({
      .name = "Dot",
      .lua_name = "dot",
      .summary = "The sum of products over a's last axis and b's first (second-last if b has more than one axis): for "
                 "vectors the inner product, for matrices their product. A scalar multiplies every element.",
      .inputs = {{"a", kEveryNumber, "[..., k], [k] or a scalar", kNumber},
                 {"b", kEveryNumber, "[..., k, n], [k] or a scalar", kNumber}},
      .output = "a's other axes, then b's; the promoted dtype, in which integers wrap",
      .errors =
          "InvalidArgument if the summed sizes differ, the result would have a ninth axis, or an operand is bool.",
      .source = "numpy.dot",
      .example = "lutra.dot({1, 2, 3}, {4, 5, 6})  --> 32",
      .shape = dot_shape,
      .gradient = dot_gradient,
      .saves = kX0 | kX1,
      .cost = dot_cost,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Outer",
      .lua_name = "outer",
      .summary = "Every element of a times every element of b. Both are flattened.",
      .inputs = {{"a", kEveryNumber, "any shape", kNumber}, {"b", kEveryNumber, "any shape", kNumber}},
      .output = "(a's elements, b's elements); the promoted dtype, in which integers wrap",
      .errors = "InvalidArgument if both are bool.",
      .source = "numpy.outer",
      .example = "lutra.outer({1, 2}, {3, 4})  --> {{3, 4}, {6, 8}}",
      .shape = outer_shape,
      .gradient = outer_gradient,
      .saves = kX0 | kX1,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Trace",
      .lua_name = "trace",
      .summary = "The sum of the main diagonal of each matrix; 0 if there are no elements.",
      .inputs = {{"x", kEveryDType, "[..., m, n]"}},
      .output = "x's shape without the last two axes; int64 for integers and bool, else x's dtype",
      .errors = "InvalidArgument if x has fewer than two axes.",
      .source = "tf.linalg.trace; the dtype is sum's",
      .example = "lutra.trace({{1, 2}, {3, 4}})  --> 5",
      .shape = trace_shape,
      .gradient = trace_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "Diag",
      .lua_name = "diag",
      .summary =
          "For a vector: the square matrix with it on a diagonal and zeros elsewhere. For a matrix: that diagonal.",
      .inputs = {{"x", kEveryDType, "[n] or [m, n]"}},
      .attrs = diagonal_attrs("which diagonal: 0 the main one, positive above it, negative below"),
      .output = "a matrix of n + |k| rows and columns, or a vector as long as the diagonal; x's dtype",
      .errors = "InvalidArgument if x has neither one nor two axes.",
      .source = "numpy.diag",
      .example = "lutra.diag({{1, 2}, {3, 4}})  --> {1, 4}",
      .shape = diag_shape,
      .gradient = diag_gradient,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "DiagGrad",
      .summary = "A matrix of the given size with the vector on its k-th diagonal and zeros elsewhere.",
      .inputs = {{"x", kInexact, "[n]"}},
      .attrs = attrs<DiagonalOfAttrs>({attr("k", &DiagonalOfAttrs::k, "which diagonal"),
                                       attr("rows", &DiagonalOfAttrs::rows, "of the matrix"),
                                       attr("columns", &DiagonalOfAttrs::columns, "of the matrix")}),
      .output = "[rows, columns]; x's dtype",
      .shape = diag_grad_shape,
      .gradient = [](Gradient& g) { g.add(0, g.call("Diag", {g.dy()}, DiagonalAttrs{g.attrs<DiagonalOfAttrs>().k})); },
      .gpu = kFloats,
      .flags = kHidden,
  });
  define_triangle(ops, "Triu", "triu", "The upper triangle of each matrix: zeros below the k-th diagonal.",
                  "numpy.triu", "lutra.triu({{1, 2}, {3, 4}})  --> {{1, 2}, {0, 4}}");
  define_triangle(ops, "Tril", "tril", "The lower triangle of each matrix: zeros above the k-th diagonal.",
                  "numpy.tril", "lutra.tril({{1, 2}, {3, 4}})  --> {{1, 0}, {3, 4}}");
}

}  // namespace lutra
