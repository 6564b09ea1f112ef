// The ops of basic layers: bias, linear maps, dropout, lookups by number.

#include "ops/layers.h"
#include "ops/cost.h"
#include "ops/gradient.h"
#include "ops/index.h"
#include "ops/matmul.h"

namespace lutra {
namespace {

void bias_add_shape(Inference& inference) {
  require_vectors(inference, 1, 1);
  same_as_first(inference);
}

void bias_add_gradient(Gradient& g) {
  g.add(0, g.dy());
  if (g.needs(1)) g.add(1, g.sum_leading(g.dy(), 1));
}

void linear_shape(Inference& inference) {
  Shape x = inference.shape(0), w = inference.shape(1), b = inference.shape(2);
  require(x.rank() > 0, inference.who(), ": x is a scalar, expected rows of numbers");
  require(w.rank() == 2, inference.who(), ": w has the shape ", w, ", expected a matrix (in, out)");
  require(x[x.rank() - 1] == w[0], inference.who(), ": x ", x, " and w ", w, " do not match: x's last axis (",
          x[x.rank() - 1], ") must equal w's first (", w[0], ")");
  require(b == Shape{w[1]}, inference.who(), ": b ", b, " does not fit w ", w, ": expected ", Shape{w[1]},
          ", as long as w's last axis");
  x[x.rank() - 1] = w[1];
  inference.output(inference.key(), x);
}

Cost linear_cost(const KernelArgs& args) {
  Cost cost = elements_cost<0>(args);
  cost.flops = static_cast<double>(args.out[0].size) * (2 * static_cast<double>(args.in[1].dims[0]) + 1);
  return cost;
}

void linear_gradient(Gradient& g) {
  if (g.needs(0)) g.add(0, g.times_transposed(g.dy(), 1));
  if (g.needs(1)) g.add_product(1, g.as_matrix(g.x_in_key(0)), g.as_matrix(g.dy()));
  if (g.needs(2)) g.add(2, g.sum_leading(g.dy(), 1));
}

void dropout_shape(Inference& inference) {
  double rate = inference.attrs<DropoutAttrs>().rate;
  require(rate >= 0 && rate < 1, inference.who(), ": rate is ", rate, ", expected 0 or a number above it and below 1");
  same_as_first(inference);
}

// The same elements are dropped: they follow from the range of random bits.
void dropout_gradient(Gradient& g) { g.add(0, g.call("DropoutGrad", {g.dy()}, g.attrs<DropoutAttrs>())); }

void embedding_shape(Inference& inference) {
  Shape table = inference.shape(0), out = inference.shape(1);
  require(table.rank() > 0, inference.who(), ": table is a scalar, expected rows to look up");
  require(out.rank() + table.rank() - 1 <= kMaxRank, inference.who(), ": table ", table, " and ids ", out, " make ",
          out.rank() + table.rank() - 1, " axes, and there can be ", kMaxRank);
  for (int i = 1; i < table.rank(); ++i) out.push(table[i]);
  inference.output(inference.key(), out);
}

void embedding_gradient(Gradient& g) {
  EmbeddingAttrs attrs = g.attrs<EmbeddingAttrs>();
  attrs.result = Dims::of(g.shape_of(0));
  g.add(0, g.call("EmbeddingGrad", {g.x(1), g.dy()}, attrs));
}

void embedding_grad_shape(Inference& inference) {
  inference.output(inference.key(), inference.attrs<EmbeddingAttrs>().result.shape());
}

void embedding_grad_gradient(Gradient& g) {
  if (g.needs(1)) g.add(1, g.call("Embedding", {g.dy(), g.x(0)}, g.attrs<EmbeddingAttrs>()));
}

constexpr const char* kRateDoc = "the probability that an element becomes 0; 0 or more and below 1";
constexpr const char* kFirstIdDoc = "what the first id is";

Error wrong_id(const char* op, const Fault& fault) {
  if (fault.value != 0) return wrong_number(op, "id", "rows", fault);
  return Error(ErrorCode::InvalidArgument,
               text(op, ": id 0; ids count from 1. Where 0 is padding: nn.Embedding(..., {mask_zero = true})"));
}

}  // namespace

void define_layers_ops(OpRegistry& ops) {
  ops.define({
      .name = "BiasAdd",
      .lua_name = "bias_add",
      .summary = "x + b, with b added along the last axis.",
      .inputs = {{"x", kNumbers, "[..., n]"}, {"b", kNumbers, "[n]"}},
      .output = "x's shape; the promoted dtype, integers wrap",
      .errors = "InvalidArgument if b is not a vector as long as x's last axis, or if both are bool.",
      .source = "tf.nn.bias_add",
      .example = "lutra.bias_add({{1, 2}, {3, 4}}, {10, 20})  --> {{11, 22}, {13, 24}}",
      .shape = bias_add_shape,
      .gradient = bias_add_gradient,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Linear",
      .lua_name = "linear",
      .summary = "The rows of x times the matrix w, plus b: what a dense layer computes.",
      .inputs = {{"x", kNumbers, "[..., in]"}, {"w", kNumbers, "[in, out]"}, {"b", kNumbers, "[out]"}},
      .output = "[..., out]; the promoted dtype, integers wrap",
      .errors = "InvalidArgument if x is a scalar, the sizes do not match, or all inputs are bool.",
      .source = "torch.nn.functional.linear, with w as tf.linalg.matmul takes it",
      .example = "lutra.linear({{1, 2}}, {{1, 0}, {0, 1}}, {10, 20})  --> {{11, 22}}",
      .shape = linear_shape,
      .gradient = linear_gradient,
      .saves = kX0 | kX1,
      .cost = linear_cost,
      .gpu = kNumbers,
  });
  ops.define({
      .name = "Dropout",
      .lua_name = "dropout",
      .summary = "Sets each element of x to 0 with probability rate, and divides the others by 1 - rate, which keeps "
                 "the mean. Always active; the layer nn.Dropout is active only in training.",
      .inputs = {{"x", kNumbers, "any shape"}},
      .attrs = attrs<DropoutAttrs>(
          {attr("rate", &DropoutAttrs::rate, kRateDoc).required(),
           attr("seed", &DropoutAttrs::seed,
                "makes the result depend on x and this number alone; set_seed's sequence is not advanced")
               .otherwise("the next of set_seed's sequence"),
           attr("rng", &DropoutAttrs::rng, "the range of random bits")}),
      .output = "x's shape; float32 for integers, else x's dtype",
      .errors = "InvalidArgument if x is bool or rate is below 0, 1 or more.",
      .source = "Srivastava et al., JMLR 2014; tf.nn.dropout",
      .example = "lutra.dropout({1.0, 2.0, 3.0}, 0)  --> {1.0, 2.0, 3.0}",
      .compute = Compute::Float,
      .shape = dropout_shape,
      .gradient = dropout_gradient,
      .cost = elements_cost<8>,
      .gpu = kFloats,
      .flags = kRandom,
  });
  ops.define({
      .name = "DropoutGrad",
      .summary = "Drops the elements that a Dropout dropped, computed from its range of random bits.",
      .inputs = {{"dy", kFloats, "any shape"}},
      // Named, so that a replay of the two gives both the same new range (graph/recording.cpp).
      .attrs = attrs<DropoutAttrs>({attr("rate", &DropoutAttrs::rate, "the forward op's"),
                                    attr("seed", &DropoutAttrs::seed, "the forward op's"),
                                    attr("rng", &DropoutAttrs::rng, "the forward op's range of random bits")}),
      .output = "dy's shape and dtype",
      .shape = same_as_first,
      .gradient = dropout_gradient,
      .cost = elements_cost<8>,
      .gpu = kFloats,
      .flags = kHidden,
  });
  ops.define({
      .name = "Embedding",
      .lua_name = "embedding",
      .summary =
          "The rows of a table with the given ids: 1..n, where n is the size of the table's first axis. Negative ids "
          "are errors.",
      .inputs = {{"table", kEveryDType, "[n, ...]"}, {"ids", kInts, "any shape", kOwnDType}},
      .attrs = attrs<EmbeddingAttrs>({attr("index_base", &EmbeddingAttrs::base, kFirstIdDoc)}),
      .output = "the shape of ids and then of a row; the table's dtype",
      .errors = "InvalidArgument for the id 0, a table that is a scalar, or a ninth axis; OutOfRange for any other id "
                "that is not one of 1..n.",
      .source = "tf.nn.embedding_lookup",
      .example = "lutra.embedding({{1, 2}, {3, 4}, {5, 6}}, {3, 1})  --> {{5, 6}, {1, 2}}",
      .shape = embedding_shape,
      .gradient = embedding_gradient,
      .saves = kX1,
      .fault = wrong_id,
      .gpu = kAnyDType,
  });
  ops.define({
      .name = "EmbeddingGrad",
      .summary = "The sum of dy's rows for each id: the gradient of an embedding's table.",
      .inputs = {{"ids", kInts, "any shape", kOwnDType}, {"dy", kInexact, "the shape of ids and then of a row"}},
      .attrs = inner_attrs<EmbeddingAttrs>(),
      .output = "the table's shape; dy's dtype",
      .shape = embedding_grad_shape,
      .gradient = embedding_grad_gradient,
      .saves = kX0,
      .cost = elements_cost<1>,
      .gpu = kFloats,
      .flags = kHidden,
  });
}

}  // namespace lutra
