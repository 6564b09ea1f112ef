#include "repl/plain_reader.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace lutra {

PlainReader::~PlainReader() { std::free(line_); }

EntryReader::Outcome PlainReader::read(std::string_view prompt, std::string_view next_prompt, std::string& entry) {
  entry.clear();
  for (bool first = true;; first = false) {
    std::string_view shown = first ? prompt : next_prompt;
    std::fwrite(shown.data(), 1, shown.size(), stdout);
    std::fflush(stdout);
    std::clearerr(stdin);  // io.read() may have been interrupted, or have met Ctrl-D
    errno = 0;
    ssize_t size = getline(&line_, &capacity_, stdin);
    if (size < 0) {
      if (errno == EINTR) {  // Ctrl-C: the terminal shows ^C behind the prompt
        std::fputc('\n', stdout);
        return Outcome::Interrupted;
      }
      return first ? Outcome::End : Outcome::Entry;
    }
    if (size > 0 && line_[size - 1] == '\n') --size;
    if (!first) entry += '\n';
    entry.append(line_, static_cast<std::size_t>(size));
    if (!is_complete_ || is_complete_(entry)) return Outcome::Entry;
  }
}

}  // namespace lutra
