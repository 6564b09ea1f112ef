// Reads entries as `lua` does where there is no terminal to edit in: line by line from stdin, prompts on stdout.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "repl/entry_reader.h"

namespace lutra {

class PlainReader final : public EntryReader {
 public:
  explicit PlainReader(std::function<bool(std::string_view text)> is_complete) : is_complete_(std::move(is_complete)) {}
  ~PlainReader() override;
  PlainReader(const PlainReader&) = delete;

  // An entry that the end of the input cuts off is an entry, too. Interrupted: a signal ended the wait for a line.
  Outcome read(std::string_view prompt, std::string_view next_prompt, std::string& entry) override;

 private:
  std::function<bool(std::string_view text)> is_complete_;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
};

}  // namespace lutra
