// Bytes that are read by offset: a file, or memory. Errors start with label().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "core/error.h"
#include "io/allowed_paths.h"

namespace lutra {

class ByteSource {
 public:
  explicit ByteSource(std::string label) : label_(std::move(label)) {}
  virtual ~ByteSource() = default;

  // What error messages start with: "load: train.npy".
  const std::string& label() const { return label_; }
  uint64_t size() const { return size_; }
  // Reads all of [offset, offset + bytes), or fails.
  void read(uint64_t offset, std::byte* to, std::size_t bytes);

 protected:
  virtual void read_at(uint64_t offset, std::byte* to, std::size_t bytes) = 0;
  uint64_t size_ = 0;

 private:
  std::string label_;
};

// A regular file. Fails (NotFound) if there is none, (FailedPrecondition) if it is not allowed. `who` starts the label.
std::unique_ptr<ByteSource> open_file(const char* who, const std::string& path, const AllowedPaths* allowed);
// The bytes must outlive the source.
std::unique_ptr<ByteSource> open_memory(std::string label, std::span<const std::byte> bytes);

// InvalidArgument, with a position in the file.
template <class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void fail_at(const std::string& label, uint64_t offset, const Parts&... parts) {
  fail(ErrorCode::InvalidArgument, label, ", byte ", offset, ": ", parts...);
}

// Quotes a file's text for an error: at most 60 bytes, without control characters.
std::string quote(std::string_view text);

// Fails with the error number of a system call.
[[noreturn]] void fail_system(const std::string& label, const char* what, int error);

}  // namespace lutra
