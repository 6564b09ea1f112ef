#include "repl/editor/editor.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "repl/editor/characters.h"
#include "repl/editor/elsewhere.h"
#include "repl/editor/indent.h"
#include "repl/editor/motions.h"

namespace lutra {

using namespace editor;

namespace {

constexpr int kEscapeMilliseconds = 40;  // after a lone ESC; the rest of a key's sequence comes at once
constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kMostCopied = 2000;  // rows of an entry, taller than the terminal, that are printed when it ends
constexpr std::size_t kMostHelped = 64 << 10;  // bytes of an entry in which the signature is looked for at each key

// The longest text that all words begin with, in whole characters.
std::string_view common_prefix(const std::vector<std::string>& words) {
  std::string_view prefix = words.front();
  for (std::string_view word : words) {
    std::size_t most = std::min(prefix.size(), word.size());
    prefix = prefix.substr(
        0, static_cast<std::size_t>(std::mismatch(prefix.begin(), prefix.begin() + most, word.begin()).first -
                                    prefix.begin()));
  }
  std::size_t end = 0;
  while (end < prefix.size() && next_character(words.front(), end) <= prefix.size()) {
    end = next_character(words.front(), end);
  }
  return prefix.substr(0, end);
}

// The text of an entry that was copied with its prompts, without them. Other text as it is: no Lua begins with "> ".
std::string without_prompts(std::string_view pasted, std::string_view prompt, std::string_view next_prompt) {
  std::string text;
  for (std::size_t at = 0; at < pasted.size();) {
    const std::size_t end = std::min(pasted.find('\n', at), pasted.size());
    std::string_view line = pasted.substr(at, end - at);
    const std::string_view mark = at == 0 ? prompt : next_prompt;
    if (line.starts_with(mark)) line.remove_prefix(mark.size());
    else if (at == 0 || line.find_first_not_of(" \t") != line.npos) return std::string(pasted);
    text += line;
    if (end < pasted.size()) text += '\n';
    at = end + 1;
  }
  return text;
}

}  // namespace

Editor::Editor(Options options)
    : options_(std::move(options)),
      history_(options_.history_path),
      terminal_(options_.in, options_.out, options_.on_watched ? options_.watched : -1),
      keymap_(options_.keys == Keys::Vi ? make_vi_keymap() : make_emacs_keymap()),
      screen_(options_.colours) {}

EntryReader::Outcome Editor::read(std::string_view prompt, std::string_view next_prompt, std::string& entry) {
  entry.clear();
  std::fflush(stdout);  // what the last entry printed comes first
  if (!terminal_.begin()) return Outcome::End;
  prompt_ = prompt;
  next_prompt_ = next_prompt;
  buffer_.reset(std::exchange(prefill_, {}));
  keymap_->begin_entry();
  recalled_ = history_.entries().size();
  prefix_.clear();
  draft_.clear();
  wanted_column_ = -1;
  search_.reset();
  list_.clear();
  suggested_ = History::npos;
  suggested_for_.clear();
  indented_ = std::string::npos;
  hint_.clear();
  gone_ = interrupted_ = false;
  shape_ = CursorShape::Default;  // the terminal's end() has restored it
  begin_row();
  std::optional<Outcome> outcome;
  while (!outcome) outcome = step();
  // Typed so soon after Enter that the terminal was still raw.
  const bool stops_entry = outcome == Outcome::Entry && decoder_.take_interrupt();
  terminal_.end();
  if (stops_entry) std::raise(SIGINT);
  if (*outcome == Outcome::Entry) {
    entry = buffer_.text();
    history_.add(entry);
  }
  return *outcome;
}

// The cursor may stand behind what a program printed without a newline: a mark and as many blanks as the row has
// columns wrap in that case only.
void Editor::begin_row() {
  size_ = terminal_.size();
  std::string blanks(static_cast<std::size_t>(size_.columns - 1), ' ');
  out_ += options_.colours ? "\x1b[7m%\x1b[m" : "%";
  out_ += blanks + "\r\x1b[K";
  top_ = 0;
  screen_.begin(size_.columns);
  changed_ = true;
}

// Handles one key or event, and draws if no more are there.
std::optional<EntryReader::Outcome> Editor::step() {
  if (gone_) return Outcome::End;
  if (std::exchange(interrupted_, false)) return perform(Action::Interrupt);
  if (std::optional<Key> key = decoder_.next()) return handle(*key);
  Terminal::Event event = terminal_.wait(0);
  if (event == Terminal::Event::Nothing) {
    if (changed_) {
      draw();
      return std::nullopt;  // who types fast sees his text at once, and the hint when he pauses
    }
    if (std::exchange(hint_is_due_, false)) update_hint();
    event = terminal_.wait(decoder_.is_partial() ? kEscapeMilliseconds : -1);
  }
  if (event == Terminal::Event::Nothing) {
    if (std::optional<Key> key = decoder_.flush()) return handle(*key);
    return std::nullopt;
  }
  handle_event(event);
  return std::nullopt;
}

void Editor::handle_event(Terminal::Event event) {
  switch (event) {
    case Terminal::Event::Input: {
      char bytes[kReadBytes];
      std::size_t got = terminal_.read(bytes, sizeof bytes);
      if (got == 0) gone_ = true;
      decoder_.feed({bytes, got});
      break;
    }
    case Terminal::Event::Resized:
      size_ = terminal_.size();
      screen_.erase(size_.columns, out_);
      list_.clear();
      top_ = 0;
      changed_ = true;
      break;
    case Terminal::Event::Continued:
      if (!terminal_.resume()) gone_ = true;
      shape_ = CursorShape::Default;
      begin_row();
      break;
    case Terminal::Event::Stop: perform(Action::Suspend); break;
    case Terminal::Event::Interrupted: interrupted_ = true; break;
    case Terminal::Event::Watched:
      if (!options_.on_watched()) {
        // A host that was slow has answered: once more for this text.
        hint_is_due_ = std::exchange(may_ask_again_, false);
        break;
      }
      draw_last("");
      gone_ = true;
      break;
    case Terminal::Event::Gone: gone_ = true; break;
    case Terminal::Event::Nothing: break;
  }
}

std::optional<EntryReader::Outcome> Editor::handle(const Key& key) {
  changed_ = true;
  bool completes_again = key.name == Key::Name::Tab;
  if (!completes_again) list_.clear();
  buffer_.begin_key();
  if (search_ && handle_search(key)) return std::nullopt;
  replace_by_user(key);
  std::size_t cursor = buffer_.cursor();
  const bool has_prompts = key.name == Key::Name::Paste && !prompt_.empty() && key.text.starts_with(prompt_);
  Action action = keymap_->handle(
      has_prompts ? Key{Key::Name::Paste, false, false, without_prompts(key.text, prompt_, next_prompt_)} : key,
      buffer_);
  if (buffer_.cursor() != cursor || (action != Action::LineUp && action != Action::LineDown)) wanted_column_ = -1;
  return perform(action);
}

std::optional<EntryReader::Outcome> Editor::perform(Action action) {
  const std::string& text = buffer_.text();
  std::size_t at = buffer_.cursor();
  switch (action) {
    case Action::None: break;
    case Action::Enter: return enter();
    case Action::NewLine: new_line(); break;
    case Action::Interrupt: draw_last("^C"); return Outcome::Interrupted;
    case Action::DeleteOrEnd:
      if (text.empty()) {
        draw_last("");
        return Outcome::End;
      }
      buffer_.erase(at, next_character(text, at));
      break;
    case Action::Suspend:
      screen_.leave(out_);
      flush();
      terminal_.stop();
      if (!terminal_.resume()) gone_ = true;
      shape_ = CursorShape::Default;
      begin_row();
      break;
    case Action::ClearScreen:
      out_ += "\x1b[H\x1b[2J";
      screen_.begin(size_.columns);
      break;
    case Action::Complete: complete(); break;
    case Action::RightOrAccept:
      if (!accept_suggestion(false)) buffer_.move_to(next_character(text, at));
      break;
    case Action::LineEndOrAccept:
      if (!accept_suggestion(false)) buffer_.move_to(line_end(text, at));
      break;
    case Action::WordOrAccept:
      if (!accept_suggestion(true)) buffer_.move_to(word_forward(text, at));
      break;
    case Action::LineUp: move_line(-1); break;
    case Action::LineDown: move_line(1); break;
    case Action::HistoryBack: recall(-1); break;
    case Action::HistoryForward: recall(1); break;
    case Action::HistoryFirst:
      if (!history_.entries().empty()) show_entry(0);
      break;
    case Action::HistoryLast: show_entry(history_.entries().size()); break;
    case Action::SearchBack:
    case Action::SearchToEdit:
      search_ = Search{{}, text, at, history_.entries().size(), action == Action::SearchBack};
      break;
    case Action::SearchOlder: search_again(-1); break;
    case Action::SearchNewer: search_again(1); break;
    case Action::EditElsewhere: edit_elsewhere(); break;
  }
  return std::nullopt;
}

std::optional<EntryReader::Outcome> Editor::enter() {
  indent_closer();
  if (options_.help.is_complete && !options_.help.is_complete(buffer_.text())) {
    new_line();
    return std::nullopt;
  }
  draw_last("");
  return Outcome::Entry;
}

// A new line is indented by the blocks that are open.
void Editor::new_line() {
  indent_closer();
  buffer_.end_step();
  const std::size_t at = buffer_.cursor(), begin = line_begin(buffer_.text(), at);
  const std::size_t inside = indentation_at(lexer_.tokens(buffer_.text()), buffer_.text(), at).inside;
  const bool leaves_blanks = at > begin && first_nonblank(buffer_.text(), at) == at;
  buffer_.replace(leaves_blanks ? begin : at, at, "\n" + std::string(inside, ' '));
  buffer_.end_step();
  indented_ = buffer_.cursor();
}

// A line that closes a block is moved to the left as soon as it is left, if it stands as new_line() has indented it.
void Editor::indent_closer() {
  const std::string& text = buffer_.text();
  const std::size_t at = buffer_.cursor(), begin = line_begin(text, at), first = first_nonblank(text, at);
  if (begin == 0 || first == begin || at < first) return;
  const std::vector<Token>& tokens = lexer_.tokens(text);
  const Indentation indentation = indentation_at(tokens, text, begin - 1);
  const std::size_t size = first - begin;
  if (size != indentation.inside || !begins_with_closer(tokens, text, begin)) return;
  buffer_.end_step();
  buffer_.replace(begin, first, std::string(indentation.closing, ' '));
  buffer_.end_step();
  buffer_.move_to(at - (indentation.inside - indentation.closing));
}

// Who types or pastes blanks indents by himself: they replace those of new_line().
void Editor::replace_by_user(const Key& key) {
  const std::size_t at = std::exchange(indented_, std::string::npos);
  const bool is_blank = (key.name == Key::Name::Text || key.name == Key::Name::Paste) && !key.ctrl && !key.alt &&
                        (key.text.starts_with(' ') || key.text.starts_with('\t'));
  if (at == buffer_.cursor() && is_blank) buffer_.erase(line_begin(buffer_.text(), at), at);
}

void Editor::edit_elsewhere() {
  draw_last("");
  terminal_.end();
  const std::optional<std::string> edited = edited_elsewhere(buffer_.text());
  if (!terminal_.begin()) gone_ = true;
  shape_ = CursorShape::Default;
  begin_row();
  if (!edited) return;
  buffer_.end_step();
  buffer_.replace(0, buffer_.text().size(), *edited);
  buffer_.end_step();
}

// TAB: inserts what all completions share, lists them if that is nothing.
void Editor::complete() {
  const std::string& text = buffer_.text();
  std::size_t at = buffer_.cursor(), begin = line_begin(text, at);
  list_.clear();
  if (begin > 0 && first_nonblank(text, at) >= at) {  // indents a line that goes on
    buffer_.insert("  ");
    return;
  }
  if (!options_.help.complete) return;
  Completion found = options_.help.complete(text, at);
  if (found.words.empty() || found.begin > found.end || found.end > text.size()) return;
  std::string_view shared = common_prefix(found.words);
  std::string_view there = std::string_view(text).substr(found.begin, found.end - found.begin);
  bool is_more = found.words.size() == 1 ? shared != there : shared.size() > there.size();
  if (is_more) {
    buffer_.end_step();
    buffer_.replace(found.begin, found.end, shared);
    buffer_.end_step();
  } else if (found.words.size() > 1) {
    list_ = in_columns(found.words, {size_.columns, std::max(size_.rows / 2, 1)});
  }
}

void Editor::move_line(int direction) {
  const std::string& text = buffer_.text();
  std::size_t begin = line_begin(text, buffer_.cursor()), end = line_end(text, buffer_.cursor());
  if (direction < 0 ? begin == 0 : end == text.size()) return recall(direction);
  if (wanted_column_ < 0) wanted_column_ = column_of(text, buffer_.cursor());
  buffer_.move_to(at_column(text, direction < 0 ? begin - 1 : end + 1, wanted_column_));
}

// Goes through the entries that begin with what was typed before the cursor.
void Editor::recall(int direction) {
  std::size_t none = history_.entries().size();
  bool is_shown = recalled_ < none && buffer_.text() == history_.entries()[recalled_];
  if (!is_shown) {
    draft_ = buffer_.text();
    prefix_ = draft_.substr(0, buffer_.cursor());
    if (direction > 0) return;
    recalled_ = none;
  }
  std::size_t next = recalled_;
  do {  // repetitions are passed over
    next = direction < 0 ? history_.before(next, prefix_) : history_.after(next + 1, prefix_);
  } while (next != History::npos && history_.entries()[next] == buffer_.text());
  if (next != History::npos) show_entry(next);
  else if (direction > 0) show_entry(none);
}

// The size of the history: what was typed.
void Editor::show_entry(std::size_t index) {
  std::size_t none = history_.entries().size();
  if (recalled_ == none && index < none) draft_ = buffer_.text();
  recalled_ = index;
  buffer_.end_step();
  buffer_.replace(0, buffer_.text().size(), index < none ? history_.entries()[index] : draft_);
  buffer_.end_step();
  wanted_column_ = -1;
}

// Finds the newest entry that begins with the text. While one types on, older ones are all that is left to look at.
void Editor::suggest() {
  const std::string& text = buffer_.text();
  bool wanted = options_.colours && !search_ && list_.empty() && buffer_.at_end() && !text.empty();
  if (!wanted) {
    suggested_ = History::npos;
    suggested_for_.clear();
    return;
  }
  bool typed_on = !suggested_for_.empty() && text.starts_with(suggested_for_);
  std::size_t from = !typed_on ? history_.entries().size() : suggested_ == History::npos ? 0 : suggested_ + 1;
  suggested_for_ = text;
  do {
    suggested_ = history_.before(from, text);
    from = suggested_;
  } while (suggested_ != History::npos && history_.entries()[suggested_].size() == text.size());
}

bool Editor::accept_suggestion(bool only_word) {
  if (!buffer_.at_end()) return false;
  suggest();
  if (suggested_ == History::npos) return false;
  const std::string& entry = history_.entries()[suggested_];
  std::size_t from = buffer_.text().size(), to = only_word ? word_forward(entry, from) : entry.size();
  buffer_.end_step();
  buffer_.insert(std::string_view(entry).substr(from, to - from));
  buffer_.end_step();
  return true;
}

View Editor::view() {
  View view;
  view.prompt = prompt_;
  view.next_prompt = next_prompt_;
  view.text = buffer_.text();
  view.cursor = buffer_.cursor();
  if (options_.colours) {
    view.tokens = &lexer_.tokens(buffer_.text());
    view.match = matching_brackets(*view.tokens, view.text, view.cursor);
  }
  return view;
}

void Editor::draw() {
  View shown = view();
  suggest();
  if (suggested_ != History::npos) {
    shown.suggestion = std::string_view(history_.entries()[suggested_]).substr(shown.text.size());
  }
  if (search_) {
    shown.match = {};
    bool found = search_->index < history_.entries().size() && !search_->failed && !search_->query.empty();
    if (found) {
      shown.found_begin = shown.cursor;
      shown.found_end = shown.cursor + search_->query.size();
    }
    std::string line = search_->failed ? "not in the history: " : "search the history: ";
    shown.below.push_back(row_of(line + search_->query, Style::Hint, size_.columns));
  } else if (!list_.empty()) {
    shown.below = list_;
  } else if (!hint_.empty()) {
    shown.below.push_back(row_of(hint_, Style::Hint, size_.columns));
  }
  screen_.draw(lay_out(shown, size_, top_), out_);
  if (const CursorShape shape = keymap_->cursor_shape(); shape != shape_) {
    shape_ = shape;
    terminal_.shape_cursor(shape, out_);
  }
  flush();
  changed_ = false;
  hint_is_due_ = may_ask_again_ = true;
}

// What the host says of the call around the cursor. It may have to read annotations first, so the text is drawn before.
void Editor::update_hint() {
  std::string hint;
  const std::string& text = buffer_.text();
  const bool has_place = !search_ && list_.empty();
  const bool wanted = options_.help.signature && has_place && !text.empty() && text.size() <= kMostHelped;
  if (wanted) hint = options_.help.signature(text, buffer_.cursor());
  hint.erase(std::min(hint.find('\n'), hint.size()));
  if (hint == hint_) return;
  hint_ = std::move(hint);
  draw();
  hint_is_due_ = may_ask_again_ = false;
}

// The entry as it stays on the screen, all of it, and the cursor in the row below.
void Editor::draw_last(std::string_view mark) {
  list_.clear();
  search_.reset();
  std::string text = buffer_.text() + std::string(mark);
  View last = view();
  last.match = {};
  last.text = text;
  last.cursor = text.size();
  std::size_t rows = rows_of(last, size_.columns), height = static_cast<std::size_t>(size_.rows);
  if (rows > height && rows <= kMostCopied) {
    std::size_t all = 0;
    screen_.draw_anew(lay_out(last, {size_.columns, static_cast<int>(rows)}, all), out_);
  } else {
    screen_.draw(lay_out(last, size_, top_), out_);
  }
  screen_.leave(out_);
  flush();
}

void Editor::flush() {
  if (!out_.empty() && !terminal_.write(out_)) gone_ = true;
  out_.clear();
}

}  // namespace lutra
