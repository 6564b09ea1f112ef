// Reads an element in memory as a Scalar, writes one, and converts arrays to another dtype. The same rules hold
// everywhere: a float rounds to the type; integers wrap; a float outside an integer's range saturates and nan becomes
// 0; a complex number loses its imaginary part unless the other dtype is complex or bool.
#pragma once

#include "core/scalar.h"

namespace lutra {

// Of a complex element, the real part.
Scalar read_element(DType type, const std::byte* at);
Complex128 read_complex(DType type, const std::byte* at);  // of a complex dtype
void write_element(DType type, std::byte* at, Scalar value);
// dst and src do not overlap.
void convert(DType to, std::byte* dst, DType from, const std::byte* src, int64_t count);

}  // namespace lutra
