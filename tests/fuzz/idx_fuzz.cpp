// idx files that are wrong, plain and packed by gzip; of the packed ones also such as hold something wrong.
#include <zlib.h>

#include "fuzz/files.h"

using namespace lutra;

namespace {

std::string packed(const std::string& bytes) {
  z_stream zlib{};
  if (deflateInit2(&zlib, 1, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) fuzz::give_up("no memory");
  std::string out(deflateBound(&zlib, bytes.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  static const std::vector<std::string> seeds = fuzz::seeds_of(".idx"), packed_seeds = fuzz::seeds_of("ubyte.gz");
  fuzz::Choices choices(data, size);
  while (!choices.is_empty()) {
    bool changes_packed = choices.one_in(3);
    std::string file = fuzz::changed_seed(choices, changes_packed ? packed_seeds : seeds);
    if (!changes_packed && choices.one_in(2)) file = packed(file);
    fuzz::try_changed(FileFormat::Idx, file, {}, {});
  }
  return 0;
}
