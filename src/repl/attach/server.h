// A host's end of the socket. Its thread accepts clients, reads what they send, writes what the host prints, and stops
// the running entry; it never touches Lua. One client is attached at a time, others are told so and leave.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "repl/attach/frames.h"
#include "repl/attach/socket_path.h"

namespace lutra::attach {

class Server {
 public:
  // Throws Error, as ListeningSocket does.
  explicit Server(const std::string& path);
  // The client is told that the host has ended.
  ~Server();
  Server(const Server&) = delete;

  const std::string& path() const { return socket_.path(); }

  // A frame of the client's. `gone`: that client has left; its frames come no more.
  struct Request {
    std::uint64_t client;
    bool gone;
    Frame frame;
  };
  // The next request, if there is one.
  std::optional<Request> next();
  // Waits up to so long for one. A signal may end the wait.
  void wait(int milliseconds);

  // Sends a frame, in parts if it is long. Waits while the client has much to read; a client that reads nothing for
  // kSlowestReader is dropped. False if it is gone.
  bool send(std::uint64_t client, Kind kind, std::string_view payload);
  // Closes the connection once the client has what was sent.
  void drop(std::uint64_t client, std::string_view reason);

  // Between these, which go around a Run that `next` has returned, `stop` is called, on the server's thread, when the
  // client interrupts the entry or leaves.
  void begin_entry(std::function<void()> stop);
  void end_entry();
  // The client's next line, in an entry. nullopt: the end of its input, an interruption, or the client has left. Asks
  // now and then whether the host itself was interrupted.
  std::optional<std::string> read_line(std::uint64_t client, bool (*is_interrupted)());

 private:
  struct Connection;

  void run();
  void accept_one();
  void read_from(Connection& connection);
  void write_to(Connection& connection);
  void take(Connection& connection, Frame frame);
  void refuse(Connection& connection, std::string_view reason);
  void lose(Connection& connection);
  void wake();
  Connection* attached(std::uint64_t client);

  ListeningSocket socket_;
  int wake_ = -1;       // an event for the thread
  int requested_ = -1;  // an event for the host: there are requests
  // Guards all that follows.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::uint64_t last_client_ = 0;
  std::uint64_t client_ = 0;  // the one that is attached; 0: none
  std::deque<Request> requests_;
  std::deque<std::string> lines_;
  std::function<void()> stop_;  // while an entry runs
  bool is_stopped_ = false;     // that entry
  bool is_taken_ = false;       // from the queue: an entry runs, or is about to
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace lutra::attach
