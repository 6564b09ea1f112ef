// Counts of copies between memories, by the script's line. Always on: a copy costs far more than counting it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "eager/observer.h"
#include "eager/script_position.h"

namespace lutra {

// "input", "read", "constant", "moved"
const char* text_of(CopyReason reason);

struct CopyTotal {
  std::string line;  // "train.lua:7"; "" without a script
  std::string source, target;
  CopyReason reason = CopyReason::Input;
  int64_t count = 0, bytes = 0;
};

class CopyTotals {
 public:
  // More than this, of chunks that a program generates, are counted together, without their lines.
  static constexpr std::size_t kMostTotals = 10'000;

  void add(const ScriptPosition& line, const LogicalDevice& from, const LogicalDevice& to, CopyReason reason,
           int64_t bytes);
  void clear() { totals_.clear(); }
  // Most bytes first.
  std::vector<CopyTotal> list() const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>()(key); }
  };
  std::unordered_map<std::string, CopyTotal, Hash, std::equal_to<>> totals_;
};

}  // namespace lutra
