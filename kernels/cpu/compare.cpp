// Comparisons, logic and bits of two tensors on the CPU.

#include <algorithm>
#include <type_traits>

#include "kernels/cpu/elementwise.h"

namespace lutra {
namespace {

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

struct BitwiseAnd {
  template <class T> static T apply(T a, T b) { return static_cast<T>(a & b); }
};
struct BitwiseOr {
  template <class T> static T apply(T a, T b) { return static_cast<T>(a | b); }
};
struct BitwiseXor {
  template <class T> static T apply(T a, T b) { return static_cast<T>(a ^ b); }
};

// Truths are bytes here: what a file brought along may be neither 0 nor 1.
template <class Op> struct OfTruths {
  static uint8_t apply(uint8_t a, uint8_t b) {
    return static_cast<uint8_t>(Op::apply(static_cast<uint8_t>(a != 0), static_cast<uint8_t>(b != 0)));
  }
};
template <class Op> void add_truths(KernelRegistry& kernels, const char* name) {
  kernels.add(name, DeviceType::CPU, kBool, {.run = run_binary<OfTruths<Op>, uint8_t, uint8_t>});
}

template <class Op> void add_comparison(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllNumbers{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_binary<Op, bool, T>};
  });
  add_truths<Op>(kernels, name);
}

// One version an element size.
template <class Op> void add_bits(KernelRegistry& kernels, const char* name) {
  kernels.add(name, DeviceType::CPU, DType::Int8 | DType::UInt8, {.run = run_binary<Op, uint8_t, uint8_t>});
  kernels.add(name, DeviceType::CPU, DType::Int16, {.run = run_binary<Op, uint16_t, uint16_t>});
  kernels.add(name, DeviceType::CPU, DType::Int32, {.run = run_binary<Op, uint32_t, uint32_t>});
  kernels.add(name, DeviceType::CPU, DType::Int64, {.run = run_binary<Op, uint64_t, uint64_t>});
  add_truths<Op>(kernels, name);
}

template <class T> inline constexpr T kWidth = static_cast<T>(8 * sizeof(T));

// All bits shifted out leave 0, or a negative number's signs; a negative count is told of and gives 0.
struct LeftShift {
  template <class T> static T apply(T a, T count) {
    bool stays = (count >= 0) & (count < kWidth<T>);
    Wrapping<T> by = static_cast<Wrapping<T>>(stays ? count : T(0));
    return stays ? static_cast<T>(static_cast<Wrapping<T>>(a) << by) : T(0);
  }
  template <class T> static bool is_wrong(T count) { return count < 0; }
  static void tell(Fault& fault, int64_t count) { fault.raise(FaultCode::WrongValue, count); }
};
struct RightShift {
  template <class T> static T apply(T a, T count) {
    constexpr T kMost = kWidth<T> - 1;
    T signs = a < 0 ? T(-1) : T(0);
    T by = (count < 0) | (count > kMost) ? T(0) : count;
    T shifted = static_cast<T>(a >> by);
    return count < 0 ? T(0) : count > kMost ? signs : shifted;
  }
  template <class T> static bool is_wrong(T count) { return count < 0; }
  static void tell(Fault& fault, int64_t count) { fault.raise(FaultCode::WrongValue, count); }
};

template <class Op> void add_shift(KernelRegistry& kernels, const char* name) {
  kernels.add_each(name, DeviceType::CPU, AllInts{}, [](auto tag) {
    using T = typename decltype(tag)::type;
    return KernelEntry{.run = run_checked_binary<Op, T>};
  });
}

}  // namespace

void register_compare_cpu(KernelRegistry& kernels) {
  add_comparison<Equal>(kernels, "Equal");
  add_comparison<NotEqual>(kernels, "NotEqual");
  add_comparison<Less>(kernels, "Less");
  add_comparison<LessEqual>(kernels, "LessEqual");
  add_comparison<Greater>(kernels, "Greater");
  add_comparison<GreaterEqual>(kernels, "GreaterEqual");
  add_truths<BitwiseAnd>(kernels, "LogicalAnd");
  add_truths<BitwiseOr>(kernels, "LogicalOr");
  add_truths<BitwiseXor>(kernels, "LogicalXor");
  add_bits<BitwiseAnd>(kernels, "BitwiseAnd");
  add_bits<BitwiseOr>(kernels, "BitwiseOr");
  add_bits<BitwiseXor>(kernels, "BitwiseXor");
  add_shift<LeftShift>(kernels, "LeftShift");
  add_shift<RightShift>(kernels, "RightShift");
}

}  // namespace lutra
