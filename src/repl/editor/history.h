// The entries of this session and, from a file, of those before it. Other sessions may append to the file meanwhile.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lutra {

// LUTRA_HISTORY (empty: no history file), else lutra/history in $XDG_STATE_HOME or ~/.local/state. Empty if there is no
// home either. With ignores_variable LUTRA_HISTORY counts as unset.
std::string default_history_path(bool ignores_variable = false);

namespace editor {

class History {
 public:
  // Reads the file. An empty path: this session only. What fails is in take_message(), and the session goes on.
  explicit History(std::string path);

  // Oldest first.
  const std::vector<std::string>& entries() const { return entries_; }

  // Entries that begin with a space, blank ones and repetitions of the last one are not kept.
  void add(std::string_view entry);

  // The newest entry before `from` that begins with `prefix`, and the oldest from `from` on; npos if none does.
  std::size_t before(std::size_t from, std::string_view prefix) const;
  std::size_t after(std::size_t from, std::string_view prefix) const;
  // The newest entry before `from` that has `text` in it.
  std::size_t search(std::size_t from, std::string_view text) const;
  // The oldest entry at `from` or behind it that has `text` in it.
  std::size_t search_newer(std::size_t from, std::string_view text) const;

  // What was wrong with the file, once: for the user to read.
  std::string take_message();

  static constexpr std::size_t npos = static_cast<std::size_t>(-1);
  static constexpr std::size_t kMostEntries = 10000;

 private:
  void read();
  void append(const std::string& entry);
  bool set_aside();
  void cut_file();
  void complain(const std::string& what, int error);

  std::string path_;
  std::vector<std::string> entries_;
  std::string message_;
  bool complained_ = false;
};

}  // namespace editor
}  // namespace lutra
