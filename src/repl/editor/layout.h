// Wraps an entry into the rows of a terminal, as far as they fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "repl/editor/frame.h"
#include "repl/editor/lexer.h"

namespace lutra::editor {

struct View {
  std::string_view prompt, next_prompt;  // may have colours of their own
  std::string_view text;
  std::size_t cursor = 0;
  const std::vector<Token>* tokens = nullptr;  // coloured if there
  BracketPair match;
  std::size_t found_begin = 0, found_end = 0;  // what a search found
  std::string_view suggestion;                 // would follow the text; its first line is shown
  std::vector<Row> below;                      // rows below the entry
};

// `top` is the entry's first row that is shown. It moves as little as the cursor allows.
Frame lay_out(const View& view, Size size, std::size_t& top);

// How many rows the whole entry takes.
std::size_t rows_of(const View& view, int columns);

// One row of plain text, cut to the columns.
Row row_of(std::string_view text, Style style, int columns);

// Words in columns, at most `rows` rows.
std::vector<Row> in_columns(const std::vector<std::string>& words, Size size);

}  // namespace lutra::editor
