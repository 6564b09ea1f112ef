#include "repl/attach/socket_path.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace lutra::attach {
namespace {

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty()) fail(ErrorCode::InvalidArgument, "the path of the socket is empty");
  if (path.find('\0') != std::string::npos) fail(ErrorCode::InvalidArgument, "the path of the socket has a zero byte");
  if (path.size() >= sizeof address.sun_path) {
    fail(ErrorCode::InvalidArgument, "the path of a socket has at most ", sizeof address.sun_path - 1, " bytes, and ",
         path, " has ", path.size());
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

[[noreturn]] void fail_with(const std::string& what, const std::string& path, int error) {
  const ErrorCode code = error == ENOENT ? ErrorCode::NotFound : ErrorCode::FailedPrecondition;
  fail(code, what, " ", path, ": ", std::strerror(error));
}

int new_socket() {
  const int number = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (number < 0) fail(ErrorCode::ResourceExhausted, "cannot make a socket: ", std::strerror(errno));
  return number;
}

int connect_error(int number, const sockaddr_un& address) {
  const auto* general = reinterpret_cast<const sockaddr*>(&address);
  return connect(number, general, sizeof address) == 0 ? 0 : errno;
}

// Held while a path is looked at and taken, so that of two hosts one gets it.
class FolderLock {
 public:
  explicit FolderLock(const std::string& path)
      : folder_(open(parent(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (folder_.number() >= 0 && flock(folder_.number(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }

 private:
  static std::string parent(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  }
  Descriptor folder_;
};

// Removes a socket that a host of this user has left behind. Throws if the path is taken by something else.
void clear(const std::string& path, const sockaddr_un& address) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return;
    fail_with("cannot use", path, errno);
  }
  if (!S_ISSOCK(found.st_mode)) {
    fail(ErrorCode::FailedPrecondition, path, " exists and is no socket; choose another path");
  }
  if (found.st_uid != geteuid() || (found.st_mode & 07777) != 0600) {
    fail(ErrorCode::FailedPrecondition, path,
         " is a socket that another program or user has made; choose another path");
  }
  const Descriptor trial(new_socket());
  const int error = connect_error(trial.number(), address);
  if (error != ECONNREFUSED && error != ENOENT) {
    fail(ErrorCode::FailedPrecondition, path, " is in use: another host listens there; choose another path");
  }
  unlink(path.c_str());
}

}  // namespace

ListeningSocket::ListeningSocket(std::string path) : path_(std::move(path)), owner_(getpid()) {
  const sockaddr_un address = address_of(path_);
  Descriptor made(new_socket());
  // Linux gives the file the mode of the socket, less the umask: at no moment can others connect.
  fchmod(made.number(), 0600);
  const FolderLock lock(path_);
  clear(path_, address);
  if (bind(made.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail_with("cannot make the socket", path_, errno);
  }
  struct stat found = {};
  const bool is_made =
      chmod(path_.c_str(), 0600) == 0 && lstat(path_.c_str(), &found) == 0 && listen(made.number(), 16) == 0;
  if (!is_made) {
    const int error = errno;
    unlink(path_.c_str());
    fail_with("cannot listen at", path_, error);
  }
  device_ = found.st_dev;
  inode_ = found.st_ino;
  // A relative path would mean another file after a change of folder.
  if (char* whole = realpath(path_.c_str(), nullptr)) {
    path_ = whole;
    std::free(whole);
  }
  number_ = made.release();
}

ListeningSocket::~ListeningSocket() {
  if (number_ < 0) return;
  if (owner_ == getpid()) {
    const FolderLock lock(path_);
    struct stat found = {};
    const bool is_ours = lstat(path_.c_str(), &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
    if (is_ours) unlink(path_.c_str());
  }
  close(number_);
}

int connect_to(const std::string& path) {
  const sockaddr_un address = address_of(path);
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) fail_with("cannot attach to", path, errno);
  if (!S_ISSOCK(found.st_mode)) fail(ErrorCode::FailedPrecondition, path, " is no socket");
  Descriptor made(new_socket());
  const int error = connect_error(made.number(), address);
  if (error == ECONNREFUSED) {
    fail(ErrorCode::FailedPrecondition, "no host listens at ", path, ": it has ended, and left its socket behind");
  }
  if (error != 0) fail_with("cannot attach to", path, error);
  return made.release();
}

bool is_own_peer(int socket) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return false;
  return peer.uid == geteuid() || peer.uid == 0;
}

}  // namespace lutra::attach
