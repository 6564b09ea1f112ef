// One result of `lutra doctor`: a text for people, and fields for programs.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lutra {

enum class Verdict : uint8_t {
  Ok,
  Note,   // missing, or worth knowing; everything present works
  Failed  // something present cannot be used
};

struct Finding {
  std::string check{};   // one of the names listed in docs/cuda.md
  std::string device{};  // "GPU:0"; "" if it is about no single device
  Verdict verdict = Verdict::Ok;
  std::string text{};                                          // a sentence without its full stop
  std::string advice{};                                        // what to do; "" if nothing
  std::vector<std::pair<std::string, std::string>> details{};  // by name
  std::vector<std::string> searched{};                         // folders, in order
};

}  // namespace lutra
