// The search through the history.
#include <algorithm>
#include <string>

#include "repl/editor/characters.h"
#include "repl/editor/editor.h"

namespace lutra {

using namespace editor;

// Whether the key is for the search; if not, the search has ended and what it found is being edited.
bool Editor::handle_search(const Key& key) {
  Search& search = *search_;
  std::size_t none = history_.entries().size();
  if ((key.is_ctrl('r') || key.is_ctrl('s')) && search.query.empty()) {
    search.query = last_query_;
    search_from(none);
  } else if (key.is_ctrl('r')) {
    search_from(search.index);
  } else if (key.is_ctrl('s')) {
    const std::size_t next = history_.search_newer(search.index + 1, search.query);
    if (next != History::npos) search_from(next + 1);
  } else if (key.name == Key::Name::Backspace) {
    if (!search.query.empty()) search.query.erase(previous_character(search.query, search.query.size()));
    search_from(none);
  } else if ((key.name == Key::Name::Text && !key.ctrl && !key.alt) || key.name == Key::Name::Paste) {
    search.query += key.text;
    search_from(std::min(search.index + 1, none));
  } else if (key.is_ctrl('c') || key.is_ctrl('g')) {
    buffer_.replace(0, buffer_.text().size(), search.text_before);
    buffer_.move_to(search.cursor_before);
    search_.reset();
  } else {
    if (search.index < none) recalled_ = search.index;
    draft_ = search.text_before;
    prefix_.clear();
    if (!search.query.empty()) last_query_ = search.query;
    const bool only_ends = key.name == Key::Name::Escape || (key.name == Key::Name::Enter && !search.enter_runs);
    search_.reset();
    return only_ends;
  }
  return true;
}

// vi's n and N.
void Editor::search_again(int direction) {
  const std::vector<std::string>& entries = history_.entries();
  if (last_query_.empty()) return;
  const bool is_shown = recalled_ < entries.size() && buffer_.text() == entries[recalled_];
  if (!is_shown) recalled_ = entries.size();
  std::size_t found = recalled_;
  do {  // repetitions are passed over
    found = direction < 0 ? history_.search(found, last_query_) : history_.search_newer(found + 1, last_query_);
  } while (found != History::npos && entries[found] == buffer_.text());
  if (found == History::npos) return;
  prefix_.clear();
  show_entry(found);
  buffer_.move_to(buffer_.text().rfind(last_query_));
}

void Editor::search_from(std::size_t from) {
  Search& search = *search_;
  std::size_t found = search.query.empty() ? History::npos : history_.search(from, search.query);
  search.failed = found == History::npos && !search.query.empty();
  if (found == History::npos) return;
  search.index = found;
  const std::string& entry = history_.entries()[found];
  buffer_.replace(0, buffer_.text().size(), entry);
  buffer_.move_to(entry.rfind(search.query));
}

}  // namespace lutra
