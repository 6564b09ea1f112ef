#include "repl/editor/characters.h"

#include "repl/editor/motions.h"
#include "support/catch.h"

using namespace lutra::editor;

namespace {

std::string shown(std::string_view text, int* columns = nullptr) {
  std::string out;
  int width = append_line(text, out);
  if (columns != nullptr) *columns = width;
  return out;
}

}  // namespace

TEST_CASE("widths of characters", "[characters]") {
  for (auto [text, expected] : {std::pair{"abc", 3}, {"日本", 4}, {"e\u0301", 1}, {"😀", 2}, {"é", 1}, {"", 0}}) {
    int columns;
    CHECK(shown(text, &columns) == text);
    CHECK(columns == expected);
  }
}

TEST_CASE("what a terminal would obey is shown harmless", "[characters]") {
  CHECK(shown("\x1b[31m\x7f\t") == "^[[31m^?^I");
  CHECK(shown("\xff\xc3") == "\\xFF\\xC3");
  CHECK(shown("\xc0\xaf\xed\xa0\x80") == "\\xC0\\xAF\\xED\\xA0\\x80");  // overlong, and half of a surrogate pair
  CHECK(shown("\u0085\u202e") == "\\u{85}\\u{202E}");
  CHECK(shown("\u0301") == " \u0301");  // a mark without its base
}

TEST_CASE("characters have their marks", "[characters]") {
  std::string text = "ae\u0301\u0302b";
  CHECK(next_character(text, 1) == 6);
  CHECK(previous_character(text, 6) == 1);
  CHECK(previous_character(text, 1) == 0);
  CHECK(next_character(text, 7) == 7);
  std::string many = "x";
  for (int i = 0; i < 1000; ++i) many += "\u0301";
  CHECK(next_character(many, 0) < 60);
  std::size_t at = many.size(), steps = 0;
  for (; at > 0; ++steps) {
    std::size_t before = previous_character(many, at);
    REQUIRE(next_character(many, before) == at);
    at = before;
  }
  CHECK(steps > 10);
}

TEST_CASE("bytes that are not UTF-8 are characters", "[characters]") {
  std::string text = "a\xe6\x97z\x97";
  std::size_t at = 0;
  for (std::size_t expected : {1u, 2u, 3u, 4u, 5u}) {
    CHECK((at = next_character(text, at)) == expected);
    CHECK(previous_character(text, at) == expected - 1);
  }
}

TEST_CASE("columns across lines", "[motions]") {
  std::string text = "ab日\n\tx\nlong line";
  CHECK(column_of(text, 5) == 4);
  CHECK(column_of(text, 7) == 4);
  CHECK(at_column(text, 9, 3) == 12);
  CHECK(at_column(text, 0, 3) == 2);  // the wide character is two columns
  CHECK(at_column(text, 6, 100) == 8);
}
