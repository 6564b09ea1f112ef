// The text being edited, with its cursor, what was killed, and undo.
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

  static constexpr std::size_t kMostKills = 32;

  // Begins anew: nothing to undo. What was killed stays.
  void reset(std::string text = {});

  void move_to(std::size_t place) { cursor_ = place; }
  void insert(std::string_view added) { replace(cursor_, cursor_, added); }
  void erase(std::size_t begin, std::size_t end) { replace(begin, end, {}); }
  // The cursor ends up behind `added`.
  void replace(std::size_t begin, std::size_t end, std::string_view added);

  // Erases and keeps for yank(). Kills with no other key between them are kept as one.
  void kill(std::size_t begin, std::size_t end);
  void copy(std::size_t begin, std::size_t end) { keep(text_.substr(begin, end - begin)); }
  void keep(std::string kill);
  // The newest kill; empty if there is none.
  const std::string& killed() const;
  // Inserts the newest kill.
  void yank();
  // Directly after yank() or yank_older(): replaces what that inserted by the kill before it. Else does nothing.
  void yank_older();

  // To be called before each key is handled.
  void begin_key();
  // Ends the undo step: what is typed next is undone separately. Otherwise characters typed in a row are one step.
  void end_step() { step_is_open_ = false; }
  // Changes between begin_group() and end_group() are undone together.
  void begin_group() {
    end_step();
    group_ = Group::Empty;
  }
  void end_group() { group_ = Group::None; }
  bool undo();
  bool redo();

 private:
  struct Edit {
    std::size_t begin, cursor_before;
    std::string removed, added;
    bool is_joined = false;  // undone together with the edit before
  };
  enum class Group { None, Empty, Begun };

  void apply(std::size_t begin, std::size_t size, std::string_view added);

  std::string text_;
  std::size_t cursor_ = 0;
  std::vector<std::string> kills_;                  // oldest first
  bool kills_now_ = false, killed_before_ = false;  // by this key, by the key before
  // What the last yank inserted, and its place among the kills, for yank_older().
  std::size_t yank_begin_ = 0, yanked_ = 0;
  bool yanks_now_ = false, yanked_before_ = false;
  std::vector<Edit> edits_;
  std::size_t done_ = 0;  // edits_[done_...] are undone
  bool step_is_open_ = false;
  Group group_ = Group::None;
};

}  // namespace lutra::editor
