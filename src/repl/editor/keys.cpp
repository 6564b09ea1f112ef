#include "repl/editor/keys.h"

#include <algorithm>
#include <utility>

#include "repl/editor/characters.h"

namespace lutra::editor {
namespace {

constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr std::size_t kLongestSequence = 64;

Key named(Key::Name name, bool alt = false, bool ctrl = false) { return {name, ctrl, alt, {}}; }

Key control(char c, bool alt) {
  switch (c) {
    case '\r':
    case '\n': return named(Key::Name::Enter, alt);
    case '\t': return named(Key::Name::Tab, alt);
    case '\b':
    case '\x7f': return named(Key::Name::Backspace, alt);
    case '\x1b': return named(Key::Name::Escape, alt);
  }
  char letter = static_cast<char>(c + '@');
  if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  return {Key::Name::Text, true, alt, std::string(1, letter)};
}

Key::Name by_letter(char letter) {
  switch (letter) {
    case 'A':
    case 'a': return Key::Name::Up;
    case 'B':
    case 'b': return Key::Name::Down;
    case 'C':
    case 'c': return Key::Name::Right;
    case 'D':
    case 'd': return Key::Name::Left;
    case 'H': return Key::Name::Home;
    case 'F': return Key::Name::End;
    case 'M': return Key::Name::Enter;
    case 'Z': return Key::Name::BackTab;
  }
  return Key::Name::Unknown;
}

Key::Name by_number(int number) {
  switch (number) {
    case 1:
    case 7: return Key::Name::Home;
    case 3: return Key::Name::Delete;
    case 4:
    case 8: return Key::Name::End;
    case 5: return Key::Name::PageUp;
    case 6: return Key::Name::PageDown;
  }
  return Key::Name::Unknown;
}

// The numbers of "1;5" as in ESC[1;5C; 0 where there is none.
std::pair<int, int> two_numbers(std::string_view parameters) {
  int numbers[2] = {0, 0}, index = 0;
  for (char c : parameters) {
    if (c == ';') {
      if (++index == 2) break;
    } else if (c >= '0' && c <= '9') {
      numbers[index] = std::min(numbers[index] * 10 + (c - '0'), 1000000);
    }
  }
  return {numbers[0], numbers[1]};
}

// A key sent by its code point (ESC[N;Mu), as some terminals do.
Key by_code(int code, bool alt, bool ctrl) {
  if (code < 0x20 || code == 0x7f) return control(static_cast<char>(code), alt);
  if (code > 0x7e) return named(Key::Name::Unknown);
  if (ctrl && code >= 'A' && code <= 'Z') code += 'a' - 'A';
  return {Key::Name::Text, ctrl, alt, std::string(1, static_cast<char>(code))};
}

// Terminals send \r for a pasted newline.
std::string with_newlines(std::string_view pasted) {
  std::string text;
  text.reserve(pasted.size());
  for (std::size_t i = 0; i < pasted.size(); ++i) {
    if (pasted[i] != '\r') text += pasted[i];
    else if (i + 1 == pasted.size() || pasted[i + 1] != '\n') text += '\n';
  }
  return text;
}

// Whether a string of the terminal begins at `at`, an answer to a question that nobody waits for any more: APC as
// "_G" about pictures, OSC as "]11;" about colours, DCS as "P1$r" or "P>|". Other text after these letters is typed.
bool begins_answer(std::string_view text, std::size_t at) {
  if (at + 1 >= text.size()) return false;
  const char next = text[at + 1];
  const bool is_digit = next >= '0' && next <= '9';
  return (text[at] == '_' && next == 'G') || (text[at] == ']' && is_digit) ||
         (text[at] == 'P' && (is_digit || std::string_view(">!$+|=").find(next) != std::string_view::npos));
}

}  // namespace

std::optional<Key> KeyDecoder::take(std::size_t end, Key key) {
  begin_ = end;
  if (begin_ == waiting_.size()) {
    waiting_.clear();
    begin_ = 0;
  }
  return key;
}

std::optional<Key> KeyDecoder::paste() {
  std::size_t from = std::max(begin_, searched_);
  std::size_t end = waiting_.find(kPasteEnd, from);
  if (end == std::string::npos) {
    searched_ = std::max(begin_, waiting_.size() - std::min(waiting_.size(), kPasteEnd.size() - 1));
    return std::nullopt;
  }
  Key key = named(Key::Name::Paste);
  key.text = with_newlines(std::string_view(waiting_).substr(begin_, end - begin_));
  in_paste_ = false;
  searched_ = 0;
  waiting_.erase(0, end + kPasteEnd.size());
  begin_ = 0;
  return key;
}

// From "[" on, at `at`.
std::optional<Key> KeyDecoder::control_sequence(std::size_t at, bool alt, bool whole) {
  std::size_t first = at + 1, last = first;
  auto is_middle = [&](char c) { return c >= 0x20 && c <= 0x3f; };
  while (last < waiting_.size() && last - first < kLongestSequence && is_middle(waiting_[last])) ++last;
  if (last == waiting_.size()) {
    if (!whole) return std::nullopt;
    if (last == first) return take(last, {Key::Name::Text, false, true, "["});  // Alt and a bracket
    return take(last, named(Key::Name::Unknown));
  }
  char final_byte = waiting_[last];
  if (final_byte == '[' && last == first) {  // the Linux console's function keys: ESC[[A
    if (last + 1 == waiting_.size() && !whole) return std::nullopt;
    return take(std::min(last + 2, waiting_.size()), named(Key::Name::Unknown));
  }
  if (final_byte < 0x40 || final_byte == 0x7f) return take(last, named(Key::Name::Unknown));
  bool is_answer = last > first && waiting_[first] >= 0x3c;  // '?' and the like: no key
  if (is_answer) return take(last + 1, named(Key::Name::Unknown));
  auto [number, modifiers] = two_numbers(std::string_view(waiting_).substr(first, last - first));
  if (modifiers > 0) --modifiers;
  bool ctrl = (modifiers & 4) != 0 || final_byte == '^';
  alt |= (modifiers & 2) != 0;
  if (final_byte == '~' && number == 200) {
    take(last + 1, named(Key::Name::Unknown));
    in_paste_ = true;
    searched_ = begin_;
    return paste();
  }
  if (final_byte == '~' || final_byte == '^') return take(last + 1, named(by_number(number), alt, ctrl));
  if (final_byte == 'u') return take(last + 1, by_code(number, alt, ctrl));
  if (final_byte == 'M') return take(last + 1, named(Key::Name::Unknown));
  return take(last + 1, named(by_letter(final_byte), alt, ctrl));
}

// Skips a string of the terminal that begins at `at`, up to ESC \ or BEL. Another control character ends it, too.
std::optional<Key> KeyDecoder::answer(std::size_t at, bool whole) {
  std::size_t last = at;
  while (last < waiting_.size() && static_cast<unsigned char>(waiting_[last]) >= 0x20) ++last;
  if (last == waiting_.size() || (waiting_[last] == '\x1b' && last + 1 == waiting_.size())) {
    if (!whole) return std::nullopt;
    return take(waiting_.size(), named(Key::Name::Unknown));
  }
  if (waiting_[last] == '\a') ++last;
  else if (waiting_[last] == '\x1b' && waiting_[last + 1] == '\\') last += 2;
  return take(last, named(Key::Name::Unknown));
}

// What follows an ESC, at `at`.
std::optional<Key> KeyDecoder::escape_sequence(std::size_t at, bool alt, bool whole) {
  if (at == waiting_.size()) {
    if (!whole) return std::nullopt;
    return take(at, named(Key::Name::Escape, alt));
  }
  char c = waiting_[at];
  if (c == '[') return control_sequence(at, alt, whole);
  if (c == '_' || c == ']' || c == 'P') {
    if (at + 1 == waiting_.size() && !whole) return std::nullopt;
    if (begins_answer(waiting_, at)) return answer(at, whole);
  }
  if (c == 'O') {
    if (at + 1 < waiting_.size()) {
      char letter = waiting_[at + 1];
      return take(at + 2, named(by_letter(letter), alt, letter >= 'a' && letter <= 'd'));
    }
    if (!whole) return std::nullopt;
  }
  if (c == '\x1b') {
    if (alt) return take(at, named(Key::Name::Escape, true));
    return escape_sequence(at + 1, true, whole);
  }
  return text(at, true, whole);
}

std::optional<Key> KeyDecoder::text(std::size_t at, bool alt, bool whole) {
  unsigned char first = static_cast<unsigned char>(waiting_[at]);
  if (first < 0x20 || first == 0x7f) return take(at + 1, control(waiting_[at], alt));
  std::size_t size = utf8_size(first);
  if (size > 1 && at + size > waiting_.size() && !whole) return std::nullopt;
  size = code_point_at(waiting_, at).size;
  return take(at + size, {Key::Name::Text, false, alt, waiting_.substr(at, size)});
}

std::optional<Key> KeyDecoder::decode(bool whole) {
  if (in_paste_) return paste();
  if (begin_ == waiting_.size()) return std::nullopt;
  if (waiting_[begin_] == '\x1b') return escape_sequence(begin_ + 1, false, whole);
  return text(begin_, false, whole);
}

std::optional<Key> KeyDecoder::next() { return decode(false); }
bool KeyDecoder::take_interrupt() {
  const std::size_t at = in_paste_ ? std::string::npos : waiting_.find('\x03', begin_);
  if (at == std::string::npos) return false;
  begin_ = at + 1;
  return true;
}

std::optional<Key> KeyDecoder::flush() { return decode(true); }

}  // namespace lutra::editor
