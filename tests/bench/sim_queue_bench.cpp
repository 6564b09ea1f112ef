// What it costs to queue a command on a simulated GPU, and whether two of them compute at once.
//   sim_queue_bench
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "device/sim/sim_device.h"

using namespace lutra;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kRuns = 201;
constexpr int kCommands = 1000;  // fewer than a stream holds, or the call would wait
constexpr uint64_t kComputations = 300;

struct Command {
  std::atomic<uint64_t>* ran;
  std::byte rest[272];
};
static_assert(sizeof(Command) == 280);

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// With `held`, the stream's thread does nothing meanwhile: the cost of the call alone.
double ns_per_enqueue(Stream& stream, bool held) {
  std::atomic<uint64_t> ran{0};
  Command command{&ran, {}};
  std::vector<double> times;
  for (int run = 0; run < kRuns; ++run) {
    std::atomic<bool> closed{held};
    std::atomic<bool>* gate = &closed;
    stream.submit(
        [](void* args) {
          auto* gate = *static_cast<std::atomic<bool>**>(args);
          while (*gate) std::this_thread::sleep_for(std::chrono::microseconds(100));
        },
        &gate, sizeof gate, nullptr);
    Clock::time_point start = Clock::now();
    for (int i = 0; i < kCommands; ++i) {
      stream.submit([](void* args) { static_cast<Command*>(args)->ran->fetch_add(1, std::memory_order_relaxed); },
                    &command, sizeof command, nullptr);
    }
    times.push_back(seconds_since(start) / kCommands * 1e9);
    closed = false;
    stream.host_wait(stream.tail());
  }
  return ran == uint64_t{kRuns} * kCommands ? median(times) : -1;
}

void compute(void* args) {
  uint64_t x = *static_cast<const uint64_t*>(args);
  for (int i = 0; i < 400000; ++i) x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
  [[maybe_unused]] volatile uint64_t result = x;
}

double seconds_on_streams(const std::vector<Stream*>& streams) {
  Clock::time_point start = Clock::now();
  for (uint64_t i = 0; i < kComputations; ++i) {
    for (Stream* stream : streams) stream->submit(compute, &i, sizeof i, nullptr);
  }
  for (Stream* stream : streams) stream->host_wait(stream->tail());
  return seconds_since(start);
}

// What the machine itself makes of as many threads.
double seconds_on_threads(int count) {
  Clock::time_point start = Clock::now();
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([] {
      for (uint64_t k = 0; k < kComputations; ++k) compute(&k);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return seconds_since(start);
}

}  // namespace

int main() {
  SimDevice first(0, {}, nullptr), second(1, {}, nullptr);
  auto a = first.new_stream(), b = second.new_stream();
  std::printf("enqueue 280 bytes: %.0f ns, limit 100\n", ns_per_enqueue(*a, true));
  std::printf("enqueue 280 bytes while the stream runs empty commands: %.0f ns\n", ns_per_enqueue(*a, false));

  std::vector<double> streams, threads;
  for (int run = 0; run < 9; ++run) {
    streams.push_back(2 * seconds_on_streams({a.get()}) / seconds_on_streams({a.get(), b.get()}));
    threads.push_back(2 * seconds_on_threads(1) / seconds_on_threads(2));
  }
  std::printf("two devices overlap: %.2fx, limit 1.9; two plain threads %.2fx on %u cores\n", median(streams),
              median(threads), std::thread::hardware_concurrency());
}
