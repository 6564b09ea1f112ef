// Bytes that are read, by offset: a file, or memory. What is not there is an Error that starts with label().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/error.h"

namespace lutra {

class ByteSource {
 public:
  explicit ByteSource(std::string label) : label_(std::move(label)) {}
  virtual ~ByteSource() = default;

  // What error texts start with: "load: train.npy".
  const std::string& label() const { return label_; }
  uint64_t size() const { return size_; }
  // All of [offset, offset + bytes), or an Error.
  void read(uint64_t offset, std::byte* to, std::size_t bytes);

 protected:
  virtual void read_at(uint64_t offset, std::byte* to, std::size_t bytes) = 0;
  uint64_t size_ = 0;

 private:
  std::string label_;
};

// A regular file; NotFound when there is none. `who` starts the label.
std::unique_ptr<ByteSource> open_file(const char* who, const std::string& path);
// The bytes live longer than the source.
std::unique_ptr<ByteSource> open_memory(std::string label, std::span<const std::byte> bytes);

// InvalidArgument at a place of a file.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail_at(const std::string& label, uint64_t offset, const Parts&... parts) {
  fail(ErrorCode::InvalidArgument, label, ", byte ", offset, ": ", parts...);
}

// Text of a file in an error: quoted, at most 60 bytes, nothing that a terminal would act on.
std::string quote(std::string_view text);

// Fails for the last system call, by its errno.
[[noreturn]] void fail_system(const std::string& label, const char* what, int error);

}  // namespace lutra
