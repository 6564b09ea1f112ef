#include "repl/editor/frame.h"

#include <algorithm>
#include <utility>

namespace lutra::editor {
namespace {

// Up to so many unchanged columns are printed again instead of jumped over.
constexpr int kJump = 4;

const char* sgr(Style style) {
  switch (style) {
    case Style::Plain: return "\x1b[m";
    case Style::Keyword: return "\x1b[0;35m";
    case Style::Constant: return "\x1b[0;36m";
    case Style::Number: return "\x1b[0;36m";
    case Style::String: return "\x1b[0;32m";
    case Style::Comment: return "\x1b[0;90m";
    case Style::Command: return "\x1b[0;33m";
    case Style::Match: return "\x1b[0;1;4m";
    case Style::Suggestion: return "\x1b[0;90m";
    case Style::Hint: return "\x1b[0;2m";
    case Style::Escaped: return "\x1b[0;31m";
    case Style::Found: return "\x1b[0;7m";
  }
  return "\x1b[m";
}

bool same(const Row& a, const Cell& x, const Row& b, const Cell& y) {
  return x.style == y.style && x.columns == y.columns && a.bytes_of(x) == b.bytes_of(y);
}

void append_move(int count, char final_byte, std::string& out) {
  out += "\x1b[";
  if (count > 1) out += std::to_string(count);
  out += final_byte;
}

}  // namespace

void Row::add(std::string_view shown, int width, Style style) {
  cells.push_back({static_cast<std::uint32_t>(bytes.size()), static_cast<std::uint16_t>(shown.size()),
                   static_cast<std::uint8_t>(width), style});
  bytes += shown;
  columns += width;
}

void Screen::begin(int columns) {
  columns_ = columns;
  shown_ = {};
  shown_.rows.emplace_back();
  row_ = 0;
  column_ = 0;
}

void Screen::set_style(Style style, std::string& out) {
  if (style == style_) return;
  style_ = style;
  if (colours_) out += sgr(style);
}

void Screen::move(std::size_t row, int column, std::string& out) {
  if (row_ == row && column_ == column) return;
  if (column_ == columns_) {
    out += '\r';
    column_ = 0;
  }
  if (row < row_) append_move(static_cast<int>(row_ - row), 'A', out);
  if (row > row_) append_move(static_cast<int>(row - row_), 'B', out);
  row_ = row;
  int left = column_ - column;
  if (left > 3 && column < left) {
    out += '\r';
    column_ = 0;
    left = -column;
  }
  if (left > 3) append_move(left, 'D', out);
  else if (left > 0) out.append(static_cast<std::size_t>(left), '\b');
  else if (left < 0) append_move(-left, 'C', out);
  column_ = column;
}

void Screen::draw_row(const Row& before, const Row& now, std::size_t row, std::string& out) {
  std::size_t common = std::min(before.cells.size(), now.cells.size()), first = 0;
  int column = 0;
  while (first < common && same(before, before.cells[first], now, now.cells[first])) {
    column += now.cells[first++].columns;
  }
  if (first == before.cells.size() && first == now.cells.size()) return;
  int kept = column;  // the columns on the screen before the cells that are printed
  int before_column = column;
  std::size_t j = first;  // the cell of `before` at before_column
  for (std::size_t i = first; i < now.cells.size(); ++i) {
    const Cell& cell = now.cells[i];
    while (j < before.cells.size() && before_column < column) before_column += before.cells[j++].columns;
    bool unchanged = j < before.cells.size() && before_column == column && same(before, before.cells[j], now, cell);
    if (!unchanged) {
      if (kept < column && row_ == row && column_ == kept && column - kept <= kJump) {
        // Printing what is between costs no more than jumping over it.
        std::size_t back = i;
        for (int width = column; width > kept;) width -= now.cells[--back].columns;
        for (; back < i; ++back) {
          set_style(now.cells[back].style, out);
          out += now.bytes_of(now.cells[back]);
        }
        column_ = column;
      }
      move(row, column, out);
      set_style(cell.style, out);
      out += now.bytes_of(cell);
      column_ += cell.columns;
      kept = column_;
    }
    column += cell.columns;
  }
  if (now.columns < before.columns) {
    move(row, now.columns, out);
    set_style(Style::Plain, out);
    out += "\x1b[K";
  }
}

void Screen::draw(Frame next, std::string& out) {
  static const Row empty;
  for (std::size_t i = 0; i < next.rows.size(); ++i) {
    bool is_new = i >= shown_.rows.size();
    if (is_new) {  // the line feed scrolls where the terminal ends
      if (row_ != i - 1) move(i - 1, 0, out);
      out += "\r\n";
      row_ = i;
      column_ = 0;
    }
    draw_row(is_new ? empty : shown_.rows[i], next.rows[i], i, out);
  }
  if (next.rows.size() < shown_.rows.size()) {
    move(next.rows.size(), 0, out);
    set_style(Style::Plain, out);
    out += "\x1b[J";
  }
  move(next.cursor_row, next.cursor_column, out);
  shown_ = std::move(next);
}

void Screen::draw_anew(Frame next, std::string& out) {
  move(0, 0, out);
  set_style(Style::Plain, out);
  out += "\x1b[J";
  begin(columns_);
  draw(std::move(next), out);
}

void Screen::leave(std::string& out) {
  if (!shown_.rows.empty()) move(shown_.rows.size() - 1, 0, out);
  set_style(Style::Plain, out);
  out += "\r\n";
}

void Screen::erase(int columns, std::string& out) {
  // Most terminals wrap rows that are now too long. The cursor stays with its character.
  int above = 0;
  for (std::size_t i = 0; i < row_; ++i) above += std::max(shown_.rows[i].columns - 1, 0) / columns + 1;
  above += std::min(column_, columns_ - 1) / columns;
  out += '\r';
  if (above > 0) append_move(above, 'A', out);
  style_ = Style::Match;  // whatever it was
  set_style(Style::Plain, out);
  out += "\x1b[J";
  begin(columns);
}

}  // namespace lutra::editor
