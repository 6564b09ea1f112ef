// The matrix product as NumPy defines it: operands may be vectors, and axes before the last two are a batch that
// broadcasts.

#include "ops/matmul.h"

#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

const char* place_of_inner(int rank, bool is_last) {
  if (is_last) return "last";
  return rank > 2 ? "second-last" : "first";
}

void check_operand(const Inference& inference, int input) {
  const char* name = inference.call().op->inputs[static_cast<std::size_t>(input)].name;
  require(inference.dtype(input) != DType::Bool, inference.who(), ": ", name,
          " is bool, expected a number; cast it first: ", name, ":cast(\"int32\")");
  require(inference.shape(input).rank() > 0, inference.who(), ": ", name,
          " is a scalar, expected a vector, a matrix or a batch of matrices; a * b multiplies by a number");
}

// The batch axes of an operand.
Shape batch_of(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<std::size_t>(std::max(0, shape.rank() - 2))));
}

[[noreturn, gnu::cold]] void fail_inner(const Inference& inference, const MatMulSizes& sizes) {
  Shape a = inference.shape(0), b = inference.shape(1);
  const char* with = sizes.transpose_a && sizes.transpose_b ? " with transpose_a and transpose_b"
                     : sizes.transpose_a                    ? " with transpose_a"
                     : sizes.transpose_b                    ? " with transpose_b"
                                                            : "";
  fail(ErrorCode::InvalidArgument, inference.who(), ": a ", a, " and b ", b, " do not match", with, ": a's ",
       place_of_inner(a.rank(), !sizes.transpose_a), " axis (", sizes.k, ") must equal b's ",
       place_of_inner(b.rank(), sizes.transpose_b), " (", sizes.k_of_b, ")");
}

void matmul_shape(Inference& inference) {
  check_operand(inference, 0);
  check_operand(inference, 1);
  Shape a = inference.shape(0), b = inference.shape(1);
  MatMulSizes sizes = matmul_sizes(inference.attrs<MatMulAttrs>(), a.data(), a.rank(), b.data(), b.rank());
  if (sizes.k != sizes.k_of_b) fail_inner(inference, sizes);
  Shape out;
  if (a.rank() > 2 || b.rank() > 2) {
    require(broadcast(batch_of(a), batch_of(b), &out), inference.who(), ": a ", a, " and b ", b,
            " do not match: the batch axes ", batch_of(a), " and ", batch_of(b),
            " do not broadcast: sizes of an axis must be equal or 1");
  }
  if (a.rank() > 1) out.push(sizes.m);
  if (b.rank() > 1) out.push(sizes.n);
  inference.output(inference.key(), out);
}

Cost matmul_cost(const KernelArgs& args) {
  const Array& a = args.in[0];
  const Array& b = args.in[1];
  MatMulSizes sizes = matmul_sizes(args.as<MatMulAttrs>(), a.dims, a.rank, b.dims, b.rank);
  double elements = static_cast<double>(a.size) + static_cast<double>(b.size) + static_cast<double>(args.out[0].size);
  return {.flops = 2.0 * static_cast<double>(args.out[0].size) * static_cast<double>(sizes.k),
          .bytes = elements * static_cast<double>(size_of(args.out[0].dtype))};
}

Value product(Gradient& g, Value a, bool transpose_a, Value b, bool transpose_b) {
  return g.call("MatMul", {a, b}, MatMulAttrs{transpose_a, transpose_b});
}

void matmul_gradient(Gradient& g) {
  const MatMulAttrs& attrs = g.attrs<MatMulAttrs>();
  Shape a_shape = g.shape_of(0), b_shape = g.shape_of(1);
  // Vectors count as a row and a column; the transpose options do not apply to them.
  bool ta = attrs.transpose_a && a_shape.rank() > 1, tb = attrs.transpose_b && b_shape.rank() > 1;
  Shape y = g.output_shape();
  Shape a_matrix = a_shape, b_matrix = b_shape;
  if (a_shape.rank() == 1) {
    a_matrix = Shape{1, a_shape[0]};
    int64_t n = b_shape.rank() > 1 ? y[y.rank() - 1] : 1;
    if (b_shape.rank() > 1) y[y.rank() - 1] = 1;
    else y.push(1);
    y.push(n);
  } else if (b_shape.rank() == 1) {
    y.push(1);
  }
  if (b_shape.rank() == 1) b_matrix = Shape{b_shape[0], 1};
  Value dy = g.reshape(g.dy(), y);
  if (g.needs(0)) {
    Value da;
    if (!ta && !tb && b_shape.rank() == 2 && !is_complex(g.key())) {
      da = g.times_transposed(dy, 1);
    } else {
      Value b = g.reshape(conj(g, g.x(1)), b_matrix);
      da = ta ? product(g, b, tb, dy, true) : product(g, dy, false, b, !tb);
    }
    g.add(0, a_shape.rank() == 1 ? g.reshape(g.sum_leading(da, 2), a_shape) : da);
  }
  if (g.needs(1)) {
    Value a = g.reshape(conj(g, g.x(0)), a_matrix);
    // A batch times one matrix: one product over all rows.
    bool flat = b_matrix.rank() == 2 && a_matrix.rank() > 2 && !ta;
    if (flat) {
      a = g.as_matrix(a);
      dy = g.as_matrix(dy);
    }
    if (!ta && b_shape.rank() == 2) return tb ? g.add_product(1, dy, a) : g.add_product(1, a, dy);
    Value db = tb ? product(g, dy, true, a, ta) : product(g, a, !ta, dy, false);
    g.add(1, b_shape.rank() == 1 ? g.reshape(g.sum_leading(db, 2), b_shape) : db);
  }
}

}  // namespace

const char* matmul_logged(const Call& call) {
  for (int i = 0; i < call.n_in; ++i) {
    if (call.in[i].tensor != nullptr && call.in[i].tensor->rank > 2) return "BatchMatMulV2";
  }
  return "MatMul";
}

void define_matmul_ops(OpRegistry& ops) {
  ops.define({
      .name = "MatMul",
      .lua_name = "matmul",
      .logged_as = matmul_logged,
      .summary =
          "The matrix product. A vector counts as a row on the left and as a column on the right; the result does "
          "not have its axis. Axes before the last two are a batch and broadcast.",
      .inputs = {{"a", kEveryNumber, "[..., m, k] or [k]"}, {"b", kEveryNumber, "[..., k, n] or [k]"}},
      .attrs = attrs<MatMulAttrs>(
          {attr("transpose_a", &MatMulAttrs::transpose_a, "multiply by a's transpose; a vector stays as it is")
               .otherwise("false"),
           attr("transpose_b", &MatMulAttrs::transpose_b, "multiply by b's transpose; a vector stays as it is")
               .otherwise("false")}),
      .output = "[..., m, n]; the promoted dtype, in which integers wrap; float16 and bfloat16 are summed in float32",
      .errors =
          "InvalidArgument if the inner sizes differ, the batch axes do not broadcast, or an operand is a scalar or "
          "bool.",
      .source = "numpy.matmul; transpose_a and transpose_b as in tf.linalg.matmul",
      .example = "lutra.matmul({{1, 2, 3}, {4, 5, 6}}, {{1, 2}, {3, 4}, {5, 6}})  --> {{22, 28}, {49, 64}}",
      .shape = matmul_shape,
      .gradient = matmul_gradient,
      .saves = kX0 | kX1,
      .cost = matmul_cost,
      .gpu = kNumbers,
  });
}

}  // namespace lutra
