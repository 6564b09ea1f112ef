// What keys do. A keymap edits the text by itself; what concerns more than the text, the editor does.
#pragma once

#include <memory>

#include "repl/editor/keys.h"
#include "repl/editor/text_buffer.h"

namespace lutra::editor {

enum class Action {
  None,  // also: the keymap has done all there is to do
  Enter,
  NewLine,
  Interrupt,
  DeleteOrEnd,
  Suspend,
  ClearScreen,
  Complete,
  RightOrAccept,
  LineEndOrAccept,
  WordOrAccept,
  LineUp,
  LineDown,
  HistoryBack,
  HistoryForward,
  HistoryFirst,
  HistoryLast,
  SearchBack,
  SearchToEdit,  // as vi's "/": Enter ends the search and does not run what was found
  SearchOlder,   // again for the text that was searched for last
  SearchNewer,
  EditElsewhere,  // in another program
};

// How the terminal shows the cursor. Default: as the user has set it.
enum class CursorShape { Default, Bar, Block, Underline };

class Keymap {
 public:
  virtual ~Keymap() = default;
  virtual Action handle(const Key& key, TextBuffer& buffer) = 0;
  virtual void begin_entry() {}
  virtual CursorShape cursor_shape() const { return CursorShape::Default; }
};

std::unique_ptr<Keymap> make_emacs_keymap();
std::unique_ptr<Keymap> make_vi_keymap();

// Keys that mean the same in all keymaps: arrows, Enter, Tab, Ctrl-C and the like. False if `key` is none of these.
bool handle_common_key(const Key& key, TextBuffer& buffer, Action& action);

// Typed or pasted text goes in. A step of undo is a word where `by_words`.
void insert_text(const Key& key, TextBuffer& buffer, bool by_words);

}  // namespace lutra::editor
