// How vi's commands change the text. keymap_vi.cpp reads the commands.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "repl/editor/text_buffer.h"
#include "repl/editor/vi_objects.h"

namespace lutra::editor {

// `name`: d c y < >, or u U ~ for gu gU g~. After c the cursor is where the user types on, and an undo group is open.
void vi_operate(char name, Span span, TextBuffer& buffer);
// The same on the lines from that of one place to that of another. What d, c and y keep ends in a newline, by which
// vi_put knows that it is lines.
void vi_operate_on_lines(char name, std::size_t from, std::size_t to, TextBuffer& buffer);

// p, or P if not `behind`; J; r; ~. False if nothing has changed.
bool vi_put(TextBuffer& buffer, bool behind, int count);
bool vi_join(TextBuffer& buffer, int count);
bool vi_replace(TextBuffer& buffer, std::string_view with, int count);
bool vi_swap_case(TextBuffer& buffer, int count);

// What is typed in one insertion, which a count before i, a, o and their like repeats.
class ViInsertion {
 public:
  // At the cursor.
  void begin(const TextBuffer& buffer, int count);
  // The text counts once: the user has moved in it.
  void forget_count() { count_ = 1; }
  // At its end: inserts what was typed again, as often as the count wants; over the text behind it if `overwrites`. The
  // cursor ends up where it would be if all had been typed.
  void repeat(TextBuffer& buffer, bool overwrites);

 private:
  int count_ = 1;
  std::string before_, after_;  // the text around it
};

// A place in the line so many below that of `at`, or above it if negative. If there are not as many lines: the last or
// first one if `or_less`, else npos.
std::size_t vi_line_below(std::string_view text, std::size_t at, int count, bool or_less);

// The blanks at the start of the line that begins at `begin`.
std::string vi_indentation(std::string_view text, std::size_t begin);

}  // namespace lutra::editor
