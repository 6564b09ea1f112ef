// Hostile files: those of tests/data that a reader accepts, changed in a few places. Whatever comes out, reading it
// ends in tensors of the size that was said, or in an Error with a sentence; what was read and can be written is read
// again the same.
#pragma once

#include <dirent.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "fuzz/driver.h"
#include "io/tensor_file.h"

namespace lutra::fuzz {

// A claim above this many bytes is legal where the file is large enough; no memory is taken for it here.
inline constexpr std::size_t kMostBytes = std::size_t{1} << 26;

// The files in tests/data whose names end in `extension`.
inline std::vector<std::string> seeds_of(const std::string& extension) {
  std::vector<std::string> names, seeds;
  DIR* folder = opendir("tests/data");
  if (folder == nullptr) give_up("tests/data is not here: run this from the repository's root");
  while (dirent* entry = readdir(folder)) {
    std::string name = entry->d_name;
    if (name.size() > extension.size() &&
        name.compare(name.size() - extension.size(), extension.size(), extension) == 0) {
      names.push_back(name);
    }
  }
  closedir(folder);
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    std::ifstream file("tests/data/" + name, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) give_up("tests/data has no file of " + extension);
  return seeds;
}

// A seed with some bytes changed, cut, doubled or set to a number that is often wrong.
inline std::string changed_seed(Choices& choices, const std::vector<std::string>& seeds) {
  std::string bytes = choices.pick(seeds);
  for (std::size_t changes = choices.below(6); changes > 0 && !bytes.empty(); --changes) {
    std::size_t at = (choices.byte() * 65536 + choices.byte() * 256 + choices.byte()) % bytes.size();
    std::size_t count = std::min(choices.below(9), bytes.size() - at);
    switch (choices.below(7)) {
      case 0: bytes[at] = static_cast<char>(choices.byte()); break;
      case 1: bytes[at] = static_cast<char>(bytes[at] ^ (1 << choices.below(8))); break;
      case 2: bytes.erase(at, count); break;
      case 3: bytes.insert(at, bytes.substr(at, count)); break;
      case 4: bytes.resize(at); break;
      case 5: bytes.replace(at, count, std::string(count, choices.one_in(2) ? '\xff' : '\0')); break;
      case 6: {
        constexpr const char* kPieces[] = {"9", "-1", "(",          "[[[[",   "{",     "\"", "'",
                                           ",", "\n", "4294967296", "PK\1\2", "1e999", "nan"};
        bytes.insert(at, choices.pick(kPieces));
        break;
      }
    }
  }
  return bytes;
}

struct ReadFile final : FileContents {
  std::vector<std::vector<std::byte>> bytes;
  void add(const FileEntry& entry, std::vector<std::byte> of) {
    entries_.push_back(entry);
    bytes.push_back(std::move(of));
  }
  void read(std::size_t entry, std::size_t offset, std::byte* to, std::size_t count) override {
    if (offset + count > bytes[entry].size()) give_up("the writer reads past the end");
    std::copy_n(bytes[entry].begin() + static_cast<std::ptrdiff_t>(offset), count, to);
  }
};

// Whether the file was read. `is_large`: it claims more than is tried here.
inline bool try_file(FileFormat format, const std::string& file, const ReadOptions& options, ReadFile* out,
                     bool* is_large) {
  try {
    std::unique_ptr<FileReader> reader =
        open_reader(format, open_memory("load: it", std::as_bytes(std::span(file))), options);
    for (std::size_t i = 0; i < reader->entries().size(); ++i) {
      const FileEntry& entry = reader->entries()[i];
      if (entry.shape.rank() > kMaxRank || entry.shape.size() < 0) give_up("it gives a shape that is none");
      *is_large |= entry.nbytes() > kMostBytes;
      if (*is_large) return false;
      std::vector<std::byte> bytes(entry.nbytes());
      reader->read(i, bytes.data());
      out->add(entry, std::move(bytes));
    }
    return true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidArgument) give_up("another code: " + error.message());
    if (error.message().size() < 10 || error.message().size() > 1000) give_up("no sentence: " + error.message());
    return false;
  }
}

inline void try_changed(FileFormat format, const std::string& file, const ReadOptions& options,
                        const WriteOptions& how) {
  current().clear();
  for (unsigned char c : file.substr(0, 2000)) {
    constexpr char kDigits[] = "0123456789abcdef";
    (current() += kDigits[c >> 4]) += kDigits[c & 15];
  }
  ReadFile first, second;
  bool is_large = false;
  if (!try_file(format, file, options, &first, &is_large)) return;
  std::string written;
  try {
    MemorySink sink("save: it");
    write_tensors(format, first, sink, how);
    written.assign(reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size());
  } catch (const Error& error) {
    give_up("what was read cannot be written: " + error.message());
  }
  ReadOptions again = options;
  again.header = false;
  again.delimiter = how.delimiter;
  if (format == FileFormat::Csv) again.dtype = first.entries()[0].dtype;
  if (!try_file(format, written, again, &second, &is_large)) give_up("what was written cannot be read");
  if (second.entries().size() != first.entries().size()) give_up("another number of tensors");
  for (std::size_t i = 0; i < first.entries().size(); ++i) {
    const FileEntry &a = first.entries()[i], &b = second.entries()[i];
    // A csv without elements keeps no columns.
    bool same_shape = a.shape == b.shape || (format == FileFormat::Csv && a.shape.size() == 0 && b.shape.size() == 0);
    if (a.name != b.name || a.dtype != b.dtype || !same_shape) give_up("another tensor: " + a.name);
    // Text keeps no bits of a nan.
    if (format != FileFormat::Csv && first.bytes[i] != second.bytes[i]) give_up("other elements: " + a.name);
  }
}

}  // namespace lutra::fuzz
