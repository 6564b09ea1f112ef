#include "core/convert.h"

#include <cstring>

#include "core/conversion.h"

namespace lutra {
namespace {
struct Here {};
}  // namespace

Scalar read_element(DType type, const std::byte* at) {
  if (is_complex(type)) type = real_dtype(type);  // which lies first
  return visit_dtype(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T value;
    std::memcpy(&value, at, sizeof value);
    if constexpr (std::is_same_v<T, bool>) return Scalar::of(value);
    else if constexpr (std::is_integral_v<T>) return Scalar::of(static_cast<int64_t>(value));
    else return Scalar::of(static_cast<double>(value));
  });
}

Complex128 read_complex(DType type, const std::byte* at) {
  const std::byte* imaginary = at + size_of(type) / 2;
  type = real_dtype(type);
  return {read_element(type, at).d, read_element(type, imaginary).d};
}

void write_element(DType type, std::byte* at, Scalar value) {
  if (is_complex(type)) {
    std::memset(at, 0, size_of(type));
    type = real_dtype(type);
  }
  visit_dtype(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    Stored<T> out = value.kind == Scalar::Kind::Float ? converted<T, double>(value.d) : converted<T, int64_t>(value.i);
    std::memcpy(at, &out, sizeof out);
  });
}

void convert(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count) {
  convert_array<Here>(to, dst, from, src, count);
}

}  // namespace lutra
