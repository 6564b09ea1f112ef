// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC'11): block n of a key is
// a function of n, so any thread can compute any range. Also turns random bits into numbers. All of it is integer
// arithmetic or exact in floating point, so every device gives the same bits.
#pragma once

#include <cstdint>

namespace lutra {

struct PhiloxBlock {
  uint32_t word[4];
};

constexpr PhiloxBlock philox4x32(PhiloxBlock counter, uint32_t key0, uint32_t key1) {
  uint32_t c0 = counter.word[0], c1 = counter.word[1], c2 = counter.word[2], c3 = counter.word[3];
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = uint64_t{0xD2511F53u} * c0;
    uint64_t product1 = uint64_t{0xCD9E8D57u} * c2;
    c0 = static_cast<uint32_t>(product1 >> 32) ^ c1 ^ key0;
    c1 = static_cast<uint32_t>(product1);
    c2 = static_cast<uint32_t>(product0 >> 32) ^ c3 ^ key1;
    c3 = static_cast<uint32_t>(product0);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

// Block `number` of a 64-bit key. Planes other than 0 are for elements that must be drawn again, plane by plane.
constexpr PhiloxBlock philox_block(uint64_t key, uint64_t number, uint32_t plane = 0) {
  PhiloxBlock counter{{static_cast<uint32_t>(number), static_cast<uint32_t>(number >> 32), plane, 0}};
  return philox4x32(counter, static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32));
}

// 24 bits of a word as a number in [0, 1).
constexpr float unit_float(uint32_t word) { return static_cast<float>(static_cast<int32_t>(word >> 8)) * 0x1p-24f; }
// 53 bits of two words, in [0, 1).
constexpr double unit_double(uint32_t high, uint32_t low) {
  return (static_cast<double>(static_cast<int32_t>(high >> 5)) * 0x1p26 +
          static_cast<double>(static_cast<int32_t>(low >> 6))) *
         0x1p-53;
}

}  // namespace lutra
