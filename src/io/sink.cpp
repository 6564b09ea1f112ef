#include "io/sink.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"
#include "io/source.h"

namespace lutra {
namespace {

constexpr std::size_t kGathered = std::size_t{1} << 16;

std::string folder_of(const std::string& path) {
  std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The file that a link, or a chain of links, leads to, whether it exists or not.
std::string resolved(std::string path) {
  constexpr int kMostLinks = 40;  // as many as Linux follows; a cycle of links fails later
  for (int i = 0; i < kMostLinks; ++i) {
    if (char* real = realpath(path.c_str(), nullptr)) {
      path = real;
      free(real);
      break;
    }
    char target[4096];
    ssize_t length = readlink(path.c_str(), target, sizeof target);
    if (length <= 0 || length == static_cast<ssize_t>(sizeof target)) break;
    std::string_view to(target, static_cast<std::size_t>(length));
    path = to[0] == '/' ? std::string(to) : text(folder_of(path), "/", to);
  }
  return path;
}

// While one lives, exceeding `ulimit -f` is an error of write, not a signal that ends the process. The signal goes to
// the writing thread, so blocking it there does not affect the host's handlers.
class FileLimitIsAnError {
 public:
  FileLimitIsAnError() {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    was_pending_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileLimitIsAnError() {
    int error = errno;
    timespec at_once{};
    if (!was_pending_ && sigismember(&before_, SIGXFSZ) == 0) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  FileLimitIsAnError(const FileLimitIsAnError&) = delete;

 private:
  sigset_t signal_, before_;
  bool was_pending_;
};

}  // namespace

AtomicFile::AtomicFile(const char* who, const std::string& path, const AllowedPaths* allowed)
    : ByteSink(text(who, ": ", path)),
      place_(allowed_file(allowed, label(), path, AllowedPaths::Access::Write)),
      path_(allowed == nullptr ? resolved(path) : place_.path) {
  if (path.find('\0') != std::string::npos)
    fail(ErrorCode::InvalidArgument, label(), ": a file's name has no zero byte");
  struct stat facts;
  bool exists = stat(path_.c_str(), &facts) == 0;
  if (!exists && errno != ENOENT) fail_system(label(), "cannot be written", errno);
  if (exists && !S_ISREG(facts.st_mode)) {
    fail(ErrorCode::InvalidArgument, label(), S_ISDIR(facts.st_mode) ? " is a folder" : " is no regular file");
  }
  // Replacing a file needs no permission to write to it, but require it as any other program would.
  if (exists && access(path_.c_str(), W_OK) != 0) fail_system(label(), "cannot be written", errno);
  waiting_.reserve(kGathered);
  for (int attempt = 0; file_ < 0; ++attempt) {
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) number = static_cast<uint64_t>(getpid());
    temporary_ = text(folder_of(path_), "/.lutra-", number + static_cast<uint64_t>(attempt), ".tmp");
    file_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && (errno != EEXIST || attempt == 100)) {
      int error = errno;
      fail_system(label(), "cannot be written", error);
    }
  }
  if (exists && fchmod(file_, facts.st_mode & 07777) != 0) {
    int error = errno;
    close(file_);
    unlink(temporary_.c_str());
    fail_system(label(), "cannot be written", error);
  }
}

AtomicFile::~AtomicFile() {
  if (file_ >= 0) close(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::put_out(uint64_t offset, const std::byte* bytes, std::size_t count) {
  FileLimitIsAnError guard;
  while (count > 0) {
    ssize_t done = pwrite(file_, bytes, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_system(label(), "cannot be written", errno);
    bytes += done;
    offset += static_cast<uint64_t>(done);
    count -= static_cast<std::size_t>(done);
  }
}

void AtomicFile::flush() {
  put_out(waiting_at_, waiting_.data(), waiting_.size());
  waiting_.clear();
}

void AtomicFile::put(uint64_t offset, const std::byte* bytes, std::size_t count) {
  if (count == 0) return;
  if (offset != waiting_at_ + waiting_.size() || waiting_.size() + count > kGathered) flush();
  if (count >= kGathered) return put_out(offset, bytes, count);
  if (waiting_.empty()) waiting_at_ = offset;
  waiting_.insert(waiting_.end(), bytes, bytes + count);
}

void AtomicFile::commit() {
  flush();
  if (fsync(file_) != 0) fail_system(label(), "cannot be written", errno);
  int closed = close(file_);
  file_ = -1;
  if (closed != 0) fail_system(label(), "cannot be written", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail_system(label(), "cannot be written", errno);
  temporary_.clear();
  // The name is durable once its folder is. Some file systems cannot sync a folder; the file itself is safe even then.
  int folder = open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

void MemorySink::put(uint64_t offset, const std::byte* bytes, std::size_t count) {
  if (count == 0) return;
  if (bytes_.size() < offset + count) bytes_.resize(offset + count);
  std::memcpy(bytes_.data() + offset, bytes, count);
}

}  // namespace lutra
