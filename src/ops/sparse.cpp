// Products of sparse matrices, which are lists of elements: their values, rows and columns.

#include "ops/sparse.h"

#include "ops/cost.h"
#include "ops/fault.h"
#include "ops/gradient.h"
#include "ops/kernel.h"

namespace lutra {
namespace {

void require_elements(const Inference& inference, int rows, int columns, int64_t count) {
  for (int input : {rows, columns}) {
    Shape shape = inference.shape(input);
    require(shape.rank() == 1 && (count < 0 || shape[0] == count), inference.who(), ": ",
            inference.call().op->input(input).name, " has the shape ", shape, ", expected ",
            count < 0 ? std::string("a vector") : text("(", count, ",), a number for each of the values"));
  }
}

void product_shape(Inference& inference) {
  Shape values = inference.shape(0), b = inference.shape(3), out;
  require(values.rank() == 1, inference.who(), ": values has the shape ", values, ", expected a vector");
  require_elements(inference, 1, 2, values[0]);
  require(b.rank() == 1 || b.rank() == 2, inference.who(), ": b has the shape ", b, ", expected a vector or a matrix");
  int64_t size = inference.attrs<SparseAttrs>().size;
  require(size >= 0, inference.who(), ": size is ", size, ", expected 0 or more");
  out.push(size);
  if (b.rank() == 2) out.push(b[1]);
  inference.output(inference.key(), out);
}

void sampled_shape(Inference& inference) { inference.output(inference.key(), inference.shape(2)); }

int64_t row_size(const Array& matrix) { return matrix.rank == 1 ? 1 : matrix.dims[1]; }

Cost cost_of_elements(const KernelArgs& args, int64_t count, int64_t width) {
  Cost cost = elements_cost<0>(args);
  cost.flops = 2 * static_cast<double>(count) * static_cast<double>(width);
  return cost;
}
Cost product_cost(const KernelArgs& args) { return cost_of_elements(args, args.in[0].size, row_size(args.in[3])); }
Cost sampled_cost(const KernelArgs& args) { return cost_of_elements(args, args.out[0].size, row_size(args.in[0])); }

SparseAttrs with_size(Gradient& g, int64_t size) {
  SparseAttrs attrs = g.attrs<SparseAttrs>();
  attrs.size = size;
  return attrs;
}

// Of the values: the elements of dy b^T at their places. Of b: the transposed matrix times dy.
void product_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.call("SparseSampledProduct", {g.dy(), g.x(3), g.x(1), g.x(2)}, g.attrs<SparseAttrs>()));
  if (!g.needs(3)) return;
  Value values = g.cast(g.x(0), g.key());
  g.add(3, g.call("SparseTensorDenseMatMul", {values, g.x(2), g.x(1), g.dy()}, with_size(g, g.shape_of(3)[0])));
}

void sampled_gradient(Gradient& g) {
  auto of = [&](int input, int other, int rows, int columns) {
    if (!g.needs(input)) return;
    g.add(input, g.call("SparseTensorDenseMatMul", {g.dy(), g.x(rows), g.x(columns), g.cast(g.x(other), g.key())},
                        with_size(g, g.shape_of(input)[0])));
  };
  of(0, 1, 2, 3);
  of(1, 0, 3, 2);
}

// Rows and columns never count from the end.
Error wrong_place(const char* op, const Fault& fault) {
  if (fault.limit < 0) return Error(ErrorCode::InvalidArgument, text(op, ": index 0; rows and columns count from 1"));
  return Error(ErrorCode::OutOfRange, text(op, ": index ", fault.value, " is not there: expected 1 to ", fault.limit));
}

}  // namespace

void define_sparse_ops(OpRegistry& ops) {
  ops.define({
      .name = "SparseTensorDenseMatMul",
      .lua_name = "coo_matmul",
      .summary = "The product of a sparse matrix, given by its elements, and a dense matrix or vector. Elements of one "
                 "place add up. Fastest if rows are sorted. lutra.sparse has such matrices as values.",
      .inputs = {{"values", kNumbers, "[n]"},
                 {"rows", kInts, "[n], from 1 on", kOwnDType},
                 {"columns", kInts, "[n], from 1 on", kOwnDType},
                 {"b", kNumbers, "[columns of the sparse matrix, m] or [columns]"}},
      .attrs =
          attrs<SparseAttrs>({attr("size", &SparseAttrs::size, "the number of rows of the sparse matrix").required(),
                              attr("index_base", &SparseAttrs::base, "what the first index is")}),
      .output = "[size, m] or [size]; float32 for integers, else the promoted dtype",
      .errors = "InvalidArgument for shapes that do not match, a negative size, the index 0, or if both are bool; "
                "OutOfRange for a row past size or a column past b's rows.",
      .source = "tf.sparse.sparse_dense_matmul, scipy.sparse.coo_array",
      .example = "lutra.coo_matmul({2.0, 3.0}, {1, 2}, {2, 2}, {10.0, 1.0}, 2)  --> {2.0, 3.0}",
      .compute = Compute::Float,
      .shape = product_shape,
      .gradient = product_gradient,
      .saves = kAllX,
      .fault = wrong_place,
      .cost = product_cost,
      .flags = kNoMethod,
  });
  ops.define({
      .name = "SparseSampledProduct",
      .summary =
          "The elements of a b^T at places (row, column): the gradient of SparseTensorDenseMatMul by its values.",
      .inputs = {{"a", kFloats, "[rows, m] or [rows]"},
                 {"b", kFloats, "[columns, m] or [columns]"},
                 {"rows", kInts, "[n]", kOwnDType},
                 {"columns", kInts, "[n]", kOwnDType}},
      .attrs = inner_attrs<SparseAttrs>(),
      .output = "[n]; the promoted dtype",
      .source = "torch.sparse.sampled_addmm",
      .shape = sampled_shape,
      .gradient = sampled_gradient,
      .saves = kAllX,
      .cost = sampled_cost,
      .flags = kHidden,
  });
}

}  // namespace lutra
