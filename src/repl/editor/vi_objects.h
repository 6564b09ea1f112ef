// vi's text objects, as "iw" or "a(", and the bracket that matches one. Brackets in strings count as others do.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lutra::editor {

struct Span {
  std::size_t begin, end;
  bool is_lines = false;  // whole lines, the last with its newline
};

// The object around `at` that the keys i or a (`around`) and `name` choose: w W " ' ` ( ) b [ ] { } B < >. `count`: how
// many words, or which of nested brackets, counted outwards.
std::optional<Span> vi_object(std::string_view text, std::size_t at, bool around, char name, int count);

// The bracket that matches the first one at `at` or behind it on its line.
std::optional<std::size_t> matching_bracket(std::string_view text, std::size_t at);

}  // namespace lutra::editor
