#include "device/cuda/architectures.h"

#include <algorithm>
#include <cstdlib>

#include "core/text.h"

namespace lutra::cuda {
namespace {

// One word of the list.
struct Code {
  Capability for_card;
  bool one_card = false;   // sm_90a: for no other card
  bool one_major = false;  // machine code, and compute_100f: for this card and later ones of the same major version
  bool is_machine_code = false;

  bool runs_on(Capability card) const {
    if (one_card) return card == for_card;
    return card >= for_card && (!one_major || card.major == for_card.major);
  }
};

// Calls `use` with each word's Code.
template <class Use> void each_code(const std::string& architectures, const Use& use) {
  for (std::size_t at = 0; at < architectures.size();) {
    std::size_t end = std::min(architectures.find(' ', at), architectures.size());
    std::string word = architectures.substr(at, end - at);
    at = end + 1;
    // The plugin of the tests counts as code for any card from 8.0 on.
    if (word == "host") word = "compute_80";
    bool is_machine_code = word.starts_with("sm_");
    std::size_t digits = is_machine_code ? 3 : word.starts_with("compute_") ? 8 : word.size();
    int number = std::atoi(word.c_str() + digits);
    if (number == 0) continue;
    use(Code{{number / 10, number % 10}, word.back() == 'a', is_machine_code || word.back() == 'f', is_machine_code});
  }
}

}  // namespace

bool runs_on(const std::string& architectures, Capability card, bool driver_compiles) {
  bool runs = false;
  each_code(architectures, [&](const Code& code) {
    runs = runs || ((driver_compiles || code.is_machine_code) && code.runs_on(card));
  });
  return runs;
}

bool compiles_for(int driver_version, int toolkit_version) {
  auto minor = [](int version) { return version / 10; };
  return driver_version == 0 || minor(driver_version) >= minor(toolkit_version);
}

std::string version_text(int version) { return text(version / 1000, ".", version % 1000 / 10); }

std::string only_compiled_text(int driver_version, int toolkit_version) {
  return text("The plugin's code for it must be compiled by the driver, which is for CUDA ",
              version_text(driver_version), ", older than the toolkit that the code was made with (",
              version_text(toolkit_version), ").");
}

Capability least_capability(const std::string& architectures) {
  Capability least;
  each_code(architectures, [&](const Code& code) {
    if (least == Capability{} || code.for_card < least) least = code.for_card;
  });
  return least;
}

}  // namespace lutra::cuda
