#include "repl/editor/motions.h"

#include <string>

#include "repl/editor/characters.h"

namespace lutra::editor {
namespace {

enum class CharacterKind { Blank, Word, Other };

CharacterKind kind_at(std::string_view text, std::size_t at) {
  unsigned char c = static_cast<unsigned char>(text[at]);
  if (c == ' ' || c == '\t' || c == '\n') return CharacterKind::Blank;
  bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
  return word ? CharacterKind::Word : CharacterKind::Other;
}

CharacterKind vi_kind(std::string_view text, std::size_t at, bool big) {
  CharacterKind kind = kind_at(text, at);
  return big && kind == CharacterKind::Other ? CharacterKind::Word : kind;
}

}  // namespace

std::size_t line_begin(std::string_view text, std::size_t at) {
  if (at == 0) return 0;
  std::size_t newline = text.rfind('\n', at - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

std::size_t line_end(std::string_view text, std::size_t at) {
  std::size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline;
}

std::size_t first_nonblank(std::string_view text, std::size_t at) {
  std::size_t place = line_begin(text, at), end = line_end(text, at);
  while (place < end && (text[place] == ' ' || text[place] == '\t')) ++place;
  return place;
}

std::size_t word_forward(std::string_view text, std::size_t at) {
  while (at < text.size() && kind_at(text, at) != CharacterKind::Word) ++at;
  while (at < text.size() && kind_at(text, at) == CharacterKind::Word) ++at;
  return at;
}

std::size_t word_back(std::string_view text, std::size_t at) {
  while (at > 0 && kind_at(text, at - 1) != CharacterKind::Word) --at;
  while (at > 0 && kind_at(text, at - 1) == CharacterKind::Word) --at;
  return at;
}

std::size_t blank_word_back(std::string_view text, std::size_t at) {
  while (at > 0 && kind_at(text, at - 1) == CharacterKind::Blank) --at;
  while (at > 0 && kind_at(text, at - 1) != CharacterKind::Blank) --at;
  return at;
}

std::size_t vi_word(std::string_view text, std::size_t at, bool big) {
  if (at >= text.size()) return at;
  CharacterKind kind = vi_kind(text, at, big);
  while (at < text.size() && kind != CharacterKind::Blank && vi_kind(text, at, big) == kind) ++at;
  while (at < text.size() && vi_kind(text, at, big) == CharacterKind::Blank) ++at;
  return at;
}

std::size_t vi_word_back(std::string_view text, std::size_t at, bool big) {
  while (at > 0 && vi_kind(text, at - 1, big) == CharacterKind::Blank) --at;
  if (at == 0) return 0;
  CharacterKind kind = vi_kind(text, at - 1, big);
  while (at > 0 && vi_kind(text, at - 1, big) == kind) --at;
  return at;
}

std::size_t vi_word_end(std::string_view text, std::size_t at, bool big) {
  std::size_t next = next_character(text, at);
  while (next < text.size() && vi_kind(text, next, big) == CharacterKind::Blank) ++next;
  if (next >= text.size()) return text.empty() ? 0 : previous_character(text, text.size());
  CharacterKind kind = vi_kind(text, next, big);
  while (next < text.size() && vi_kind(text, next, big) == kind) ++next;
  return previous_character(text, next);
}

std::size_t vi_word_end_back(std::string_view text, std::size_t at, bool big) {
  at = at < text.size() ? vi_run_begin(text, at, big) : text.size();
  while (at > 0 && vi_kind(text, at - 1, big) == CharacterKind::Blank) --at;
  return previous_character(text, at);
}

std::size_t vi_run_begin(std::string_view text, std::size_t at, bool big) {
  const CharacterKind kind = vi_kind(text, at, big);
  while (at > 0 && text[at - 1] != '\n' && vi_kind(text, at - 1, big) == kind) --at;
  return at;
}

std::size_t vi_run_end(std::string_view text, std::size_t at, bool big) {
  if (at >= text.size()) return text.size();
  const CharacterKind kind = vi_kind(text, at, big);
  while (at < text.size() && text[at] != '\n' && vi_kind(text, at, big) == kind) ++at;
  return at;
}

int column_of(std::string_view text, std::size_t at) {
  int column = 0;
  std::string shown;
  for (std::size_t place = line_begin(text, at); place < at;) {
    std::size_t end = next_character(text, place);
    shown.clear();
    column += append_shown(text.substr(place, end - place), column, shown).columns;
    place = end;
  }
  return column;
}

std::size_t at_column(std::string_view text, std::size_t at, int column) {
  std::size_t place = line_begin(text, at), stop = line_end(text, at);
  std::string shown;
  for (int passed = 0; place < stop;) {
    std::size_t end = next_character(text, place);
    shown.clear();
    passed += append_shown(text.substr(place, end - place), passed, shown).columns;
    if (passed > column) break;
    place = end;
  }
  return place;
}

}  // namespace lutra::editor
