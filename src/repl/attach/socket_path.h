// Sockets in the file system: one that only this user can use, and connections to it.
#pragma once

#include <sys/types.h>

#include <string>

namespace lutra::attach {

// A listening socket at a path, mode 0600. Removes the file at its end, unless another one has taken its place.
class ListeningSocket {
 public:
  // Replaces a socket of this user's with mode 0600 that nobody listens on. Throws Error if something else is there, or
  // a host that lives.
  explicit ListeningSocket(std::string path);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;

  int number() const { return number_; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int number_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  pid_t owner_ = 0;  // a forked child leaves the file alone
};

// Connects; throws Error. The socket does not block.
int connect_to(const std::string& path);
// Whether the process at the other end is this user's, or root's.
bool is_own_peer(int socket);

}  // namespace lutra::attach
