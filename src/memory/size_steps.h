// A scale of sizes with kSteps steps (8, 16, 32, ...) per power of two, so a step is at most 1/kSteps wide. Below 2 *
// kSteps units every size is a step. Used for the arena's bins and the host pool's size classes.
#pragma once

#include <bit>
#include <cstdint>

namespace lutra {

template <unsigned kSteps> struct SizeSteps {
  static_assert(std::has_single_bit(kSteps));
  // Enough for sizes below 2^38 units.
  static constexpr unsigned kCount = kSteps * (40 - std::bit_width(kSteps));

  // The last step that is not above `units`.
  static constexpr unsigned at_most(uint64_t units) {
    unsigned shift = static_cast<unsigned>(std::bit_width(units | kSteps)) - std::bit_width(kSteps);
    return shift * kSteps + static_cast<unsigned>(units >> shift);
  }
  // The first step that is not below `units`, which is not 0.
  static constexpr unsigned at_least(uint64_t units) { return at_most(units - 1) + 1; }
  static constexpr uint64_t units(unsigned step) {
    return step < 2 * kSteps ? step : uint64_t{kSteps + step % kSteps} << (step / kSteps - 1);
  }
};

static_assert(SizeSteps<8>::units(SizeSteps<8>::at_least(16)) == 16);
static_assert(SizeSteps<8>::units(SizeSteps<8>::at_least(17)) == 18);
static_assert(SizeSteps<32>::units(SizeSteps<32>::at_most(127)) == 126);
static_assert(SizeSteps<8>::at_least((uint64_t{1} << 38) - 1) <= SizeSteps<8>::kCount);

}  // namespace lutra
