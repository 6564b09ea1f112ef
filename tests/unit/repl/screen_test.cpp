#include <algorithm>
#include <map>
#include <random>

#include "repl/editor/characters.h"
#include "repl/editor/layout.h"
#include "support/catch.h"

using namespace lutra::editor;

namespace {

// A small terminal: what the editor sends, and nothing else.
class Terminal {
 public:
  Terminal(int columns, int rows) : columns_(columns), lines_(static_cast<std::size_t>(rows)) { clear(); }

  void take(std::string_view bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      char c = bytes[at];
      if (c == '\x1b') at = sequence(bytes, at + 2);
      else if (c == '\r') column_ = 0, ++at;
      else if (c == '\b') column_ = std::max(std::min(column_, columns_ - 1) - 1, 0), ++at;
      else if (c == '\n') down(), ++at;
      else at = print(bytes, at);
    }
  }

  void clear() {
    for (auto& line : lines_) line.assign(static_cast<std::size_t>(columns_), " ");
    row_ = 0;
    column_ = 0;
    style_.clear();
  }

  std::string picture() const {
    std::string all;
    for (const auto& line : lines_) {
      for (const std::string& cell : line) all += cell;
      all += "|\n";
    }
    return all + std::to_string(row_) + "," + std::to_string(column_);
  }

 private:
  std::string& cell(int column) { return lines_[row_][static_cast<std::size_t>(column)]; }

  void down() {
    if (++row_ < lines_.size()) return;
    lines_.erase(lines_.begin());
    lines_.emplace_back(static_cast<std::size_t>(columns_), " ");
    --row_;
  }

  std::size_t sequence(std::string_view bytes, std::size_t at) {
    std::size_t end = bytes.find_first_of("ABCDHJKm", at);
    REQUIRE(end != bytes.npos);
    std::string parameters(bytes.substr(at, end - at));
    if (bytes[end] == 'm') {
      style_ = parameters;
      return end + 1;
    }
    int count = parameters.empty() ? 1 : std::stoi(parameters);
    column_ = std::min(column_, columns_ - 1);
    switch (bytes[end]) {
      case 'A': row_ -= std::min(row_, static_cast<std::size_t>(count)); break;
      case 'B': row_ = std::min(row_ + static_cast<std::size_t>(count), lines_.size() - 1); break;
      case 'C': column_ = std::min(column_ + count, columns_ - 1); break;
      case 'D': column_ = std::max(column_ - count, 0); break;
      case 'J':
        for (std::size_t i = row_ + 1; i < lines_.size(); ++i) {
          lines_[i].assign(static_cast<std::size_t>(columns_), " ");
        }
        [[fallthrough]];
      case 'K':
        for (int i = column_; i < columns_; ++i) write(i, " ");
    }
    return end + 1;
  }

  // Half of a wide character does not stay.
  void write(int column, const std::string& shown) {
    if (cell(column).empty() && column > 0) cell(column - 1) = " ";
    if (column + 1 < columns_ && cell(column + 1).empty()) cell(column + 1) = " ";
    cell(column) = shown;
  }

  std::size_t print(std::string_view bytes, std::size_t at) {
    std::size_t end = next_character(bytes, at);
    std::string ignored;
    int columns = append_shown(bytes.substr(at, end - at), 0, ignored).columns;
    if (column_ + columns > columns_) {
      column_ = 0;
      down();
    }
    std::string shown(bytes.substr(at, end - at));
    write(column_, style_.empty() || shown == " " ? shown : "<" + style_ + ">" + shown);
    if (columns == 2) {
      write(column_ + 1, " ");
      cell(column_ + 1).clear();
    }
    column_ += columns;
    return end;
  }

  int columns_;
  std::vector<std::vector<std::string>> lines_;
  std::size_t row_ = 0;
  int column_ = 0;
  std::string style_;
};

const std::string_view kParts[] = {"a",  " ",      "local x", "end", "'",  "[[",     "]]",    "-- b", "(",
                                   ")",  "日本",   "e\u0301", "😀",   "\n", "\u202e", "\x1b",  "\xff", "\t",
                                   "\n", "123456", "日",      "\n",  "x",  "\u0301", "(a, b)"};

}  // namespace

TEST_CASE("changing a picture gives what drawing it anew gives", "[screen]") {
  for (auto [columns, rows] : {std::pair{80, 24}, {20, 6}, {9, 4}, {3, 2}, {2, 1}}) {
    std::minstd_rand random(7);
    Size size{columns, rows};
    Screen screen(true);
    Terminal terminal(columns, rows);
    Lexer lexer;
    std::string text = "return", out;
    std::size_t top = 0;
    screen.begin(columns);
    for (int i = 0; i < 1500; ++i) {
      std::size_t at = 0;
      for (std::size_t steps = random() % (text.size() + 1); steps > 0 && at < text.size(); --steps) {
        at = next_character(text, at);
      }
      if (random() % 4 == 0) text.erase(at, next_character(text, at) - at);
      else text.insert(at, kParts[random() % std::size(kParts)]);
      if (text.size() > 200) text.erase(0, random() % 200);
      while (at > text.size() || (at > 0 && next_character(text, previous_character(text, at)) != at)) --at;

      View view;
      view.prompt = "\x1b[32m>\x1b[m ";
      view.next_prompt = ">> ";
      view.text = text;
      view.cursor = random() % 2 == 0 ? text.size() : at;
      view.tokens = &lexer.tokens(text);
      view.match = matching_brackets(*view.tokens, text, view.cursor);
      if (random() % 3 == 0) view.suggestion = "日本 and more\nlines";
      if (random() % 3 == 0) view.below = in_columns({"one", "two", "日本", "three"}, size);
      Frame frame = lay_out(view, size, top);
      REQUIRE(frame.rows.size() <= static_cast<std::size_t>(rows));
      for (const Row& row : frame.rows) REQUIRE(row.columns <= columns);

      out.clear();
      screen.draw(frame, out);
      terminal.take(out);
      Screen fresh(true);
      Terminal other(columns, rows);
      out.clear();
      fresh.begin(columns);
      fresh.draw(frame, out);
      other.take(out);
      INFO("step " << i << " of " << columns << "x" << rows << ", text " << text);
      REQUIRE(terminal.picture() == other.picture());
    }
  }
}
