// Messages between a program and a process that lends it devices (`lutra serve`): a head and `bytes` bytes after it.
// Both ends run the same build on the same kind of processor, so structs are sent as they are in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lutra {

enum class MessageKind : uint8_t {
  // From the program. Hello: a text, the version and the fingerprint of the ops.
  Hello,
  Reserve,   // RangeBody, of the device `stream`: addresses
  Release,   // RangeBody
  Map,       // RangeBody: memory for addresses
  Unmap,     // RangeBody
  Open,      // OpenBody: the next stream
  Launch,    // kernels/remote/launch_message.h
  Upload,    // CopyBody and the bytes
  Copy,      // CopyBody, with from
  Download,  // CopyBody, with from; answered by Data or Missing
  Wait,      // WaitBody: what follows in this stream runs after the other stream's commands so far
  Mark,      // SeqBody; answered by Done when all earlier commands of the stream are done
  // From the process.
  Welcome,  // a text: why not, or "", then each device's bytes, in lines
  Done,     // SeqBody
  Fault,    // FaultBody; comes before any Done or Data that covers it
  Data,     // SeqBody and the bytes
  Missing,  // SeqBody and a text: the bytes were never computed
  Refused,  // a text; then the process closes the connection
};

struct MessageHead {
  uint64_t bytes = 0;
  uint16_t stream = 0;
  MessageKind kind = MessageKind::Hello;
  uint8_t unused[5] = {};
};
static_assert(sizeof(MessageHead) == 16);

// Addresses are the program's.
struct RangeBody {
  uint64_t at, bytes;
};
struct OpenBody {
  uint64_t device;
};
struct CopyBody {
  uint64_t seq, to, from, bytes;
};
struct WaitBody {
  uint64_t other;
};
struct SeqBody {
  uint64_t seq;
};
struct FaultBody {
  uint64_t seq;
  uint32_t code, unused;
  int64_t value, limit;
};

// The most bytes of one Upload; more go in several.
inline constexpr std::size_t kMostUpload = std::size_t{16} << 20;
// The most bytes of any other message to the process.
inline constexpr std::size_t kMostMessage = std::size_t{4} << 20;

template <class Body> std::span<const std::byte> bytes_of(const Body& body) {
  return std::as_bytes(std::span<const Body, 1>(&body, 1));
}
inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// A TCP connection to "host:port" ("[::1]:7077" for IPv6), within so many seconds; the descriptor. Fails
// (InvalidArgument) for a malformed address, (NotFound) if there is no such host, (Aborted) if nobody answers there.
int connect_to(const std::string& address, double seconds);
// Listens there; port 0 takes a free one. *bound is the address with the port that was taken.
int listen_at(const std::string& address, std::string* bound);
// What both ends set on a connection: no delays, and an end within some 10 s if the other host is gone.
void set_up_socket(int socket);

// False when the connection has ended.
bool send_all(int socket, std::span<const std::byte> bytes);
bool receive_all(int socket, std::byte* to, std::size_t bytes);

// Receives many small messages with few calls of the system.
class MessageReader {
 public:
  explicit MessageReader(int socket) : socket_(socket), buffer_(kBuffer) {}
  // False when the connection has ended.
  bool receive(std::byte* to, std::size_t bytes);
  template <class T> bool receive(T* value) { return receive(reinterpret_cast<std::byte*>(value), sizeof *value); }

 private:
  static constexpr std::size_t kBuffer = 65536;
  int socket_;
  std::vector<std::byte> buffer_;
  std::size_t at_ = 0, end_ = 0;  // what has come and is not read
};

}  // namespace lutra
