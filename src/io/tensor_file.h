// Files of tensors. A reader lists a file's tensors, then fills memory that the caller owns; a writer takes entries and
// their bytes. Elements are row-major, little-endian, as in a Tensor.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/scalar.h"
#include "core/shape.h"
#include "io/sink.h"
#include "io/source.h"

namespace lutra {

enum class FileFormat : uint8_t { Npy, Npz, Safetensors, Csv, Png, Idx };

// From the path's extension; for idx also from names such as train-images-idx3-ubyte, with or without .gz. Fails
// (InvalidArgument) with a list of the formats.
FileFormat file_format(const char* who, std::string_view path);
const char* name(FileFormat format);  // "npy"
// Whether a file of this format holds several named tensors; the others hold one.
inline bool is_named(FileFormat format) { return format == FileFormat::Npz || format == FileFormat::Safetensors; }

struct FileEntry {
  std::string name;  // empty where the format has none
  DType dtype = DType::Float32;
  Shape shape;

  std::size_t nbytes() const { return static_cast<std::size_t>(shape.size()) * size_of(dtype); }
};

using FileMetadata = std::vector<std::pair<std::string, std::string>>;

struct ReadOptions {
  // csv
  char delimiter = ',';
  bool header = false;
  DType dtype = kNoDType;         // the dtype to read; unset: chosen from the numbers
  std::optional<Scalar> missing;  // the value of an empty field; unset: nan
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  // Named ones are sorted by name.
  const std::vector<FileEntry>& entries() const { return entries_; }
  // The column names of a csv file with a header.
  const std::vector<std::string>& columns() const { return columns_; }
  // A safetensors file's texts by name, in the file's order.
  const FileMetadata& metadata() const { return metadata_; }
  // Writes entries()[entry].nbytes() bytes.
  virtual void read(std::size_t entry, std::byte* to) = 0;
  // Whether rows of the only entry, along its first axis, can be read separately. Then read_range reads `count` of them
  // from `first` on. The caller has checked the range; several threads may call it.
  virtual bool has_rows() const { return false; }
  virtual void read_range(int64_t first, int64_t count, std::byte* to);

 protected:
  std::vector<FileEntry> entries_;
  std::vector<std::string> columns_;
  FileMetadata metadata_;
};

// Reads and checks everything except the elements.
std::unique_ptr<FileReader> open_reader(FileFormat format, std::unique_ptr<ByteSource> source,
                                        const ReadOptions& options);

// The tensors to save.
class FileContents {
 public:
  virtual ~FileContents() = default;
  // Named ones are sorted by name; names are unique.
  const std::vector<FileEntry>& entries() const { return entries_; }
  virtual void read(std::size_t entry, std::size_t offset, std::byte* to, std::size_t bytes) = 0;

 protected:
  std::vector<FileEntry> entries_;
};

struct WriteOptions {
  char delimiter = ',';              // csv
  std::vector<std::string> columns;  // csv: the columns' names, or none
  bool compress = false;             // npz
  FileMetadata metadata;             // safetensors
};

void write_tensors(FileFormat format, FileContents& contents, ByteSink& sink, const WriteOptions& options);

// Passes all bytes of an entry to f(const std::byte*, count), some megabytes at a time.
template <class F> void for_each_piece(FileContents& contents, std::size_t entry, const F& f) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  std::size_t total = contents.entries()[entry].nbytes();
  std::vector<std::byte> piece(total < kPiece ? total : kPiece);
  for (std::size_t done = 0; done < total; done += piece.size()) {
    if (piece.size() > total - done) piece.resize(total - done);
    contents.read(entry, done, piece.data(), piece.size());
    f(piece.data(), piece.size());
  }
}

}  // namespace lutra
