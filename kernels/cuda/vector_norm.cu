// Vector norms on cards.
#include "kernels/element/vector_norm.h"

#include "kernels/cuda/reduce.h"
#include "ops/vector_norm.h"

namespace lutra::cuda {
namespace {

// Squares of doubles in three sums, so that none overflows or loses digits (Blue 1978). Squares of large elements are
// scaled by 2^-1200, those of small ones by 2^1200.
struct Squares {
  double large, middle, small;
};
constexpr double kFar = 0x1p450, kScale = 0x1p600;

struct MergeSquares {
  using In = Squares;
  using Run = Squares;
  using Acc = Squares;
  using Next = MergeSquares;
  static constexpr Run open(In x) { return x; }
  static constexpr Acc lift(Run run) { return run; }
  static constexpr Acc merge(Acc a, Acc b) { return {a.large + b.large, a.middle + b.middle, a.small + b.small}; }
};
struct SquaresOfDoubles {
  using In = double;
  using Run = double;
  using Acc = Squares;
  using Next = MergeSquares;
  static constexpr Run open(In x) { return std::fabs(x); }
  static constexpr Acc lift(Run x) {
    if (x > kFar) return {x / kScale * (x / kScale), 0, 0};
    if (x < 1 / kFar) return {0, 0, x * kScale * (x * kScale)};
    return {0, x * x, 0};
  }
  static constexpr Acc merge(Acc a, Acc b) { return MergeSquares::merge(a, b); }
};
struct DoubleNorm2 {
  using Reducer = SquaresOfDoubles;
  using Out = double;
  static constexpr double finish(Squares sum, int64_t) {
    if (sum.large != 0) return std::sqrt(sum.large + sum.middle / kScale / kScale) * kScale;
    if (sum.middle == 0) return std::sqrt(sum.small) / kScale;
    return std::sqrt(sum.middle + sum.small / kScale / kScale);
  }
};

template <class T> using Euclidean = std::conditional_t<std::is_same_v<T, double>, DoubleNorm2, Norm2<T, 0>>;

template <class T> void run_norm(const KernelArgs& args) {
  double ord = args.as<NormAttrs>().ord;
  if (ord == 1) return cuda::run_reduction<Norm1<T>>(args);
  if (ord == 2) return cuda::run_reduction<Euclidean<T>>(args);
  cuda::run_reduction<NormInf<T>>(args);
}

}  // namespace

void register_vector_norm_cuda(CudaKernels& kernels) {
  // The accumulators of the other two norms are no wider.
  kernels.add_each("Norm", AllFloats{}, []<class T>(TypeTag<T>) {
    return KernelEntry{.run = run_norm<T>, .scratch = cuda::reduce_scratch<Euclidean<T>>};
  });
}

}  // namespace lutra::cuda
