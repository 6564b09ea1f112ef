#include "core/dtype.h"

#include <array>
#include <limits>

namespace lutra {
namespace {

constexpr std::array<const char*, kDTypeCount> kNames = {"bool",    "int8",    "uint8",     "int16",
                                                         "int32",   "int64",   "float16",   "bfloat16",
                                                         "float32", "float64", "complex64", "complex128"};

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
  if (a == DType::Float64 && b == DType::Complex64) return DType::Complex128;
  return b;  // the enumerators are in order of promotion except for those three pairs
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

}  // namespace lutra
