// Files in memory, for the tests of readers and writers.
#pragma once

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "io/tensor_file.h"
#include "support/catch.h"

namespace lutra {

inline std::string data_file(const std::string& name) {
  std::ifstream file("tests/data/" + name, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Loaded : FileEntry {
  std::vector<std::byte> bytes;
};

struct LoadedFile {
  std::vector<Loaded> entries;
  std::vector<std::string> columns;
};

inline LoadedFile load_bytes(FileFormat format, const std::string& bytes, const ReadOptions& options = {}) {
  std::unique_ptr<FileReader> reader =
      open_reader(format, open_memory("load: it", std::as_bytes(std::span(bytes))), options);
  LoadedFile out;
  out.columns = reader->columns();
  for (std::size_t i = 0; i < reader->entries().size(); ++i) {
    Loaded loaded;
    static_cast<FileEntry&>(loaded) = reader->entries()[i];
    loaded.bytes.resize(loaded.nbytes());
    reader->read(i, loaded.bytes.data());
    out.entries.push_back(std::move(loaded));
  }
  return out;
}

// The sentence that loading it ends with; its code is InvalidArgument.
inline std::string refusal(FileFormat format, const std::string& bytes, const ReadOptions& options = {}) {
  try {
    load_bytes(format, bytes, options);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::InvalidArgument);
    CHECK(error.message().substr(0, 8) == "load: it");
    return error.message();
  }
  return "(it was loaded)";
}

class MemoryContents final : public FileContents {
 public:
  void add(std::string name, DType dtype, Shape shape, std::vector<std::byte> bytes) {
    entries_.push_back({std::move(name), dtype, shape});
    REQUIRE(bytes.size() == entries_.back().nbytes());
    bytes_.push_back(std::move(bytes));
  }
  template <class T> void add(std::string name, Shape shape, const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    add(std::move(name), dtype_of<T>, shape, std::move(bytes));
  }
  void read(std::size_t entry, std::size_t offset, std::byte* to, std::size_t bytes) override {
    REQUIRE(offset + bytes <= bytes_[entry].size());
    if (bytes > 0) std::memcpy(to, bytes_[entry].data() + offset, bytes);
  }

 private:
  std::vector<std::vector<std::byte>> bytes_;
};

inline std::string text_of_sink(const MemorySink& sink) {
  return {reinterpret_cast<const char*>(sink.bytes().data()), sink.bytes().size()};
}

inline std::string saved_bytes(FileFormat format, FileContents& contents, const WriteOptions& options = {}) {
  MemorySink sink("save: it");
  write_tensors(format, contents, sink, options);
  return text_of_sink(sink);
}

template <class T> std::vector<T> values_of(const Loaded& loaded) {
  REQUIRE(loaded.dtype == dtype_of<T>);
  std::vector<T> out(static_cast<std::size_t>(loaded.shape.size()));
  if (!out.empty()) std::memcpy(out.data(), loaded.bytes.data(), loaded.bytes.size());
  return out;
}

// `value` in `width` bytes, little-endian.
inline std::string little(uint64_t value, int width) {
  std::string out;
  for (int i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

inline bool says(const std::string& sentence, const std::string& words) {
  INFO(sentence);
  bool found = sentence.find(words) != std::string::npos;
  CHECK(found);
  return found;
}

}  // namespace lutra
