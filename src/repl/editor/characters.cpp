#include "repl/editor/characters.h"

#include <clocale>
#include <cstdio>
#include <cwchar>

#include <locale.h>

namespace lutra::editor {
namespace {

constexpr std::size_t kMaxCharacter = 48;  // bytes; further combining marks begin a new character

// The C library's table of widths. The process keeps the locale that it has: Lua's os.setlocale is the user's.
int library_width(char32_t value) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  if (unicode == static_cast<locale_t>(nullptr)) return 1;
  locale_t before = uselocale(unicode);
  int width = wcwidth(static_cast<wchar_t>(value));
  uselocale(before);
  return width;
}

bool changes_direction(char32_t c) {
  return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
         c == 0xfeff;
}

// -1: must not be sent to a terminal.
int columns_of(const CodePoint& point) {
  if (!point.valid) return -1;
  if (point.value < 0x20 || point.value == 0x7f) return -1;
  if (point.value < 0x7f) return 1;
  if (changes_direction(point.value)) return -1;
  return library_width(point.value);
}

std::size_t append_escape(const CodePoint& point, std::string& out) {
  char shown[16];
  if (!point.valid) std::snprintf(shown, sizeof shown, "\\x%02X", static_cast<unsigned>(point.value));
  else if (point.value < 0x20) std::snprintf(shown, sizeof shown, "^%c", static_cast<char>(point.value + 0x40));
  else if (point.value == 0x7f) std::snprintf(shown, sizeof shown, "^?");
  else std::snprintf(shown, sizeof shown, "\\u{%X}", static_cast<unsigned>(point.value));
  std::size_t before = out.size();
  out += shown;
  return out.size() - before;
}

}  // namespace

std::size_t utf8_size(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

CodePoint code_point_at(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  std::size_t size = utf8_size(first);
  if (size == 0 || at + size > text.size()) return {first, 1, false};
  char32_t value = first & (0x7f >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {first, 1, false};
    value = value << 6 | (byte(i) & 0x3f);
  }
  bool overlong = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  bool surrogate = value >= 0xd800 && value < 0xe000;
  if (overlong || surrogate || value > 0x10ffff) return {first, 1, false};
  return {value, size, true};
}

std::size_t next_character(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  CodePoint first = code_point_at(text, at);
  std::size_t end = at + first.size;
  if (columns_of(first) < 0) return end;
  while (end < text.size() && static_cast<unsigned char>(text[end]) >= 0x80) {
    CodePoint mark = code_point_at(text, end);
    if (columns_of(mark) != 0 || end + mark.size - at > kMaxCharacter) break;
    end += mark.size;
  }
  return end;
}

std::size_t previous_character(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  // Back to something that cannot be a mark; then forward again, as the limit of marks counts from the base.
  std::size_t begin = at;
  while (begin > 0) {
    std::size_t back = begin - 1;
    while (back > 0 && begin - back < 4 && (static_cast<unsigned char>(text[back]) & 0xc0) == 0x80) --back;
    if (back + code_point_at(text, back).size != begin) back = begin - 1;
    begin = back;
    if (columns_of(code_point_at(text, begin)) != 0) break;
  }
  for (std::size_t end; (end = next_character(text, begin)) < at;) begin = end;
  return begin;
}

Shown append_shown(std::string_view character, int column, std::string& out) {
  if (character[0] == '\t') {
    int columns = 4 - column % 4;
    out.append(static_cast<std::size_t>(columns), ' ');
    return {columns, false};
  }
  CodePoint first = code_point_at(character, 0);
  int columns = columns_of(first);
  if (columns < 0) return {static_cast<int>(append_escape(first, out)), true};
  if (columns == 0) {  // a mark without a base
    out += ' ';
    columns = 1;
  }
  out += character;
  return {columns, false};
}

int append_line(std::string_view text, std::string& out) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = next_character(text, at);
    if (text[at] == '\t') columns += static_cast<int>(append_escape(code_point_at(text, at), out));
    else columns += append_shown(text.substr(at, end - at), 0, out).columns;
    at = end;
  }
  return columns;
}

bool is_plain(std::string_view text) {
  unsigned char wrong = 0;
  for (char c : text) wrong |= static_cast<unsigned char>(static_cast<unsigned char>(c - 0x20) > 0x5e);
  return wrong == 0;
}

}  // namespace lutra::editor
