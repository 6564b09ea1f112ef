#include "io/tensor_file.h"

#include <algorithm>
#include <cassert>

#include "io/formats.h"

namespace lutra {
namespace {

constexpr struct {
  const char* name;
  FileFormat format;
} kFormats[] = {{"npy", FileFormat::Npy}, {"npz", FileFormat::Npz}, {"safetensors", FileFormat::Safetensors},
                {"csv", FileFormat::Csv}, {"png", FileFormat::Png}, {"idx", FileFormat::Idx}};

bool is_same_word(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

// "idx3-ubyte" after a dot or a dash, as in the names of MNIST's files.
bool is_idx_name(std::string_view file) {
  std::size_t at = file.rfind("idx");
  if (at == std::string_view::npos || at == 0 || (file[at - 1] != '.' && file[at - 1] != '-')) return false;
  std::string_view rest = file.substr(at + 3);
  if (rest.size() < 2 || rest[0] < '0' || rest[0] > '9' || rest[1] != '-') return false;
  constexpr std::string_view kKinds[] = {"ubyte", "byte", "short", "int", "float", "double"};
  return std::find(std::begin(kKinds), std::end(kKinds), rest.substr(2)) != std::end(kKinds);
}

}  // namespace

const char* name(FileFormat format) { return kFormats[static_cast<int>(format)].name; }

FileFormat file_format(const char* who, std::string_view path) {
  require(path.find('\0') == std::string_view::npos, who, ": the path ", quote(path), " has a zero byte in it");
  std::string_view file = path.substr(path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
  std::string_view plain = is_same_word(file.substr(file.size() - std::min<std::size_t>(file.size(), 3)), ".gz")
                               ? file.substr(0, file.size() - 3)
                               : file;
  if (is_idx_name(plain) || (plain.size() < file.size() && plain.ends_with(".idx"))) return FileFormat::Idx;
  std::size_t dot = file.rfind('.');
  std::string_view extension = dot == std::string_view::npos ? std::string_view() : file.substr(dot + 1);
  NearestWord nearest(extension);
  for (const auto& known : kFormats) {
    if (is_same_word(extension, known.name)) return known.format;
    nearest.offer(known.name);
  }
  fail(ErrorCode::InvalidArgument, who, ": ", quote(path),
       " ends in none of .npy, .npz, .safetensors, .csv, .png, .idx", nearest.hint());
}

void FileReader::read_range(int64_t, int64_t, std::byte*) { assert(false); }

std::unique_ptr<FileReader> open_reader(FileFormat format, std::unique_ptr<ByteSource> source,
                                        const ReadOptions& options) {
  switch (format) {
    case FileFormat::Npy: return open_npy(std::move(source));
    case FileFormat::Npz: return open_npz(std::move(source));
    case FileFormat::Safetensors: return open_safetensors(std::move(source));
    case FileFormat::Csv: return open_csv(std::move(source), options);
    case FileFormat::Png: return open_png(std::move(source));
    case FileFormat::Idx: return open_idx(std::move(source));
  }
  __builtin_unreachable();
}

void write_tensors(FileFormat format, FileContents& contents, ByteSink& sink, const WriteOptions& options) {
  require(format != FileFormat::Idx || !sink.label().ends_with(".gz"), sink.label(),
          ": gzip files can be read, not written");
  switch (format) {
    case FileFormat::Npy: return write_npy(contents, sink);
    case FileFormat::Npz: return write_npz(contents, sink, options.compress);
    case FileFormat::Safetensors: return write_safetensors(contents, sink, options.metadata);
    case FileFormat::Csv: return write_csv(contents, sink, options);
    case FileFormat::Png: return write_png(contents, sink);
    case FileFormat::Idx: return write_idx(contents, sink);
  }
  __builtin_unreachable();
}

}  // namespace lutra
