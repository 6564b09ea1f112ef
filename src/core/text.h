// Builds messages: text("axis ", 3, " of ", shape). A type can be used in it if it has an overload of `append` beside
// it.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace lutra {

inline void append(std::string& out, std::string_view part) { out += part; }
inline void append(std::string& out, const char* part) { out += part; }
inline void append(std::string& out, char part) { out += part; }

template <std::integral Number>
requires(!std::same_as<Number, char> && !std::same_as<Number, bool>) void append(std::string& out, Number number) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// As Lua's %.14g: the number as the user typed it, not its binary expansion.
void append(std::string& out, double number);

template <class... Parts> std::string text(const Parts&... parts) {
  std::string out;
  (append(out, parts), ...);
  return out;
}

// 1500160 -> "1.43MiB", as TensorFlow prints sizes (tsl/platform/numbers.cc): one decimal for KiB, two above. Each
// division by 1024 except the last truncates to an integer.
std::string bytes_text(int64_t bytes);

// The candidate nearest to `word` by edit distance, or "" if none is near enough to be a typing error.
class NearestWord {
 public:
  explicit NearestWord(std::string_view word) : word_(word) {}
  void offer(std::string_view candidate);
  std::string_view found() const { return best_; }
  // " (did you mean 'x'?)", or "".
  std::string hint() const;

 private:
  std::string_view word_;
  std::string_view best_;
  std::size_t best_distance_ = SIZE_MAX;
};

}  // namespace lutra
