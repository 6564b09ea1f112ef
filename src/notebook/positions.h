// Jupyter counts characters (Unicode code points), Lutra bytes of UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace lutra::notebook {

// The byte at which character number `character` begins, from 0; the text's size if it has fewer.
std::size_t byte_of(std::string_view text, int character);
// How many characters begin before this byte.
int character_of(std::string_view text, std::size_t byte);

}  // namespace lutra::notebook
