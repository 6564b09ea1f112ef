// Zip archives as numpy.savez writes them: stored or deflated members, with zip64 where sizes need it
// (APPNOTE.TXT 6.3.10).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/sink.h"
#include "io/stream.h"

namespace lutra {

struct ZipMember {
  std::string name;
  bool is_deflated;
  uint32_t checksum;
  uint64_t packed;  // bytes in the archive
  uint64_t size;    // bytes unpacked
  uint64_t header;  // where its local header is
  uint64_t start;   // where its bytes are
};

// Reads an archive's members. Fails if members overlap or a name occurs twice.
class ZipReader {
 public:
  explicit ZipReader(ByteSource& source);
  const std::vector<ZipMember>& members() const { return members_; }
  // Reading the last byte also checks the checksum. `label` starts error messages.
  std::unique_ptr<ByteStream> open(const ZipMember& member, std::string label) const;

 private:
  struct Directory {
    uint64_t offset, bytes, count;
  };
  Directory find_directory();
  void read_directory(const Directory& directory);
  void read_local_headers(uint64_t end);

  ByteSource& source_;
  std::vector<ZipMember> members_;
};

// Writes members one after the other: begin, write its `size` bytes, end. finish writes the directory.
class ZipWriter {
 public:
  // Sizes and offsets from `zip64_from` on use zip64's fields. Tests lower it.
  ZipWriter(ByteSink& sink, bool compress, uint64_t zip64_from = 0xffffffff);
  ~ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  void begin(std::string name, uint64_t size);
  void write(const void* bytes, std::size_t count);
  void end();
  void finish();

 private:
  struct Deflate;
  struct Written : ZipMember {
    bool is_zip64;
  };
  void deflate_some(const void* bytes, std::size_t count, bool last);

  ByteSink& sink_;
  bool compress_;
  uint64_t zip64_from_;
  std::vector<Written> written_;
  std::unique_ptr<Deflate> deflate_;
};

}  // namespace lutra
