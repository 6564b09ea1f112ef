#include "core/dtype.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace lutra {
namespace {

constexpr std::array<const char*, kDTypeCount> kNames = {"bool",  "int8",    "uint8",    "int16",   "int32",
                                                         "int64", "float16", "bfloat16", "float32", "float64"};

template <class T> T from_double(double value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value != 0;
  } else if constexpr (std::is_integral_v<T>) {
    if (std::isnan(value)) return 0;
    constexpr double low = static_cast<double>(std::numeric_limits<T>::min());
    constexpr double high = static_cast<double>(std::numeric_limits<T>::max());
    if (value <= low) return std::numeric_limits<T>::min();
    if (value >= high) return std::numeric_limits<T>::max();
    return static_cast<T>(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return value;
  } else {
    return T(static_cast<float>(value));
  }
}

template <class To, class From> To convert_one(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (std::is_integral_v<From>) return value != 0;
    else return static_cast<double>(value) != 0;
  } else if constexpr (std::is_integral_v<From> && std::is_integral_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<From> && std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_same_v<To, float> && !std::is_same_v<From, double>) {
    return static_cast<float>(value);
  } else {
    return from_double<To>(static_cast<double>(value));
  }
}

}  // namespace

const char* name(DType type) { return type == kNoDType ? "none" : kNames[static_cast<int>(type)]; }
void append(std::string& out, DType type) { out += name(type); }

std::optional<DType> parse_dtype(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (name == kNames[i]) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::string text_of(DTypes types) {
  std::string out;
  int left = 0;
  for (int i = 0; i < kDTypeCount; ++i) left += types.has(static_cast<DType>(i));
  for (int i = 0; i < kDTypeCount; ++i) {
    if (!types.has(static_cast<DType>(i))) continue;
    out += kNames[i];
    --left;
    if (left > 0) out += left == 1 ? " or " : ", ";
  }
  return out;
}

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (a == DType::Int8 && b == DType::UInt8) return DType::Int16;
  if (a == DType::Float16 && b == DType::BFloat16) return DType::Float32;
  return b;  // the enumerators stand in order of promotion but for those two
}

double largest_of(DType type) {
  switch (type) {
    case DType::Float16: return 65504;
    case DType::BFloat16: return 0x1.fep127;
    case DType::Float32: return std::numeric_limits<float>::max();
    default: return std::numeric_limits<double>::max();
  }
}

int64_t lowest_of(DType type) {
  switch (type) {
    case DType::Bool: return 0;
    case DType::Int8: return INT8_MIN;
    case DType::UInt8: return 0;
    case DType::Int16: return INT16_MIN;
    case DType::Int32: return INT32_MIN;
    default: return INT64_MIN;
  }
}

int64_t highest_of(DType type) {
  switch (type) {
    case DType::Bool: return 1;
    case DType::Int8: return INT8_MAX;
    case DType::UInt8: return UINT8_MAX;
    case DType::Int16: return INT16_MAX;
    case DType::Int32: return INT32_MAX;
    default: return INT64_MAX;
  }
}

Scalar read_element(DType type, const std::byte* at) {
  return visit_dtype(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_same_v<T, bool>) return Scalar::of(value);
    else if constexpr (std::is_integral_v<T>) return Scalar::of(static_cast<int64_t>(value));
    else return Scalar::of(static_cast<double>(value));
  });
}

void write_element(DType type, std::byte* at, Scalar value) {
  visit_dtype(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T out = value.kind == Scalar::Kind::Float ? from_double<T>(value.d) : convert_one<T>(value.i);
    std::memcpy(at, &out, sizeof out);
  });
}

bool fits(DType type, Scalar value) {
  if (is_float(type)) return true;
  if (value.kind == Scalar::Kind::Float) {
    // 2^63 is the first double that int64 cannot hold; every smaller bound is exact in double.
    return value.d == std::floor(value.d) && value.d >= static_cast<double>(lowest_of(type)) &&
           (type == DType::Int64 ? value.d < 0x1p63 : value.d <= static_cast<double>(highest_of(type)));
  }
  return value.i >= lowest_of(type) && value.i <= highest_of(type);
}

void convert(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count) {
  if (to == from) {
    if (count > 0) std::memcpy(dst, src, static_cast<std::size_t>(count) * size_of(to));
    return;
  }
  visit_dtype(to, [&](auto to_tag) {
    visit_dtype(from, [&](auto from_tag) {
      using To = typename decltype(to_tag)::type;
      using From = typename decltype(from_tag)::type;
      const From* in = reinterpret_cast<const From*>(src);
      To* out = reinterpret_cast<To*>(dst);
      for (int64_t i = 0; i < count; ++i) out[i] = convert_one<To>(in[i]);
    });
  });
}

}  // namespace lutra
