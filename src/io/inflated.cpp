#include "io/inflated.h"

#include <algorithm>
#include <new>

#include "io/formats.h"

namespace lutra {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 16, kMostAtOnce = std::size_t{1} << 30;

}  // namespace

InflatedStream::InflatedStream(std::string label, uint64_t size, ByteSource& source, uint64_t start, uint64_t packed,
                               int window_bits)
    : ByteStream(std::move(label), size), source_(source), next_(start), left_(packed), window_(kWindow) {
  if (inflateInit2(&zlib_, window_bits) != Z_OK) throw std::bad_alloc();
}

InflatedStream::~InflatedStream() { inflateEnd(&zlib_); }

void InflatedStream::inflate_next(std::byte* to, std::size_t bytes) {
  for (std::size_t done = 0; done < bytes;) {
    std::size_t got = inflate_some(to + done, std::min(bytes - done, kMostAtOnce));
    done += got;
    if (done < bytes && got == 0)
      fail_at(label(), position() + done, "its packed bytes end early, ", size(), " bytes were promised", advice());
  }
}

void InflatedStream::require_end() {
  std::byte more;
  if (inflate_some(&more, 1) != 0)
    fail_at(label(), size(), "it is longer than the ", size(), " bytes promised", advice());
  if (!is_over_) fail_at(label(), size(), "its packed bytes end early");
}

std::size_t InflatedStream::inflate_some(std::byte* to, std::size_t room) {
  zlib_.next_out = reinterpret_cast<Bytef*>(to);
  zlib_.avail_out = static_cast<uInt>(room);
  while (!is_over_ && zlib_.avail_out == room) {
    if (zlib_.avail_in == 0) {
      std::size_t count = static_cast<std::size_t>(std::min<uint64_t>(left_, window_.size()));
      if (count == 0) break;
      source_.read(next_, window_.data(), count);
      next_ += count;
      left_ -= count;
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

}  // namespace lutra
