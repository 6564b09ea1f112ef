// Lengths of vectors on the CPU.

#include <cmath>
#include <vector>

#include "kernels/cpu/reduce_axes.h"
#include "ops/vector_norm.h"

namespace lutra {
namespace {

// Squares of x * 2^kScale, in float64, which those of other floats fit.
template <class T, int kScale> struct SquaresOf : SumOf<T, double> {
  using Next = SumOf<double>;
  static double open(T x) {
    double scaled = static_cast<double>(static_cast<ComputeType<T>>(x)) * (kScale > 0   ? 0x1p600
                                                                           : kScale < 0 ? 0x1p-600
                                                                                        : 1.0);
    return scaled * scaled;
  }
  template <class Lanes> static Lanes open_lanes(Lanes x) { return x * x; }  // of float: not scaled
};
template <class T> struct MagnitudesOf : SumOf<T, double> {
  using Next = SumOf<double>;
  static double open(T x) { return std::fabs(static_cast<double>(static_cast<ComputeType<T>>(x))); }
  template <class Lanes> static Lanes open_lanes(Lanes x) { return x < 0 ? -x : x; }
};
template <class T> struct MaxMagnitudeOf : MaxOf<T> {
  using Next = MaxOf<Ordered<T>>;
  static constexpr Ordered<T> kStart = 0;
  static Ordered<T> open(T x) {
    if constexpr (kIsHalf<T>) return static_cast<int16_t>(x.bits & 0x7fff);  // nan is above inf
    else return std::fabs(x);
  }
};

// Results are left in float64 where they may have to be taken anew.
template <class T, int kScale> struct Norm2 {
  using Reducer = SquaresOf<T, kScale>;
  using Out = T;
  static T finish(double sum, int64_t) {
    return rounded<T>(std::sqrt(sum) * (kScale > 0 ? 0x1p-600 : kScale < 0 ? 0x1p600 : 1.0));
  }
};
template <class T> struct Norm1 {
  using Reducer = MagnitudesOf<T>;
  using Out = T;
  static T finish(double sum, int64_t) { return rounded<T>(sum); }
};
template <class T> struct NormInf {
  using Reducer = MaxMagnitudeOf<T>;
  using Out = T;
  static T finish(Ordered<T> most, int64_t) { return from_order_key<T>(most); }
};

// Squares of float64 beyond 2^512 overflow, those below 2^-511 lose digits: such results are taken anew from elements
// brought nearer to 1.
template <int kScale, class Wrong> void take_anew(const KernelArgs& args, const Wrong& is_wrong) {
  double* out = args.out[0].as<double>();
  int64_t size = args.out[0].size;
  if (std::none_of(out, out + size, is_wrong)) return;
  std::vector<double> scaled(static_cast<std::size_t>(size));
  reduce_to<Norm2<double, kScale>>(args, scaled.data());
  for (int64_t i = 0; i < size; ++i) {
    if (is_wrong(out[i])) out[i] = scaled[static_cast<std::size_t>(i)];
  }
}

template <class T> void run_norm(const KernelArgs& args) {
  double ord = args.as<NormAttrs>().ord;
  if (ord == 1) return run_reduction<Norm1<T>>(args);
  if (ord != 2) return run_reduction<NormInf<T>>(args);
  run_reduction<Norm2<T, 0>>(args);
  if constexpr (std::is_same_v<T, double>) {
    take_anew<-1>(args, [](double y) { return y > std::numeric_limits<double>::max(); });
    take_anew<1>(args, [](double y) { return y < 0x1p-450; });
  }
}

}  // namespace

void register_vector_norm_cpu(KernelRegistry& kernels) {
  kernels.add_each("Norm", DeviceType::CPU, AllFloats{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_norm<T>, .scratch = reduce_scratch<Norm2<T, 0>>};
  });
}

}  // namespace lutra
