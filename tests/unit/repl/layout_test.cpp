#include "repl/editor/layout.h"

#include "repl/editor/frame.h"
#include "support/catch.h"

using namespace lutra::editor;

namespace {

struct Shown {
  std::vector<std::string> rows;
  std::size_t cursor_row;
  int cursor_column;
};

Shown shown(std::string_view text, std::size_t cursor, Size size, std::size_t top = 0) {
  View view;
  view.prompt = "> ";
  view.next_prompt = ">> ";
  view.text = text;
  view.cursor = cursor;
  Frame frame = lay_out(view, size, top);
  Shown result{{}, frame.cursor_row, frame.cursor_column};
  for (const Row& row : frame.rows) result.rows.push_back(row.bytes);
  return result;
}

using Rows = std::vector<std::string>;

Frame frame_of(std::string_view text, std::size_t cursor, Size size) {
  View view;
  view.prompt = "> ";
  view.next_prompt = ">> ";
  view.text = text;
  view.cursor = cursor;
  std::size_t top = 0;
  return lay_out(view, size, top);
}

}  // namespace

TEST_CASE("lines wrap at the terminal's width", "[layout]") {
  CHECK(shown("abcdef", 0, {5, 9}).rows == Rows{"> abc", "def"});
  CHECK(shown("abc\n\nde", 0, {5, 9}).rows == Rows{"> abc", ">> ", ">> de"});
  CHECK(shown("a日本", 0, {5, 9}).rows == Rows{"> a日", "本"});
  CHECK(shown("日本", 0, {5, 9}).rows == Rows{"> 日", "本"});
  CHECK(shown("ab\x1b", 0, {5, 9}).rows == Rows{"> ab^", "["});
}

TEST_CASE("the cursor behind a full row is in the next one", "[layout]") {
  Shown full = shown("abc", 3, {5, 9});
  CHECK(full.rows == Rows{"> abc", ""});
  CHECK((full.cursor_row == 1 && full.cursor_column == 0));
  Shown wide = shown("ab日", 2, {5, 9});
  CHECK((wide.cursor_row == 1 && wide.cursor_column == 0));
}

TEST_CASE("only rows that fit are shown, those around the cursor", "[layout]") {
  std::string text = "a\nb\nc\nd\ne";
  CHECK(shown(text, 9, {20, 3}).rows == Rows{">> c", ">> d", ">> e"});
  CHECK(shown(text, 4, {20, 3}, 2).rows == Rows{">> c", ">> d", ">> e"});
  CHECK(shown(text, 2, {20, 3}, 2).rows == Rows{">> b", ">> c", ">> d"});
  CHECK(shown(text, 0, {20, 3}, 2).rows == Rows{"> a", ">> b", ">> c"});
  CHECK(shown("x", 1, {20, 3}, 2).rows == Rows{"> x"});
}

TEST_CASE("words in columns", "[layout]") {
  std::vector<std::string> words{"a", "bb", "ccc", "d", "e"};
  std::vector<Row> rows = in_columns(words, {16, 9});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].bytes == "a    ccc  e");
  CHECK(rows[1].bytes == "bb   d");
  rows = in_columns(words, {6, 3});
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].bytes == "and 3…");
}

TEST_CASE("a picture is changed by few bytes", "[screen]") {
  auto change = [](std::string_view from, std::string_view to, std::size_t cursor) {
    Screen screen(true);
    std::string first, out;
    screen.begin(40);
    screen.draw(frame_of(from, from.size(), {40, 9}), first);
    screen.draw(frame_of(to, cursor, {40, 9}), out);
    return out;
  };
  CHECK(change("abc", "abcd", 4) == "d");
  CHECK(change("abc", "abc", 3) == "");
  CHECK(change("abc", "abc", 2) == "\b");
  CHECK(change("abc", "ab", 2) == "\b\x1b[K");
  CHECK(change("abc", "abc\n", 4) == "\r\n>> ");
  CHECK(change("abc\nd", "abc", 3) == "\r\x1b[J\x1b[A\x1b[5C");
}
