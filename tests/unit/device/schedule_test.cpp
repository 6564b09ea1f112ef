// Random schedules: legal, repeatable, and hard on programs that leave a wait out.
#include "device/sim/schedule.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "core/error.h"
#include "device/sim/sim_stream.h"
#include "support/catch.h"

using namespace lutra;

namespace {

// Queues a callable that can be copied as bytes.
template <class Work> Ticket queue(Stream& stream, Work work) {
  return stream.submit([](void* args) { (*static_cast<Work*>(args))(); }, &work, sizeof work, nullptr);
}

const SimOptions kFast;

std::shared_ptr<Schedule> no_threads(uint64_t seed) { return std::make_shared<Schedule>(seed); }

// A random program on a few cells of memory, run by several streams with the waits its reads and writes need; `run`
// returns whether all that was seen and left behind is as if every command had run at once.
class RandomProgram {
 public:
  enum Waits { All, NoneBeforeReading, NoneBeforeWriting };

  RandomProgram(uint64_t seed, std::shared_ptr<Schedule> schedule, Waits waits) : random_(seed), waits_(waits) {
    for (std::size_t i = 0; i < kStreams; ++i) streams_.push_back(std::make_unique<SimStream>(kFast, schedule));
  }

  bool run(int commands) {
    bool same = true;
    for (int i = 0; i < commands; ++i) {
      switch (random_() % 8) {
        case 0: same &= read_back(); break;
        case 1: write_constant(); break;
        case 2: copy_cell(); break;
        default: mix_cells(static_cast<uint64_t>(i)); break;
      }
    }
    for (auto& stream : streams_) stream->host_wait(stream->tail());
    return same && cells_ == expected_;
  }

 private:
  static constexpr std::size_t kStreams = 5;
  static constexpr std::size_t kCells = 8;

  static uint64_t mix(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t x = (a * 0x9e3779b97f4a7c15u) ^ (b + 0x7f4a7c15u) * 0xbf58476d1ce4e5b9u ^ c;
    return x ^ x >> 29;
  }

  std::size_t any_cell() { return random_() % kCells; }
  SimStream& any_stream() { return *streams_[random_() % kStreams]; }

  void before_reading(SimStream& stream, std::size_t cell) {
    if (waits_ != NoneBeforeReading) stream.wait_for(written_[cell]);
  }
  void before_writing(SimStream& stream, std::size_t cell) {
    if (waits_ == NoneBeforeWriting) return;
    stream.wait_for(written_[cell]);
    for (Ticket ticket : read_[cell]) stream.wait_for(ticket);
  }
  void wrote(std::size_t cell, Ticket ticket) {
    written_[cell] = ticket;
    read_[cell].clear();
  }

  void mix_cells(uint64_t salt) {
    std::size_t a = any_cell(), b = any_cell(), c = any_cell();
    SimStream& stream = any_stream();
    before_reading(stream, a);
    before_reading(stream, b);
    before_writing(stream, c);
    Ticket ticket = queue(stream, [a = &cells_[a], b = &cells_[b], c = &cells_[c], salt] { *c = mix(*a, *b, salt); });
    read_[a].push_back(ticket);
    read_[b].push_back(ticket);
    wrote(c, ticket);
    expected_[c] = mix(expected_[a], expected_[b], salt);
  }

  void copy_cell() {
    std::size_t a = any_cell(), b = (a + 1 + random_() % (kCells - 1)) % kCells;
    SimStream& stream = any_stream();
    before_reading(stream, a);
    before_writing(stream, b);
    Ticket ticket = stream.copy(
        {reinterpret_cast<std::byte*>(&cells_[b]), reinterpret_cast<std::byte*>(&cells_[a]), sizeof cells_[a]}, false);
    read_[a].push_back(ticket);
    wrote(b, ticket);
    expected_[b] = expected_[a];
  }

  void write_constant() {
    std::size_t cell = any_cell();
    SimStream& stream = any_stream();
    uint64_t value = random_();
    expected_[cell] = value;
    before_writing(stream, cell);
    wrote(cell,
          stream.copy({reinterpret_cast<std::byte*>(&cells_[cell]), reinterpret_cast<std::byte*>(&value), sizeof value},
                      true));
    value = 0;  // it was carried
  }

  bool read_back() {
    std::size_t cell = any_cell();
    host_wait(written_[cell]);
    return cells_[cell] == expected_[cell];
  }

  std::mt19937_64 random_;
  Waits waits_;
  std::array<uint64_t, kCells> cells_{};
  std::array<uint64_t, kCells> expected_{};
  std::array<Ticket, kCells> written_;
  std::array<std::vector<Ticket>, kCells> read_;
  std::vector<std::unique_ptr<SimStream>> streams_;  // last: their commands touch the cells
};

int failures_without(RandomProgram::Waits waits) {
  int failures = 0;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    if (!RandomProgram(seed, no_threads(seed), waits).run(100)) ++failures;
  }
  return failures;
}

// The order in which three streams' commands ran.
std::vector<int> trace(uint64_t seed) {
  std::vector<int> order;
  auto schedule = no_threads(seed);
  SimStream a(kFast, schedule), b(kFast, schedule), c(kFast, schedule);
  for (int i = 0; i < 30; ++i) {
    for (SimStream* stream : {&a, &b, &c}) {
      queue(*stream, [&order, id = stream == &a ? 0 : stream == &b ? 1 : 2] { order.push_back(id); });
    }
  }
  for (SimStream* stream : {&a, &b, &c}) stream->host_wait(stream->tail());
  return order;
}

}  // namespace

TEST_CASE("random programs end as if run at once, with threads", "[sim]") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    REQUIRE(RandomProgram(seed, nullptr, RandomProgram::All).run(200));
  }
}

TEST_CASE("random programs end as if run at once, in random order", "[sim]") {
  for (uint64_t seed = 0; seed < 100; ++seed) {
    INFO("seed " << seed);
    REQUIRE(RandomProgram(seed, no_threads(seed), RandomProgram::All).run(200));
  }
}

TEST_CASE("a random schedule shows waits that are missing", "[sim]") {
  CHECK(failures_without(RandomProgram::NoneBeforeReading) >= 90);
  CHECK(failures_without(RandomProgram::NoneBeforeWriting) >= 90);
}

TEST_CASE("a seed gives one order, other seeds others", "[sim]") {
  std::vector<std::vector<int>> orders;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    orders.push_back(trace(seed));
    CHECK(orders.back() == trace(seed));
    CHECK(orders.back().size() == 90);
  }
  std::sort(orders.begin(), orders.end());
  CHECK(std::unique(orders.begin(), orders.end()) == orders.end());
}

TEST_CASE("who asks a random schedule until it is done sees it done", "[sim]") {
  SimStream stream(kFast, no_threads(1));
  int value = 0;
  Ticket ticket = queue(stream, [&value] { value = 1; });
  while (!is_done(ticket)) {
  }
  CHECK(value == 1);
}

TEST_CASE("LUTRA_SIM_SCHEDULE is random:SEED", "[sim]") {
  CHECK(Schedule::parse("") == nullptr);
  REQUIRE(Schedule::parse("random:0") != nullptr);
  CHECK(Schedule::parse("random:18446744073709551615") != nullptr);
  for (const char* value : {"random", "random:", "random:x", "random:1x", "random:-1", "random: 1", "fixed:1",
                            "RANDOM:1", "random:18446744073709551616"}) {
    INFO(value);
    try {
      Schedule::parse(value);
      FAIL("taken");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::InvalidArgument);
      CHECK(error.message() ==
            text("LUTRA_SIM_SCHEDULE is '", value, "', expected random:SEED with a whole number, as in random:42"));
    }
  }
}
