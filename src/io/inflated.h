// Bytes packed by deflate, in a part of a file: the common base of gzip files and members of zip files.
#pragma once

#include <zlib.h>

#include <vector>

#include "io/stream.h"

namespace lutra {

class InflatedStream : public ByteStream {
 protected:
  // The packed bytes are the `packed` from `start` on. window_bits is that of zlib's inflateInit2: it says which header
  // surrounds them.
  InflatedStream(std::string label, uint64_t size, ByteSource& source, uint64_t start, uint64_t packed,
                 int window_bits);
  ~InflatedStream() override;

  // Reads the next `bytes`, all of them.
  void inflate_next(std::byte* to, std::size_t bytes);
  // Call it once all promised bytes are read: fails if more follow.
  void require_end();
  // Packed bytes that were not used.
  uint64_t left() const { return left_ + zlib_.avail_in; }
  // For errors about a size: what the user can do.
  virtual const char* advice() const { return ""; }

 private:
  // Reads at least one byte, or none at the end, which may come too early.
  std::size_t inflate_some(std::byte* to, std::size_t room);

  ByteSource& source_;
  uint64_t next_, left_;  // packed bytes that are still in the file
  bool is_over_ = false;
  z_stream zlib_{};
  std::vector<std::byte> window_;
};

}  // namespace lutra
