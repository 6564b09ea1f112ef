// One thing that `lutra doctor` has looked at, as it is told to people and, field by field, to programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lutra {

enum class Verdict : uint8_t {
  Ok,
  Note,   // not there, or worth knowing; what is there works all the same
  Failed  // something that is there cannot be used
};

struct Finding {
  std::string check{};   // one of the names that docs/cuda.md lists
  std::string device{};  // "GPU:0"; "" where it is about no single one
  Verdict verdict = Verdict::Ok;
  std::string text{};                                          // a sentence without its full stop
  std::string advice{};                                        // what to do; "" when nothing is to be done
  std::vector<std::pair<std::string, std::string>> details{};  // by name
  std::vector<std::string> searched{};                         // folders, in order
};

}  // namespace lutra
