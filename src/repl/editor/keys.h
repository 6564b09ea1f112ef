// Turns the bytes that a terminal sends into keys, however they are split among reads.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lutra::editor {

struct Key {
  enum class Name {
    Text,   // `text` is one code point, or a byte that is not UTF-8
    Paste,  // `text` is all that was pasted, with '\n' between lines
    Enter,
    Tab,
    BackTab,
    Escape,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Unknown,
  };
  Name name = Name::Unknown;
  bool ctrl = false, alt = false;
  std::string text;  // with ctrl: the small letter, or one of @[\]^_

  bool is_ctrl(char letter) const { return name == Name::Text && ctrl && !alt && text[0] == letter; }
  bool is_alt(char letter) const { return name == Name::Text && alt && !ctrl && text.size() == 1 && text[0] == letter; }
};

class KeyDecoder {
 public:
  void feed(std::string_view bytes) { waiting_ += bytes; }
  // The next whole key, if there is one.
  std::optional<Key> next();
  // Whether what has come so far may be the start of a key: after a while without more, flush() takes it as it is.
  bool is_partial() const { return begin_ < waiting_.size() && !in_paste_; }
  std::optional<Key> flush();
  // Whether a Ctrl-C is among what has come and is not decoded yet. If so, forgets all of it up to there, as a terminal
  // does that collects lines.
  bool take_interrupt();

 private:
  std::optional<Key> decode(bool whole);
  std::optional<Key> escape_sequence(std::size_t at, bool alt, bool whole);
  std::optional<Key> control_sequence(std::size_t at, bool alt, bool whole);
  std::optional<Key> answer(std::size_t at, bool whole);
  std::optional<Key> text(std::size_t at, bool alt, bool whole);
  std::optional<Key> paste();
  std::optional<Key> take(std::size_t end, Key key);

  std::string waiting_;
  std::size_t begin_ = 0;  // of what is not decoded yet
  bool in_paste_ = false;
  std::size_t searched_ = 0;  // in a paste: its end does not begin before here
};

}  // namespace lutra::editor
