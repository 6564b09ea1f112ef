// Pictures that are wrong. Half of them get their checksums put right, so that what is behind those is reached.
#include <zlib.h>

#include "fuzz/files.h"

using namespace lutra;

namespace {

uint32_t big(const std::string& file, std::size_t at) {
  uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(file[at + i]);
  return value;
}

void correct_sums(std::string& file) {
  for (std::size_t at = 8; at + 12 <= file.size();) {
    std::size_t bytes = big(file, at);
    if (bytes > file.size() - at - 12) return;
    const Bytef* type = reinterpret_cast<const Bytef*>(file.data()) + at + 4;
    uLong sum = crc32(0, type, static_cast<uInt>(bytes + 4));
    for (std::size_t i = 0; i < 4; ++i) file[at + 8 + bytes + i] = static_cast<char>(sum >> (24 - 8 * i));
    at += 12 + bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<std::string> seeds = fuzz::seeds_of(".png");
  fuzz::Choices choices(data, size);
  while (!choices.is_empty()) {
    std::string file = fuzz::changed_seed(choices, seeds);
    if (choices.one_in(2)) correct_sums(file);
    fuzz::try_changed(FileFormat::Png, file, {}, {});
  }
  return 0;
}
