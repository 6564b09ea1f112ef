// Reads entries as lines of stdin: where nobody types, and in terminals that cannot move the cursor.
#pragma once

#include "repl/entry_reader.h"

namespace lutra {

class LineReader : public EntryReader {
 public:
  explicit LineReader(const EntryHelp& help) : help_(help) {}
  ~LineReader() override;
  LineReader(const LineReader&) = delete;

  Outcome read(std::string_view prompt, std::string_view next_prompt, std::string& entry) override;

 private:
  Outcome read_line(std::string_view prompt, std::string& entry);

  const EntryHelp& help_;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace lutra
