#include "device/remote/connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <thread>

#include "core/blocked_signals.h"
#include "core/error.h"
#include "core/forks.h"

namespace lutra {
namespace {

// Whoever queues more waits until some of it is sent.
constexpr std::size_t kMostQueued = std::size_t{64} << 20;

struct ExpectedFault {
  uint64_t seq;
  void* target;
  Connection::TakeFault take;
};
struct ExpectedData {
  uint64_t seq;
  std::byte* to;
  std::size_t bytes;
};
struct Lane {
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> asked{0};  // an answer comes once this command is done
  std::deque<ExpectedFault> faults;
  std::deque<ExpectedData> data;
};

}  // namespace

struct Connection::State {
  std::string address;
  int socket = -1;
  const uint64_t born = count_forks();
  std::vector<std::size_t> memories;
  std::map<const std::byte*, std::size_t> ranges;  // used by the program's thread alone

  std::mutex send_mutex;
  std::condition_variable has_some, has_room;
  std::vector<std::byte> queued;
  bool closing = false;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::deque<Lane> lanes;
  std::map<const std::byte*, std::string> missing;
  std::string lost_why;
  std::atomic<bool> lost{false};

  std::thread sender, receiver;
  State* next_left_behind = nullptr;

  bool is_forked() const { return count_forks() != born; }

  // Called by the receiver alone: once the connection counts as lost, nothing writes to the program's memory.
  void lose(std::string_view why) {
    {
      std::lock_guard lock(mutex);
      if (!lost) lost_why = why;
      lost = true;
    }
    changed.notify_all();
    { std::lock_guard lock(send_mutex); }
    has_room.notify_all();
  }

  void send_queued() {
    std::vector<std::byte> out;
    for (;;) {
      out.clear();
      {
        std::unique_lock lock(send_mutex);
        has_some.wait(lock, [&] { return !queued.empty() || closing; });
        if (queued.empty()) return;
        out.swap(queued);
      }
      has_room.notify_all();
      if (!send_all(socket, out)) {
        shutdown(socket, SHUT_RDWR);
        return;
      }
    }
  }

  template <class Body> static bool read_body(MessageReader& reader, Body* body, uint64_t* left) {
    if (*left < sizeof *body) return false;
    *left -= sizeof *body;
    return reader.receive(body);
  }
  static bool read_text(MessageReader& reader, uint64_t bytes, std::string* text) {
    text->resize(std::min<uint64_t>(bytes, 4096));
    return reader.receive(reinterpret_cast<std::byte*>(text->data()), text->size());
  }

  void has_done(Lane& lane, uint64_t seq) {
    {
      std::lock_guard lock(mutex);
      while (!lane.faults.empty() && lane.faults.front().seq <= seq) lane.faults.pop_front();
      if (seq > lane.done) lane.done = seq;
    }
    changed.notify_all();
  }

  // Reads one answer. False when the connection has ended.
  bool take_answer(MessageReader& reader) {
    MessageHead head;
    if (!reader.receive(&head)) return false;
    uint64_t left = head.bytes;
    if (head.kind == MessageKind::Refused) {
      if (std::string why; read_text(reader, left, &why)) lose(why);
      return false;
    }
    Lane* lane = nullptr;
    {
      std::lock_guard lock(mutex);
      if (head.stream < lanes.size()) lane = &lanes[head.stream];
    }
    if (lane == nullptr) return false;
    if (head.kind == MessageKind::Fault) {
      FaultBody fault;
      if (!read_body(reader, &fault, &left)) return false;
      std::lock_guard lock(mutex);
      for (const ExpectedFault& each : lane->faults) {
        if (each.seq == fault.seq) each.take(each.target, fault.code, fault.value, fault.limit);
      }
      return left == 0;
    }
    SeqBody body;
    if (!read_body(reader, &body, &left)) return false;
    if (head.kind == MessageKind::Data || head.kind == MessageKind::Missing) {
      ExpectedData data{};
      {
        std::lock_guard lock(mutex);
        if (lane->data.empty() || lane->data.front().seq != body.seq) return false;
        data = lane->data.front();
        lane->data.pop_front();
      }
      if (head.kind == MessageKind::Data) {
        if (left != data.bytes || !reader.receive(data.to, data.bytes)) return false;
      } else {
        std::string who;
        if (!read_text(reader, left, &who)) return false;
        std::lock_guard lock(mutex);
        missing[data.to] = who;
      }
    }
    has_done(*lane, body.seq);
    return true;
  }

  // Its error names the process.
  [[noreturn]] void fail_lost() const {
    std::string why;
    {
      std::lock_guard lock(mutex);
      why = lost_why;
    }
    throw Error(ErrorCode::Aborted, text("the process at ", address, ", which had the device, is lost: ", why))
        .with("host", address);
  }
};

Connection::Connection(const std::string& address, double seconds, std::string_view hello)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.address = address;
  state.socket = connect_to(address, seconds);
  auto give_up = [&](ErrorCode code, std::string_view why) {
    close(state.socket);
    fail(code, "the process at ", address, " ", why);
  };
  timeval limit{static_cast<time_t>(std::max(1.0, seconds)), 0};
  setsockopt(state.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  const MessageHead head{hello.size(), 0, MessageKind::Hello};
  MessageHead answer;
  if (!send_all(state.socket, bytes_of(head)) || !send_all(state.socket, bytes_of(hello)) ||
      !receive_all(state.socket, reinterpret_cast<std::byte*>(&answer), sizeof answer) ||
      answer.kind != MessageKind::Welcome || answer.bytes > 65536) {
    give_up(ErrorCode::Aborted, "does not answer as lutra serve does");
  }
  std::string told(answer.bytes, '\0');
  if (!receive_all(state.socket, reinterpret_cast<std::byte*>(told.data()), told.size()))
    give_up(ErrorCode::Aborted, "has ended the connection");
  limit = {};
  setsockopt(state.socket, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::size_t at = told.find('\n');
  if (at == std::string::npos || at > 0)
    give_up(ErrorCode::FailedPrecondition, text("refuses this program: ", told.substr(0, at)));
  constexpr std::size_t kMostDevices = 256;
  for (++at; at < told.size();) {
    if (state.memories.size() == kMostDevices)
      give_up(ErrorCode::FailedPrecondition, text("has more than ", kMostDevices, " devices"));
    const std::size_t end = std::min(told.find('\n', at), told.size());
    state.memories.push_back(static_cast<std::size_t>(std::strtoull(told.c_str() + at, nullptr, 10)));
    at = end + 1;
  }
  const BlockedSignals for_the_threads;
  state.sender = std::thread([&state] { state.send_queued(); });
  state.receiver = std::thread([&state] {
    MessageReader reader(state.socket);
    while (state.take_answer(reader)) {
    }
    state.lose("the connection has ended");
  });
}

Connection::~Connection() {
  if (state_->is_forked()) {
    // Its threads and its sleepers are in the parent process.
    static State* left_behind = nullptr;
    state_->next_left_behind = left_behind;
    left_behind = state_.release();
    return;
  }
  {
    std::lock_guard lock(state_->send_mutex);
    state_->queued.clear();  // nobody needs what is not done yet
    state_->closing = true;
  }
  state_->has_some.notify_all();
  shutdown(state_->socket, SHUT_RDWR);
  state_->sender.join();
  state_->receiver.join();
  close(state_->socket);
}

const std::string& Connection::address() const { return state_->address; }
const std::vector<std::size_t>& Connection::memories() const { return state_->memories; }

void Connection::send(MessageKind kind, uint16_t stream, std::initializer_list<std::span<const std::byte>> parts) {
  State& state = *state_;
  check();
  MessageHead head{0, stream, kind};
  for (std::span<const std::byte> part : parts) head.bytes += part.size();
  bool was_empty = false;
  {
    std::unique_lock lock(state.send_mutex);
    state.has_room.wait(lock, [&] { return state.queued.size() < kMostQueued || state.lost; });
    was_empty = state.queued.empty();
    auto put = [&](std::span<const std::byte> bytes) {
      state.queued.insert(state.queued.end(), bytes.begin(), bytes.end());
    };
    put(bytes_of(head));
    for (std::span<const std::byte> part : parts) put(part);
  }
  if (was_empty) state.has_some.notify_one();
}

uint16_t Connection::open_stream(std::size_t device) {
  std::size_t number = 0;
  {
    std::lock_guard lock(state_->mutex);
    number = state_->lanes.size();
    if (number < UINT16_MAX) state_->lanes.emplace_back();
  }
  if (number >= UINT16_MAX) fail(ErrorCode::ResourceExhausted, "no stream is left on ", state_->address);
  try {
    send(MessageKind::Open, static_cast<uint16_t>(number), {bytes_of(OpenBody{device})});
  } catch (const Error& error) {
    // Only what uses a lost process fails: the devices here and those of others open.
    if (error.code() != ErrorCode::Aborted) throw;
  }
  return static_cast<uint16_t>(number);
}

uint64_t Connection::done(uint16_t stream) const { return state_->lanes[stream].done; }

void Connection::ask(uint16_t stream, uint64_t seq) noexcept {
  Lane& lane = state_->lanes[stream];
  if (lane.asked >= seq || is_lost()) return;
  try {
    send(MessageKind::Mark, stream, {bytes_of(SeqBody{seq})});
    lane.asked = seq;
  } catch (...) {
    // It was lost just now, which ends all waits.
  }
}

void Connection::wait(uint16_t stream, uint64_t seq) {
  if (state_->is_forked()) return;
  Lane& lane = state_->lanes[stream];
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return lane.done >= seq || state_->lost; });
}

void Connection::expect_data(uint16_t stream, uint64_t seq, std::byte* to, std::size_t bytes) {
  std::lock_guard lock(state_->mutex);
  Lane& lane = state_->lanes[stream];
  lane.data.push_back({seq, to, bytes});
  if (lane.asked < seq) lane.asked = seq;
}

void Connection::expect_fault(uint16_t stream, uint64_t seq, void* target, TakeFault take) {
  std::lock_guard lock(state_->mutex);
  state_->lanes[stream].faults.push_back({seq, target, take});
}

std::string Connection::missing(const std::byte* at) {
  std::lock_guard lock(state_->mutex);
  auto found = state_->missing.extract(at);
  return found.empty() ? std::string() : std::move(found.mapped());
}

void Connection::add_range(std::byte* base, std::size_t bytes) { state_->ranges[base] = bytes; }
void Connection::remove_range(std::byte* base) { state_->ranges.erase(base); }

bool Connection::owns(const std::byte* at) const {
  auto after = state_->ranges.upper_bound(at);
  if (after == state_->ranges.begin()) return false;
  const auto& [base, bytes] = *std::prev(after);
  return static_cast<std::size_t>(at - base) < bytes;
}

bool Connection::is_lost() const { return state_->lost || state_->is_forked(); }
void Connection::check() const {
  if (state_->is_forked()) {
    fail(ErrorCode::FailedPrecondition, "the connection to ", state_->address,
         " does not survive a fork: its threads stay in the parent process");
  }
  if (state_->lost) state_->fail_lost();
}

}  // namespace lutra
