#include "io/zip.h"

#include <zlib.h>

#include <algorithm>

#include "io/formats.h"
#include "io/inflated.h"

namespace lutra {
namespace {

constexpr uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr uint32_t kEnd64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr std::size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr uint32_t kSeeZip64 = 0xffffffff;

// A little-endian record in memory.
class Record {
 public:
  explicit Record(std::span<const std::byte> bytes) : bytes_(bytes) {}
  uint64_t number(std::size_t at, std::size_t width) const {
    uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value |= static_cast<uint64_t>(bytes_[at + i]) << (8 * i);
    return value;
  }
  uint16_t u16(std::size_t at) const { return static_cast<uint16_t>(number(at, 2)); }
  uint32_t u32(std::size_t at) const { return static_cast<uint32_t>(number(at, 4)); }
  uint64_t u64(std::size_t at) const { return number(at, 8); }

 private:
  std::span<const std::byte> bytes_;
};

std::vector<std::byte> read_bytes(ByteSource& source, uint64_t offset, std::size_t count) {
  std::vector<std::byte> bytes(count);
  source.read(offset, bytes.data(), count);
  return bytes;
}

// The values in zip64's extra field, for sizes and an offset given as 0xffffffff.
void read_zip64(const std::string& label, uint64_t place, std::span<const std::byte> extra, ZipMember* member) {
  bool wants_size = member->size == kSeeZip64, wants_packed = member->packed == kSeeZip64,
       wants_header = member->header == kSeeZip64;
  if (!wants_size && !wants_packed && !wants_header) return;
  Record record(extra);
  for (std::size_t at = 0; at + 4 <= extra.size();) {
    std::size_t id = record.u16(at), bytes = record.u16(at + 2), next = at + 4 + bytes;
    if (next > extra.size()) break;
    at += 4;
    if (id == 1) {
      auto take = [&](bool wanted, uint64_t* out) {
        if (!wanted) return;
        if (at + 8 > next) fail_at(label, place, "its zip64 field is too short");
        *out = record.u64(at);
        at += 8;
      };
      take(wants_size, &member->size);
      take(wants_packed, &member->packed);
      take(wants_header, &member->header);
      return;
    }
    at = next;
  }
  fail_at(label, place, "a size of 4 GiB or more without a zip64 field");
}

void check_sum(const ByteStream& stream, uint32_t sum, uint32_t wanted) {
  if (sum != wanted) fail_at(stream.label(), stream.size(), "its checksum is wrong: the file is damaged");
}

class StoredStream final : public ByteStream {
 public:
  StoredStream(ByteSource& source, const ZipMember& member, std::string label)
      : ByteStream(std::move(label), member.size), source_(source), start_(member.start), wanted_(member.checksum) {}

 private:
  void read_next(std::byte* to, std::size_t bytes) override {
    source_.read(start_ + position(), to, bytes);
    sum_ = static_cast<uint32_t>(crc32_z(sum_, reinterpret_cast<const Bytef*>(to), bytes));
    if (position() + bytes == size()) check_sum(*this, sum_, wanted_);
  }

  ByteSource& source_;
  uint64_t start_;
  uint32_t sum_ = 0;
  uint32_t wanted_;
};

class PackedStream final : public InflatedStream {
 public:
  // Negative: no header surrounds the packed bytes.
  PackedStream(ByteSource& source, const ZipMember& member, std::string label)
      : InflatedStream(std::move(label), member.size, source, member.start, member.packed, -MAX_WBITS),
        wanted_(member.checksum) {}

 private:
  void read_next(std::byte* to, std::size_t bytes) override {
    inflate_next(to, bytes);
    sum_ = static_cast<uint32_t>(crc32_z(sum_, reinterpret_cast<const Bytef*>(to), bytes));
    if (position() + bytes < size()) return;
    require_end();
    check_sum(*this, sum_, wanted_);
  }

  uint32_t sum_ = 0;
  uint32_t wanted_;
};

}  // namespace

ZipReader::ZipReader(ByteSource& source) : source_(source) {
  Directory directory = find_directory();
  read_directory(directory);
  read_local_headers(directory.offset);
}

ZipReader::Directory ZipReader::find_directory() {
  const std::string& label = source_.label();
  uint64_t size = source_.size();
  if (size < kEndBytes) fail_at(label, 0, "this is no zip archive: it is only ", size, " bytes long");
  // The end record comes last, except for a comment of at most 65,535 bytes.
  std::size_t tail = static_cast<std::size_t>(std::min<uint64_t>(size, kEndBytes + 0xffff));
  std::vector<std::byte> bytes = read_bytes(source_, size - tail, tail);
  Record record(bytes);
  std::size_t at = tail - kEndBytes;
  while (record.u32(at) != kEnd || record.u16(at + 20) != tail - at - kEndBytes) {
    if (at == 0) fail_at(label, 0, "this is no zip archive: it has no directory at its end");
    --at;
  }
  uint64_t place = size - tail + at;
  Directory found = {record.u32(at + 16), record.u32(at + 12), record.u16(at + 10)};
  bool is_zip64 = found.offset == kSeeZip64 || found.bytes == kSeeZip64 || found.count == 0xffff;
  if (!is_zip64 && (record.u16(at + 4) != 0 || record.u16(at + 6) != 0 || record.u16(at + 8) != found.count)) {
    fail_at(label, place, "archives in several parts are not supported");
  }
  // zip64's end record may precede this one even if it is not needed.
  std::byte locator[kLocatorBytes] = {};
  if (place >= kLocatorBytes + kEnd64Bytes) source_.read(place - kLocatorBytes, locator, kLocatorBytes);
  if (Record(locator).u32(0) == kLocator64) {
    uint64_t at64 = Record(locator).u64(8);
    if (at64 > place - kLocatorBytes - kEnd64Bytes)
      fail_at(label, place, "its zip64 directory lies outside the archive");
    std::byte end64[kEnd64Bytes];
    source_.read(at64, end64, kEnd64Bytes);
    if (Record(end64).u32(0) != kEnd64) fail_at(label, at64, "its zip64 directory is missing");
    found = {Record(end64).u64(48), Record(end64).u64(40), Record(end64).u64(32)};
    place = at64;
  } else if (is_zip64) {
    fail_at(label, place, "its zip64 directory is missing");
  }
  if (found.offset > place || found.bytes != place - found.offset || found.count > found.bytes / kCentralBytes) {
    fail_at(label, place, "the directory is said to have ", found.count, " members in ", found.bytes,
            " bytes from byte ", found.offset, " on, which does not fit the archive");
  }
  return found;
}

void ZipReader::read_directory(const Directory& directory) {
  const std::string& label = source_.label();
  std::vector<std::byte> bytes = read_bytes(source_, directory.offset, static_cast<std::size_t>(directory.bytes));
  Record record(bytes);
  std::size_t at = 0;
  for (uint64_t i = 0; i < directory.count; ++i) {
    uint64_t place = directory.offset + at;
    if (bytes.size() - at < kCentralBytes || record.u32(at) != kCentral) {
      fail_at(label, place, "member ", i + 1, " of the directory is missing");
    }
    std::size_t name_bytes = record.u16(at + 28), extra_bytes = record.u16(at + 30),
                comment_bytes = record.u16(at + 32);
    if (bytes.size() - at - kCentralBytes < name_bytes + extra_bytes + comment_bytes) {
      fail_at(label, place, "member ", i + 1, " of the directory is cut short");
    }
    int flags = record.u16(at + 8), method = record.u16(at + 10);
    const char* text = reinterpret_cast<const char*>(bytes.data()) + at + kCentralBytes;
    ZipMember member = {std::string(text, name_bytes),
                        method == 8,
                        record.u32(at + 16),
                        record.u32(at + 20),
                        record.u32(at + 24),
                        record.u32(at + 42),
                        0};
    if (flags & 1) fail_at(label, place, quote(member.name), " is encrypted");
    if (method != 0 && method != 8) {
      fail_at(label, place, quote(member.name), " is packed by method ", method,
              "; stored (0) and deflate (8) are read");
    }
    read_zip64(label, place, std::span(bytes).subspan(at + kCentralBytes + name_bytes, extra_bytes), &member);
    if (method == 0 && member.size != member.packed) {
      fail_at(label, place, quote(member.name), " is stored, and its two sizes differ: ", member.packed, " and ",
              member.size);
    }
    if (method == 8 && is_too_much_for_deflate(member.size, member.packed)) {
      fail_at(label, place, quote(member.name), " is said to be ", member.size, " bytes packed into ", member.packed,
              ", more than deflate can");
    }
    members_.push_back(std::move(member));
    at += kCentralBytes + name_bytes + extra_bytes + comment_bytes;
  }
  if (at != bytes.size()) fail_at(label, directory.offset + at, "the directory has more members than its count says");
}

// Finds where each member's bytes begin. Members that share bytes are refused: they make a small file a zip bomb.
void ZipReader::read_local_headers(uint64_t end) {
  const std::string& label = source_.label();
  std::vector<ZipMember*> by_place, by_name;
  for (ZipMember& member : members_) by_place.push_back(&member);
  by_name = by_place;
  std::sort(by_name.begin(), by_name.end(), [](auto* a, auto* b) { return a->name < b->name; });
  for (std::size_t i = 1; i < by_name.size(); ++i) {
    if (by_name[i]->name == by_name[i - 1]->name) {
      fail_at(label, by_name[i]->header, "the name ", quote(by_name[i]->name), " occurs twice");
    }
  }
  std::sort(by_place.begin(), by_place.end(), [](auto* a, auto* b) { return a->header < b->header; });
  uint64_t free_from = 0;
  for (ZipMember* member : by_place) {
    if (member->header < free_from) fail_at(label, member->header, quote(member->name), " lies over another member");
    if (member->header > end || end - member->header < kLocalBytes) {
      fail_at(label, member->header, quote(member->name), " lies outside the archive");
    }
    std::vector<std::byte> bytes = read_bytes(source_, member->header, kLocalBytes);
    Record record(bytes);
    std::size_t name_bytes = record.u16(26), extra_bytes = record.u16(28);
    if (record.u32(0) != kLocal || name_bytes != member->name.size()) {
      fail_at(label, member->header, quote(member->name), " is not where the directory says");
    }
    member->start = member->header + kLocalBytes + name_bytes + extra_bytes;
    if (member->start > end || end - member->start < member->packed) {
      fail_at(label, member->header, quote(member->name), " lies outside the archive: ", member->packed,
              " bytes from byte ", member->start, " on");
    }
    free_from = member->start + member->packed;
  }
}

std::unique_ptr<ByteStream> ZipReader::open(const ZipMember& member, std::string label) const {
  if (member.is_deflated) return std::make_unique<PackedStream>(source_, member, std::move(label));
  return std::make_unique<StoredStream>(source_, member, std::move(label));
}

}  // namespace lutra
