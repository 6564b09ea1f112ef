// Places in a text that keys move to. All take and return byte offsets between characters.
#pragma once

#include <cstddef>
#include <string_view>

namespace lutra::editor {

std::size_t line_begin(std::string_view text, std::size_t at);
std::size_t line_end(std::string_view text, std::size_t at);
std::size_t first_nonblank(std::string_view text, std::size_t at);  // of the line

// Words of letters, digits and underscores, as Emacs moves: forward to a word's end, back to its start.
std::size_t word_forward(std::string_view text, std::size_t at);
std::size_t word_back(std::string_view text, std::size_t at);
// Back to the start of what blanks separate.
std::size_t blank_word_back(std::string_view text, std::size_t at);

// vi's words: runs of word characters, or of other characters. `big`: whatever blanks separate.
std::size_t vi_word(std::string_view text, std::size_t at, bool big);
std::size_t vi_word_back(std::string_view text, std::size_t at, bool big);
std::size_t vi_word_end(std::string_view text, std::size_t at, bool big);  // the last character of a word
std::size_t vi_word_end_back(std::string_view text, std::size_t at, bool big);
// Where the run of characters of one kind, blanks too, that `at` is in begins, and the place behind it.
std::size_t vi_run_begin(std::string_view text, std::size_t at, bool big);
std::size_t vi_run_end(std::string_view text, std::size_t at, bool big);

// The column that `at` has in its line, and the place in the line of `at` that is nearest to a column.
int column_of(std::string_view text, std::size_t at);
std::size_t at_column(std::string_view text, std::size_t at, int column);

}  // namespace lutra::editor
