// Variances, standard deviations and log-sum-exp on cards.
#include "kernels/cuda/reduce.h"
#include "kernels/element/elementary.h"

namespace lutra::cuda {
namespace {

// A count, the mean in two parts, and the sum of squared differences from it. Merging is Chan's, Golub's and LeVeque's.
// If the mean is far from 0, a mean in one part would lose the digits that small squares consist of.
struct Moments {
  double count, mean, low, squares;
};
constexpr Moments merged(Moments a, Moments b) {
  double count = a.count + b.count, share = b.count / count;
  double apart = (b.mean - a.mean) + (b.low - a.low), move = apart * share;
  // The sum of two numbers and its rounding error (Knuth).
  double mean = a.mean + move, back = mean - a.mean;
  double lost = (a.mean - (mean - back)) + (move - back);
  return {count, mean, a.low + lost, a.squares + b.squares + apart * move * a.count};
}

// The largest element, and the sum of e^(x - largest), or e^largest where that is not finite: inf, 0 or nan.
struct Powers {
  double most, sum;
};
constexpr bool is_finite(double x) { return std::fabs(x) < std::numeric_limits<double>::infinity(); }
constexpr Powers merged(Powers a, Powers b) {
  double most = (b.most != b.most) | (b.most > a.most) ? b.most : a.most, shift = is_finite(most) ? most : 0.0;
  return {most, a.sum * exp_of(a.most - shift) + b.sum * exp_of(b.most - shift)};
}

template <class A> struct MergeOf {
  using In = A;
  using Run = A;
  using Acc = A;
  using Next = MergeOf;
  static constexpr Run open(In x) { return x; }
  static constexpr Acc lift(Run run) { return run; }
  static constexpr Acc merge(Acc a, Acc b) { return merged(a, b); }
};
// A thread reads its own elements twice: with a mean far from 0 the squares would otherwise lose their digits.
template <class T> struct MomentsOf {
  using In = T;
  using Run = ComputeType<T>;
  using Acc = Moments;
  using Next = MergeOf<Moments>;
  using LooksTwice = void;
  static constexpr Run open(In x) { return static_cast<Run>(x); }
  // inf and nan have no variance: x - x is nan.
  static constexpr Acc lift(Run x) { return {1.0, static_cast<double>(x), 0.0, static_cast<double>(x - x)}; }
  static constexpr Acc merge(Acc a, Acc b) { return merged(a, b); }
  template <class Element> static constexpr Acc gathered(int64_t n, const Element& element) {
    double sum = 0, rest = 0, squares = 0, count = static_cast<double>(n);
    for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(element(k));
    double mean = sum / count;
    for (int64_t k = 0; k < n; ++k) {
      double off = static_cast<double>(element(k)) - mean;
      rest += off;
      squares += off * off;
    }
    return {count, mean, rest / count, squares};
  }
};
template <class T> struct PowersOf {
  using In = T;
  using Run = ComputeType<T>;
  using Acc = Powers;
  using Next = MergeOf<Powers>;
  static constexpr Run open(In x) { return static_cast<Run>(x); }
  static constexpr Acc lift(Run run) {
    double x = static_cast<double>(run);
    return {x, is_finite(x) ? 1.0 : exp_of(x)};
  }
  static constexpr Acc merge(Acc a, Acc b) { return merged(a, b); }
};

// Divides by `degrees`, which is -1 if there are no elements.
template <class T, bool kRoot> struct Variance {
  using Reducer = MomentsOf<T>;
  using Out = T;
  static constexpr T finish(Moments all, int64_t degrees) {
    double var = degrees < 0 ? std::numeric_limits<double>::quiet_NaN() : all.squares / static_cast<double>(degrees);
    return rounded<T>(kRoot ? std::sqrt(var) : var);
  }
};
template <class T> struct Logsumexp {
  using Reducer = PowersOf<T>;
  using Out = T;
  static constexpr T finish(Powers all, int64_t count) {
    if (count == 0) return rounded<T>(-std::numeric_limits<double>::infinity());
    return rounded<T>(log_of(all.sum) + (is_finite(all.most) ? all.most : 0.0));
  }
};

template <class T, bool kRoot> void run_variance(const KernelArgs& args) {
  ReducePlan plan = ReducePlan::of(args);
  int64_t ddof = args.as<VarAttrs>().ddof;
  int64_t degrees = plan.count == 0 ? -1 : 0;
  if (plan.count > ddof) degrees = ddof < plan.count - INT64_MAX ? INT64_MAX : plan.count - ddof;
  reduce_to<Variance<T, kRoot>>(static_cast<const CudaLaunch&>(args), plan, degrees, args.scratch, args.out[0].as<T>());
}
template <class T, bool kRoot> KernelEntry variance() {
  return {.run = run_variance<T, kRoot>, .scratch = reduce_scratch<Variance<T, kRoot>>};
}

}  // namespace

void register_moments_cuda(CudaKernels& kernels) {
  kernels.add_each("Var", AllFloats{}, []<class T>(TypeTag<T>) { return variance<T, false>(); });
  kernels.add_each("Std", AllFloats{}, []<class T>(TypeTag<T>) { return variance<T, true>(); });
  kernels.add_each("Logsumexp", AllFloats{}, []<class T>(TypeTag<T>) { return cuda::reduction<Logsumexp<T>>(); });
}

}  // namespace lutra::cuda
