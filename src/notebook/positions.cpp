#include "notebook/positions.h"

#include <algorithm>

namespace lutra::notebook {
namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

}  // namespace

std::size_t byte_of(std::string_view text, int character) {
  if (character < 0) return text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (begins_character(text[i]) && character-- == 0) return i;
  }
  return text.size();
}

int character_of(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return static_cast<int>(std::count_if(text.begin(), end, begins_character));
}

}  // namespace lutra::notebook
