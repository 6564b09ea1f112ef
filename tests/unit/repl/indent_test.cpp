#include "repl/editor/indent.h"

#include <string>

#include "support/catch.h"

using namespace lutra::editor;

namespace {

Indentation behind(std::string_view text) {
  Lexer lexer;
  return indentation_at(lexer.tokens(text), text, text.size());
}

// The line begins at `line`.
bool closes(std::string_view text, std::size_t line) {
  Lexer lexer;
  return begins_with_closer(lexer.tokens(text), text, line);
}

}  // namespace

TEST_CASE("lines are indented by open blocks and brackets", "[indent]") {
  CHECK(behind("x = 1").inside == 0);
  CHECK(behind("do").inside == 2);
  CHECK(behind("for i = 1, 3 do").inside == 2);
  CHECK(behind("while x do").inside == 2);
  CHECK(behind("if x then").inside == 2);
  CHECK(behind("repeat").inside == 2);
  CHECK(behind("local t = {").inside == 2);
  CHECK(behind("f(function()").inside == 2);  // one level for a line
  CHECK(behind("f(function()\n  g()\nend)").inside == 0);
  CHECK(behind("do\n  if x then").inside == 4);
  CHECK(behind("do\n  if x then").closing == 2);
  CHECK(behind("if x then\n  y()\nelse").inside == 2);
  CHECK(behind("if x then\n  y()\nelseif z then").inside == 2);
  CHECK(behind("if x then\n  y()\nelseif z then\n  w()\nend").inside == 0);
  CHECK(behind("end end }").inside == 0);
}

TEST_CASE("nothing is indented in long strings and comments", "[indent]") {
  CHECK(behind("do\n  x = [[ do").inside == 0);
  CHECK(behind("do --[==[ do").inside == 0);
  CHECK(behind("do\n  x = [[ do ]]").inside == 2);
  CHECK(behind("do -- then {").inside == 2);
  CHECK(behind("do x = 'then {'").inside == 2);
}

TEST_CASE("lines that begin with a closing word", "[indent]") {
  CHECK(closes("do\n  end", 3));
  CHECK(closes("if x then\n  else", 10));
  CHECK(closes("{\n  }", 2));
  CHECK_FALSE(closes("do\n  ends", 3));
  CHECK_FALSE(closes("do\n  x end", 3));
  CHECK_FALSE(closes("do\n  ", 3));
}
