// The twelve element types, sets of them, and promotion.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/complex.h"
#include "core/half.h"

namespace lutra {

// In order of promotion within a kind. The tables in dtype.cpp follow this order.
enum class DType : uint8_t {
  Bool,
  Int8,
  UInt8,
  Int16,
  Int32,
  Int64,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128
};
inline constexpr int kDTypeCount = 12;
// An option that was left out.
inline constexpr DType kNoDType = static_cast<DType>(0xff);

class DTypes {
 public:
  constexpr DTypes() = default;
  constexpr DTypes(DType type) : bits_(static_cast<uint16_t>(1u << static_cast<int>(type))) {}
  constexpr DTypes operator|(DTypes other) const { return DTypes(static_cast<uint16_t>(bits_ | other.bits_)); }
  constexpr DTypes operator&(DTypes other) const { return DTypes(static_cast<uint16_t>(bits_ & other.bits_)); }
  constexpr bool has(DType type) const { return (bits_ >> static_cast<int>(type)) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool operator==(const DTypes&) const = default;

 private:
  constexpr explicit DTypes(uint16_t bits) : bits_(bits) {}
  uint16_t bits_ = 0;
};
constexpr DTypes operator|(DType a, DType b) { return DTypes(a) | DTypes(b); }

inline constexpr DTypes kBool = DType::Bool;
inline constexpr DTypes kInts = DType::Int8 | DType::UInt8 | DType::Int16 | DType::Int32 | DType::Int64;
inline constexpr DTypes kHalves = DType::Float16 | DType::BFloat16;
inline constexpr DTypes kFloats = kHalves | DType::Float32 | DType::Float64;
inline constexpr DTypes kNumbers = kInts | kFloats;
inline constexpr DTypes kComplex = DType::Complex64 | DType::Complex128;
// Without complex numbers: only the ops that name kComplex or one of the next three sets take them.
inline constexpr DTypes kAnyDType = kNumbers | kBool;
inline constexpr DTypes kInexact = kFloats | kComplex;  // NumPy's word
inline constexpr DTypes kEveryNumber = kNumbers | kComplex;
inline constexpr DTypes kEveryDType = kAnyDType | kComplex;

constexpr std::size_t size_of(DType type) {
  constexpr uint8_t kSizes[kDTypeCount] = {1, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};
  return kSizes[static_cast<int>(type)];
}
// Room for one element of any dtype.
inline constexpr std::size_t kMostElementBytes = 16;
const char* name(DType type);
std::optional<DType> parse_dtype(std::string_view name);
// "float32, float64 or bool"
std::string text_of(DTypes types);
void append(std::string& out, DType type);

constexpr bool is_float(DType type) { return kFloats.has(type); }
constexpr bool is_integer(DType type) { return kInts.has(type); }
constexpr bool is_complex(DType type) { return kComplex.has(type); }
// A float or complex: the dtypes that have gradients.
constexpr bool is_inexact(DType type) { return kInexact.has(type); }
// The dtype of a complex dtype's parts; another dtype itself.
constexpr DType real_dtype(DType type) {
  return type == DType::Complex64 ? DType::Float32 : type == DType::Complex128 ? DType::Float64 : type;
}
// The complex dtype whose parts are of this float dtype; halves give complex64.
constexpr DType complex_dtype(DType type) { return type == DType::Float64 ? DType::Complex128 : DType::Complex64; }

// bool < integers < floats < complex; within a kind, the wider type. float64 with complex64 gives complex128.
DType promote(DType a, DType b);
// The largest finite number of a float dtype.
double largest_of(DType type);
// The smallest and largest value of an integer dtype.
int64_t lowest_of(DType type);
int64_t highest_of(DType type);

template <class T> struct DTypeOf;
template <> struct DTypeOf<bool> { static constexpr DType value = DType::Bool; };
template <> struct DTypeOf<int8_t> { static constexpr DType value = DType::Int8; };
template <> struct DTypeOf<uint8_t> { static constexpr DType value = DType::UInt8; };
template <> struct DTypeOf<int16_t> { static constexpr DType value = DType::Int16; };
template <> struct DTypeOf<int32_t> { static constexpr DType value = DType::Int32; };
template <> struct DTypeOf<int64_t> { static constexpr DType value = DType::Int64; };
template <> struct DTypeOf<Float16> { static constexpr DType value = DType::Float16; };
template <> struct DTypeOf<BFloat16> { static constexpr DType value = DType::BFloat16; };
template <> struct DTypeOf<float> { static constexpr DType value = DType::Float32; };
template <> struct DTypeOf<double> { static constexpr DType value = DType::Float64; };
template <> struct DTypeOf<Complex64> { static constexpr DType value = DType::Complex64; };
template <> struct DTypeOf<Complex128> { static constexpr DType value = DType::Complex128; };
template <class T> inline constexpr DType dtype_of = DTypeOf<T>::value;

template <class T> struct TypeTag { using type = T; };

// The type in which an element is computed: float for halves, otherwise the type itself.
template <class T> struct ComputeTypeOf { using type = T; };
template <> struct ComputeTypeOf<Float16> { using type = float; };
template <> struct ComputeTypeOf<BFloat16> { using type = float; };
template <class T> using ComputeType = typename ComputeTypeOf<T>::type;

// Calls f(TypeTag<T>{}) with the C++ type of `type`, which is not complex.
template <class F> decltype(auto) visit_dtype(DType type, F&& f) {
  switch (type) {
    case DType::Bool: return f(TypeTag<bool>{});
    case DType::Int8: return f(TypeTag<int8_t>{});
    case DType::UInt8: return f(TypeTag<uint8_t>{});
    case DType::Int16: return f(TypeTag<int16_t>{});
    case DType::Int32: return f(TypeTag<int32_t>{});
    case DType::Int64: return f(TypeTag<int64_t>{});
    case DType::Float16: return f(TypeTag<Float16>{});
    case DType::BFloat16: return f(TypeTag<BFloat16>{});
    case DType::Float32: return f(TypeTag<float>{});
    case DType::Float64: return f(TypeTag<double>{});
    default: break;
  }
  __builtin_unreachable();
}

}  // namespace lutra
