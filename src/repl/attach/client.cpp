#include "repl/attach/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "repl/attach/socket_path.h"

namespace lutra::attach {

Client::Client(const std::string& path, std::string_view about) : number_(connect_to(path)) {
  std::string hello(kGreeting);
  hello += about;
  send(Kind::Hello, hello);
}

Client::~Client() { close(number_); }

bool Client::send(Kind kind, std::string_view payload) {
  std::string bytes;
  append_frame(bytes, kind, payload);
  std::string_view left = bytes;
  while (is_open_ && !left.empty()) {
    const ssize_t done = ::send(number_, left.data(), left.size(), MSG_NOSIGNAL);
    if (done > 0) {
      left.remove_prefix(static_cast<std::size_t>(done));
    } else if (done < 0 && errno == EAGAIN) {
      pollfd event = {number_, POLLOUT, 0};
      poll(&event, 1, -1);
    } else if (done == 0 || errno != EINTR) {
      // The host may have said why before it closed.
      while (is_open_) receive(-1, nullptr, -1);
    }
  }
  return is_open_;
}

// Reads what has come. False: nothing has.
bool Client::receive(int milliseconds, const sigset_t* signals, int or_input) {
  pollfd events[] = {{number_, POLLIN, 0}, {or_input, POLLIN, 0}};  // a descriptor of -1 is left out
  const timespec wait = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
  if (ppoll(events, 2, milliseconds < 0 ? nullptr : &wait, signals) <= 0 || events[0].revents == 0) return false;
  char bytes[64 << 10];
  const ssize_t got = recv(number_, bytes, sizeof bytes, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (got <= 0) {
    is_open_ = false;
    return false;
  }
  reader_.add({bytes, static_cast<std::size_t>(got)});
  return true;
}

std::optional<Frame> Client::next(int milliseconds, const sigset_t* signals, int or_input) {
  for (;;) {
    std::optional<Frame> frame = reader_.next();
    if (reader_.is_damaged()) {
      reason_ = "what listens there is no host of lutra's, or one of another version";
      is_open_ = false;
      return std::nullopt;
    }
    if (frame && frame->kind == Kind::Bye) {
      reason_ = frame->payload;
      is_open_ = false;
      return std::nullopt;
    }
    if (frame) return frame;
    if (!is_open_ || !receive(milliseconds, signals, or_input)) return std::nullopt;
  }
}

}  // namespace lutra::attach
