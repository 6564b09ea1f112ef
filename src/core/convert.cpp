#include "core/convert.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/rounded_to_odd.h"

namespace lutra {
namespace {

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
  } else if constexpr (std::is_same_v<T, float>) {
    return static_cast<float>(value);
  } else {
    return T(rounded_to_odd(value));
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
  } else if constexpr (std::is_same_v<From, int64_t>) {
    return from_double<To>(rounded_to_odd(value));
  } else {
    return from_double<To>(static_cast<double>(value));
  }
}

}  // namespace

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
