// What the editor shows, as rows of cells, and the bytes that change one such picture into the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::editor {

enum class Style : std::uint8_t {
  Plain,
  Keyword,
  Constant,
  Number,
  String,
  Comment,
  Command,
  Match,
  Suggestion,
  Hint,
  Escaped,
  Found,
};

struct Size {
  int columns, rows;
};

// One character. Its bytes are those of the row from `begin` on.
struct Cell {
  std::uint32_t begin;
  std::uint16_t size;
  std::uint8_t columns;
  Style style;
};

struct Row {
  std::string bytes;
  std::vector<Cell> cells;
  int columns = 0;

  void add(std::string_view shown, int width, Style style);
  std::string_view bytes_of(const Cell& cell) const { return std::string_view(bytes).substr(cell.begin, cell.size); }
};

struct Frame {
  std::vector<Row> rows;
  std::size_t cursor_row = 0;
  int cursor_column = 0;
};

// Replaces the frame on the terminal by the next one. It moves relative to the cursor, so it need not know where the
// frame is.
class Screen {
 public:
  explicit Screen(bool colours) : colours_(colours) {}

  // The cursor is at the start of an empty row; below it is nothing of ours.
  void begin(int columns);
  // Appends what turns the frame drawn last into `next`.
  void draw(Frame next, std::string& out);
  // Draws all rows again, also if there are more than the terminal has.
  void draw_anew(Frame next, std::string& out);
  // Moves to the start of a new row below the frame.
  void leave(std::string& out);
  // Erases the frame and moves to its first row, for a terminal that has got `columns` and may have wrapped the rows.
  void erase(int columns, std::string& out);

 private:
  void draw_row(const Row& before, const Row& now, std::size_t row, std::string& out);
  void move(std::size_t row, int column, std::string& out);
  void set_style(Style style, std::string& out);

  bool colours_;
  int columns_ = 80;
  Frame shown_;
  std::size_t row_ = 0;  // of the cursor
  int column_ = 0;       // columns_: behind the last column, where the next character would wrap
  Style style_ = Style::Plain;
};

}  // namespace lutra::editor
