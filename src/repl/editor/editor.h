// Reads entries in a terminal, with colours, completion, history and suggestions while the user types.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/editor/history.h"
#include "repl/editor/keymap.h"
#include "repl/editor/keys.h"
#include "repl/editor/layout.h"
#include "repl/editor/lexer.h"
#include "repl/editor/terminal.h"
#include "repl/editor/text_buffer.h"
#include "repl/entry_reader.h"

namespace lutra {

class Editor final : public EntryReader {
 public:
  enum class Keys { Emacs, Vi };

  struct Options {
    int in = 0, out = 1;
    std::string history_path;  // empty: the history ends with the session. See default_history_path()
    EntryHelp help;            // functions may be missing
    bool colours = true;       // without: no suggestions either, which would look like text
    Keys keys = Keys::Emacs;
    // While it waits for a key: a file, and what is called when that can be read. True ends the reading.
    int watched = -1;
    std::function<bool()> on_watched = nullptr;
  };

  explicit Editor(Options options);
  Outcome read(std::string_view prompt, std::string_view next_prompt, std::string& entry) override;

  // The text that the next read() begins with, as if typed.
  void prefill(std::string text) { prefill_ = std::move(text); }
  // Entries so far, oldest first, those of earlier sessions included.
  const std::vector<std::string>& history() const { return history_.entries(); }
  // What was wrong with the history's file, once; empty if nothing was. For stderr.
  std::string take_message() { return history_.take_message(); }

 private:
  // A search through the history while its text is typed.
  struct Search {
    std::string query, text_before;
    std::size_t cursor_before, index;  // the entry that is shown
    bool enter_runs;                   // what was found; else Enter only ends the search
    bool failed = false;
  };

  std::optional<Outcome> step();
  std::optional<Outcome> handle(const editor::Key& key);
  std::optional<Outcome> perform(editor::Action action);
  std::optional<Outcome> enter();
  void handle_event(editor::Terminal::Event event);
  void complete();
  void move_line(int direction);
  void recall(int direction);
  void show_entry(std::size_t index);
  bool accept_suggestion(bool only_word);
  void suggest();
  bool handle_search(const editor::Key& key);
  void search_from(std::size_t from);
  void search_again(int direction);
  void new_line();
  void indent_closer();
  void replace_by_user(const editor::Key& key);
  void edit_elsewhere();
  editor::View view();
  void begin_row();
  void draw();
  void draw_last(std::string_view mark);
  void update_hint();
  void flush();

  Options options_;
  editor::History history_;
  editor::Terminal terminal_;
  std::unique_ptr<editor::Keymap> keymap_;
  editor::KeyDecoder decoder_;
  editor::TextBuffer buffer_;
  editor::Lexer lexer_;
  editor::Screen screen_;
  editor::Size size_{80, 24};
  std::size_t top_ = 0;
  std::string prompt_, next_prompt_, prefill_, out_;
  bool gone_ = false;         // the terminal
  bool interrupted_ = false;  // by a signal
  bool changed_ = true;       // since the last drawing

  std::size_t recalled_ = 0;  // the entry of the history that is shown; its size: none
  std::string draft_;         // what was typed before Up
  std::string prefix_;        // entries that Up and Down show begin with it
  int wanted_column_ = -1;    // of Up and Down within the entry
  std::optional<Search> search_;
  std::string last_query_;
  editor::CursorShape shape_ = editor::CursorShape::Default;  // as the terminal shows it
  std::size_t indented_ = std::string::npos;  // the cursor's place behind blanks that new_line() inserted, and no user

  std::size_t suggested_ = editor::History::npos;  // the entry whose rest is suggested
  std::string suggested_for_;
  std::vector<editor::Row> list_;  // completions
  std::string hint_;               // the signature below the text
  bool hint_is_due_ = false;       // the text has changed since
  bool may_ask_again_ = false;     // if the host answers late
};

}  // namespace lutra
