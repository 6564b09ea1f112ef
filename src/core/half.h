// float16 (IEEE 754 binary16) and bfloat16, for storage and conversion; arithmetic is in float. Conversions select
// among values instead of branching, so that loops over them vectorise.
#pragma once

#include <bit>
#include <cstdint>

namespace lutra {

struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  constexpr explicit Float16(float value) : bits(encode(value)) {}
  constexpr operator float() const { return decode(bits); }

 private:
  // Rounds to nearest, ties to even; 65520 and above become infinity.
  static constexpr uint16_t encode(float value) {
    uint32_t whole = std::bit_cast<uint32_t>(value);
    uint32_t sign = (whole >> 16) & 0x8000u;
    uint32_t magnitude = whole & 0x7fffffffu;
    uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
    // Adding 0.5 aligns the last bit of the float with the last bit of a subnormal half, and rounds.
    float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    uint32_t subnormal = std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f);
    uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    uint32_t finite = magnitude < 0x38800000u ? subnormal : normal;
    return static_cast<uint16_t>(sign | (magnitude >= 0x477ff000u ? special : finite));
  }

  static constexpr float decode(uint16_t bits) {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    uint32_t magnitude = bits & 0x7fffu;
    uint32_t shifted = magnitude << 13;
    uint32_t subnormal = std::bit_cast<uint32_t>(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
    uint32_t finite = magnitude < 0x400u ? subnormal : shifted + 0x38000000u;
    return std::bit_cast<float>(sign | (magnitude >= 0x7c00u ? (shifted | 0x7f800000u) : finite));
  }
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  constexpr explicit BFloat16(float value) {
    uint32_t whole = std::bit_cast<uint32_t>(value);
    uint32_t quiet = whole | 0x400000u;                         // nan stays nan
    uint32_t nearest = whole + 0x7fffu + ((whole >> 16) & 1u);  // ties to even
    bits = static_cast<uint16_t>((value != value ? quiet : nearest) >> 16);
  }
  constexpr operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

}  // namespace lutra
