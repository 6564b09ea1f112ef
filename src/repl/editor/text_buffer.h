// The text being edited, with its cursor, what was killed last, and undo.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lutra::editor {

class TextBuffer {
 public:
  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }
  bool at_end() const { return cursor_ == text_.size(); }

  // Begins anew: nothing to undo. What was killed stays.
  void reset(std::string text = {});

  void move_to(std::size_t place) { cursor_ = place; }
  void insert(std::string_view added) { replace(cursor_, cursor_, added); }
  void erase(std::size_t begin, std::size_t end) { replace(begin, end, {}); }
  // The cursor ends up behind `added`.
  void replace(std::size_t begin, std::size_t end, std::string_view added);

  // Erases and keeps for yank(). Kills with no other key between them are kept as one.
  void kill(std::size_t begin, std::size_t end);
  void copy(std::size_t begin, std::size_t end) { killed_ = text_.substr(begin, end - begin); }
  void keep(std::string lines) { killed_ = std::move(lines); }
  const std::string& killed() const { return killed_; }
  void yank() { insert(killed_); }

  // To be called before each key is handled.
  void begin_key();
  // Ends the undo step: what is typed next is undone separately. Otherwise characters typed in a row are one step.
  void end_step() { step_is_open_ = false; }
  bool undo();
  bool redo();

 private:
  struct Edit {
    std::size_t begin, cursor_before;
    std::string removed, added;
  };

  void apply(std::size_t begin, std::size_t size, std::string_view added);

  std::string text_;
  std::size_t cursor_ = 0;
  std::string killed_;
  bool kills_ = false, killed_before_ = false;  // by this key, by the key before
  std::vector<Edit> edits_;
  std::size_t done_ = 0;  // edits_[done_...] are undone
  bool step_is_open_ = false;
};

}  // namespace lutra::editor
