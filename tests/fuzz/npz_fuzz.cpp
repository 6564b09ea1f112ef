// Zip archives that are wrong, and npy files inside them.
#include "fuzz/files.h"

using namespace lutra;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<std::string> seeds = fuzz::seeds_of(".npz");
  fuzz::Choices choices(data, size);
  while (!choices.is_empty()) {
    std::string file = fuzz::changed_seed(choices, seeds);
    WriteOptions how;
    how.compress = choices.one_in(2);
    fuzz::try_changed(FileFormat::Npz, file, {}, how);
  }
  return 0;
}
