// Eigenvalues and eigenvectors of any square matrix, which are complex. Gradients: Boeddeker et al., "On the
// computation of complex-valued gradients with application to statistically optimum beamforming" (2017).

#include "ops/matrices.h"

namespace lutra {
namespace {

using namespace matrices;

void eig_shape(Inference& inference) {
  Shape x = square(inference, 0), values = batch_of(x);
  values.push(rows_of(x));
  const DType dtype = is_complex(inference.key()) ? inference.key() : complex_dtype(inference.key());
  inference.output(dtype, values);
  if (inference.call().op->outputs > 1) inference.output(dtype, x);
}

// v^-H inner v^H
void add_around(Gradient& g, Value inner, Value v) {
  g.add(0, mul(g, adjoint(g, g.call("MatrixInverse", {v})), mul(g, inner, adjoint(g, v))));
}

// With e_ij = w_j - w_i: inner = (v^H dv - v^H v Re(diagonal of v^H dv)) / conj(e), and dw on the diagonal. Where
// eigenvalues are equal, nothing is said of their vectors.
void eig_gradient(Gradient& g) {
  if (g.shape_of(0).size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.dtype_of(0)));
  Value w = g.y(0), v = g.y(1), eye = identity(g, rows_of(g.shape_of(0)), g.dtype(w));
  Value inner = eye * as_row(g, g.dy(0));
  if (g.has_dy(1)) {
    const int rank = g.shape(v).rank();
    Value slopes = mul(g, adjoint(g, v), g.dy(1));
    Value lengths = g.call("Real", {g.sum(slopes * eye, 1u << (rank - 2), true)});
    Value apart = reciprocal_or_zero(g, conj(g, as_row(g, w) - g.as_column(w)));
    inner = inner + (slopes - mul(g, adjoint(g, v), v) * lengths) * apart;
  }
  add_around(g, inner, v);
}

void eigvals_gradient(Gradient& g) {
  if (g.shape_of(0).size() == 0) return g.add(0, g.fill(g.shape_of(0), 0, g.dtype_of(0)));
  Value found[2];
  g.call_all("Eig", {g.x_in_key(0)}, found);
  // Both ops find the eigenvalues in the same order.
  add_around(g, identity(g, rows_of(g.shape_of(0)), g.dtype(found[1])) * as_row(g, g.dy(0)), found[1]);
}

constexpr const char* kEigErrors =
    "InvalidArgument if x is not square or is bool; in the gradient, if x has no full set of eigenvectors.";

}  // namespace

void define_eig_ops(OpRegistry& ops) {
  ops.define({
      .name = "Eig",
      .lua_name = "eig",
      .summary = "The eigenvalues w of each matrix, in no particular order, and its eigenvectors: the columns of v, of "
                 "length 1. "
                 "The vectors' phases are arbitrary: a loss must not depend on them. lutra.eigh is for symmetric "
                 "matrices. All "
                 "nan if an element is not finite.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output =
          "w [..., n], v [..., n, n]; complex128 of float64 and complex128, else complex64. Computed on the CPU, in "
          "float64",
      .errors = kEigErrors,
      .source = "numpy.linalg.eig; gradient: Boeddeker et al. 2017",
      .example = "lutra.eig{{0.0, -1.0}, {1.0, 0.0}}  --> {{0.0, 1.0}, {0.0, -1.0}}",
      .outputs = 2,
      .compute = Compute::Float,
      .shape = eig_shape,
      .gradient = eig_gradient,
      .saves = kY0 | kY1,
      .cost = factorise_cost<25>,
  });
  ops.define({
      .name = "Eigvals",
      .lua_name = "eigvals",
      .summary = "The eigenvalues of each matrix, in no particular order. All nan if an element is not finite.",
      .inputs = {{"x", kEveryNumber, "[..., n, n]"}},
      .output = "[..., n]; complex128 of float64 and complex128, else complex64. Computed on the CPU, in float64",
      .errors = kEigErrors,
      .source = "numpy.linalg.eigvals",
      .example = "lutra.eigvals{{0.0, -1.0}, {1.0, 0.0}}  --> {{0.0, 1.0}, {0.0, -1.0}}",
      .compute = Compute::Float,
      .shape = eig_shape,
      .gradient = eigvals_gradient,
      .saves = kX0,
      .cost = factorise_cost<10>,
  });
}

}  // namespace lutra
