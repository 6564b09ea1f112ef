#include "repl/attach/frames.h"

#include <algorithm>
#include <charconv>

namespace lutra::attach {

void append_frame(std::string& out, Kind kind, std::string_view payload) {
  out += static_cast<char>(kind);
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(payload.size() >> shift & 0xff);
  out += payload;
}

std::optional<Frame> FrameReader::next() {
  constexpr std::string_view kKinds = "HRCSKLPOETIAZX";
  if (damaged_ || bytes_.size() - read_ < kHeader) return std::nullopt;
  const char* head = bytes_.data() + read_;
  std::size_t size = 0;
  for (int i = 0; i < 4; ++i) size |= static_cast<std::size_t>(static_cast<unsigned char>(head[1 + i])) << 8 * i;
  if (kKinds.find(*head) == std::string_view::npos || size > longest_) {
    damaged_ = true;
    bytes_.clear();
    read_ = 0;
    return std::nullopt;
  }
  if (bytes_.size() - read_ - kHeader < size) return std::nullopt;
  Frame frame{static_cast<Kind>(*head), bytes_.substr(read_ + kHeader, size)};
  read_ += kHeader + size;
  if (read_ == bytes_.size() || read_ > (1 << 16)) {
    bytes_.erase(0, read_);
    read_ = 0;
  }
  return frame;
}

void append_number(std::string& out, std::uint64_t number) {
  out += std::to_string(number);
  out += ' ';
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end == text.data() + text.size() || *end != ' ') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return number;
}

std::string_view greeting_value(std::string_view greeting, std::string_view name) {
  while (!greeting.empty()) {
    const std::size_t end = std::min(greeting.find('\n'), greeting.size());
    const std::string_view line = greeting.substr(0, end);
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=') {
      return line.substr(name.size() + 1);
    }
    greeting.remove_prefix(std::min(end + 1, greeting.size()));
  }
  return "";
}

}  // namespace lutra::attach
