#include <zlib.h>

#include <algorithm>
#include <new>

#include "io/zip.h"

namespace lutra {
namespace {

// 1980-01-01 00:00, always, so that the same tensors give the same file.
constexpr uint16_t kTime = 0, kDate = 1 << 5 | 1;
constexpr uint16_t kUtf8Names = 1 << 11;
constexpr uint16_t kVersion = 20, kVersion64 = 45;

std::string number(uint64_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
std::string u16(uint64_t value) { return number(value, 2); }
std::string u32(uint64_t value) { return number(value, 4); }
std::string u64(uint64_t value) { return number(value, 8); }

// A size or an offset, or the value that refers the reader to the zip64 field.
std::string short_form(bool is_zip64, uint64_t value) { return u32(is_zip64 ? 0xffffffff : value); }

}  // namespace

struct ZipWriter::Deflate {
  z_stream zlib{};
  std::vector<std::byte> window = std::vector<std::byte>(std::size_t{1} << 16);
  Deflate() {
    if (deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Deflate() { deflateEnd(&zlib); }
};

ZipWriter::ZipWriter(ByteSink& sink, bool compress, uint64_t zip64_from)
    : sink_(sink), compress_(compress), zip64_from_(zip64_from) {}

ZipWriter::~ZipWriter() = default;

void ZipWriter::begin(std::string name, uint64_t size) {
  Written member{};
  member.name = std::move(name);
  member.is_deflated = compress_;
  member.size = size;
  member.header = sink_.size();
  // Deflate may enlarge incompressible data, by less than a thousandth.
  member.is_zip64 = size + size / 1000 + 1024 >= zip64_from_;
  sink_.write("PK\3\4" + u16(member.is_zip64 ? kVersion64 : kVersion) + u16(kUtf8Names) + u16(compress_ ? 8 : 0) +
              u16(kTime) + u16(kDate) + u32(0) + short_form(member.is_zip64, 0) + short_form(member.is_zip64, size) +
              u16(member.name.size()) + u16(member.is_zip64 ? 20 : 0) + member.name);
  if (member.is_zip64) sink_.write(u16(1) + u16(16) + u64(size) + u64(0));
  member.start = sink_.size();
  written_.push_back(std::move(member));
  if (compress_) deflate_ = std::make_unique<Deflate>();
}

void ZipWriter::write(const void* bytes, std::size_t count) {
  Written& member = written_.back();
  member.checksum = static_cast<uint32_t>(crc32_z(member.checksum, static_cast<const Bytef*>(bytes), count));
  if (compress_) deflate_some(bytes, count, false);
  else sink_.write(bytes, count);
}

void ZipWriter::deflate_some(const void* bytes, std::size_t count, bool last) {
  z_stream& zlib = deflate_->zlib;
  const Bytef* next = static_cast<const Bytef*>(bytes);
  do {
    std::size_t step = std::min(count, std::size_t{1} << 30);
    zlib.next_in = const_cast<Bytef*>(next);
    zlib.avail_in = static_cast<uInt>(step);
    do {
      zlib.next_out = reinterpret_cast<Bytef*>(deflate_->window.data());
      zlib.avail_out = static_cast<uInt>(deflate_->window.size());
      deflate(&zlib, last ? Z_FINISH : Z_NO_FLUSH);
      sink_.write(deflate_->window.data(), deflate_->window.size() - zlib.avail_out);
    } while (zlib.avail_out == 0);
    next += step;
    count -= step;
  } while (count > 0);
}

void ZipWriter::end() {
  Written& member = written_.back();
  if (compress_) deflate_some(nullptr, 0, true);
  deflate_.reset();
  member.packed = sink_.size() - member.start;
  sink_.overwrite(member.header + 14, u32(member.checksum) + short_form(member.is_zip64, member.packed));
  if (member.is_zip64) sink_.overwrite(member.start - 8, u64(member.packed));
}

void ZipWriter::finish() {
  uint64_t directory = sink_.size();
  for (const Written& member : written_) {
    bool is_far = member.header >= zip64_from_, has_extra = member.is_zip64 || is_far;
    std::string extra;
    if (member.is_zip64) extra += u64(member.size) + u64(member.packed);
    if (is_far) extra += u64(member.header);
    if (has_extra) extra = u16(1) + u16(extra.size()) + extra;
    // Made by version 2.0 on Unix (3); a regular file, writable by its owner.
    sink_.write("PK\1\2" + u16((3 << 8) | (has_extra ? kVersion64 : kVersion)) +
                u16(has_extra ? kVersion64 : kVersion) + u16(kUtf8Names) + u16(member.is_deflated ? 8 : 0) +
                u16(kTime) + u16(kDate) + u32(member.checksum) + short_form(member.is_zip64, member.packed) +
                short_form(member.is_zip64, member.size) + u16(member.name.size()) + u16(extra.size()) + u16(0) +
                u16(0) + u16(0) + u32(0100644u << 16) + short_form(is_far, member.header) + member.name + extra);
  }
  uint64_t end = sink_.size(), bytes = end - directory, count = written_.size();
  bool is_zip64 = directory >= zip64_from_ || bytes >= zip64_from_ || count >= 0xffff;
  if (is_zip64) {
    sink_.write("PK\6\6" + u64(44) + u16(kVersion64) + u16(kVersion64) + u32(0) + u32(0) + u64(count) + u64(count) +
                u64(bytes) + u64(directory));
    sink_.write("PK\6\7" + u32(0) + u64(end) + u32(1));
  }
  std::string short_count = u16(is_zip64 ? 0xffff : count);
  sink_.write("PK\5\6" + u16(0) + u16(0) + short_count + short_count + short_form(is_zip64, bytes) +
              short_form(is_zip64, directory) + u16(0));
}

}  // namespace lutra
