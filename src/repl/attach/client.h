// The client's end of `lutra attach`: a connection to a host that listens.
#pragma once

#include <csignal>
#include <optional>
#include <string>
#include <string_view>

#include "repl/attach/frames.h"

namespace lutra::attach {

class Client {
 public:
  // Connects and greets. `about`: lines "name=value" about the terminal. Throws Error.
  Client(const std::string& path, std::string_view about);
  ~Client();
  Client(const Client&) = delete;

  // False if the connection has ended. Waits until the host's socket has taken it.
  bool send(Kind kind, std::string_view payload);
  // The next frame. Waits up to so long, -1 for ever. nullopt: none came, a signal, or the connection has ended. While
  // it waits, signals are blocked as `signals` says. Also nullopt as soon as the descriptor `or_input` can be read.
  std::optional<Frame> next(int milliseconds, const sigset_t* signals = nullptr, int or_input = -1);
  bool is_open() const { return is_open_; }
  int number() const { return number_; }
  // Why the host has closed the connection; "" if the session ended as it should; nullopt if it did not say.
  const std::optional<std::string>& reason() const { return reason_; }

 private:
  bool receive(int milliseconds, const sigset_t* signals, int or_input);

  int number_;
  bool is_open_ = true;
  std::optional<std::string> reason_;
  FrameReader reader_;
};

}  // namespace lutra::attach
