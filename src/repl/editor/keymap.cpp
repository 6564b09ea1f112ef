#include "repl/editor/keymap.h"

#include "repl/editor/characters.h"
#include "repl/editor/motions.h"

namespace lutra::editor {

void insert_text(const Key& key, TextBuffer& buffer, bool by_words) {
  if (key.name == Key::Name::Paste) buffer.end_step();
  else if (by_words && key.text[0] == ' ' && buffer.cursor() > 0 && buffer.text()[buffer.cursor() - 1] != ' ') {
    buffer.end_step();
  }
  buffer.insert(key.text);
  if (key.name == Key::Name::Paste) buffer.end_step();
}

bool handle_common_key(const Key& key, TextBuffer& buffer, Action& action) {
  const std::string& text = buffer.text();
  std::size_t at = buffer.cursor();
  bool by_word = key.ctrl || key.alt;
  action = Action::None;
  switch (key.name) {
    case Key::Name::Enter: action = key.alt ? Action::NewLine : Action::Enter; return true;
    case Key::Name::Tab: action = Action::Complete; return true;
    case Key::Name::Up: action = by_word ? Action::HistoryBack : Action::LineUp; return true;
    case Key::Name::Down: action = by_word ? Action::HistoryForward : Action::LineDown; return true;
    case Key::Name::PageUp: action = Action::HistoryBack; return true;
    case Key::Name::PageDown: action = Action::HistoryForward; return true;
    case Key::Name::Right: action = by_word ? Action::WordOrAccept : Action::RightOrAccept; return true;
    case Key::Name::Left: buffer.move_to(by_word ? word_back(text, at) : previous_character(text, at)); return true;
    case Key::Name::Home: buffer.move_to(key.ctrl ? 0 : line_begin(text, at)); return true;
    case Key::Name::End:
      if (key.ctrl) buffer.move_to(text.size());
      else action = Action::LineEndOrAccept;
      return true;
    case Key::Name::Delete:
      if (by_word) buffer.kill(at, word_forward(text, at));
      else buffer.erase(at, next_character(text, at));
      return true;
    case Key::Name::BackTab:
    case Key::Name::Unknown: return true;
    default: break;
  }
  if (key.is_ctrl('c')) action = Action::Interrupt;
  else if (key.is_ctrl('z')) action = Action::Suspend;
  else if (key.is_ctrl('l')) action = Action::ClearScreen;
  else return false;
  return true;
}

}  // namespace lutra::editor
