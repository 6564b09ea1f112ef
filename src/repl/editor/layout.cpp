#include "repl/editor/layout.h"

#include <algorithm>

#include "repl/editor/characters.h"
#include "repl/editor/motions.h"

namespace lutra::editor {
namespace {

Style style_of(Token::Kind kind) {
  switch (kind) {
    case Token::Kind::Keyword: return Style::Keyword;
    case Token::Kind::Constant: return Style::Constant;
    case Token::Kind::Number: return Style::Number;
    case Token::Kind::String: return Style::String;
    case Token::Kind::Comment: return Style::Comment;
    case Token::Kind::Command: return Style::Command;
    case Token::Kind::Name:
    case Token::Kind::Open:
    case Token::Kind::Close: break;
  }
  return Style::Plain;
}

// Wraps cells into rows and keeps those of [first, first + most).
class Wrapper {
 public:
  Wrapper(int columns, std::size_t row, std::size_t first, std::size_t most)
      : columns_(columns), row_(row), first_(first), most_(most) {}

  void add(std::string_view shown, int width, Style style) {
    if (column_ + width > columns_) new_row();
    if (Row* row = kept()) row->add(shown, width, style);
    column_ += width;
  }

  // Text that must be readable by itself: each column is a cell.
  void add_ascii(std::string_view shown, Style style) {
    for (std::size_t i = 0; i < shown.size(); ++i) add(shown.substr(i, 1), 1, style);
  }

  void new_row() {
    ++row_;
    column_ = 0;
    kept();
  }

  // Where the next character goes, `width` columns wide.
  void settle(int width) {
    if (column_ + width > columns_) new_row();
  }

  std::size_t row() const { return row_; }
  int column() const { return column_; }
  int columns_left() const { return columns_ - column_; }
  std::vector<Row> take() { return std::move(rows_); }
  Row* kept() {
    if (row_ < first_ || row_ - first_ >= most_) return nullptr;
    if (rows_.size() <= row_ - first_) rows_.resize(row_ - first_ + 1);
    return &rows_[row_ - first_];
  }

 private:
  int columns_;
  std::size_t row_, first_, most_;
  int column_ = 0;
  std::vector<Row> rows_;
};

// The size of the colour (ESC[...m) at the start of text; 0 if there is none.
std::size_t colour_size(std::string_view text) {
  if (text.size() < 3 || text[0] != '\x1b' || text[1] != '[') return 0;
  std::size_t end = text.find_first_not_of("0123456789;:", 2);
  return end != std::string_view::npos && text[end] == 'm' ? end + 1 : 0;
}

// Returns the columns.
int add_character(std::string_view character, int column, Style style, Wrapper& rows) {
  std::string shown;
  Shown how = append_shown(character, column, shown);
  if (how.escaped) rows.add_ascii(shown, Style::Escaped);
  else if (character[0] == '\t') rows.add_ascii(shown, style);
  else rows.add(shown, how.columns, style);
  return how.columns;
}

// Each cell of a prompt has the colours that hold there, so that it can be drawn alone.
void add_prompt(std::string_view prompt, Wrapper& rows) {
  std::string colour;
  for (std::size_t at = 0; at < prompt.size();) {
    if (std::size_t size = colour_size(prompt.substr(at)); size > 0) {
      if (colour.size() < 256) colour += prompt.substr(at, size);
      at += size;
      continue;
    }
    std::size_t end = next_character(prompt, at);
    if (prompt[at] == '\n') {
      rows.new_row();
    } else if (prompt[at] != '\x01' && prompt[at] != '\x02') {  // readline's marks around colours
      if (colour.empty()) {
        add_character(prompt.substr(at, end - at), rows.column(), Style::Plain, rows);
      } else {
        std::string shown = colour;
        Shown how = append_shown(prompt.substr(at, end - at), rows.column(), shown);
        shown += "\x1b[m";
        rows.add(shown, how.columns, Style::Plain);
      }
    }
    at = end;
  }
}

// Gives the style of growing places of the text.
class Styles {
 public:
  Styles(const View& view, std::size_t from) : view_(view) {
    if (view.tokens == nullptr) return;
    next_ = static_cast<std::size_t>(
        std::partition_point(view.tokens->begin(), view.tokens->end(), [&](const Token& t) { return t.end <= from; }) -
        view.tokens->begin());
  }

  Style at(std::size_t place) {
    if (place >= view_.found_begin && place < view_.found_end) return Style::Found;
    if (view_.match.found && (place == view_.match.first || place == view_.match.second)) return Style::Match;
    if (view_.tokens == nullptr) return Style::Plain;
    const std::vector<Token>& tokens = *view_.tokens;
    while (next_ < tokens.size() && tokens[next_].end <= place) ++next_;
    bool inside = next_ < tokens.size() && tokens[next_].begin <= place;
    return inside ? style_of(tokens[next_].kind) : Style::Plain;
  }

 private:
  const View& view_;
  std::size_t next_ = 0;
};

struct Cursor {
  std::size_t row = 0;
  int column = 0;
};

// The line that begins at `begin`. Returns where the cursor is, if it is there.
void add_line(const View& view, std::size_t begin, std::size_t end, Wrapper& rows, Cursor& cursor) {
  rows.kept();
  add_prompt(begin == 0 ? view.prompt : view.next_prompt, rows);
  Styles styles(view, begin);
  int column = 0;
  for (std::size_t at = begin; at < end;) {
    std::size_t next = next_character(view.text, at);
    std::string_view character = view.text.substr(at, next - at);
    if (at == view.cursor) {
      std::string ignored;
      Shown how = append_shown(character, column, ignored);
      rows.settle(how.escaped || character[0] == '\t' ? 1 : how.columns);
      cursor = {rows.row(), rows.column()};
    }
    column += add_character(character, column, styles.at(at), rows);
    at = next;
  }
  if (view.cursor == end) {
    rows.settle(1);
    cursor = {rows.row(), rows.column()};
  }
  if (end == view.text.size() && !view.suggestion.empty()) {
    std::string_view first = view.suggestion.substr(0, line_end(view.suggestion, 0));
    bool is_cut = first.size() < view.suggestion.size();
    std::string shown;
    for (std::size_t at = 0; at < first.size();) {
      std::size_t next = next_character(first, at);
      shown.clear();
      Shown how = append_shown(first.substr(at, next - at), column, shown);
      if (how.columns + (next < first.size() || is_cut ? 1 : 0) > rows.columns_left()) {
        is_cut = true;
        break;
      }
      column += add_character(first.substr(at, next - at), column, Style::Suggestion, rows);
      at = next;
    }
    if (is_cut && rows.columns_left() > 0) rows.add("…", 1, Style::Suggestion);
  }
}

struct Line {
  std::size_t begin, end, row;  // its first row
};

// All lines, with the row that each begins in, and then the row behind the last.
std::vector<Line> wrap_lines(const View& view, int columns, Cursor& cursor) {
  std::vector<Line> lines;
  bool plain_prompt = is_plain(view.next_prompt);
  std::size_t row = 0;
  for (std::size_t begin = 0;;) {
    std::size_t end = line_end(view.text, begin);
    lines.push_back({begin, end, row});
    bool has_cursor = view.cursor >= begin && view.cursor <= end;
    std::string_view line = view.text.substr(begin, end - begin);
    if (begin > 0 && !has_cursor && plain_prompt && is_plain(line)) {
      std::size_t width = static_cast<std::size_t>(columns), size = view.next_prompt.size() + line.size();
      row += size == 0 ? 1 : (size + width - 1) / width;
    } else {
      Wrapper rows(columns, row, 0, 0);
      add_line(view, begin, end, rows, cursor);
      row = rows.row() + 1;
    }
    if (end == view.text.size()) break;
    begin = end + 1;
  }
  lines.push_back({view.text.size(), view.text.size(), row});
  return lines;
}

}  // namespace

std::size_t rows_of(const View& view, int columns) {
  Cursor cursor;
  return wrap_lines(view, columns, cursor).back().row;
}

Frame lay_out(const View& view, Size size, std::size_t& top) {
  Cursor cursor;
  std::vector<Line> lines = wrap_lines(view, size.columns, cursor);
  std::size_t total = lines.back().row, height = static_cast<std::size_t>(size.rows);
  std::size_t below = std::min(view.below.size(), height / 2);
  std::size_t shown = std::min(total, height - below);
  if (cursor.row < top) top = cursor.row;
  if (cursor.row >= top + shown) top = cursor.row - shown + 1;
  if (top + shown > total) top = total - shown;

  Frame frame;
  auto line = std::partition_point(lines.begin(), lines.end() - 1, [&](const Line& l) { return l.row <= top; }) - 1;
  for (; line != lines.end() - 1 && line->row < top + shown; ++line) {
    Wrapper rows(size.columns, line->row, top, shown);
    Cursor ignored;
    add_line(view, line->begin, line->end, rows, ignored);
    std::vector<Row> taken = rows.take();
    std::size_t first = line->row > top ? line->row - top : 0;  // rows are counted from top
    for (std::size_t i = first; i < taken.size(); ++i) frame.rows.push_back(std::move(taken[i]));
  }
  frame.rows.insert(frame.rows.end(), view.below.begin(), view.below.begin() + static_cast<std::ptrdiff_t>(below));
  frame.cursor_row = cursor.row - top;
  frame.cursor_column = cursor.column;
  return frame;
}

Row row_of(std::string_view text, Style style, int columns) {
  Row row;
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = next_character(text, at);
    shown.clear();
    int width = text[at] == '\t' ? append_line("\t", shown) : append_shown(text.substr(at, end - at), 0, shown).columns;
    if (row.columns + width > columns - (end < text.size() ? 1 : 0)) {
      row.add("…", 1, style);
      break;
    }
    row.add(shown, width, style);
    at = end;
  }
  return row;
}

std::vector<Row> in_columns(const std::vector<std::string>& words, Size size) {
  int widest = 1;
  std::string shown;
  for (const std::string& word : words) {
    shown.clear();
    widest = std::max(widest, append_line(word, shown));
  }
  widest = std::min(widest, size.columns - 1);
  std::size_t across = static_cast<std::size_t>(std::max(1, size.columns / (widest + 2)));
  std::size_t down = (words.size() + across - 1) / across, most = static_cast<std::size_t>(std::max(size.rows, 1));
  std::size_t left_out = 0;
  if (down > most) {
    down = most;
    std::size_t fits = (most - 1) * across;  // the last row says how many are left out
    left_out = words.size() - fits;
  }
  std::vector<Row> rows;
  std::size_t listed = words.size() - left_out, lines = left_out > 0 ? down - 1 : down;
  for (std::size_t line = 0; line < lines; ++line) {
    Row row;
    for (std::size_t column = 0; column < across; ++column) {
      std::size_t index = column * lines + line;
      if (index >= listed) break;
      int begin = static_cast<int>(column) * (widest + 2);
      while (row.columns < begin) row.add(" ", 1, Style::Plain);
      Row word = row_of(words[index], Style::Plain, widest);
      for (const Cell& cell : word.cells) row.add(word.bytes_of(cell), cell.columns, cell.style);
    }
    rows.push_back(std::move(row));
  }
  if (left_out > 0) rows.push_back(row_of("and " + std::to_string(left_out) + " more", Style::Hint, size.columns));
  return rows;
}

}  // namespace lutra::editor
