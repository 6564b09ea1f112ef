// What an einsum means once its text is read: axes have labels, numbers from 0 on, and each label a size. Read the same
// way by the shape function, the gradient and the kernel.
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
// Different axes of one einsum. Fewer than there are letters, so that the gradient always finds a free one.
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
  Term in[kMostOperands];  // an axis of size 1 under an ellipsis may have a label of another size: it repeats
  Term out;

  Shape out_shape() const {
    Shape shape;
    for (int i = 0; i < out.rank; ++i) shape.push(size[out.label[i]]);
    return shape;
  }
};

// "ij,jk->ik" for operands of these shapes. Fails, as `who`, with the sentence about what does not fit.
EinsumPlan plan_einsum(const char* who, std::string_view spec, std::span<const Shape> operands);

// What an op of the family computes: the plan, and the operands' dimensions as it sees them. Plain data, which the CUDA
// plugin gets as it is.
struct EinsumCall {
  EinsumPlan plan;
  int64_t dims[kMostOperands][kMaxRank];
};

struct KernelArgs;
// Of arguments that the shape function found nothing wrong with.
EinsumCall einsum_call(const KernelArgs& args);
EinsumCall dot_call(const KernelArgs& args);
EinsumCall outer_call(const KernelArgs& args);

// dot as an einsum: the letters of its operands' axes and of its result's.
struct DotLetters {
  DotLetters(int rank_a, int rank_b);
  bool joins;       // neither is a scalar
  int joined_of_b;  // the axis of b that meets a's last
  std::string a, b, out;
};

}  // namespace lutra
