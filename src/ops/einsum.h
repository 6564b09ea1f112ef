// A parsed einsum: each axis has a label, a number from 0 on, and each label a size. Shared by the shape function, the
// gradient and the kernel.
#pragma once

#include <array>
#include <span>
#include <string>

#include "ops/attrs.h"

namespace lutra {

struct EinsumAttrs {
  Text spec;
};

inline constexpr int kMostOperands = 8;
// Different labels in one einsum. Fewer than there are letters, so that the gradient always finds a free letter.
inline constexpr int kMostLabels = 44;

struct EinsumPlan {
  struct Term {
    int rank = 0;
    int8_t label[kMaxRank];
  };
  int labels = 0;
  int64_t size[kMostLabels];
  char letter[kMostLabels];  // 0: an axis of an ellipsis
  int n_in = 0;
  Term in[kMostOperands];  // an axis of size 1 under an ellipsis may have a label of another size: it is broadcast
  Term out;

  Shape out_shape() const {
    Shape shape;
    for (int i = 0; i < out.rank; ++i) shape.push(size[out.label[i]]);
    return shape;
  }
};

// Parses a spec such as "ij,jk->ik" for operands of these shapes. Throws an error in the name of `who` if they do not
// match.
EinsumPlan plan_einsum(const char* who, std::string_view spec, std::span<const Shape> operands);

// What an op of the family computes: the plan, and the operands' dimensions as the plan counts them. Plain data, passed
// unchanged to the CUDA plugin.
struct EinsumCall {
  EinsumPlan plan;
  int64_t dims[kMostOperands][kMaxRank];
};

struct KernelArgs;
// The shape function has accepted the arguments.
EinsumCall einsum_call(const KernelArgs& args);
EinsumCall dot_call(const KernelArgs& args);
EinsumCall outer_call(const KernelArgs& args);

// dot as an einsum: the letters for the axes of its operands and its result.
struct DotLetters {
  DotLetters(int rank_a, int rank_b);
  bool joins;       // neither is a scalar
  int joined_of_b;  // the axis of b that is summed with a's last
  std::string a, b, out;
};

}  // namespace lutra
