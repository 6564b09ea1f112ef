// The program's end of a connection to a process that lends it devices. Messages are queued and sent by a thread of the
// connection's own; another one takes the answers: how far the streams are, faults of their commands, bytes that were
// read. When the connection is lost, all waits end, and check() says why. In a forked child nothing works.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "device/remote/wire.h"

namespace lutra {

class Connection {
 public:
  // Connects within so many seconds. `hello`: what the process must know of this program. Fails as connect_to does, and
  // with FailedPrecondition if the process refuses.
  Connection(const std::string& address, double seconds, std::string_view hello);
  ~Connection();
  Connection(const Connection&) = delete;

  const std::string& address() const;
  // The bytes of memory of each device.
  const std::vector<std::size_t>& memories() const;

  // Queues a message with these parts, and returns at once unless very much is queued. Fails (Aborted) if the
  // connection is lost, (FailedPrecondition) in a forked child.
  void send(MessageKind kind, uint16_t stream, std::initializer_list<std::span<const std::byte>> parts);

  // Makes a stream of a device: its number in messages.
  uint16_t open_stream(std::size_t device);
  // How many commands of a stream are known to be done.
  uint64_t done(uint16_t stream) const;
  // Asks to be told when command `seq` is done, unless that has been asked.
  void ask(uint16_t stream, uint64_t seq) noexcept;
  // Waits until it is done, or the connection is lost.
  void wait(uint16_t stream, uint64_t seq);
  // Before the command is sent: where the bytes of a Download go, and what takes the fault of a launch.
  void expect_data(uint16_t stream, uint64_t seq, std::byte* to, std::size_t bytes);
  using TakeFault = void (*)(void* target, uint32_t code, int64_t value, int64_t limit);
  void expect_fault(uint16_t stream, uint64_t seq, void* target, TakeFault take);
  // Why the bytes that came to this address were never computed; "" if they were. Forgets it.
  std::string missing(const std::byte* at);

  // The addresses of the devices' memory, which is not here.
  void add_range(std::byte* base, std::size_t bytes);
  void remove_range(std::byte* base);
  bool owns(const std::byte* at) const;

  // Fails (Aborted, with `host`) if the connection is lost, (FailedPrecondition) in a forked child.
  void check() const;
  bool is_lost() const;  // also in a forked child

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lutra
