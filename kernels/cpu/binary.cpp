// Arithmetic, comparisons and logic of two tensors on the CPU. Integer arithmetic wraps, so it is done in unsigned
// types.

#include <cmath>
#include <type_traits>

#include "kernels/cpu/elementwise.h"

namespace lutra {
namespace {

// The type to compute in so that overflow wraps.
template <class T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct Add {
  template <class T> static T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) + Wrapping<T>(b)); }
};
struct Sub {
  template <class T> static T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) - Wrapping<T>(b)); }
};
struct Mul {
  template <class T> static T apply(T a, T b) { return static_cast<T>(Wrapping<T>(a) * Wrapping<T>(b)); }
};
struct RealDiv {
  template <class T> static T apply(T a, T b) { return a / b; }
};
struct Maximum {
  template <class T> static T apply(T a, T b) { return a > b || a != a ? a : b; }
};
struct Minimum {
  template <class T> static T apply(T a, T b) { return a < b || a != a ? a : b; }
};

// NumPy's npy_divmod: the remainder is exact, and the quotient is what fits it.
template <class T> void float_divmod(T a, T b, T* quotient, T* remainder) {
  T mod = std::fmod(a, b);
  if (b == 0) {
    *quotient = a / b;
    *remainder = mod;
    return;
  }
  T div = (a - mod) / b;
  if (mod != 0) {
    if ((b < 0) != (mod < 0)) {
      mod += b;
      div -= 1;
    }
  } else {
    mod = std::copysign(T(0), b);
  }
  T whole = std::floor(div);
  if (div != 0) {
    if (div - whole > T(0.5)) whole += 1;
  } else {
    whole = std::copysign(T(0), a / b);
  }
  *quotient = whole;
  *remainder = mod;
}

struct FloorDiv {
  template <class T> static T apply(T a, T b, Fault& fault) {
    if constexpr (std::is_floating_point_v<T>) {
      T quotient, remainder;
      float_divmod(a, b, &quotient, &remainder);
      return quotient;
    } else {
      if (b == 0) {
        fault.raise(FaultCode::DivideByZero);
        return 0;
      }
      if (b == -1) return static_cast<T>(0 - Wrapping<T>(a));  // the smallest integer has no negative
      T quotient = a / b;
      return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    }
  }
};
struct FloorMod {
  template <class T> static T apply(T a, T b, Fault& fault) {
    if constexpr (std::is_floating_point_v<T>) {
      T quotient, remainder;
      float_divmod(a, b, &quotient, &remainder);
      return remainder;
    } else {
      if (b == 0) {
        fault.raise(FaultCode::DivideByZero);
        return 0;
      }
      if (b == -1) return 0;
      T remainder = a % b;
      return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
  }
};
struct Pow {
  template <class T> static T apply(T a, T b, Fault& fault) {
    if constexpr (std::is_floating_point_v<T>) {
      if (b == 2) return a * a;
      return std::pow(a, b);
    } else {
      if (b < 0) {
        fault.raise(FaultCode::NegativePower, b);
        return 0;
      }
      Wrapping<T> base = a, result = 1;
      for (Wrapping<T> left = b; left > 0; left >>= 1) {
        if (left & 1) result *= base;
        base *= base;
      }
      return static_cast<T>(result);
    }
  }
};

struct Equal {
  template <class T> static bool apply(T a, T b) { return a == b; }
};
struct NotEqual {
  template <class T> static bool apply(T a, T b) { return a != b; }
};
struct Less {
  template <class T> static bool apply(T a, T b) { return a < b; }
};
struct LessEqual {
  template <class T> static bool apply(T a, T b) { return a <= b; }
};
struct Greater {
  template <class T> static bool apply(T a, T b) { return a > b; }
};
struct GreaterEqual {
  template <class T> static bool apply(T a, T b) { return a >= b; }
};
struct And {
  static bool apply(bool a, bool b) { return a & b; }
};
struct Or {
  static bool apply(bool a, bool b) { return a | b; }
};
struct Xor {
  static bool apply(bool a, bool b) { return a != b; }
};

template <class Op> void add_checked(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, ComputedNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_checked_binary<Op, T>};
  });
}

}  // namespace

void register_binary_cpu(KernelRegistry& kernels) {
  add_binary<Add>(kernels, "AddV2", ComputedNumbers{});
  add_binary<Sub>(kernels, "Sub", ComputedNumbers{});
  add_binary<Mul>(kernels, "Mul", ComputedNumbers{});
  add_binary<RealDiv>(kernels, "RealDiv", ComputedFloats{});
  add_binary<Maximum>(kernels, "Maximum", ComputedNumbers{});
  add_binary<Minimum>(kernels, "Minimum", ComputedNumbers{});
  add_checked<FloorDiv>(kernels, "FloorDiv");
  add_checked<FloorMod>(kernels, "FloorMod");
  add_checked<Pow>(kernels, "Pow");
  add_comparison<Equal>(kernels, "Equal", ComputedTypes{});
  add_comparison<NotEqual>(kernels, "NotEqual", ComputedTypes{});
  add_comparison<Less>(kernels, "Less", ComputedTypes{});
  add_comparison<LessEqual>(kernels, "LessEqual", ComputedTypes{});
  add_comparison<Greater>(kernels, "Greater", ComputedTypes{});
  add_comparison<GreaterEqual>(kernels, "GreaterEqual", ComputedTypes{});
  kernels.add("LogicalAnd", DeviceType::CPU, kBool, {.run = run_binary<And, bool, bool>});
  kernels.add("LogicalOr", DeviceType::CPU, kBool, {.run = run_binary<Or, bool, bool>});
  kernels.add("LogicalXor", DeviceType::CPU, kBool, {.run = run_binary<Xor, bool, bool>});
}

}  // namespace lutra
