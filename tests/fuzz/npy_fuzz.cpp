// npy files that are wrong.
#include "fuzz/files.h"

using namespace lutra;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<std::string> seeds = fuzz::seeds_of(".npy");
  fuzz::Choices choices(data, size);
  while (!choices.is_empty()) {
    std::string file = fuzz::changed_seed(choices, seeds);
    fuzz::try_changed(FileFormat::Npy, file, {}, {});
  }
  return 0;
}
