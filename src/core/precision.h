// How a GPU may round the operands of float32 products before it multiplies them; sums are float32 in any case. The CPU
// never rounds them (docs/decisions/cpu-is-always-fp32.md).
#pragma once

#include <cstdint>

namespace lutra {

enum class MatmulPrecision : uint8_t { Tf32, Fp32, Bf16 };

// Indexed by MatmulPrecision; the names that lutra.config.set_float32_matmul_precision takes.
inline constexpr const char* kMatmulPrecisions[] = {"tf32", "fp32", "bf16"};

}  // namespace lutra
