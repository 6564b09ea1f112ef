#include "repl/editor/vi_changes.h"

#include <algorithm>
#include <utility>

#include "repl/editor/characters.h"
#include "repl/editor/letter_case.h"
#include "repl/editor/motions.h"

namespace lutra::editor {
namespace {

constexpr std::size_t kIndentation = 2;
constexpr std::size_t kMostPut = 1 << 20;  // bytes that a count with p may insert

std::string_view part(const TextBuffer& buffer, std::size_t begin, std::size_t end) {
  return std::string_view(buffer.text()).substr(begin, end - begin);
}

// Moves the lines that a span touches to the left or to the right.
void shift(bool to_the_right, Span span, TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const std::size_t begin = line_begin(text, span.begin);
  const bool ends_behind_line = span.end > begin && text[span.end - 1] == '\n';
  const std::size_t end = line_end(text, ends_behind_line ? span.end - 1 : span.end);
  std::string lines;
  for (std::size_t at = begin;;) {
    const std::size_t stop = line_end(text, at);
    std::string_view line = part(buffer, at, stop);
    if (to_the_right && !line.empty()) lines.append(kIndentation, ' ');
    if (!to_the_right) line.remove_prefix(std::min(first_nonblank(text, at) - at, kIndentation));
    lines += line;
    if (stop == end) break;
    lines += '\n';
    at = stop + 1;
  }
  buffer.replace(begin, end, lines);
  buffer.move_to(first_nonblank(buffer.text(), begin));
}

void change_case(char name, Span span, TextBuffer& buffer) {
  const Case wanted = name == 'u' ? Case::Lower : name == 'U' ? Case::Upper : Case::Swapped;
  buffer.replace(span.begin, span.end, in_case(part(buffer, span.begin, span.end), wanted));
  buffer.move_to(span.begin);
}

bool is_shift(char name) { return name == '<' || name == '>'; }
bool changes_case(char name) { return name == 'u' || name == 'U' || name == '~'; }

}  // namespace

void vi_operate(char name, Span span, TextBuffer& buffer) {
  if (is_shift(name)) return shift(name == '>', span, buffer);
  if (changes_case(name)) return change_case(name, span, buffer);
  if (name == 'y') {
    buffer.copy(span.begin, span.end);
    buffer.move_to(span.begin);
    return;
  }
  if (name == 'c') {
    buffer.begin_group();
    if (span.is_lines && span.end > span.begin) --span.end;  // an empty line stays
  }
  buffer.begin_key();  // no part of the kill before
  buffer.kill(span.begin, span.end);
  buffer.move_to(span.begin);
}

void vi_operate_on_lines(char name, std::size_t from, std::size_t to, TextBuffer& buffer) {
  const std::string& text = buffer.text();
  std::size_t begin = line_begin(text, std::min(from, to)), end = line_end(text, std::max(from, to));
  if (is_shift(name)) return shift(name == '>', {begin, end}, buffer);
  if (changes_case(name)) return change_case(name, {begin, end}, buffer);
  std::string kept = std::string(part(buffer, begin, end)) + "\n";
  if (name == 'c') {
    buffer.begin_group();
    begin = first_nonblank(text, begin);
    buffer.erase(begin, end);
    buffer.move_to(begin);
  } else if (name == 'd') {
    if (end < text.size()) ++end;
    else if (begin > 0) --begin;
    buffer.erase(begin, end);
    buffer.move_to(first_nonblank(text, std::min(begin, text.size())));
  }
  buffer.keep(std::move(kept));
}

bool vi_put(TextBuffer& buffer, bool behind, int count) {
  const std::string& text = buffer.text();
  const std::string& kill = buffer.killed();
  const std::size_t at = buffer.cursor();
  if (kill.empty()) return false;
  std::string all;
  for (int i = 0; i < count && all.size() < kMostPut; ++i) all += kill;
  if (all.back() == '\n') {
    const std::size_t place = behind ? line_end(text, at) : line_begin(text, at);
    if (behind) all = "\n" + all.substr(0, all.size() - 1);
    buffer.replace(place, place, all);
    buffer.move_to(first_nonblank(text, behind ? place + 1 : place));
    return true;
  }
  if (behind && at < line_end(text, at)) buffer.move_to(next_character(text, at));
  buffer.end_step();
  buffer.insert(all);
  buffer.end_step();
  buffer.move_to(previous_character(text, buffer.cursor()));
  return true;
}

bool vi_join(TextBuffer& buffer, int count) {
  const std::string& text = buffer.text();
  bool joined = false;
  buffer.begin_group();
  for (int i = 0; i < std::max(count - 1, 1); ++i) {
    const std::size_t end = line_end(text, buffer.cursor());
    if (end == text.size()) break;
    buffer.replace(end, first_nonblank(text, end + 1), " ");
    buffer.move_to(end);
    joined = true;
  }
  buffer.end_group();
  return joined;
}

bool vi_replace(TextBuffer& buffer, std::string_view with, int count) {
  const std::string& text = buffer.text();
  const std::size_t begin = buffer.cursor(), stop = line_end(text, begin);
  std::size_t end = begin;
  std::string replaced;
  for (int i = 0; i < count; ++i) {
    if (end >= stop) return false;  // fewer characters than are to be replaced
    end = next_character(text, end);
    replaced += with;
  }
  buffer.replace(begin, end, replaced);
  buffer.move_to(previous_character(text, buffer.cursor()));
  return true;
}

bool vi_swap_case(TextBuffer& buffer, int count) {
  const std::string& text = buffer.text();
  const std::size_t begin = buffer.cursor(), stop = line_end(text, begin);
  std::size_t end = begin;
  for (int i = 0; i < count && end < stop; ++i) end = next_character(text, end);
  if (end == begin) return false;
  buffer.replace(begin, end, in_case(part(buffer, begin, end), Case::Swapped));
  return true;
}

void ViInsertion::begin(const TextBuffer& buffer, int count) {
  count_ = count;
  before_ = count > 1 ? buffer.text().substr(0, buffer.cursor()) : "";
  after_ = count > 1 ? buffer.text().substr(buffer.cursor()) : "";
}

void ViInsertion::repeat(TextBuffer& buffer, bool overwrites) {
  const int count = std::exchange(count_, 1);
  const std::string& text = buffer.text();
  const std::size_t begin = before_.size(), cursor = buffer.cursor();
  if (count <= 1 || cursor < begin || !text.starts_with(before_)) return;
  const bool is_whole = text.size() >= begin + after_.size() && text.ends_with(after_);
  if (!overwrites && !is_whole) return;
  const std::size_t end = overwrites ? cursor : text.size() - after_.size();
  if (cursor > end || begin == end) return;
  const std::string typed(part(buffer, begin, end));
  std::string more;
  for (int i = 1; i < count && more.size() < kMostPut; ++i) more += typed;
  if (!overwrites) {
    buffer.replace(begin, begin, more);
    buffer.move_to(cursor + more.size());
    return;
  }
  std::size_t last = cursor;
  for (std::size_t at = 0; at < more.size() && last < line_end(text, last); at = next_character(more, at)) {
    if (more[at] != '\n') last = next_character(text, last);
  }
  buffer.replace(cursor, last, more);
}

std::size_t vi_line_below(std::string_view text, std::size_t at, int count, bool or_less) {
  std::size_t place = at;
  for (; count != 0; count += count > 0 ? -1 : 1) {
    const std::size_t edge = count > 0 ? line_end(text, place) : line_begin(text, place);
    const bool is_last = count > 0 ? edge == text.size() : edge == 0;
    if (is_last) return or_less ? place : std::string_view::npos;
    place = count > 0 ? edge + 1 : edge - 1;
  }
  return place;
}

std::string vi_indentation(std::string_view text, std::size_t begin) {
  return std::string(text.substr(begin, first_nonblank(text, begin) - begin));
}

}  // namespace lutra::editor
