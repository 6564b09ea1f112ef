// Files of tensors. A reader says what there is, then fills memory that the caller owns; a writer takes entries and
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

// By the path's extension; of idx also by names such as train-images-idx3-ubyte, with .gz behind it or not. Fails
// (InvalidArgument) listing those there are.
FileFormat file_format(const char* who, std::string_view path);
const char* name(FileFormat format);  // "npy"
// Whether a file of this format holds several tensors with names; the others hold one.
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
  DType dtype = kNoDType;         // what the numbers are read as; unset: what they are
  std::optional<Scalar> missing;  // what an empty field holds; unset: nan
};

class FileReader {
 public:
  virtual ~FileReader() = default;
  // Named ones in order of their names.
  const std::vector<FileEntry>& entries() const { return entries_; }
  // Of a csv file with a header: what it calls its columns.
  const std::vector<std::string>& columns() const { return columns_; }
  // Of a safetensors file: texts by name, as the file has them.
  const FileMetadata& metadata() const { return metadata_; }
  // Writes entries()[entry].nbytes() bytes.
  virtual void read(std::size_t entry, std::byte* to) = 0;
  // Whether rows of the one entry, along its first axis, can be read alone. Then read_range writes `count` of them from
  // `first` on, which the caller has checked; several threads may call it.
  virtual bool has_rows() const { return false; }
  virtual void read_range(int64_t first, int64_t count, std::byte* to);

 protected:
  std::vector<FileEntry> entries_;
  std::vector<std::string> columns_;
  FileMetadata metadata_;
};

// Everything but the elements is read and checked here.
std::unique_ptr<FileReader> open_reader(FileFormat format, std::unique_ptr<ByteSource> source,
                                        const ReadOptions& options);

// What is to be saved.
class FileContents {
 public:
  virtual ~FileContents() = default;
  // Named ones in order of their names, each name once.
  const std::vector<FileEntry>& entries() const { return entries_; }
  virtual void read(std::size_t entry, std::size_t offset, std::byte* to, std::size_t bytes) = 0;

 protected:
  std::vector<FileEntry> entries_;
};

struct WriteOptions {
  char delimiter = ',';              // csv
  std::vector<std::string> columns;  // csv: names of the columns, or none
  bool compress = false;             // npz
  FileMetadata metadata;             // safetensors
};

void write_tensors(FileFormat format, FileContents& contents, ByteSink& sink, const WriteOptions& options);

// Hands all bytes of an entry to f(const std::byte*, count), some megabytes at a time.
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
