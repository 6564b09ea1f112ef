#include "io/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lutra {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::string label, const std::string& path, const AllowedPaths* allowed) : ByteSource(std::move(label)) {
    const AllowedFile found = allowed_file(allowed, this->label(), path, AllowedPaths::Access::Read);
    if (allowed != nullptr) counted_ = allowed->opened(this->label());
    // Non-blocking: opening a pipe must not wait for a writer.
    file_ = open(found.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file_ < 0) fail_system(this->label(), "cannot be opened", errno);
    struct stat facts;
    int problem = fstat(file_, &facts) != 0 ? errno : 0;
    if (problem != 0 || !S_ISREG(facts.st_mode)) {
      close(file_);
      if (problem != 0) fail_system(this->label(), "cannot be opened", problem);
      fail(ErrorCode::InvalidArgument, this->label(), S_ISDIR(facts.st_mode) ? " is a folder" : " is no regular file");
    }
    size_ = static_cast<uint64_t>(facts.st_size);
  }
  ~FileSource() override { close(file_); }

 private:
  void read_at(uint64_t offset, std::byte* to, std::size_t bytes) override {
    while (bytes > 0) {
      ssize_t got = pread(file_, to, bytes, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) fail_system(label(), "cannot be read", errno);
      if (got == 0) fail_at(label(), offset, "the file was cut short while it was being read");
      to += got;
      offset += static_cast<uint64_t>(got);
      bytes -= static_cast<std::size_t>(got);
    }
  }

  std::shared_ptr<void> counted_;
  int file_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string label, std::span<const std::byte> bytes) : ByteSource(std::move(label)), bytes_(bytes) {
    size_ = bytes.size();
  }

 private:
  void read_at(uint64_t offset, std::byte* to, std::size_t bytes) override {
    std::memcpy(to, bytes_.data() + offset, bytes);
  }

  std::span<const std::byte> bytes_;
};

}  // namespace

void ByteSource::read(uint64_t offset, std::byte* to, std::size_t bytes) {
  if (offset > size_ || bytes > size_ - offset) {
    fail_at(label_, offset, "the file ends at byte ", size_, ", ", bytes, " bytes were expected here");
  }
  if (bytes > 0) read_at(offset, to, bytes);
}

std::unique_ptr<ByteSource> open_file(const char* who, const std::string& path, const AllowedPaths* allowed) {
  return std::make_unique<FileSource>(text(who, ": ", path), path, allowed);
}

std::unique_ptr<ByteSource> open_memory(std::string label, std::span<const std::byte> bytes) {
  return std::make_unique<MemorySource>(std::move(label), bytes);
}

std::string quote(std::string_view text) {
  std::string out = "'";
  for (char c : text.substr(0, 60)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  if (text.size() > 60) out += "...";
  return out + "'";
}

void fail_system(const std::string& label, const char* what, int error) {
  ErrorCode code = ErrorCode::Internal;
  switch (error) {
    case ENOENT:
    case ENOTDIR: code = ErrorCode::NotFound; break;
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR: code = ErrorCode::FailedPrecondition; break;
    case ENAMETOOLONG:
    case ELOOP:
    case EINVAL: code = ErrorCode::InvalidArgument; break;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM: code = ErrorCode::ResourceExhausted; break;
  }
  char reason[128];
  fail(code, label, " ", what, ": ", static_cast<const char*>(strerror_r(error, reason, sizeof reason)));
}

}  // namespace lutra
