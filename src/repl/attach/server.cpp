#include "repl/attach/server.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "core/clock.h"
#include "core/error.h"
#include "core/version.h"

namespace lutra::attach {
namespace {

constexpr std::size_t kMostUnsent = 128 << 10;  // bytes; a host that prints more waits for the client
constexpr std::size_t kPart = 64 << 10;         // of a long frame
constexpr std::size_t kMostRequests = 64;       // a client that sends more without an answer is no client of ours
constexpr std::size_t kMostConnections = 16;    // that have not said who they are, or are told to leave
constexpr std::size_t kLongestGreeting = 4 << 10;
constexpr std::int64_t kSlowestReader = 10'000'000'000;  // nanoseconds
constexpr std::int64_t kSlowestGreeting = 5'000'000'000;
constexpr std::chrono::milliseconds kLookAround{50};
constexpr std::int64_t kLastWords = 500'000'000;  // for a client to read why the host ends

void set(int event) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t done = write(event, &one, sizeof one);  // full: it is set
}

void clear(int event) {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t done = read(event, &count, sizeof count);
}

}  // namespace

struct Server::Connection {
  explicit Connection(int given) : number(given), reader(kLongestGreeting), since(now_ns()) {}
  ~Connection() { close(number); }
  Connection(const Connection&) = delete;

  int number;
  std::uint64_t client = 0;  // 0: has not greeted yet
  FrameReader reader;
  std::string unsent;
  std::size_t sent = 0;  // of unsent
  std::int64_t since;    // when it last made progress
  bool closes = false;   // once it has read what is unsent
  bool lost = false;
};

Server::Server(const std::string& path) : socket_(path) {
  wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  requested_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  try {
    if (wake_ < 0 || requested_ < 0) fail(ErrorCode::ResourceExhausted, "cannot listen: ", std::strerror(errno));
    // The host's signals are for its own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  } catch (...) {
    if (wake_ >= 0) close(wake_);
    if (requested_ >= 0) close(requested_);
    throw;
  }
}

Server::~Server() {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
    for (auto& each : connections_) refuse(*each, "the host has closed the connection");
    wake();
  }
  thread_.join();
  close(wake_);
  close(requested_);
}

void Server::wake() { set(wake_); }

Server::Connection* Server::attached(std::uint64_t client) {
  if (client == 0 || client != client_) return nullptr;
  for (auto& each : connections_) {
    if (each->client == client) return each.get();
  }
  return nullptr;
}

std::optional<Server::Request> Server::next() {
  std::lock_guard lock(mutex_);
  clear(requested_);
  if (requests_.empty()) return std::nullopt;
  Request request = std::move(requests_.front());
  requests_.pop_front();
  if (!request.gone && request.frame.kind == Kind::Run) {
    is_taken_ = true;
    is_stopped_ = false;
  }
  if (!requests_.empty()) set(requested_);
  return request;
}

void Server::wait(int milliseconds) {
  pollfd event = {requested_, POLLIN, 0};
  poll(&event, 1, milliseconds);
}

bool Server::send(std::uint64_t client, Kind kind, std::string_view payload) {
  do {
    std::unique_lock lock(mutex_);
    Connection* connection = attached(client);
    while (connection != nullptr && !connection->closes && connection->unsent.size() - connection->sent > kMostUnsent) {
      changed_.wait(lock);
      connection = attached(client);
    }
    if (connection == nullptr || connection->closes) return false;
    const std::string_view part = payload.substr(0, kPart);
    // Only output may be cut.
    const bool is_cut = kind == Kind::Output || kind == Kind::ErrorOutput;
    if (connection->unsent.size() == connection->sent) connection->since = now_ns();
    append_frame(connection->unsent, kind, is_cut ? part : payload.substr(0, kLongest));
    payload.remove_prefix(is_cut ? part.size() : payload.size());
    wake();
  } while (!payload.empty());
  return true;
}

void Server::drop(std::uint64_t client, std::string_view reason) {
  std::lock_guard lock(mutex_);
  if (Connection* connection = attached(client)) refuse(*connection, reason);
  wake();
}

void Server::begin_entry(std::function<void()> stop) {
  std::lock_guard lock(mutex_);
  stop_ = std::move(stop);
  lines_.clear();
  if (is_stopped_) stop_();
}

void Server::end_entry() {
  std::lock_guard lock(mutex_);
  stop_ = nullptr;
  is_taken_ = false;
}

std::optional<std::string> Server::read_line(std::uint64_t client, bool (*is_interrupted)()) {
  if (!send(client, Kind::WantInput, "")) return std::nullopt;
  std::unique_lock lock(mutex_);
  auto is_over = [&] { return !lines_.empty() || is_stopped_ || attached(client) == nullptr; };
  while (!changed_.wait_for(lock, kLookAround, is_over)) {
    if (is_interrupted()) return std::nullopt;
  }
  if (is_stopped_ || lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  if (line.empty()) return std::nullopt;
  return line;
}

// From here on: the server's thread.

void Server::run() {
  std::vector<pollfd> events;
  std::unique_lock lock(mutex_);
  std::int64_t end = 0;
  for (;;) {
    const std::int64_t now = now_ns();
    if (ends_ && end == 0) end = now + kLastWords;
    for (auto& each : connections_) {
      const bool is_slow = each->unsent.size() > each->sent && now - each->since > kSlowestReader;
      const bool is_late = each->client == 0 && !each->closes && now - each->since > kSlowestGreeting;
      if (is_slow || is_late) each->lost = true;
      if (each->closes && each->unsent.size() == each->sent) each->lost = true;
    }
    for (std::size_t i = 0; i < connections_.size();) {
      if (!connections_[i]->lost) {
        ++i;
        continue;
      }
      lose(*connections_[i]);
      connections_.erase(connections_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (ends_ && (connections_.empty() || now > end)) {
      connections_.clear();
      return;
    }
    events.clear();
    events.push_back({wake_, POLLIN, 0});
    // Without room the others wait in the socket's own queue.
    const bool accepts = !ends_ && connections_.size() < kMostConnections;
    events.push_back({accepts ? socket_.number() : -1, POLLIN, 0});
    for (auto& each : connections_) {
      const short writes = each->unsent.size() > each->sent ? POLLOUT : 0;
      events.push_back({each->number, static_cast<short>(POLLIN | writes), 0});
    }
    lock.unlock();
    const int timeout = connections_.empty() ? -1 : 200;
    const int ready = poll(events.data(), events.size(), timeout);
    lock.lock();
    if (ready <= 0) continue;
    if (events[0].revents != 0) clear(wake_);
    // Only this thread changes the list of connections.
    for (std::size_t i = 2; i < events.size(); ++i) {
      Connection& connection = *connections_[i - 2];
      if ((events[i].revents & (POLLIN | POLLHUP | POLLERR)) != 0) read_from(connection);
      if ((events[i].revents & POLLOUT) != 0 && !connection.lost) write_to(connection);
    }
    if (events[1].revents != 0) accept_one();
  }
}

void Server::accept_one() {
  const int number = accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (number < 0) {
    // Too many files are open: a moment later there may be fewer.
    if (errno == EMFILE || errno == ENFILE) usleep(10000);
    return;
  }
  auto made = std::make_unique<Connection>(number);
  if (!is_own_peer(number)) return;  // the mode of the file may have been changed
  connections_.push_back(std::move(made));
}

void Server::read_from(Connection& connection) {
  char bytes[64 << 10];
  const ssize_t got = recv(connection.number, bytes, sizeof bytes, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    connection.lost = true;
    return;
  }
  if (connection.closes) return;
  if (connection.client == 0) connection.since = now_ns();
  connection.reader.add({bytes, static_cast<std::size_t>(got)});
  while (!connection.closes) {
    std::optional<Frame> frame = connection.reader.next();
    if (!frame) break;
    take(connection, std::move(*frame));
  }
  if (connection.reader.is_damaged()) refuse(connection, "this is no client of lutra's, or one of another version");
}

void Server::take(Connection& connection, Frame frame) {
  if (connection.client == 0) {
    if (frame.kind != Kind::Hello || !std::string_view(frame.payload).starts_with(kGreeting)) {
      return refuse(connection, "this is no client of lutra's, or one of another version");
    }
    if (client_ != 0) return refuse(connection, "another client is attached to this host");
    connection.client = client_ = ++last_client_;
    connection.reader.set_longest(kLongest);
    std::string hello(kGreeting);
    hello += "version=" LUTRA_VERSION "\npid=" + std::to_string(getpid()) + "\n";
    append_frame(connection.unsent, Kind::Hello, hello);
    connection.since = now_ns();
  } else if (frame.kind == Kind::Interrupt) {
    if (is_taken_) {
      is_stopped_ = true;
      if (stop_) stop_();
      changed_.notify_all();
      return;
    }
    // The host has not begun with it.
    const std::size_t before = requests_.size();
    std::erase_if(requests_, [](const Request& each) { return each.frame.kind == Kind::Run; });
    if (requests_.size() != before) append_frame(connection.unsent, Kind::Cancelled, "");
    return;
  } else if (frame.kind == Kind::Input) {
    if (lines_.size() < kMostRequests) lines_.push_back(std::move(frame.payload));
    changed_.notify_all();
    return;
  } else if (frame.kind != Kind::Run && frame.kind != Kind::Complete && frame.kind != Kind::Signature) {
    return refuse(connection, "this is no client of lutra's, or one of another version");
  }
  if (requests_.size() >= kMostRequests) return refuse(connection, "too many requests at once");
  requests_.push_back({connection.client, false, std::move(frame)});
  set(requested_);
}

void Server::write_to(Connection& connection) {
  while (connection.unsent.size() > connection.sent) {
    const ssize_t done = ::send(connection.number, connection.unsent.data() + connection.sent,
                                connection.unsent.size() - connection.sent, MSG_NOSIGNAL);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && errno == EAGAIN) break;
    if (done <= 0) {
      connection.lost = true;
      return;
    }
    connection.sent += static_cast<std::size_t>(done);
    connection.since = now_ns();
  }
  if (connection.sent == connection.unsent.size()) {
    connection.unsent.clear();
    connection.sent = 0;
  } else if (connection.sent > kMostUnsent) {
    connection.unsent.erase(0, connection.sent);
    connection.sent = 0;
  }
  changed_.notify_all();
}

// Tells the connection why it is closed, and closes it once it knows.
void Server::refuse(Connection& connection, std::string_view reason) {
  if (connection.closes) return;
  if (connection.unsent.size() == connection.sent) connection.since = now_ns();
  append_frame(connection.unsent, Kind::Bye, reason);
  connection.closes = true;
}

void Server::lose(Connection& connection) {
  if (connection.client == 0 || connection.client != client_) return;
  const std::uint64_t client = std::exchange(client_, 0);
  std::erase_if(requests_, [client](const Request& each) { return each.client == client; });
  requests_.push_back({client, true, {Kind::Bye, ""}});
  set(requested_);
  if (is_taken_) is_stopped_ = true;
  if (stop_) stop_();
  changed_.notify_all();
}

}  // namespace lutra::attach
