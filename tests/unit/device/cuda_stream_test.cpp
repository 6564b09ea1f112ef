// A card's queue on the stub of the driver's library: tickets, events, staging, late mistakes, a lost card.
#include "device/cuda/cuda_stream.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <random>

#include "core/clock.h"
#include "core/error.h"
#include "device/cuda/cuda_pages.h"
#include "support/cuda_stub/stubbed.h"

using namespace lutra;
using namespace lutra::test;
using cuda::CudaStream;
using cuda::FaultSlot;

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// A card with some mapped memory.
struct Machine {
  explicit Machine(const std::string& options = "", std::size_t memory_bytes = 48 * kMiB)
      : stub(options),
        card(std::make_shared<cuda::Card>(stub.driver(), 0, 0, std::make_shared<cuda::AddressMap>())),
        bytes(memory_bytes) {
    card->use();
    pages = std::make_unique<cuda::CudaPages>(card);
    memory = pages->reserve(bytes);
    REQUIRE(pages->map(memory, bytes));
    stub.calls();
  }
  ~Machine() {
    stub.lose_card(0, false);
    stub.driver().unmap(cuda::address_of(memory), bytes);
    pages->release(memory, bytes);
  }
  Stubbed stub;
  std::shared_ptr<cuda::Card> card;
  std::unique_ptr<cuda::CudaPages> pages;
  std::size_t bytes;
  std::byte* memory = nullptr;
};

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>((i * 31 + i / 257 + seed) & 0xff);
  return data;
}

// A command that does nothing.
Ticket nop(CudaStream& stream) {
  return stream.launch("nop", nullptr, nullptr, [](cuda::StreamHandle, FaultSlot*) { return cuda::kSuccess; });
}

// A command that appends a digit to the number at `at`, which lies on the card.
Ticket append(CudaStream& stream, std::byte* at, int digit) {
  return stream.launch("append", nullptr, nullptr, [&](cuda::StreamHandle on, FaultSlot*) {
    auto* queue = Stubbed::kernel_queue();
    return queue(on, [at, digit] { *reinterpret_cast<int*>(at) = *reinterpret_cast<int*>(at) * 10 + digit; });
  });
}

int read(CudaStream& stream, const std::byte* from) {
  int number;
  stream.copy({reinterpret_cast<std::byte*>(&number), from, sizeof(number)}, false);
  return number;
}

void write(CudaStream& stream, std::byte* to, int number) {
  stream.copy({to, reinterpret_cast<const std::byte*>(&number), sizeof(number)}, true);
}

}  // namespace

TEST_CASE("commands cost no event of their own; every 32nd records one", "[cuda]") {
  Machine machine;
  CudaStream stream(machine.card);
  machine.stub.calls();
  for (int i = 0; i < 31; ++i) nop(stream);
  CHECK(machine.stub.calls().empty());
  CHECK(nop(stream).seq == 32);
  CHECK(count_of(machine.stub.calls(), "cuEventRecord") == 1);
  CHECK(stream.tail() == 32);
}

TEST_CASE("a question how far a stream has come records one event, however often it is asked", "[cuda]") {
  Machine machine("random:7");
  CudaStream stream(machine.card);
  Ticket ticket = nop(stream);
  machine.stub.calls();
  while (!is_done(ticket)) {
  }
  CHECK(count_of(machine.stub.calls(), "cuEventRecord") == 1);
  CHECK(is_done(ticket));
  CHECK(machine.stub.calls().empty());
}

TEST_CASE("copies of any size arrive, through pinned memory, while the source may change", "[cuda]") {
  for (std::size_t bytes : {std::size_t{1}, std::size_t{4097}, CudaStream::kSmallBytes, CudaStream::kSmallBytes + 1,
                            CudaStream::kPieceBytes, 3 * CudaStream::kPieceBytes + 5, 45 * kMiB}) {
    Machine machine("random:" + std::to_string(bytes));
    CudaStream stream(machine.card);
    INFO(bytes << " bytes");
    std::vector<std::byte> data = pattern(bytes, 1), sent = data, back(bytes);
    Ticket ticket = stream.copy({machine.memory + 64, sent.data(), bytes}, true);
    std::memset(sent.data(), 0, bytes);
    stream.wait_for(ticket);
    host_wait(stream.copy({back.data(), machine.memory + 64, bytes}, false));
    CHECK(back == data);
  }
}

TEST_CASE("many small copies share one pinned ring and none overtakes another", "[cuda]") {
  Machine machine("random:3");
  CudaStream stream(machine.card);
  constexpr std::size_t kBytes = 1000, kCount = 500;
  for (std::size_t i = 0; i < kCount; ++i) {
    std::vector<std::byte> data = pattern(kBytes, static_cast<unsigned>(i));
    stream.copy({machine.memory + i * kBytes, data.data(), kBytes}, true);
  }
  CHECK(count_of(machine.stub.calls(), "cuMemHostAlloc") == 1);
  for (std::size_t i = 0; i < kCount; ++i) {
    std::vector<std::byte> back(kBytes);
    host_wait(stream.copy({back.data(), machine.memory + i * kBytes, kBytes}, false));
    REQUIRE(back == pattern(kBytes, static_cast<unsigned>(i)));
  }
}

TEST_CASE("a piece of pinned memory waits for the last one in its way, whatever lies in the end left unused",
          "[cuda]") {
  Machine machine;
  constexpr std::size_t kUnit = 64;
  cuda::StagingRing ring(*machine.card, 100 * kUnit);
  std::vector<uint64_t> waited;
  auto take = [&](std::size_t units, uint64_t seq) {
    std::byte* piece = ring.take(units * kUnit, [&](uint64_t for_seq) { waited.push_back(for_seq); });
    ring.hold(seq);
    return piece;
  };
  std::byte* base = take(60, 1);
  take(30, 2);
  ring.release(1);
  CHECK(take(30, 3) == base);  // it does not fit behind the one before
  take(20, 4);
  CHECK(waited.empty());
  // The oldest piece in use, the second, blocks nothing; the third and the fourth do.
  CHECK(take(60, 5) == base);
  CHECK(waited == std::vector<uint64_t>{4});
}

TEST_CASE("copies of all sizes go round the pinned ring and none is written over before it has gone", "[cuda]") {
  // Some that do not fit behind the one before begin anew while those of the lap before are still held, each with an
  // event of its own, for another stream waits for it.
  for (unsigned seed = 0; seed < 4; ++seed) {
    Machine machine("memory:192,random:" + std::to_string(seed), 128 * kMiB);
    CudaStream stream(machine.card), other(machine.card);
    std::mt19937 random(seed);
    std::vector<std::size_t> sizes;
    std::size_t end = 0;
    for (unsigned i = 0; i < 24; ++i) {
      sizes.push_back(random() % 3 != 0 ? CudaStream::kPieceBytes : kMiB + random() % (3 * kMiB));
      std::vector<std::byte> data = pattern(sizes[i], i);
      other.wait_for(stream.copy({machine.memory + end, data.data(), data.size()}, true));
      end += sizes[i];
    }
    std::size_t at = 0;
    for (unsigned i = 0; i < sizes.size(); ++i) {
      std::vector<std::byte> back(sizes[i]);
      host_wait(stream.copy({back.data(), machine.memory + at, back.size()}, false));
      INFO("seed " << seed << ", copy " << i);
      REQUIRE(back == pattern(sizes[i], i));
      at += sizes[i];
    }
  }
}

TEST_CASE("a stream that waits for another's ticket runs after it, in every order of the queues", "[cuda]") {
  for (int seed = 0; seed < 50; ++seed) {
    Machine machine("random:" + std::to_string(seed));
    CudaStream first(machine.card), second(machine.card);
    std::vector<int> order;
    auto note = [&order](CudaStream& stream, int number) {
      struct Args {
        std::vector<int>* order;
        int number;
      } args{&order, number};
      return stream.submit(
          [](void* at) {
            Args* got = static_cast<Args*>(at);
            got->order->push_back(got->number);
          },
          &args, sizeof args, nullptr);
    };
    note(first, 1);
    Ticket ticket = note(first, 2);
    uint64_t before = second.tail();
    second.wait_for(ticket);
    // An unfinished wait is a command: a block freed after it is not handed out before the wait ends.
    CHECK(second.tail() == before + (is_done(ticket) ? second.tail() - before : 1));
    host_wait(note(second, 3));
    CHECK(order == std::vector<int>{1, 2, 3});
  }
}

TEST_CASE("a mistake in values reaches its record when the launch has run, and its slot is used again", "[cuda]") {
  Machine machine("random:5");
  CudaStream stream(machine.card);
  const cuda::Driver& driver = machine.stub.driver();
  struct Told {
    int64_t value = 0;
    int times = 0;
  };
  auto tell = [](void* record, const FaultSlot& slot) {
    Told* told = static_cast<Told*>(record);
    told->value = slot.value;
    ++told->times;
  };
  for (int i = 1; i <= 1000; ++i) {
    Told told;
    Ticket ticket = stream.launch("gather", &told, tell, [&](cuda::StreamHandle on, FaultSlot* slot) {
      REQUIRE(slot != nullptr);
      CHECK(slot->code == 0);
      slot->value = i;
      return driver.run_on_host(
          on, i % 2 == 0 ? [](void* at) { static_cast<FaultSlot*>(at)->code = 5; } : [](void*) {}, slot);
    });
    host_wait(ticket);
    REQUIRE(told.times == (i % 2 == 0 ? 1 : 0));
    if (i % 2 == 0) REQUIRE(told.value == i);
  }
  CHECK(count_of(machine.stub.calls(), "cuMemHostAlloc") == 1);
}

TEST_CASE("a launch that the driver refuses is an error with the op's name and leaves the stream usable", "[cuda]") {
  Machine machine;
  CudaStream stream(machine.card);
  auto refuse = [&] { stream.launch("matmul", nullptr, nullptr, [](cuda::StreamHandle, FaultSlot*) { return 1; }); };
  CHECK_THROWS_WITH(refuse(), "GPU:0: matmul: CUDA_ERROR_INVALID_VALUE: invalid argument");
  CHECK(nop(stream).seq == 2);  // what failed is counted: a part of it may have been queued
  CHECK_NOTHROW(stream.check());
}

TEST_CASE("of a copy that fails half way nothing is left in the queue", "[cuda]") {
  for (const char* function : {"cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync", "cuEventRecord"}) {
    Machine machine("random:11");
    CudaStream stream(machine.card), gate(machine.card);
    INFO(function);
    std::vector<std::byte> data = pattern(3 * CudaStream::kPieceBytes, 4);
    bool is_in = std::string(function) == "cuMemcpyHtoDAsync";
    stream.wait_for(nop(gate));
    machine.stub.fail(function, is_in ? 3 : 2, 1);
    CopyRequest in{machine.memory, data.data(), data.size()}, out{data.data(), machine.memory, data.size()};
    CHECK_THROWS_AS(stream.copy(is_in ? in : out, true), Error);
    CHECK(machine.stub.queued() == 0);
    CHECK_NOTHROW(host_wait(stream.copy(in, true)));
  }
}

TEST_CASE("a lost card ends all waits, and every later use says that it is lost", "[cuda]") {
  Machine machine;
  auto stream = std::make_unique<CudaStream>(machine.card);
  Ticket ticket = nop(*stream);
  machine.stub.lose_card(0);
  host_wait(ticket);
  CHECK(is_done(ticket));
  const char* lost =
      "GPU:0 was lost (cuEventCreate: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered): its "
      "tensors are gone, and only a new process can use it again. Other devices keep working";
  CHECK_THROWS_WITH(stream->check(), lost);
  CHECK_THROWS_WITH(nop(*stream), lost);
  std::byte byte{};
  CHECK_THROWS_WITH(stream->copy({&byte, machine.memory, 1}, false), lost);
  stream->wait_for(ticket);  // says nothing: memory is freed with it
  CHECK_NOTHROW(stream.reset());
}

TEST_CASE("another card goes on when one is lost", "[cuda]") {
  Machine machine("cards:2");
  CudaStream stream(machine.card);
  auto other = std::make_shared<cuda::Card>(machine.stub.driver(), 1, 1, std::make_shared<cuda::AddressMap>());
  CudaStream others(other);
  Ticket ticket = nop(stream);
  machine.stub.lose_card(0);
  others.wait_for(ticket);
  CHECK_NOTHROW(host_wait(nop(others)));
  CHECK_NOTHROW(others.check());
}

TEST_CASE("in a forked child a card's queue refuses work and ends waits", "[cuda]") {
  Machine machine;
  CudaStream stream(machine.card);
  Ticket ticket = nop(stream);
  pid_t child = fork();
  if (child == 0) {
    bool good = is_done(ticket);
    host_wait(ticket);
    try {
      nop(stream);
      good = false;
    } catch (const Error& error) {
      good = good && error.code() == ErrorCode::FailedPrecondition &&
             error.message().find("GPU:0: GPUs do not survive a fork") == 0;
    }
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

TEST_CASE("a stream that keeps times has two events for each command and says when each ran", "[cuda]") {
  Machine machine;
  CudaStream stream(machine.card), other(machine.card);
  nop(stream);
  stream.host_wait(stream.tail());
  stream.keep_times(true);
  machine.stub.calls();
  Ticket first = nop(stream), second = nop(stream);
  CHECK(count_of(machine.stub.calls(), "cuEventRecord") == 4);
  Ticket elsewhere = nop(other);
  stream.wait_for(elsewhere);
  std::vector<std::byte> data = pattern(100, 1);
  stream.copy({machine.memory, data.data(), data.size()}, true);
  stream.host_wait(stream.tail());
  std::vector<CommandTime> times;
  std::vector<HostWait> waits;
  stream.take_times(times, waits);
  REQUIRE(times.size() == 4);
  CHECK(times[0].seq == first.seq);
  CHECK(times[1].seq == second.seq);
  CHECK(times[2].awaited.stream == &other);
  CHECK(times[2].awaited.seq == elsewhere.seq);
  CHECK(times[3].seq == stream.tail());
  const int64_t now = now_ns();
  for (std::size_t i = 0; i < times.size(); ++i) {
    CHECK(times[i].begin_ns <= times[i].end_ns);
    CHECK(times[i].end_ns < now + 1'000'000);
    CHECK(times[i].begin_ns > now - 60'000'000'000);
    if (i > 0) CHECK(times[i - 1].end_ns <= times[i].begin_ns + 1000);
  }
  stream.keep_times(false);
  machine.stub.calls();
  nop(stream);
  CHECK(count_of(machine.stub.calls(), "cuEventRecord") == 0);
}

TEST_CASE("when the driver has no event for a time, the command runs and its time is not known", "[cuda]") {
  Machine machine;
  CudaStream stream(machine.card);
  stream.keep_times(true);
  machine.stub.fail("cuEventRecord", 1, 1);
  nop(stream);
  nop(stream);
  stream.host_wait(stream.tail());
  std::vector<CommandTime> times;
  std::vector<HostWait> waits;
  stream.take_times(times, waits);
  REQUIRE(times.size() == 1);
  CHECK(times[0].seq == stream.tail());
}

TEST_CASE("a batch runs its commands in their order, as one graph, and again", "[cuda]") {
  Machine machine("random:3");
  {
    CudaStream stream(machine.card);
    std::unique_ptr<CommandBatch> kept;
    write(stream, machine.memory, 0);
    machine.stub.calls();
    stream.begin_batch(kept);
    for (int digit : {1, 2, 3}) append(stream, machine.memory, digit);
    CHECK(stream.end_batch());
    CHECK(count_of(machine.stub.calls(), "cuGraphLaunch 3") == 1);
    CHECK(read(stream, machine.memory) == 123);
    stream.repeat_batch(*kept);
    CHECK(read(stream, machine.memory) == 123123);
    CHECK(count_of(machine.stub.calls(), "cuGraphInstantiate") == 0);
  }
}

TEST_CASE("a batch of as many commands updates the graph that was kept; another batch makes its own", "[cuda]") {
  Machine machine("random:4");
  const int before = machine.stub.live();
  {
    CudaStream stream(machine.card);
    std::unique_ptr<CommandBatch> kept;
    std::byte* other = machine.memory + 64;
    for (std::byte* at : {machine.memory, other}) write(stream, at, 0);
    for (std::byte* at : {machine.memory, other, machine.memory}) {
      stream.begin_batch(kept);
      for (int digit : {1, 2}) append(stream, at, digit);
      CHECK(stream.end_batch());
    }
    CHECK(count_of(machine.stub.calls(), "cuGraphInstantiate") == 1);
    stream.begin_batch(kept);
    append(stream, other, 3);
    CHECK(stream.end_batch());
    CHECK(count_of(machine.stub.calls(), "cuGraphInstantiate") == 1);
    CHECK(read(stream, machine.memory) == 1212);
    CHECK(read(stream, other) == 123);
    stream.begin_batch(kept);
    CHECK_FALSE(stream.end_batch());  // nothing came
  }
  CHECK(machine.stub.live() == before);
}

TEST_CASE("whatever a batch cannot hold ends it early, and all commands keep their order", "[cuda]") {
  Machine machine("random:5");
  CudaStream stream(machine.card), other(machine.card);
  std::unique_ptr<CommandBatch> kept;
  for (int way = 0; way < 6; ++way) {
    INFO("way " << way);
    write(stream, machine.memory, 0);
    write(other, machine.memory + 64, way);
    stream.begin_batch(kept);
    Ticket first = append(stream, machine.memory, 1);
    int seen = 1;
    if (way == 0) host_wait(first);
    else if (way == 1) CHECK_NOTHROW(static_cast<void>(is_done(first)));
    else if (way == 2) seen = read(stream, machine.memory);
    else if (way == 3) stream.wait_for(append(other, machine.memory + 64, 7));
    else if (way == 4) other.wait_for(first);
    else stream.submit([](void*) {}, nullptr, 0, nullptr);
    CHECK(seen == 1);
    append(stream, machine.memory, 2);
    CHECK_FALSE(stream.end_batch());
    CHECK(read(stream, machine.memory) == 12);
  }
}

TEST_CASE("a mistake in values reaches its record from a batch too", "[cuda]") {
  Machine machine("random:6");
  CudaStream stream(machine.card);
  std::unique_ptr<CommandBatch> kept;
  int told = 0;
  write(stream, machine.memory, 0);
  for (int i = 0; i < 100; ++i) {
    stream.begin_batch(kept);
    Ticket ticket = stream.launch(
        "gather", &told, [](void* record, const FaultSlot& slot) { *static_cast<int*>(record) = slot.code; },
        [&](cuda::StreamHandle on, FaultSlot* slot) {
          return Stubbed::kernel_queue()(on, [slot, i] { slot->code = i % 2 == 0 ? 5 : 0; });
        });
    append(stream, machine.memory, 0);
    CHECK(stream.end_batch());
    host_wait(ticket);
    REQUIRE(told == (i % 2 == 0 ? 5 : 0));
    told = 0;
  }
}

TEST_CASE("a batch that the driver refuses is an error, and the stream goes on", "[cuda]") {
  Machine machine;
  CudaStream stream(machine.card);
  write(stream, machine.memory, 0);
  for (const char* function : {"cuStreamBeginCapture", "cuStreamEndCapture", "cuGraphInstantiate", "cuGraphLaunch"}) {
    INFO(function);
    std::unique_ptr<CommandBatch> kept;
    machine.stub.fail(function, 1, cuda::kOutOfMemory);
    auto refuse = [&] {
      stream.begin_batch(kept);
      append(stream, machine.memory, 1);
      stream.end_batch();
    };
    CHECK_THROWS_WITH(refuse(), Catch::Matchers::Contains(function));
    CHECK_NOTHROW(host_wait(append(stream, machine.memory, 0)));
    CHECK(read(stream, machine.memory) == 0);
  }
}
