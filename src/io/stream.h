// The bytes of one tensor in order: a file, or a part of one, packed or not.
#pragma once

#include <algorithm>

#include "io/source.h"

namespace lutra {

// Changes the byte order of elements of `width` bytes each.
inline void swap_bytes(std::byte* at, std::size_t bytes, std::size_t width) {
  if (width == 1) return;
  for (std::size_t i = 0; i < bytes; i += width) std::reverse(at + i, at + i + width);
}

struct FileRows {
  int64_t first, count;
  std::size_t row_bytes, width;  // of a row, of an element or a complex element's part
  bool is_swapped;
};

class ByteStream {
 public:
  ByteStream(std::string label, uint64_t size) : label_(std::move(label)), size_(size) {}
  virtual ~ByteStream() = default;

  const std::string& label() const { return label_; }
  // The number of bytes, read or not; of a packed stream as its directory says.
  uint64_t size() const { return size_; }
  uint64_t position() const { return position_; }
  // Reads the next `bytes`, all of them, or fails.
  void read(std::byte* to, std::size_t bytes) {
    if (bytes > size_ - position_) {
      fail_at(label_, position_, "it ends at byte ", size_, ", ", bytes, " bytes were expected here");
    }
    if (bytes > 0) read_next(to, bytes);
    position_ += bytes;
  }

 protected:
  virtual void read_next(std::byte* to, std::size_t bytes) = 0;

 private:
  std::string label_;
  uint64_t size_;
  uint64_t position_ = 0;
};

// Reads rows from row-major elements that begin at byte `start` of the source, swapping bytes if is_swapped.
inline void read_rows_at(ByteSource& source, uint64_t start, const FileRows& rows, std::byte* to) {
  std::size_t bytes = static_cast<std::size_t>(rows.count) * rows.row_bytes;
  source.read(start + static_cast<uint64_t>(rows.first) * rows.row_bytes, to, bytes);
  if (rows.width == 1 || !rows.is_swapped) return;
  for (std::size_t i = 0; i < bytes; i += rows.width) std::reverse(to + i, to + i + rows.width);
}

// A whole source.
class WholeStream final : public ByteStream {
 public:
  explicit WholeStream(ByteSource& source) : ByteStream(source.label(), source.size()), source_(source) {}

 private:
  void read_next(std::byte* to, std::size_t bytes) override { source_.read(position(), to, bytes); }
  ByteSource& source_;
};

}  // namespace lutra
