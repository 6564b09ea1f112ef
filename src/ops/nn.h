// Attributes of the ops of neural networks, as their kernels read them, and what their entries share.
#pragma once

#include <algorithm>

#include "ops/attrs.h"
#include "ops/kernel.h"

namespace lutra {

class Inference;

struct SoftmaxAttrs {
  Axes axis;
};
struct DropoutAttrs {
  double rate = 0;
  Seed seed;
  Rng rng;
};
// Of lookups by number, and of their gradients: `result` is the table's shape there.
struct EmbeddingAttrs {
  IndexBase base;
  Dims result;
};
struct CrossEntropyAttrs {
  IndexBase base;
};
struct NormalizeAttrs {
  double epsilon = 1e-3;
};

// The axis softmax runs along: the last unless told.
inline int softmax_axis(const SoftmaxAttrs& attrs, int rank) {
  int64_t axis = attrs.axis.given() ? attrs.axis.v[0] : -1;
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// x has a last axis, and each of the inputs [first, last] is a vector of its size.
void require_vectors(const Inference& inference, int first, int last);

// So many flops an element of the largest array; every array touched once.
template <int kFlops> Cost elements_cost(const KernelArgs& args) {
  Cost cost;
  int64_t most = 0;
  auto count = [&](const Array& array) {
    most = std::max(most, array.size);
    cost.bytes += static_cast<double>(array.size) * static_cast<double>(size_of(array.dtype));
  };
  for (int i = 0; i < args.n_in; ++i) count(args.in[i]);
  for (int i = 0; i < args.n_out; ++i) count(args.out[i]);
  cost.flops = kFlops * static_cast<double>(most);
  return cost;
}

// The family's other files.
void define_layer_ops(OpRegistry& ops);  // layers.cpp
void define_conv_ops(OpRegistry& ops);   // conv.cpp
void define_pool_ops(OpRegistry& ops);   // pool.cpp
void define_loss_ops(OpRegistry& ops);   // losses.cpp
void define_norm_ops(OpRegistry& ops);   // norm.cpp

}  // namespace lutra
