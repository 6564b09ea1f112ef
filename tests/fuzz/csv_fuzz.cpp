// Tables of text that are wrong.
#include "fuzz/files.h"

using namespace lutra;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<std::string> seeds = fuzz::seeds_of(".csv");
  fuzz::Choices choices(data, size);
  while (!choices.is_empty()) {
    std::string file = fuzz::changed_seed(choices, seeds);
    ReadOptions options;
    options.header = choices.one_in(2);
    if (choices.one_in(3)) options.delimiter = ' ';
    if (choices.one_in(2)) options.dtype = static_cast<DType>(choices.below(kDTypeCount));
    if (choices.one_in(3)) options.missing = Scalar::of(static_cast<int64_t>(choices.below(256)));
    WriteOptions how;
    how.delimiter = ';';
    fuzz::try_changed(FileFormat::Csv, file, options, how);
  }
  return 0;
}
