// Bytes rounded to a multiple of `step`.
#pragma once

#include <cstddef>

namespace lutra {

constexpr std::size_t round_down(std::size_t bytes, std::size_t step) { return bytes / step * step; }
constexpr std::size_t round_up(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

}  // namespace lutra
