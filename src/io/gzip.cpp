#include "io/gzip.h"

#include "io/formats.h"
#include "io/inflated.h"

namespace lutra {
namespace {

constexpr uint64_t kFewestBytes = 18;  // a header and a trailer

// The unpacked length, from the last four bytes.
uint64_t promised_size(ByteSource& source) {
  const std::string& label = source.label();
  if (source.size() < kFewestBytes) fail_at(label, source.size(), "the packed file ends early");
  unsigned char bytes[4];
  source.read(source.size() - 4, reinterpret_cast<std::byte*>(bytes), 4);
  uint64_t size = 0;
  for (int i = 3; i >= 0; --i) size = size << 8 | bytes[i];
  if (is_too_much_for_deflate(size, source.size())) {
    fail_at(label, source.size() - 4, "it is said to unpack to ", size, " bytes, more than ", source.size(),
            " packed bytes can hold");
  }
  return size;
}

class GzipStream final : public InflatedStream {
 public:
  // 16: with gzip's header and checksum, which zlib checks.
  explicit GzipStream(ByteSource& source)
      : InflatedStream(source.label() + ", unpacked", promised_size(source), source, 0, source.size(), MAX_WBITS + 16) {
  }

 private:
  void read_next(std::byte* to, std::size_t bytes) override {
    inflate_next(to, bytes);
    if (position() + bytes < size()) return;
    require_end();
    if (left() > 0) fail_at(label(), size(), "more data follows its end", advice());
  }
  const char* advice() const override {
    return "; a file of several members, or with padding, cannot be read: unpack it with gunzip first";
  }
};

}  // namespace

bool is_gzip(ByteSource& source) {
  if (source.size() < 2) return false;
  std::byte magic[2];
  source.read(0, magic, 2);
  return magic[0] == std::byte{0x1f} && magic[1] == std::byte{0x8b};
}

std::unique_ptr<ByteStream> open_gzip(ByteSource& source) { return std::make_unique<GzipStream>(source); }

}  // namespace lutra
