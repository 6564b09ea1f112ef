// float16 (IEEE 754 binary16) and bfloat16: stored and converted; arithmetic happens in float.
#pragma once

#include <bit>
#include <cstdint>

namespace lutra {

struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(float value) : bits(encode(value)) {}
  operator float() const { return decode(bits); }

 private:
  static uint16_t encode(float value);
  static float decode(uint16_t bits);
};

struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) {
    uint32_t whole = std::bit_cast<uint32_t>(value);
    if ((whole & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((whole >> 16) | 0x40u);  // nan stays nan, made quiet
    } else {
      bits = static_cast<uint16_t>((whole + 0x7fffu + ((whole >> 16) & 1u)) >> 16);  // nearest, ties to even
    }
  }
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

}  // namespace lutra
