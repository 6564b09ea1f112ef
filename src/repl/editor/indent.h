// How far lines of an entry are indented, by the blocks and brackets that are open before them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "repl/editor/lexer.h"

namespace lutra::editor {

constexpr std::size_t kIndentation = 2;  // columns, by block

struct Indentation {
  std::size_t inside = 0;   // of a line in the innermost block
  std::size_t closing = 0;  // of a line that closes it
};

// For a line that begins at `at`, behind a newline or where one is to be inserted. Nothing is indented in a long string
// or comment.
Indentation indentation_at(const std::vector<Token>& tokens, std::string_view text, std::size_t at);

// Whether the line begins with a word or a bracket that closes a block: `end`, `else`, `}` ...
bool begins_with_closer(const std::vector<Token>& tokens, std::string_view text, std::size_t line);

}  // namespace lutra::editor
