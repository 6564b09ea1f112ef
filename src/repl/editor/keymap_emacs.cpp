#include "repl/editor/characters.h"
#include "repl/editor/keymap.h"
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

class EmacsKeymap final : public Keymap {
 public:
  void begin_entry() override { after_ctrl_x_ = false; }

  Action handle(const Key& key, TextBuffer& buffer) override {
    if (after_ctrl_x_) {
      after_ctrl_x_ = false;
      if (key.is_ctrl('u')) buffer.undo();
      return Action::None;
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
      case 'p': return Action::LineUp;
      case 'r': return Action::SearchBack;
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
      case 'd': buffer.kill(at, word_forward(text, at)); break;
      case 'f': return Action::WordOrAccept;
      case 'n': return Action::HistoryForward;
      case 'p': return Action::HistoryBack;
      case '_': buffer.redo(); break;
      case '<': return Action::HistoryFirst;
      case '>': return Action::HistoryLast;
    }
    return Action::None;
  }

  bool after_ctrl_x_ = false;
};

}  // namespace

std::unique_ptr<Keymap> make_emacs_keymap() { return std::make_unique<EmacsKeymap>(); }

}  // namespace lutra::editor
