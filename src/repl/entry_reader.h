// Where a session gets its entries from: the editor in a terminal, plain lines elsewhere. An entry is what is run as
// one chunk; it may have several lines.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace lutra {

// What may stand in place of text[begin, end). If `words` has one entry, the editor inserts it.
struct Completion {
  std::size_t begin = 0, end = 0;
  std::vector<std::string> words;  // whole replacements, sorted
};

// What a reader asks the session while the user types. None of these runs code of the user, calls a metamethod or
// raises.
struct EntryHelp {
  // Whether Enter ends the entry: false while Lua would read on.
  std::function<bool(std::string_view text)> is_complete;
  std::function<Completion(std::string_view text, std::size_t cursor)> complete;
  // One line about the call that the cursor is in: its signature and option keys. Empty if there is none.
  std::function<std::string(std::string_view text, std::size_t cursor)> signature;
};

class EntryReader {
 public:
  enum class Outcome { Entry, Interrupted, End };
  virtual ~EntryReader() = default;
  // Reads one entry, without its last newline. Interrupted: Ctrl-C cleared it. End: no more input, or Ctrl-D on an
  // empty line. `prompt` stands before the first line, `next_prompt` before the others.
  virtual Outcome read(std::string_view prompt, std::string_view next_prompt, std::string& entry) = 0;
};

}  // namespace lutra
