#include "repl/editor/lexer.h"

#include <random>

#include "support/catch.h"

using namespace lutra::editor;

namespace {

std::string kinds(const std::vector<Token>& tokens, std::string_view text) {
  static const char* const names[] = {"name",    "keyword", "constant", "number", "string",
                                      "comment", "command", "open",     "close"};
  std::string all;
  for (const Token& token : tokens) {
    all += std::string(all.empty() ? "" : " ") + names[static_cast<int>(token.kind)] + "<";
    all += std::string(text.substr(token.begin, token.end - token.begin)) + ">";
  }
  return all;
}

std::string kinds(std::string_view text) {
  Lexer lexer;
  return kinds(lexer.tokens(text), text);
}

// The pair at the cursor, which '|' marks.
std::pair<int, int> pair(std::string text) {
  std::size_t cursor = text.find('|');
  text.erase(cursor, 1);
  Lexer lexer;
  BracketPair found = matching_brackets(lexer.tokens(text), text, cursor);
  if (!found.found) return {-1, -1};
  return {static_cast<int>(found.first), static_cast<int>(found.second)};
}

}  // namespace

TEST_CASE("Lua's tokens", "[lexer]") {
  CHECK(kinds("local x = nil") == "keyword<local> name<x> constant<nil>");
  CHECK(kinds("0x1p-3 1e+5 .5 3..4 0xA") == "number<0x1p-3> number<1e+5> number<.5> number<3> number<.4> number<0xA>");
  CHECK(kinds("'a\\'b' \"c") == "string<'a\\'b'> string<\"c>");
  CHECK(kinds("'open\nx") == "string<'open> name<x>");
  CHECK(kinds("'a\\\nb' 'c\\z  \n d'") == "string<'a\\\nb'> string<'c\\z  \n d'>");
  CHECK(kinds("[[a\nb]] [==[ ]] ]==] [=x") == "string<[[a\nb]]> string<[==[ ]] ]==]> open<[> name<x>");
  CHECK(kinds("x -- c\ny --[[ d\n ]] z") == "name<x> comment<-- c> name<y> comment<--[[ d\n ]]> name<z>");
  CHECK(kinds("a[1]{}") == "name<a> open<[> number<1> close<]> open<{> close<}>");
  CHECK(kinds("[[ open") == "string<[[ open>");
}

TEST_CASE("commands begin an entry", "[lexer]") {
  CHECK(kinds(":time x") == "command<:time> name<x>");
  CHECK(kinds("?lt.matmul") == "command<?lt.matmul>");
  CHECK(kinds("??mat mul") == "command<??mat> name<mul>");
  CHECK(kinds("x:y") == "name<x> name<y>");
}

TEST_CASE("tokens of a changed text are those of the text", "[lexer]") {
  const std::string_view parts[] = {"x",  " ",   "\n", "[", "[[", "]]", "=", "--",  "'",  "\"",
                                    "\\", "\\z", "1",  ".", "e",  "(",  ")", "end", ":a", "]"};
  std::minstd_rand random(1);
  Lexer lexer;
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    std::size_t at = text.empty() ? 0 : random() % (text.size() + 1);
    if (random() % 3 == 0) text.erase(at, random() % 6);
    else text.insert(at, parts[random() % std::size(parts)]);
    std::string changed = kinds(lexer.tokens(text), text), anew = kinds(text);
    if (changed != anew) CHECK(changed == anew);
    if (text.size() > 60) text.clear();
  }
}

TEST_CASE("brackets are paired", "[lexer]") {
  CHECK(pair("f(|a)") == std::pair{1, 3});
  CHECK(pair("f|(a)") == std::pair{1, 3});
  CHECK(pair("f(a)|") == std::pair{3, 1});
  CHECK(pair("f({')'}|, [[)]])") == std::pair{6, 2});
  CHECK(pair("f(|[)]") == std::pair{-1, -1});
  CHECK(pair("f(|a") == std::pair{-1, -1});
  CHECK(pair("|)") == std::pair{-1, -1});
  CHECK(pair("a|b") == std::pair{-1, -1});
  CHECK(pair("(ab|c)") == std::pair{-1, -1});
}
