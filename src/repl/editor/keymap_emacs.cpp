#include <utility>

#include "repl/editor/characters.h"
#include "repl/editor/keymap.h"
#include "repl/editor/letter_case.h"
#include "repl/editor/motions.h"

namespace lutra::editor {
namespace {

// Swaps the characters around the cursor; at a line's end the last two.
void transpose(TextBuffer& buffer) {
  const std::string& text = buffer.text();
  std::size_t middle = buffer.cursor();
  if (middle == line_end(text, middle)) middle = previous_character(text, middle);
  if (middle <= line_begin(text, buffer.cursor()) || middle >= text.size()) return;
  std::size_t begin = previous_character(text, middle), end = next_character(text, middle);
  buffer.replace(begin, end, text.substr(middle, end - middle) + text.substr(begin, middle - begin));
}

// Swaps the word that the cursor is in or behind, and the next one; at the end the last two.
void transpose_words(TextBuffer& buffer) {
  const std::string& text = buffer.text();
  const std::size_t end = word_forward(text, buffer.cursor());
  const std::size_t begin = word_back(text, end), first = word_back(text, begin), middle = word_forward(text, first);
  if (first == begin || middle > begin) return;
  const std::size_t last = word_forward(text, begin);  // `end` is behind what follows the last word
  buffer.replace(
      first, last,
      text.substr(begin, last - begin) + text.substr(middle, begin - middle) + text.substr(first, middle - first));
}

void change_word(TextBuffer& buffer, Case wanted) {
  const std::string& text = buffer.text();
  const std::size_t begin = buffer.cursor(), end = word_forward(text, begin);
  buffer.end_step();
  buffer.replace(begin, end, in_case(std::string_view(text).substr(begin, end - begin), wanted));
}

void erase_blanks(TextBuffer& buffer) {
  const std::string& text = buffer.text();
  std::size_t begin = buffer.cursor(), end = begin;
  while (begin > 0 && is_blank(text[begin - 1])) --begin;
  while (end < text.size() && is_blank(text[end])) ++end;
  buffer.erase(begin, end);
}

class EmacsKeymap final : public Keymap {
 public:
  void begin_entry() override { after_ctrl_x_ = after_escape_ = false; }

  Action handle(const Key& typed, TextBuffer& buffer) override {
    const bool is_escape = typed.name == Key::Name::Escape;
    Key key = typed;
    if (std::exchange(after_escape_, is_escape && !after_escape_) && !key.ctrl) key.alt = true;
    if (is_escape) return Action::None;
    if (after_ctrl_x_) {
      after_ctrl_x_ = false;
      if (key.is_ctrl('u')) buffer.undo();
      return key.is_ctrl('e') ? Action::EditElsewhere : Action::None;
    }
    Action action;
    if (handle_common_key(key, buffer, action)) return action;
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    if (key.name == Key::Name::Backspace) {
      if (key.alt) buffer.kill(word_back(text, at), at);
      else buffer.erase(previous_character(text, at), at);
    } else if (key.name == Key::Name::Paste) {
      insert_text(key, buffer, true);
    } else if (key.name == Key::Name::Text) {
      if (key.ctrl) return ctrl(key, buffer);
      if (key.alt) return alt(key, buffer);
      insert_text(key, buffer, true);
    }
    return Action::None;
  }

 private:
  Action ctrl(const Key& key, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    switch (key.text[0]) {
      case 'a': buffer.move_to(line_begin(text, at)); break;
      case 'b': buffer.move_to(previous_character(text, at)); break;
      case 'd': return Action::DeleteOrEnd;
      case 'e': return Action::LineEndOrAccept;
      case 'f': return Action::RightOrAccept;
      case 'k': {
        std::size_t end = line_end(text, at);
        buffer.kill(at, end == at ? next_character(text, at) : end);
        break;
      }
      case 'n': return Action::LineDown;
      case 'o': return Action::NewLine;
      case 'p': return Action::LineUp;
      case 'r':
      case 's': return Action::SearchBack;
      case 't': transpose(buffer); break;
      case 'u': buffer.kill(line_begin(text, at), at); break;
      case 'w': buffer.kill(blank_word_back(text, at), at); break;
      case 'x': after_ctrl_x_ = true; break;
      case 'y': buffer.yank(); break;
      case '_': buffer.undo(); break;
    }
    return Action::None;
  }

  Action alt(const Key& key, TextBuffer& buffer) {
    const std::string& text = buffer.text();
    std::size_t at = buffer.cursor();
    switch (key.text[0]) {
      case 'b': buffer.move_to(word_back(text, at)); break;
      case 'c': change_word(buffer, Case::Capital); break;
      case 'd': buffer.kill(at, word_forward(text, at)); break;
      case 'f': return Action::WordOrAccept;
      case 'l': change_word(buffer, Case::Lower); break;
      case 'm': buffer.move_to(first_nonblank(text, at)); break;
      case 'n': return Action::HistoryForward;
      case 'p': return Action::HistoryBack;
      case 't': transpose_words(buffer); break;
      case 'u': change_word(buffer, Case::Upper); break;
      case 'y': buffer.yank_older(); break;
      case '\\': erase_blanks(buffer); break;
      case '_': buffer.redo(); break;
      case '<': return Action::HistoryFirst;
      case '>': return Action::HistoryLast;
    }
    return Action::None;
  }

  bool after_ctrl_x_ = false;
  bool after_escape_ = false;  // where a key is meant as with Alt
};

}  // namespace

std::unique_ptr<Keymap> make_emacs_keymap() { return std::make_unique<EmacsKeymap>(); }

}  // namespace lutra::editor
