// Division of two tensors that rounds down, and its remainder, on the CPU.

#include "kernels/element/division.h"

#include <type_traits>

#include "kernels/cpu/binary/parts.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/element/arithmetic.h"

namespace lutra {
namespace {

// Division of floats (and of halves, computed as floats) and of 64-bit integers: blocks in which all quotients are
// small enough vectorise.
template <class Op> struct Near {
  template <class T> [[gnu::always_inline]] static T apply(T a, T b) { return Op::of(floor_divide_near(a, b)); }
};
struct IsFarApart {
  template <class T> [[gnu::always_inline]] static uint8_t apply(T a, T b) { return is_far_apart(a, b); }
};
template <class Op, class T> void run_near_division(const KernelArgs& args) {
  const T* a = args.in[0].as<T>();
  const T* b = args.in[1].as<T>();
  T* out = args.out[0].as<T>();
  for_binary_rows(args, grain_of<Op, T>(),
                  [=, fault = args.fault](int64_t at_a, int64_t at_b, int64_t first, int64_t n, int64_t stride_a,
                                          int64_t stride_b) {
                    if constexpr (std::is_integral_v<T>) tell_wrong<Op>(fault, b + at_b, stride_b, n);
                    constexpr int64_t kBlock = 1024;
                    uint8_t is_far[kBlock];
                    for (int64_t at = 0; at < n; at += kBlock) {
                      const T* left = a + at_a + at * stride_a;
                      const T* right = b + at_b + at * stride_b;
                      int64_t count = std::min(kBlock, n - at);
                      binary_row<IsFarApart, uint8_t, T>(left, stride_a, right, stride_b, is_far, count);
                      uint8_t any = 0;
                      for (int64_t i = 0; i < count; ++i) any |= is_far[i];
                      T* to = out + first + at;
                      if (any == 0) binary_row<Near<Op>, T, T>(left, stride_a, right, stride_b, to, count);
                      else binary_row<Op, T, T>(left, stride_a, right, stride_b, to, count);
                    }
                  });
}

// Only for integers are there mistakes to report: floats have inf and nan.
template <class Op> void add_checked(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    constexpr bool kMayBeNear = std::is_same_v<ComputeType<T>, float> || std::is_same_v<T, int64_t>;
    if constexpr (kMayBeNear) return KernelEntry{.run = run_near_division<Op, T>};
    else if constexpr (std::is_integral_v<T>) return KernelEntry{.run = run_checked_binary<Op, T>};
    else return KernelEntry{.run = run_binary<Op, T, T>};
  });
}
}  // namespace

void add_divisions(KernelRegistry& kernels) {
  add_checked<FloorDiv>(kernels, "FloorDiv");
  add_checked<FloorMod>(kernels, "FloorMod");
}

}  // namespace lutra
