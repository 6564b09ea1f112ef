#include "repl/editor/vi_objects.h"

#include <algorithm>

#include "repl/editor/characters.h"
#include "repl/editor/motions.h"

namespace lutra::editor {
namespace {

// Blanks behind the span belong to it; without any, those before it.
Span with_blanks(std::string_view text, Span span) {
  const std::size_t end = span.end;
  while (span.end < text.size() && is_blank(text[span.end])) ++span.end;
  if (span.end > end) return span;
  while (span.begin > 0 && is_blank(text[span.begin - 1])) --span.begin;
  return span;
}

std::optional<Span> word(std::string_view text, std::size_t at, bool around, bool big, int count) {
  const std::size_t stop = line_end(text, at);
  if (at >= stop) return std::nullopt;
  Span span{vi_run_begin(text, at, big), at};
  const bool begins_blank = is_blank(text[at]);
  for (int i = 0; i < count && span.end < stop; ++i) {
    span.end = std::min(vi_run_end(text, span.end, big), stop);
    if (!around) continue;
    const bool more = span.end < stop && (begins_blank || is_blank(text[span.end]));
    if (more) span.end = std::min(vi_run_end(text, span.end, big), stop);
    else if (!begins_blank && i == count - 1) span = with_blanks(text, span);
  }
  return span;
}

std::optional<Span> quoted(std::string_view text, std::size_t at, bool around, char quote) {
  const std::size_t stop = line_end(text, at);
  auto next_quote = [&](std::size_t from) {
    while (from < stop && text[from] != quote) from += text[from] == '\\' ? 2 : 1;
    return std::min(from, stop);
  };
  for (std::size_t open = next_quote(line_begin(text, at)); open < stop;) {
    const std::size_t close = next_quote(open + 1);
    if (close == stop) return std::nullopt;
    if (close >= at) return around ? with_blanks(text, {open, close + 1}) : Span{open + 1, close};
    open = next_quote(close + 1);
  }
  return std::nullopt;
}

// The bracket that closes what `open` at `from` opens, or backwards the one that opens what is closed there.
std::optional<std::size_t> partner(std::string_view text, std::size_t from, char open, char close, bool forward) {
  int depth = 0;
  for (std::size_t at = from;;) {
    if (text[at] == open) ++depth;
    else if (text[at] == close) --depth;
    if (depth == 0) return at;
    if (forward ? at + 1 == text.size() : at == 0) return std::nullopt;
    at = forward ? at + 1 : at - 1;
  }
}

std::optional<Span> bracketed(std::string_view text, std::size_t at, bool around, char open, char close, int count) {
  std::optional<std::size_t> begin;
  std::size_t from = at;
  for (int i = 0; i < count; ++i) {
    // On a bracket: that one. Elsewhere, and for further ones, the next that is open.
    int depth = i == 0 && from < text.size() && text[from] == open ? 1 : 0;
    if (depth == 1) {
      begin = from;
      continue;
    }
    begin.reset();
    for (std::size_t place = from; place-- > 0;) {
      if (text[place] == close) --depth;
      else if (text[place] == open && ++depth == 1) {
        begin = place;
        break;
      }
    }
    if (!begin) return std::nullopt;
    from = *begin;
  }
  const std::optional<std::size_t> end = partner(text, *begin, open, close, true);
  if (!end) return std::nullopt;
  if (around) return Span{*begin, *end + 1};
  const std::size_t last = line_begin(text, *end);
  const bool is_lines = text[*begin + 1] == '\n' && last > *begin + 2 && first_nonblank(text, *end) == *end;
  if (is_lines) return Span{*begin + 2, last, true};
  return Span{*begin + 1, *end};
}

}  // namespace

std::optional<Span> vi_object(std::string_view text, std::size_t at, bool around, char name, int count) {
  switch (name) {
    case 'w': return word(text, at, around, false, count);
    case 'W': return word(text, at, around, true, count);
    case '"':
    case '\'':
    case '`': return quoted(text, at, around, name);
    case '(':
    case ')':
    case 'b': return bracketed(text, at, around, '(', ')', count);
    case '[':
    case ']': return bracketed(text, at, around, '[', ']', count);
    case '{':
    case '}':
    case 'B': return bracketed(text, at, around, '{', '}', count);
    case '<':
    case '>': return bracketed(text, at, around, '<', '>', count);
  }
  return std::nullopt;
}

std::optional<std::size_t> matching_bracket(std::string_view text, std::size_t at) {
  static constexpr std::string_view brackets = "()[]{}";
  const std::size_t stop = line_end(text, at);
  while (at < stop && brackets.find(text[at]) == std::string_view::npos) ++at;
  if (at == stop) return std::nullopt;
  const std::size_t which = brackets.find(text[at]), open = which & ~std::size_t{1};
  return partner(text, at, brackets[open], brackets[open + 1], which == open);
}

}  // namespace lutra::editor
