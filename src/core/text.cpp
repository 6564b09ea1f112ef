#include "core/text.h"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace lutra {
namespace {

// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t substituted = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substituted});
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

// "sinn" and "sin" are the same but for doubled letters.
bool differs_by_doubling(std::string_view a, std::string_view b) {
  auto undoubled = [](std::string_view word) {
    std::string out(word);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  };
  return undoubled(a) == undoubled(b);
}

}  // namespace

void append(std::string& out, double number) {
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.14g", number);
  out += number != number ? "nan" : digits;  // a nan's sign is meaningless
}

std::string bytes_text(int64_t bytes) {
  const char* sign = bytes < 0 ? "-" : "";
  // -2^63 has no positive counterpart in int64_t.
  uint64_t size = bytes < 0 ? ~static_cast<uint64_t>(bytes) + 1 : static_cast<uint64_t>(bytes);
  char out[40];
  if (size < 1024) {
    std::snprintf(out, sizeof out, "%s%lluB", sign, static_cast<unsigned long long>(size));
    return out;
  }
  const char* units = "KMGTPE";
  while (size >= 1024 * 1024 && units[1] != '\0') {
    size /= 1024;
    ++units;
  }
  double value = static_cast<double>(size) / 1024.0;
  std::snprintf(out, sizeof out, *units == 'K' ? "%s%.1f%ciB" : "%s%.2f%ciB", sign, value, *units);
  return out;
}

void NearestWord::offer(std::string_view candidate) {
  // A long word is hardly a typing error; and hostile input must not cost quadratic time.
  if (word_.size() > 64 || candidate.size() > 64) return;
  std::size_t distance = edit_distance(word_, candidate);
  // A prefix of a word ("std" of "stddev") counts as one typing error. Of words that are equally far, one that
  // differs by a doubled letter comes first, then the alphabet decides, so that the order of calls does not matter.
  if (word_.size() >= 3 && candidate.starts_with(word_)) distance = std::min<std::size_t>(distance, 1);
  if (distance > std::max<std::size_t>(1, word_.size() / 3)) return;
  bool is_nearer = distance < best_distance_;
  if (distance == best_distance_) {
    bool is_doubled = differs_by_doubling(word_, candidate), was_doubled = differs_by_doubling(word_, best_);
    is_nearer = is_doubled != was_doubled ? is_doubled : candidate < best_;
  }
  if (is_nearer) {
    best_distance_ = distance;
    best_ = candidate;
  }
}

std::string NearestWord::hint() const { return best_.empty() ? std::string() : text(" (did you mean '", best_, "'?)"); }

}  // namespace lutra
