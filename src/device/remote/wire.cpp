#include "device/remote/wire.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>

#include "core/error.h"

namespace lutra {
namespace {

struct Place {
  std::string host, port;
};

Place split(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  Place place;
  if (colon != std::string::npos) {
    place.host = address.substr(0, colon);
    place.port = address.substr(colon + 1);
  }
  if (place.host.size() > 2 && place.host.front() == '[' && place.host.back() == ']')
    place.host = place.host.substr(1, place.host.size() - 2);
  const bool is_number = !place.port.empty() && place.port.size() <= 5 &&
                         std::all_of(place.port.begin(), place.port.end(), [](char c) { return c >= '0' && c <= '9'; });
  require(!place.host.empty() && is_number && std::stoi(place.port) <= 65535, "the address is \"", address,
          "\", expected HOST:PORT");
  return place;
}

using Found = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;
Found look_up(const std::string& address, int flags) {
  const Place place = split(address);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* list = nullptr;
  if (const int problem = getaddrinfo(place.host.c_str(), place.port.c_str(), &hints, &list); problem != 0)
    fail(ErrorCode::NotFound, "the host ", place.host, " is not known: ", gai_strerror(problem));
  return {list, freeaddrinfo};
}

// 0, or errno.
int connect_within(int socket, const addrinfo& to, int milliseconds) {
  if (connect(socket, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd waits{socket, POLLOUT, 0};
  int ready = 0;
  while ((ready = poll(&waits, 1, milliseconds)) < 0 && errno == EINTR) {
  }
  if (ready == 0) return ETIMEDOUT;
  int problem = 0;
  socklen_t size = sizeof problem;
  getsockopt(socket, SOL_SOCKET, SO_ERROR, &problem, &size);
  return problem;
}

}  // namespace

int connect_to(const std::string& address, double seconds) {
  const Found found = look_up(address, 0);
  int problem = ENOENT;
  for (const addrinfo* each = found.get(); each != nullptr; each = each->ai_next) {
    const int socket = ::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) {
      problem = errno;
      continue;
    }
    problem = connect_within(socket, *each, static_cast<int>(seconds * 1000));
    if (problem == 0) {
      fcntl(socket, F_SETFL, 0);  // blocking from here on
      set_up_socket(socket);
      return socket;
    }
    close(socket);
  }
  fail(ErrorCode::Aborted, "nobody answers at ", address, ": ", std::strerror(problem),
       ". Start the process there: lutra serve --listen ", address);
}

int listen_at(const std::string& address, std::string* bound) {
  const Found found = look_up(address, AI_PASSIVE);
  const int socket = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (socket < 0 || bind(socket, found->ai_addr, found->ai_addrlen) != 0 || listen(socket, 16) != 0) {
    const int problem = errno;
    if (socket >= 0) close(socket);
    fail(ErrorCode::FailedPrecondition, "cannot listen at ", address, ": ", std::strerror(problem));
  }
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  char port[8] = "";
  getsockname(socket, reinterpret_cast<sockaddr*>(&own), &size);
  getnameinfo(reinterpret_cast<sockaddr*>(&own), size, nullptr, 0, port, sizeof port, NI_NUMERICSERV);
  *bound = text(address.substr(0, address.rfind(':')), ":", port);
  return socket;
}

void set_up_socket(int socket) {
  auto set = [socket](int level, int name, int value) { setsockopt(socket, level, name, &value, sizeof value); };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 3);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 2);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 10000);
}

bool send_all(int socket, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_all(int socket, std::byte* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = recv(socket, to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool MessageReader::receive(std::byte* to, std::size_t bytes) {
  const std::size_t here = std::min(bytes, end_ - at_);
  std::memcpy(to, buffer_.data() + at_, here);
  at_ += here;
  to += here;
  bytes -= here;
  if (bytes >= kBuffer) return receive_all(socket_, to, bytes);
  while (bytes > 0) {
    const ssize_t got = recv(socket_, buffer_.data(), kBuffer, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at_ = std::min(bytes, static_cast<std::size_t>(got));
    end_ = static_cast<std::size_t>(got);
    std::memcpy(to, buffer_.data(), at_);
    to += at_;
    bytes -= at_;
  }
  return true;
}

}  // namespace lutra
