// Powers and angles of two tensors on the CPU.

#include <type_traits>

#include "kernels/cpu/binary/parts.h"
#include "kernels/cpu/loops/elementwise.h"
#include "kernels/cpu/loops/long_functions.h"
#include "kernels/element/arithmetic.h"
#include "kernels/element/power_ops.h"

namespace lutra {
namespace {

template <class T> void run_pow(const KernelArgs& args) {
  if (args.in[1].size == 1) {
    double exponent = static_cast<double>(*args.in[1].as<T>());
    if (exponent == 1) return run_unary<Power1, T, T>(args);
    if (exponent == 2) return run_unary<Power2, T, T>(args);
    if (exponent == 3) return run_unary<Power3, T, T>(args);
    if constexpr (!std::is_integral_v<T>) {
      if (exponent == -1) return run_unary<Inverse, T, T>(args);
      if (exponent == 0.5) return run_unary<Root, T, T>(args);
    }
  }
  if constexpr (std::is_integral_v<T>) run_checked_binary<Pow, T>(args);
  else run_long_binary<Pow, T>(args);
}

}  // namespace

void add_powers(KernelRegistry& kernels) {
  add_long_binary<Atan2>(kernels, "Atan2");
  kernels.add_each("Pow", DeviceType::CPU, AllNumbers{},
                   [](auto tag) { return KernelEntry{.run = run_pow<typename decltype(tag)::type>}; });
}

}  // namespace lutra
