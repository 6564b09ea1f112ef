#include "io/gzip.h"

#include <zlib.h>

#include <new>
#include <vector>

#include "io/formats.h"

namespace lutra {
namespace {

constexpr uint64_t kFewestBytes = 18;  // of a header and a trailer
constexpr std::size_t kWindow = std::size_t{1} << 16;

// The length that stands in the last four bytes.
uint64_t promised_size(ByteSource& source) {
  const std::string& label = source.label();
  if (source.size() < kFewestBytes) fail_at(label, source.size(), "the packed file ends early");
  unsigned char bytes[4];
  source.read(source.size() - 4, reinterpret_cast<std::byte*>(bytes), 4);
  uint64_t size = 0;
  for (int i = 3; i >= 0; --i) size = size << 8 | bytes[i];
  if (is_too_much_for_deflate(size, source.size())) {
    fail_at(label, source.size() - 4, "it is said to unpack to ", size, " bytes, which ", source.size(),
            " cannot hold");
  }
  return size;
}

class GzipStream final : public ByteStream {
 public:
  explicit GzipStream(ByteSource& source)
      : ByteStream(source.label() + ", unpacked", promised_size(source)), source_(source), window_(kWindow) {
    // 16: with gzip's header and sum, which zlib checks.
    if (inflateInit2(&zlib_, MAX_WBITS + 16) != Z_OK) throw std::bad_alloc();
  }
  ~GzipStream() override { inflateEnd(&zlib_); }

 private:
  void read_next(std::byte* to, std::size_t bytes) override {
    for (std::size_t done = 0; done < bytes;) {
      std::size_t got = inflate_some(to + done, std::min(bytes - done, std::size_t{1} << 30));
      done += got;
      if (done < bytes && got == 0)
        fail_at(label(), position() + done, "it ends early, ", size(), " bytes were promised");
    }
    if (position() + bytes == size()) finish();
  }
  // At least one byte, or none at the end.
  std::size_t inflate_some(std::byte* to, std::size_t room) {
    zlib_.next_out = reinterpret_cast<Bytef*>(to);
    zlib_.avail_out = static_cast<uInt>(room);
    while (!is_over_ && zlib_.avail_out == room) {
      if (zlib_.avail_in == 0) {
        std::size_t count = static_cast<std::size_t>(std::min<uint64_t>(source_.size() - next_, window_.size()));
        if (count == 0) break;
        source_.read(next_, window_.data(), count);
        next_ += count;
        zlib_.next_in = reinterpret_cast<Bytef*>(window_.data());
        zlib_.avail_in = static_cast<uInt>(count);
      }
      int status = inflate(&zlib_, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status == Z_STREAM_END) is_over_ = true;
      else if (status != Z_OK && status != Z_BUF_ERROR) fail_at(label(), position(), "its packed bytes are damaged");
    }
    return room - zlib_.avail_out;
  }
  // All promised bytes are out: the sum comes, and nothing after it.
  void finish() {
    std::byte more;
    if (!is_over_ && inflate_some(&more, 1) != 0)
      fail_at(label(), size(), "it is longer than the ", size(), " bytes promised");
    if (!is_over_) fail_at(label(), size(), "its packed bytes end early");
    if (zlib_.avail_in > 0 || next_ < source_.size()) fail_at(label(), size(), "there is more behind its end");
  }

  ByteSource& source_;
  uint64_t next_ = 0;  // of the packed bytes
  bool is_over_ = false;
  z_stream zlib_{};
  std::vector<std::byte> window_;
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
