// Messages between processes: a launch that is read back computes the same, and what no program sends is refused.

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <thread>

#include "kernels/remote/launch_message.h"
#include "kernels/remote/lender.h"
#include "kernels/remote/tables.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// A (2, 3) array that is negated in place, in memory that both ends share.
struct Negation {
  alignas(16) float in[6] = {1, 2, 3, 4, 5, 6};
  const int64_t in_dims[2] = {2, 3};
  const OpDef& op = remote_tables().ops.get("Neg");
};

std::vector<std::byte> described(Negation& negation) {
  const Array in{reinterpret_cast<std::byte*>(negation.in), negation.in_dims, 6, DType::Float32, 2, false};
  Array out = in;
  KernelArgs args{};
  args.op = &negation.op;
  std::vector<std::byte> attrs = negation.op.attrs.defaults;
  attrs.resize(kMaxAttrBytes);
  args.attrs = attrs.data();
  args.in = &in;
  args.out = &out;
  args.n_in = args.n_out = 1;
  std::vector<std::byte> bytes;
  describe_launch(bytes, remote_tables().kernels.find(DeviceType::GPU, negation.op, DType::Float32), args);
  return bytes;
}

// Addresses in its array alone.
Translate memory_of(Negation& negation) {
  return [&negation](uint64_t at, std::size_t bytes) {
    const auto begin = reinterpret_cast<uintptr_t>(negation.in);
    require(at >= begin && bytes <= sizeof negation.in && at - begin <= sizeof negation.in - bytes, "outside");
    return reinterpret_cast<std::byte*>(at);
  };
}

}  // namespace

TEST_CASE("a launch that was sent computes the same") {
  Negation negation;
  ReadLaunch launch;
  const std::vector<std::byte> bytes = described(negation);
  read_launch(bytes, memory_of(negation), &launch);
  REQUIRE(launch.args.op == &negation.op);
  CHECK(!launch.checks_values);
  launch.kernel->run(launch.args);
  for (int i = 0; i < 6; ++i) CHECK(negation.in[i] == static_cast<float>(-(i + 1)));
}

TEST_CASE("a launch that is cut off, too long or changed is refused, or computes within its memory") {
  Negation negation;
  const std::vector<std::byte> bytes = described(negation);
  ReadLaunch launch;
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK_THROWS_AS(read_launch(std::span(bytes).first(length), memory_of(negation), &launch), Error);
  std::vector<std::byte> longer = bytes;
  longer.resize(bytes.size() + 8);
  CHECK_THROWS_AS(read_launch(longer, memory_of(negation), &launch), Error);
  std::mt19937 random(1);
  int refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> changed = bytes;
    for (unsigned i = 0; i <= round % 3u; ++i) changed[random() % changed.size()] = static_cast<std::byte>(random());
    try {
      read_launch(changed, memory_of(negation), &launch);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 10000);
}

TEST_CASE("a launch with too many inputs fails where it is called") {
  Negation negation;
  std::vector<Array> in(70000,
                        {reinterpret_cast<std::byte*>(negation.in), negation.in_dims, 6, DType::Float32, 2, false});
  KernelArgs args{};
  args.op = &negation.op;
  args.in = args.out = in.data();
  args.n_in = static_cast<int>(in.size());
  std::vector<std::byte> bytes;
  CHECK_THROWS_AS(
      describe_launch(bytes, remote_tables().kernels.find(DeviceType::GPU, negation.op, DType::Float32), args), Error);
}

namespace {

// A program that says what it likes to a process with one device. The answer to its messages: Refused, or Done.
class HostileProgram {
 public:
  HostileProgram() {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    socket_ = ends[0];
    lender_ = std::thread([socket = ends[1]] { Lender(socket, 1, SimOptions{}).run(); });
    say(MessageKind::Hello, bytes_of(std::string_view(remote_tables().fingerprint)));
    CHECK(next() == MessageKind::Welcome);
    say(MessageKind::Open, bytes_of(OpenBody{0}));
  }
  ~HostileProgram() {
    shutdown(socket_, SHUT_RDWR);
    lender_.join();
    close(socket_);
  }
  void say(MessageKind kind, std::span<const std::byte> body, std::span<const std::byte> rest = {}) {
    const MessageHead head{body.size() + rest.size(), 0, kind};
    send_all(socket_, bytes_of(head)) && send_all(socket_, body) && send_all(socket_, rest);
  }
  void change(MessageKind kind, uint64_t at, uint64_t bytes) { say(kind, bytes_of(RangeBody{at, bytes})); }
  void upload(uint64_t to) {
    const std::byte data[64] = {};
    say(MessageKind::Upload, bytes_of(CopyBody{1, to, 0, sizeof data}), data);
  }
  MessageKind answer() {
    say(MessageKind::Mark, bytes_of(SeqBody{1}));
    return next();
  }

 private:
  MessageKind next() {
    MessageHead head;
    if (!receive_all(socket_, reinterpret_cast<std::byte*>(&head), sizeof head)) return MessageKind::Hello;
    std::vector<std::byte> body(head.bytes);
    receive_all(socket_, body.data(), body.size());
    return head.kind;
  }
  int socket_ = -1;
  std::thread lender_;
};

}  // namespace

TEST_CASE("a process reaches no memory but what the program has mapped") {
  constexpr uint64_t kAt = uint64_t{1} << 40, kPage = uint64_t{2} << 20;
  using enum MessageKind;
  struct Case {
    std::vector<std::pair<MessageKind, std::pair<uint64_t, uint64_t>>> changes;
    uint64_t to;
    MessageKind answer;
  };
  const std::vector<Case> cases{
      {{{Reserve, {kAt, 4 * kPage}}, {Map, {kAt, kPage}}, {Map, {kAt + kPage, kPage}}}, kAt + kPage - 32, Done},
      {{{Reserve, {kAt, 4 * kPage}}}, kAt, Refused},
      {{{Reserve, {kAt, 4 * kPage}}, {Map, {kAt, kPage}}}, kAt + kPage - 32, Refused},
      {{{Reserve, {kAt, 4 * kPage}}, {Map, {kAt, kPage}}, {Unmap, {kAt, kPage}}}, kAt, Refused},
      {{{Reserve, {kAt, 4 * kPage}}, {Map, {kAt, 3 * kPage}}, {Unmap, {kAt + kPage, kPage}}}, kAt + kPage, Refused},
      {{{Reserve, {kAt, 4 * kPage}}, {Map, {kAt, 3 * kPage}}, {Unmap, {kAt + kPage, kPage}}}, kAt + 2 * kPage, Done},
      {{{Reserve, {kAt, 2 * kPage}}, {Map, {kAt, kPage}}, {Map, {kAt, kPage}}}, kAt, Refused},
      {{{Reserve, {kAt, 2 * kPage}}, {Map, {kAt, kPage}}, {Release, {kAt + kPage, kPage}}}, kAt, Refused},
      {{{Reserve, {kAt, 2 * kPage}}, {Reserve, {kAt + kPage, kPage}}, {Map, {kAt, kPage}}}, kAt, Refused},
      {{{Reserve, {kAt, 2 * kPage}}, {Unmap, {kAt, kPage}}}, kAt, Refused},
      {{{Reserve, {kAt, kPage}}, {Map, {kAt, 2 * kPage}}}, kAt, Refused},
      {{{Reserve, {UINT64_MAX - kPage, 2 * kPage}}}, kAt, Refused},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO("case " << i);
    HostileProgram program;
    for (const auto& [kind, range] : cases[i].changes) program.change(kind, range.first, range.second);
    program.upload(cases[i].to);
    CHECK(program.answer() == cases[i].answer);
  }
}
