// Lua's tokens, for colours and brackets. Incomplete text has tokens, too: the user is still typing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lutra::editor {

struct Token {
  enum class Kind : unsigned char { Name, Keyword, Constant, Number, String, Comment, Command, Open, Close };
  std::size_t begin, end;
  Kind kind;
};

// Keeps the tokens of a text that changes little from call to call.
class Lexer {
 public:
  // Operators and blanks are no tokens here. The entry may begin with a command: `:word`, `?word` or `??word`.
  const std::vector<Token>& tokens(std::string_view text);

 private:
  std::string text_;
  std::vector<Token> tokens_;
};

struct BracketPair {
  bool found = false;
  std::size_t first = 0, second = 0;
};

// The bracket before the cursor, or else at it, and its partner.
BracketPair matching_brackets(const std::vector<Token>& tokens, std::string_view text, std::size_t cursor);

}  // namespace lutra::editor
