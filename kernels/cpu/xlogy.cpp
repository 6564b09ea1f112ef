// x log(y) on the CPU.

#include "kernels/cpu/elementary.h"
#include "kernels/cpu/elementwise.h"

namespace lutra {
namespace {

struct Xlogy {
  static constexpr int64_t kGrain = kCostlyGrain;
  template <class T> [[gnu::always_inline]] static T apply(T x, T y) {
    T product = x * log_of(y);
    return x == 0 ? T(0) : product;
  }
};

}  // namespace

void register_xlogy_cpu(KernelRegistry& kernels) { add_binary<Xlogy>(kernels, "Xlogy", AllFloats{}); }

}  // namespace lutra
