#include "cli/line_reader.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace lutra {

LineReader::~LineReader() { std::free(line_); }

EntryReader::Outcome LineReader::read(std::string_view prompt, std::string_view next_prompt, std::string& entry) {
  entry.clear();
  Outcome outcome = read_line(prompt, entry);
  if (outcome != Outcome::Entry) return outcome;
  while (!help_.is_complete(entry)) {
    entry += '\n';
    outcome = read_line(next_prompt, entry);
    if (outcome == Outcome::Interrupted) return outcome;
    if (outcome == Outcome::End) {
      entry.pop_back();
      break;  // its error says what is missing
    }
  }
  return Outcome::Entry;
}

// Appends a line without its newline.
EntryReader::Outcome LineReader::read_line(std::string_view prompt, std::string& entry) {
  std::fwrite(prompt.data(), 1, prompt.size(), stdout);
  std::fflush(stdout);
  // What an entry's own reads met, Ctrl-C or Ctrl-D, is not the end of the session.
  if (std::ferror(stdin) != 0 || isatty(STDIN_FILENO) != 0) std::clearerr(stdin);
  errno = 0;
  ssize_t size = getline(&line_, &capacity_, stdin);
  if (size < 0 && errno == EINTR) {
    std::clearerr(stdin);
    std::fputc('\n', stdout);
    return Outcome::Interrupted;
  }
  if (size < 0) return Outcome::End;
  if (size > 0 && line_[size - 1] == '\n') --size;
  entry.append(line_, static_cast<std::size_t>(size));
  return Outcome::Entry;
}

}  // namespace lutra
