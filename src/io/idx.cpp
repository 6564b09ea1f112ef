// idx, MNIST's format (LeCun et al., http://yann.lecun.com/exdb/mnist): two zero bytes, the element type, the number of
// axes, their sizes, the elements, all big-endian. Plain, or packed by gzip.
#include <algorithm>

#include "io/formats.h"
#include "io/gzip.h"

namespace lutra {
namespace {

constexpr struct {
  unsigned char code;
  DType dtype;
} kIdxCodes[] = {{0x08, DType::UInt8}, {0x09, DType::Int8},    {0x0b, DType::Int16},
                 {0x0c, DType::Int32}, {0x0d, DType::Float32}, {0x0e, DType::Float64}};

FileEntry read_header(ByteStream& stream) {
  const std::string& label = stream.label();
  unsigned char magic[4];
  stream.read(reinterpret_cast<std::byte*>(magic), sizeof magic);
  if (magic[0] != 0 || magic[1] != 0) fail_at(label, 0, "this is no idx file: it does not begin with two zero bytes");
  FileEntry entry;
  entry.dtype = kNoDType;
  for (const auto& known : kIdxCodes) {
    if (known.code == magic[2]) entry.dtype = known.dtype;
  }
  if (entry.dtype == kNoDType)
    fail_at(label, 2, "its elements are of kind ", int{magic[2]}, ", which idx does not have");
  if (magic[3] > kMaxRank) {
    fail_at(label, 3, "it has ", int{magic[3]}, " axes; Lutra's tensors have at most ", kMaxRank);
  }
  for (int axis = 0; axis < magic[3]; ++axis) {
    unsigned char bytes[4];
    stream.read(reinterpret_cast<std::byte*>(bytes), sizeof bytes);
    int64_t size = 0;
    for (unsigned char byte : bytes) size = size << 8 | byte;
    entry.shape.push(size);
  }
  int64_t width = static_cast<int64_t>(size_of(entry.dtype));
  uint64_t bytes = static_cast<uint64_t>(element_count(label.c_str(), entry.shape.dims(), width) * width);
  uint64_t left = stream.size() - stream.position();
  if (bytes != left) {
    fail_at(label, stream.position(), "shape ", entry.shape, " of ", entry.dtype, " takes ", bytes, " bytes, and ",
            left, " follow");
  }
  return entry;
}

class IdxReader final : public FileReader {
 public:
  explicit IdxReader(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {
    std::unique_ptr<ByteStream> stream = open();
    entries_.push_back(read_header(*stream));
    start_ = stream->position();
  }
  bool has_rows() const override { return entries_[0].shape.rank() > 0 && !is_gzip(*source_); }
  void read_range(int64_t first, int64_t count, std::byte* to) override {
    const FileEntry& entry = entries_[0];
    std::size_t row = entry.nbytes() / static_cast<std::size_t>(entry.shape[0]);
    read_rows_at(*source_, start_, {first, count, row, size_of(entry.dtype), true}, to);
  }
  void read(std::size_t, std::byte* to) override {
    std::unique_ptr<ByteStream> stream = open();
    FileEntry entry = read_header(*stream);
    require(entry.nbytes() == entries_[0].nbytes(), source_->label(), ": the file changed while it was being read");
    stream->read(to, entry.nbytes());
    swap_bytes(to, entry.nbytes(), size_of(entry.dtype));
  }

 private:
  std::unique_ptr<ByteStream> open() {
    if (is_gzip(*source_)) return open_gzip(*source_);
    return std::make_unique<WholeStream>(*source_);
  }
  std::unique_ptr<ByteSource> source_;
  uint64_t start_ = 0;  // of the elements
};

}  // namespace

std::unique_ptr<FileReader> open_idx(std::unique_ptr<ByteSource> source) {
  return std::make_unique<IdxReader>(std::move(source));
}

void write_idx(FileContents& contents, ByteSink& sink) {
  const FileEntry& entry = contents.entries()[0];
  std::string header(2, '\0');
  for (const auto& known : kIdxCodes) {
    if (known.dtype == entry.dtype) header += static_cast<char>(known.code);
  }
  require(header.size() == 3, sink.label(), ": idx has no ", entry.dtype,
          "; it has uint8, int8, int16, int32, float32, float64");
  header += static_cast<char>(entry.shape.rank());
  for (int64_t size : entry.shape.dims()) {
    require(size <= int64_t{UINT32_MAX}, sink.label(), ": an axis of ", size, " is too long for idx");
    for (int shift = 24; shift >= 0; shift -= 8) header += static_cast<char>(size >> shift);
  }
  sink.write(header);
  std::vector<std::byte> piece;
  for_each_piece(contents, 0, [&](const std::byte* bytes, std::size_t count) {
    piece.assign(bytes, bytes + count);
    swap_bytes(piece.data(), count, size_of(entry.dtype));
    sink.write(piece.data(), count);
  });
}

}  // namespace lutra
