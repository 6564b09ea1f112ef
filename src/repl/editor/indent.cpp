#include "repl/editor/indent.h"

#include <algorithm>

#include "repl/editor/motions.h"

namespace lutra::editor {
namespace {

struct Effect {
  bool closes = false, opens = false;
};

Effect effect_of(const Token& token, std::string_view word) {
  if (token.kind == Token::Kind::Open) return {false, true};
  if (token.kind == Token::Kind::Close) return {true, false};
  if (token.kind != Token::Kind::Keyword) return {};
  if (word == "do" || word == "then" || word == "function" || word == "repeat") return {false, true};
  if (word == "end" || word == "until" || word == "elseif") return {true, false};  // `then` follows elseif
  if (word == "else") return {true, true};
  return {};
}

bool is_inside(const Token& token, std::string_view text, std::size_t at) {
  const bool may_be_long = token.kind == Token::Kind::String || token.kind == Token::Kind::Comment;
  if (!may_be_long || token.begin >= at || token.end < at) return false;
  const std::string_view word = text.substr(token.begin, token.end - token.begin);
  const bool is_long = word.starts_with("[") || word.starts_with("--[");
  return is_long && (token.end > at || !word.ends_with("]"));
}

}  // namespace

Indentation indentation_at(const std::vector<Token>& tokens, std::string_view text, std::size_t at) {
  std::vector<std::size_t> open;  // the indentation of the line of each opening word
  for (const Token& token : tokens) {
    if (is_inside(token, text, at)) return {};
    if (token.end > at) break;
    const Effect effect = effect_of(token, text.substr(token.begin, token.end - token.begin));
    std::size_t line = effect.opens ? first_nonblank(text, token.begin) - line_begin(text, token.begin) : 0;
    if (effect.closes && !open.empty()) {
      if (effect.opens) line = open.back();
      open.pop_back();
    }
    if (effect.opens) open.push_back(line);
  }
  if (open.empty()) return {};
  return {open.back() + kIndentation, open.back()};
}

bool begins_with_closer(const std::vector<Token>& tokens, std::string_view text, std::size_t line) {
  const std::size_t first = first_nonblank(text, line);
  auto token = std::partition_point(tokens.begin(), tokens.end(), [first](const Token& t) { return t.begin < first; });
  if (token == tokens.end() || token->begin != first) return false;
  return effect_of(*token, text.substr(token->begin, token->end - token->begin)).closes;
}

}  // namespace lutra::editor
