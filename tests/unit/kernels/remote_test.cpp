// Launches as messages between processes: what is read back computes the same, and what no program sends is refused.

#include <cstring>
#include <random>

#include "kernels/remote/launch_message.h"
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
