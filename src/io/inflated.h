// Bytes that deflate has packed, in a part of a file: what gzip files and members of zip files have in common.
#pragma once

#include <zlib.h>

#include <vector>

#include "io/stream.h"

namespace lutra {

class InflatedStream : public ByteStream {
 protected:
  // window_bits as zlib's inflateInit2 takes them: they say what stands around the packed bytes, which are `packed`
  // from `start` on.
  InflatedStream(std::string label, uint64_t size, ByteSource& source, uint64_t start, uint64_t packed,
                 int window_bits);
  ~InflatedStream() override;

  // The next `bytes`, all of them.
  void inflate_next(std::byte* to, std::size_t bytes);
  // When all promised bytes are out: nothing may come after them.
  void require_end();
  // Packed bytes that were not wanted.
  uint64_t left() const { return left_ + zlib_.avail_in; }
  // Behind an error about a size: what a user may do.
  virtual const char* advice() const { return ""; }

 private:
  // At least one byte, or none at the end, which may be too early.
  std::size_t inflate_some(std::byte* to, std::size_t room);

  ByteSource& source_;
  uint64_t next_, left_;  // packed bytes that are still in the file
  bool is_over_ = false;
  z_stream zlib_{};
  std::vector<std::byte> window_;
};

}  // namespace lutra
