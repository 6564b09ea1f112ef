#include "repl/editor/lexer.h"

#include <algorithm>

#include "repl/editor/characters.h"
#include "repl/editor/motions.h"

namespace lutra::editor {
namespace {

using Kind = Token::Kind;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

Kind kind_of_word(std::string_view word) {
  static constexpr std::string_view keywords[] = {
      "and", "break", "do",  "else", "elseif", "end",    "for",  "function", "goto",  "if",
      "in",  "local", "not", "or",   "repeat", "return", "then", "until",    "while",
  };
  if (word == "nil" || word == "true" || word == "false") return Kind::Constant;
  return std::binary_search(std::begin(keywords), std::end(keywords), word) ? Kind::Keyword : Kind::Name;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::size_t from, std::vector<Token>& tokens)
      : text_(text), at_(from), tokens_(tokens) {}

  void run() {
    if (at_ == 0) command();
    while (at_ < text_.size()) step();
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void add(std::size_t end, Kind kind) {
    tokens_.push_back({at_, end, kind});
    at_ = end;
  }

  template <class Is> std::size_t run_of(std::size_t from, Is is) const {
    while (from < text_.size() && is(text_[from])) ++from;
    return from;
  }

  void command() {
    if (peek() != ':' && peek() != '?') return;
    std::size_t begin = peek() == '?' && peek(1) == '?' ? 2 : 1;
    bool help = peek() == '?';
    add(run_of(begin, [help](char c) { return help ? c != ' ' && c != '\n' : is_letter(c); }), Kind::Command);
  }

  void step() {
    char c = peek();
    if (is_letter(c)) {
      std::size_t end = run_of(at_, is_word);
      add(end, kind_of_word(text_.substr(at_, end - at_)));
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(c);
    } else if (c == '-' && peek(1) == '-') {
      std::size_t end = peek(2) == '[' ? long_bracket_end(at_ + 2) : 0;
      add(end != 0 ? end : line_end(text_, at_), Kind::Comment);
    } else if (c == '[') {
      std::size_t end = long_bracket_end(at_);
      if (end != 0) add(end, Kind::String);
      else add(at_ + 1, Kind::Open);
    } else if (c == '(' || c == '{') {
      add(at_ + 1, Kind::Open);
    } else if (c == ')' || c == '}' || c == ']') {
      add(at_ + 1, Kind::Close);
    } else {
      ++at_;
    }
  }

  void number() {
    bool hexadecimal = peek() == '0' && (peek(1) == 'x' || peek(1) == 'X');
    std::size_t end = at_;
    for (char before = '\0'; end < text_.size(); before = text_[end++]) {
      char c = text_[end];
      bool exponent = hexadecimal ? before == 'p' || before == 'P' : before == 'e' || before == 'E';
      if (!is_word(c) && c != '.' && !(exponent && (c == '+' || c == '-'))) break;
      if (c == '.' && before == '.') {  // 1..2 is "1" and ".." and "2"
        --end;
        break;
      }
    }
    add(end, Kind::Number);
  }

  void string(char quote) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote && text_[end] != '\n') {
      if (text_[end] != '\\') {
        ++end;
      } else if (end + 1 < text_.size() && text_[end + 1] == 'z') {
        end = run_of(end + 2, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
      } else {
        end += 2;
      }
    }
    end = std::min(end, text_.size());
    if (end < text_.size() && text_[end] == quote) ++end;
    add(end, Kind::String);
  }

  // Behind the long bracket that opens at `from`; 0 if none does.
  std::size_t long_bracket_end(std::size_t from) const {
    std::size_t inside = run_of(from + 1, [](char c) { return c == '='; });
    if (inside >= text_.size() || text_[inside] != '[') return 0;
    std::string close = "]" + std::string(inside - from - 1, '=') + "]";
    std::size_t end = text_.find(close, inside + 1);
    return end == std::string_view::npos ? text_.size() : end + close.size();
  }

  std::string_view text_;
  std::size_t at_;
  std::vector<Token>& tokens_;
};

char partner_of(char bracket) {
  static constexpr std::string_view brackets = "()[]{}";
  return brackets[brackets.find(bracket) ^ 1];
}

}  // namespace

const std::vector<Token>& Lexer::tokens(std::string_view text) {
  std::size_t common = std::min(text.size(), text_.size());
  std::size_t same =
      static_cast<std::size_t>(std::mismatch(text.begin(), text.begin() + common, text_.begin()).first - text.begin());
  if (same == text.size() && same == text_.size()) return tokens_;
  // From the changed line on, or from the token that reaches into it, or up to its start.
  std::size_t from = line_begin(text, same);
  auto is_before = [](const Token& token, std::size_t place) { return token.end < place; };
  auto kept = std::lower_bound(tokens_.begin(), tokens_.end(), from, is_before);
  if (kept != tokens_.end()) from = std::min(from, kept->begin);
  tokens_.erase(kept, tokens_.end());
  text_ = text;
  Scanner(text_, from, tokens_).run();
  return tokens_;
}

BracketPair matching_brackets(const std::vector<Token>& tokens, std::string_view text, std::size_t cursor) {
  auto is_bracket = [](const Token& token) { return token.kind == Kind::Open || token.kind == Kind::Close; };
  auto at = std::partition_point(tokens.begin(), tokens.end(), [&](const Token& t) { return t.end < cursor; });
  // The token that ends at the cursor, then the one that begins there.
  if (at != tokens.end() && !(at->end == cursor && is_bracket(*at))) {
    if (at->begin < cursor) ++at;
  }
  if (at == tokens.end() || at->begin > cursor || !is_bracket(*at)) return {};
  std::string expected;
  bool forward = at->kind == Kind::Open;
  for (auto token = at;;) {
    if (is_bracket(*token)) {
      char bracket = text[token->begin];
      if ((token->kind == Kind::Open) == forward) {
        expected += partner_of(bracket);
      } else {
        if (expected.back() != bracket) return {};
        expected.pop_back();
        if (expected.empty()) return {true, at->begin, token->begin};
      }
    }
    if (forward ? ++token == tokens.end() : token == tokens.begin()) return {};
    if (!forward) --token;
  }
}

}  // namespace lutra::editor
