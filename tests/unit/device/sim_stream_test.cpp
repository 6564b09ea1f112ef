// Simulated GPUs' queues, with threads and with random schedules. Whole random programs: schedule_test.cpp.
#include "device/sim/sim_stream.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stop_request.h"
#include "device/sim/sim_device.h"
#include "support/catch.h"

using namespace lutra;
using Clock = std::chrono::steady_clock;

namespace {

// Queues a callable that can be copied as bytes.
template <class Work> Ticket queue(Stream& stream, Work work) {
  return stream.submit([](void* args) { (*static_cast<Work*>(args))(); }, &work, sizeof work, nullptr);
}

// Holds whatever runs hold(gate) until it is opened.
struct Gate {
  std::atomic<bool> entered{false};
  std::atomic<bool> is_open{false};
  void hold() {
    entered = true;
    while (!is_open) std::this_thread::yield();
  }
  void await_entered() const {
    while (!entered) std::this_thread::yield();
  }
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

const SimOptions kFast;

std::shared_ptr<Schedule> no_threads(uint64_t seed) { return std::make_shared<Schedule>(seed); }

// Runs check() in a forked child; what it returns, or -1 when it did not come to an end.
template <class Check> int in_child(const Check& check) {
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(check());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// What a child may still do with the parent's streams; 0 when all of it is as promised.
int use_after_fork(std::unique_ptr<SimStream>& stream, std::unique_ptr<SimStream>& other, Ticket pending) {
  auto refuses = [&](auto&& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code() == ErrorCode::FailedPrecondition &&
             error.message().starts_with("simulated GPUs do not survive a fork: ");
    }
    return false;
  };
  if (!refuses([&] { queue(*stream, [] {}); })) return 1;
  if (!refuses([&] { other->copy({}, true); })) return 2;
  other->wait_for(pending);
  host_wait(pending);
  if (!is_done(pending)) return 3;
  stream.reset();
  other.reset();
  return 0;
}

}  // namespace

TEST_CASE("a stream's commands run in order, and tickets count from 1", "[sim]") {
  auto schedule = GENERATE(as<std::shared_ptr<Schedule>>(), nullptr, no_threads(7));
  std::vector<int> order;
  SimStream stream(kFast, schedule);
  CHECK(stream.tail() == 0);
  CHECK(stream.done(0));
  for (int i = 0; i < 5000; ++i) {
    Ticket ticket = queue(stream, [&order, i] { order.push_back(i); });
    REQUIRE(ticket.seq == static_cast<uint64_t>(i) + 1);
    REQUIRE(ticket.stream == &stream);
  }
  CHECK(stream.tail() == 5000);
  stream.host_wait(5000);
  CHECK(stream.done(5000));
  REQUIRE(order.size() == 5000);
  CHECK(std::is_sorted(order.begin(), order.end()));
}

TEST_CASE("host_wait waits for the command asked for and no other", "[sim]") {
  Gate gate;
  int value = 0;
  SimStream stream(kFast);
  Ticket first = queue(stream, [&value] { value = 1; });
  Ticket second = queue(stream, [&gate] { gate.hold(); });
  host_wait(first);
  CHECK(value == 1);
  CHECK(is_done(first));
  CHECK_FALSE(is_done(second));
  gate.is_open = true;
  host_wait(second);
  CHECK(is_done(second));
}

TEST_CASE("several threads may wait for one stream, each for its own command", "[sim]") {
  SimStream stream(kFast);
  std::atomic<int> ran{0};
  std::atomic<int> early{0};
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) {
    uint64_t seq = 0;
    for (int k = 0; k < 50; ++k) {
      seq = queue(stream, [&ran] {
              std::this_thread::sleep_for(std::chrono::microseconds(50));
              ++ran;
            }).seq;
    }
    threads.emplace_back([&, seq, i] {
      stream.host_wait(seq);
      if (ran < 50 * i) ++early;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(early == 0);
}

TEST_CASE("several threads may queue on one stream", "[sim]") {
  SimStream stream(kFast);
  int count = 0;  // only the stream's thread counts
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 2000; ++k) queue(stream, [&count] { ++count; });
    });
  }
  for (std::thread& thread : threads) thread.join();
  stream.host_wait(stream.tail());
  CHECK(count == 6000);
}

TEST_CASE("a command's arguments are copied, aligned, and mended for their new address", "[sim]") {
  struct alignas(16) Args {
    const int* inside;  // points to `value` of this very block
    int value;
    std::atomic<int>* sum;
  };
  auto schedule = GENERATE(as<std::shared_ptr<Schedule>>(), nullptr, no_threads(3));
  SimStream stream(kFast, schedule);
  std::atomic<int> sum{0};
  for (int i = 1; i <= 100; ++i) {
    Args args{&args.value, i, &sum};
    stream.submit(
        [](void* copy) {
          Args* mine = static_cast<Args*>(copy);
          bool ok = mine->inside == &mine->value && reinterpret_cast<uintptr_t>(copy) % 16 == 0;
          *mine->sum += ok ? *mine->inside : 1000000;
        },
        &args, sizeof args,
        [](void* copy, const void* original) {
          Args* to = static_cast<Args*>(copy);
          auto offset = reinterpret_cast<const std::byte*>(static_cast<const Args*>(original)->inside) -
                        static_cast<const std::byte*>(original);
          to->inside = reinterpret_cast<const int*>(static_cast<std::byte*>(copy) + offset);
        });
    args.value = -1;
  }
  stream.host_wait(stream.tail());
  CHECK(sum == 5050);
}

TEST_CASE("commands of any size arrive whole", "[sim]") {
  SimStream stream(kFast);
  std::atomic<int> wrong{0};
  std::mt19937 random(5);
  for (int i = 0; i < 400; ++i) {
    std::size_t words = 4 + (i % 10 == 0 ? random() % 60000 : random() % 300);
    std::vector<uint64_t> args(words, static_cast<uint64_t>(i));
    args[0] = words;
    args[1] = reinterpret_cast<uint64_t>(&wrong);
    stream.submit(
        [](void* copy) {
          const uint64_t* words = static_cast<const uint64_t*>(copy);
          bool same = std::all_of(words + 2, words + words[0], [&](uint64_t word) { return word == words[2]; });
          if (!same) ++*reinterpret_cast<std::atomic<int>*>(words[1]);
        },
        args.data(), words * sizeof args[0], nullptr);
  }
  stream.host_wait(stream.tail());
  CHECK(wrong == 0);
}

TEST_CASE("a carried copy has the bytes of the call, a plain one those of its turn", "[sim]") {
  std::size_t bytes = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{100}, std::size_t{3000000});
  Gate gate;
  std::vector<std::byte> from(bytes, std::byte{1}), carried(bytes), late(bytes);
  SimStream stream(kFast);
  queue(stream, [&gate] { gate.hold(); });
  stream.copy({carried.data(), from.data(), bytes}, true);
  stream.copy({late.data(), from.data(), bytes}, false);
  std::fill(from.begin(), from.end(), std::byte{2});
  gate.is_open = true;
  stream.host_wait(stream.tail());
  CHECK(carried == std::vector<std::byte>(bytes, std::byte{1}));
  CHECK(late == std::vector<std::byte>(bytes, std::byte{2}));
}

TEST_CASE("a queue that holds too much makes the caller wait", "[sim]") {
  SimStream stream(kFast);
  std::vector<std::byte> from(std::size_t{8} << 20, std::byte{9}), to(from.size());
  queue(stream, [] { std::this_thread::sleep_for(std::chrono::milliseconds(30)); });
  Ticket first = stream.copy({to.data(), from.data(), from.size()}, true);
  for (int i = 0; i < 12; ++i) stream.copy({to.data(), from.data(), from.size()}, true);
  CHECK(is_done(first));  // 96 MiB are more than it holds
  stream.host_wait(stream.tail());
  CHECK(to == from);
}

TEST_CASE("a script does not run more than 1,024 commands ahead", "[sim]") {
  SimStream stream(kFast);
  std::atomic<uint64_t> ran{0};
  for (uint64_t i = 0; i < 3 * SimStream::kMostQueued; ++i) {
    queue(stream, [&ran] { std::this_thread::sleep_for(std::chrono::microseconds(20)), ++ran; });
    CHECK(stream.tail() - ran <= SimStream::kMostQueued + 1);
  }
  stream.host_wait(stream.tail());
  CHECK(ran == 3 * SimStream::kMostQueued);
}

TEST_CASE("who waits for room in a full queue can be interrupted", "[sim]") {
  Gate gate;
  SimStream stream(kFast);
  queue(stream, [&gate] { gate.hold(); });
  StopRequest::watch(true, true);
  StopRequest::ask();
  for (uint64_t i = 0; i < SimStream::kMostQueued + 10; ++i) queue(stream, [] {});
  StopRequest::watch(false);
  CHECK_FALSE(stream.done(1));
  gate.is_open = true;
  stream.host_wait(stream.tail());
}

TEST_CASE("a caller that must wait for room does not keep the stream's thread from making it", "[sim]") {
  SimStream stream(kFast);
  std::vector<std::byte> from(std::size_t{70} << 20, std::byte{9}), to(from.size());
  for (int i = 0; i < 10; ++i) {  // it takes a race: the thread goes to sleep while the first copy is being queued
    queue(stream, [] {});
    stream.copy({to.data(), from.data(), from.size()}, true);
    host_wait(stream.copy({to.data(), from.data(), 1}, true));
  }
  CHECK(to == from);
}

TEST_CASE("a wait holds back only what is queued after it, and counts as a command while it is not over", "[sim]") {
  Gate gate;
  std::atomic<int> before{0}, after{0};
  SimStream first(kFast), second(kFast);
  Ticket held = queue(first, [&gate] { gate.hold(); });
  Ticket early = queue(second, [&before] { before = 1; });
  second.wait_for(held);
  Ticket wait = second.tail_ticket();
  CHECK(wait.seq == early.seq + 1);
  Ticket late = queue(second, [&after] { after = 1; });
  host_wait(early);
  CHECK(before == 1);
  CHECK_FALSE(is_done(wait));
  CHECK_FALSE(is_done(late));
  CHECK(after == 0);
  gate.is_open = true;
  host_wait(late);
  CHECK(after == 1);

  second.wait_for(held);  // over
  second.wait_for(late);  // its own
  second.wait_for({});
  CHECK(second.tail() == late.seq);
}

TEST_CASE("what is waited for already is not waited for again", "[sim]") {
  Gate gate, later_gate;
  SimStream first(kFast), other(kFast), second(kFast);
  Ticket early = queue(first, [&gate] { gate.hold(); });
  Ticket late = queue(first, [] {});
  Ticket latest = queue(first, [&later_gate] { later_gate.hold(); });
  Ticket elsewhere = queue(other, [&gate] { gate.hold(); });
  second.wait_for(late);
  CHECK(second.tail() == 1);
  second.wait_for(early);
  second.wait_for(late);
  CHECK(second.tail() == 1);
  second.wait_for(elsewhere);
  second.wait_for(latest);
  CHECK(second.tail() == 3);
  std::atomic<bool> ran{false};
  Ticket last = queue(second, [&ran] { ran = true; });
  gate.is_open = true;
  host_wait(late);
  host_wait(elsewhere);
  CHECK_FALSE(is_done(last));
  later_gate.is_open = true;
  host_wait(last);
  CHECK(ran);
}

TEST_CASE("a stream that cannot wait beside another kind of stream waits at once", "[sim]") {
  SimStream threaded(kFast), scheduled(kFast, no_threads(6)), elsewhere(kFast, no_threads(9));
  int value = 0;
  for (int i = 0; i < 50; ++i) {
    for (SimStream* stream : {&scheduled, &elsewhere, &threaded}) {
      queue(*stream, [&value] { ++value; });
      for (SimStream* other : {&scheduled, &elsewhere, &threaded}) other->wait_for(stream->tail_ticket());
    }
    CHECK(value == 3 * (i + 1));
  }
}

TEST_CASE("a stream's loops stay on its own thread", "[sim]") {
  SimStream stream(kFast);
  int threads = 0;
  queue(stream, [&threads] { threads = max_threads(); });
  stream.host_wait(1);
  CHECK(threads == 1);
}

TEST_CASE("a stream gives back its thread and goes on when something is queued again", "[sim]") {
  auto schedule = GENERATE(as<std::shared_ptr<Schedule>>(), nullptr, no_threads(2));
  SimStream stream(kFast, schedule), other(kFast, schedule);
  int value = 0;
  CHECK(stream.retire());  // also one that has run nothing
  for (int round = 1; round <= 20; ++round) {
    queue(other, [&value] { ++value; });
    stream.wait_for(other.tail_ticket());
    queue(stream, [&value] { value *= 2; });
    stream.host_wait(stream.tail());
    other.host_wait(other.tail());
    CHECK(stream.retire());
    CHECK(other.retire());
  }
  CHECK(value == (1 << 21) - 2);
}

TEST_CASE("destroying a stream finishes what was queued, also what waits for a stream destroyed before", "[sim]") {
  auto schedule = GENERATE(as<std::shared_ptr<Schedule>>(), nullptr, no_threads(2));
  int count = 0, last = 0;
  {
    auto first = std::make_unique<SimStream>(kFast, schedule);
    auto second = std::make_unique<SimStream>(kFast, schedule);
    for (int i = 0; i < 200; ++i) {
      queue(*first, [&count] { ++count; });
      second->wait_for(first->tail_ticket());
      queue(*second, [&last, &count] { last = count; });
      first->wait_for(second->tail_ticket());
    }
    first.reset();
    CHECK(count == 200);
  }
  CHECK(last == 200);
  SimStream unused(kFast, schedule);  // and one without any command just goes
}

TEST_CASE("commands and copies take at least the time that the speeds give", "[sim]") {
  auto schedule = GENERATE(as<std::shared_ptr<Schedule>>(), nullptr, no_threads(4));
  SimOptions slow;
  slow.gflops = 1;
  slow.gbps = 2;
  slow.link_gbps = 0.5;
  slow.link_latency_us = 1000;
  SimStream stream(slow, schedule);
  REQUIRE(stream.is_timed());
  CHECK_FALSE(SimStream(kFast).is_timed());
  auto time_of = [&](auto&& work) {
    Clock::time_point start = Clock::now();
    work();
    stream.host_wait(stream.tail());
    return seconds_since(start);
  };
  CHECK(time_of([&] {
          stream.set_next_cost(10e6, 0);
          queue(stream, [] {});
        }) >= 0.010);
  CHECK(time_of([&] {  // the larger of the two
          stream.set_next_cost(1e6, 20e6);
          queue(stream, [] {});
        }) >= 0.010);
  CHECK(time_of([&] {
          for (int i = 0; i < 20; ++i) {
            stream.set_next_cost(0.5e6, 0);
            queue(stream, [] {});
          }
        }) >= 0.010);
  std::vector<std::byte> from(1000000), to(from.size());
  CHECK(time_of([&] { stream.copy({to.data(), from.data(), from.size()}, false); }) >= 0.003);
}

TEST_CASE("threads that wake late do not delay a simulated device's clock", "[sim]") {
  SimOptions slow;
  slow.gflops = 1;
  SimStream first(slow), second(slow);
  first.keep_times(true);
  second.keep_times(true);
  // Queued long before the first of them ends.
  constexpr int kHops = 6;
  constexpr int64_t kCostNs = 100'000'000;
  for (int i = 0; i < kHops; ++i) {
    SimStream& stream = i % 2 == 0 ? first : second;
    if (i > 0) stream.wait_for((i % 2 == 0 ? second : first).tail_ticket());
    stream.set_next_cost(0.1e9, 0);
    queue(stream, [] {});
  }
  first.host_wait(first.tail());
  second.host_wait(second.tail());
  std::vector<CommandTime> times[2];
  std::vector<HostWait> waits;
  first.take_times(times[0], waits);
  second.take_times(times[1], waits);
  auto is_wait = [](const CommandTime& time) { return static_cast<bool>(time.awaited); };
  for (auto& list : times) std::erase_if(list, is_wait);
  REQUIRE((times[0].size() == kHops / 2 && times[1].size() == kHops / 2));
  for (int i = 0; i < kHops; ++i) {
    const CommandTime& command = times[i % 2][static_cast<std::size_t>(i / 2)];
    CHECK(command.end_ns - command.begin_ns == kCostNs);
    if (i > 0) CHECK(command.begin_ns == times[(i - 1) % 2][static_cast<std::size_t>((i - 1) / 2)].end_ns);
  }
}

TEST_CASE("a cost is for one command", "[sim]") {
  SimOptions slow;
  slow.gflops = 1;
  SimStream stream(slow);
  stream.set_next_cost(30e6, 0);
  queue(stream, [] {});
  Clock::time_point start = Clock::now();
  for (int i = 0; i < 100; ++i) queue(stream, [] {});
  stream.host_wait(stream.tail());
  CHECK(seconds_since(start) < 1.5);  // 3 seconds if each took as long
}

TEST_CASE("a forked child is told that its GPUs are gone, and never hangs", "[sim]") {
  bool threads = GENERATE(true, false);
  auto schedule = threads ? nullptr : no_threads(1);
  Gate gate;
  auto stream = std::make_unique<SimStream>(kFast, schedule);
  auto other = std::make_unique<SimStream>(kFast, schedule);
  auto asleep = std::make_unique<SimStream>(kFast, schedule);
  queue(*asleep, [] {});
  asleep->host_wait(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  Ticket pending;
  if (threads) {
    pending = queue(*stream, [&gate] { gate.hold(); });
    other->wait_for(pending);
    gate.await_entered();
    std::this_thread::sleep_for(
        std::chrono::milliseconds(20));  // the other one's thread sleeps on the first one's progress
  } else {
    for (int i = 0; i < 20; ++i) pending = queue(*stream, [] {});
  }
  CHECK(in_child([&] {
          int result = use_after_fork(stream, other, pending);
          asleep.reset();
          return result;
        }) == 0);

  // The parent continues to work.
  gate.is_open = true;
  int value = 0;
  queue(*other, [&value] { value = 1; });
  other->host_wait(other->tail());
  CHECK(value == 1);
}

TEST_CASE("a fork comes between two commands", "[sim]") {
  SimStream stream{SimOptions{}};
  static std::mutex lock;
  for (int fork = 0; fork < 5; ++fork) {
    // Held for most of the time, as the lock of an allocator or a library may be.
    for (int i = 0; i < 10; ++i) {
      queue(stream, [] {
        std::lock_guard held(lock);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    CHECK(in_child([] { return lock.try_lock() ? 0 : 1; }) == 0);
  }
  stream.host_wait(stream.tail());
}

TEST_CASE("a simulated GPU is a GPU with memory and streams of its own", "[sim]") {
  SimOptions options;
  options.memory_limit_mb = 64;
  SimDevice device(1, options, nullptr);
  CHECK(device.type() == DeviceType::GPU);
  CHECK(device.number() == 1);
  CHECK(device.details().front() == std::pair<std::string, std::string>("device_name", "Simulated GPU"));

  std::size_t megabyte = std::size_t{1} << 20;
  CHECK(device.memory().total_bytes == 64 * megabyte);
  CHECK(device.memory().free_bytes == 64 * megabyte);
  PageSource& pages = *device.pages();
  std::byte* base = pages.reserve(128 * megabyte);
  REQUIRE(base != nullptr);
  REQUIRE(pages.map(base, 48 * megabyte));
  CHECK(device.memory().free_bytes == 16 * megabyte);
  CHECK_FALSE(pages.map(base + 48 * megabyte, 32 * megabyte));

  auto compute = device.new_stream(), copy = device.new_stream();
  compute->submit([](void* args) { std::memset(*static_cast<std::byte**>(args), 7, 100); }, &base, sizeof base,
                  nullptr);
  copy->wait_for(compute->tail_ticket());
  std::array<std::byte, 100> back{};
  host_wait(copy->copy({back.data(), base, back.size()}, false));
  CHECK(std::all_of(back.begin(), back.end(), [](std::byte b) { return b == std::byte{7}; }));
  pages.unmap(base, 48 * megabyte);
  pages.release(base, 128 * megabyte);
  CHECK(device.memory().free_bytes == 64 * megabyte);
}
