// Bytes written in order; earlier ones can be overwritten once their value is known. A file that appears whole or not
// at all, or memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/allowed_paths.h"

namespace lutra {

class ByteSink {
 public:
  explicit ByteSink(std::string label) : label_(std::move(label)) {}
  virtual ~ByteSink() = default;

  const std::string& label() const { return label_; }
  uint64_t size() const { return size_; }
  void write(const void* bytes, std::size_t count) {
    put(size_, static_cast<const std::byte*>(bytes), count);
    size_ += count;
  }
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Replaces bytes already written.
  void overwrite(uint64_t offset, std::string_view text) {
    put(offset, reinterpret_cast<const std::byte*>(text.data()), text.size());
  }

 protected:
  virtual void put(uint64_t offset, const std::byte* bytes, std::size_t count) = 0;

 private:
  std::string label_;
  uint64_t size_ = 0;
};

// A file written under a temporary name beside `path`. commit() makes it durable and gives it the name in one step.
// Without commit nothing remains. Links are followed, and an existing file's permissions are kept.
class AtomicFile final : public ByteSink {
 public:
  // Fails (FailedPrecondition) if the path is not allowed.
  AtomicFile(const char* who, const std::string& path, const AllowedPaths* allowed);
  ~AtomicFile() override;
  AtomicFile(const AtomicFile&) = delete;
  void commit();

 private:
  void put(uint64_t offset, const std::byte* bytes, std::size_t count) override;
  void put_out(uint64_t offset, const std::byte* bytes, std::size_t count);
  void flush();

  AllowedFile place_;
  std::string path_;
  std::string temporary_;
  std::vector<std::byte> waiting_;  // small writes, buffered
  uint64_t waiting_at_ = 0;
  int file_ = -1;
};

class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(std::string label) : ByteSink(std::move(label)) {}
  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  void put(uint64_t offset, const std::byte* bytes, std::size_t count) override;
  std::vector<std::byte> bytes_;
};

}  // namespace lutra
