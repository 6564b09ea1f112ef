// A front end without a terminal, for tests of sessions.
#pragma once

#include <string>
#include <string_view>

#include "lua/border/interpreter.h"
#include "repl/session/session.h"

namespace lutra {

struct Front {
  Interpreter interpreter{InterpreterOptions{}};
  std::string shown, printed;
  Session session;

  explicit Front(bool is_interactive = true)
      : session(interpreter.lua(), {.user = this,
                                    .show =
                                        [](void* user, SessionHost::Text kind, std::string_view text) {
                                          const char* marks[] = {"", "note: ", "error: "};
                                          auto& shown = static_cast<Front*>(user)->shown;
                                          shown += marks[static_cast<int>(kind)];
                                          shown += text;
                                          shown += "\n";
                                        },
                                    .is_interactive = is_interactive}) {
    interpreter.set_print(
        [](void* user, const char* text, std::size_t size) { static_cast<Front*>(user)->printed.append(text, size); },
        this);
  }

  // What an entry prints and shows.
  std::string run(std::string_view entry) {
    shown.clear();
    printed.clear();
    session.run(entry);
    return printed + shown;
  }
  // The words for the text with the cursor at "|", joined, and the text with the first one put in.
  std::string words(std::string text) {
    const std::size_t cursor = text.find('|');
    text.erase(cursor, 1);
    const Completion found = session.complete(text, cursor);
    std::string all;
    for (const std::string& word : found.words) all += (all.empty() ? "" : " ") + word;
    return all;
  }
  std::string completed(std::string text) {
    const std::size_t cursor = text.find('|');
    text.erase(cursor, 1);
    const Completion found = session.complete(text, cursor);
    return found.words.empty() ? text : text.replace(found.begin, found.end - found.begin, found.words.front());
  }
  std::string signature(std::string text) {
    const std::size_t cursor = text.find('|');
    text.erase(cursor, 1);
    return session.signature(text, cursor);
  }
};

inline bool has(const std::string& words, const std::string& word) {
  return (" " + words + " ").find(" " + word + " ") != std::string::npos;
}

}  // namespace lutra
