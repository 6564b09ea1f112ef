// Characters as the user and the terminal see them: a code point with its combining marks, so many columns wide.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lutra::editor {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct CodePoint {
  char32_t value;
  std::size_t size;  // in bytes
  bool valid;        // false: one byte that is not UTF-8, which is `value`
};

CodePoint code_point_at(std::string_view text, std::size_t at);

// How many bytes a sequence has that begins with this byte; 0 if none does.
std::size_t utf8_size(unsigned char first);

// The bounds of the characters next to `at`; never beyond the text's.
std::size_t next_character(std::string_view text, std::size_t at);
std::size_t previous_character(std::string_view text, std::size_t at);

struct Shown {
  int columns;
  bool escaped;  // as ^X, \xNN or \u{N}: the terminal would execute the character or reverse the text's direction
};

// Appends what stands for one character on the screen. A tab ends at the next column that is a multiple of 4.
Shown append_shown(std::string_view character, int column, std::string& out);

// Like append_shown, for a whole text; newlines and tabs are escaped as well. Returns the columns.
int append_line(std::string_view text, std::string& out);

// Whether each byte is one column: printable ASCII only.
bool is_plain(std::string_view text);

}  // namespace lutra::editor
