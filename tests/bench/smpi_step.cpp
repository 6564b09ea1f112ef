// The sums of a training step on simulated hosts, by SimGrid's SMPI: what src/hosts and src/distribute/slices.h send,
// by the plugin that they use. scripts/lib/smpi_bench.lua compiles and runs it.
//   smpirun -np N ... smpi_step BYTES SECONDS
// Rank 0 prints the simulated seconds of a step, and of the agreement alone. BYTES: of gradients. SECONDS: what a rank
// takes to read, add and write them.
//
// SMPI's ranks are threads of one process, of which only one runs at a time, and MPI there can be called by no other
// thread. So there is no thread for heartbeats, and all sums begin after the backward pass.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "distribute/slices.h"
#include "hosts/control.h"
#include "hosts/plugin/mpi_plugin.cpp"

namespace lutra {
namespace {

int own_rank = 0, rank_count = 1;

// The simulated time stands still until a rank waits. So where Lutra polls, these functions wait.
//
// What a message takes SMPI grows with the receives that its rank has posted. So of an exchange's receives only those
// are posted whose messages come next: senders begin with the ranks after their own.
struct Receive {
  void* into;
  std::size_t bytes;
  int from, tag;
};
std::vector<Receive> waiting;  // the last one is the next
std::vector<MPI_Request> posted;

// What is in place of a request: odd, which no pointer is.
constexpr MpiRequest kReceive = 1;

MpiRequest receive_later(void* into, std::size_t bytes, int from, int tag) {
  waiting.push_back({into, bytes, from, tag});
  return kReceive;
}

void post_receives() {
  constexpr std::size_t kPosted = 16;
  for (; !waiting.empty() && posted.size() < kPosted; waiting.pop_back()) {
    const Receive& next = waiting.back();
    posted.push_back(unpacked(receive(next.into, next.bytes, next.from, next.tag)));
  }
}

// Waits for one of the sends, or for all receives.
bool wait_for_some(MpiRequest* bits, std::size_t count) {
  std::vector<MPI_Request> requests;
  const bool are_receives = bits[0] == kReceive;
  for (std::size_t i = 0; !are_receives && i < count; ++i) requests.push_back(unpacked(bits[i]));
  const std::size_t sends = requests.size();
  while (!are_receives || !posted.empty()) {
    requests.resize(sends);
    requests.insert(requests.end(), posted.begin(), posted.end());
    int index = 0;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
    const auto done = static_cast<std::size_t>(index);
    if (done < sends) {
      bits[done] = 0;
      return count == 1;
    }
    posted.erase(posted.begin() + static_cast<std::ptrdiff_t>(done - sends));
    post_receives();
  }
  std::fill(bits, bits + count, 0);
  return true;
}

bool wait_for_message(int tag, int* from, std::size_t* bytes) {
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, tag, world, &status);
  return probe(tag, from, bytes);
}

// The same memory for all ranks, whose values nobody looks at. Each rank has its own global variables, but all have the
// same environment.
std::byte* shared_memory(std::size_t bytes) {
  constexpr const char* kName = "LUTRA_SMPI_MEMORY";
  if (std::getenv(kName) == nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
    setenv(kName, std::to_string(address).c_str(), 1);
  }
  return reinterpret_cast<std::byte*>(std::strtoull(std::getenv(kName), nullptr, 10));
}

class Rank {
 public:
  Rank() {
    calls_.start(false, &own_rank, &rank_count);
    calls_.done = wait_for_some;
    calls_.probe = wait_for_message;
    control_.emplace(calls_, own_rank, rank_count);
  }

  // As Cluster::meet.
  void meet() {
    control_->tell(
        {.kind = Message::Arrive, .rank = own_rank, .sequence = ++sequence_, .what = "a sum", .where = "x.lua:1"});
    while (!control_->take_answer()) control_->receive();
    control_->free_sent();
  }

  // As EarlySums and RankSums.
  void step(std::size_t bytes, double seconds) {
    const std::size_t count = bytes / sizeof(float);
    const Slices slices(slice_bounds(count, static_cast<std::size_t>(rank_count)), sizeof(float),
                        static_cast<std::size_t>(own_rank));
    std::byte* const memory = shared_memory(std::max(bytes, slices.bytes(0) * slices.ranks()));
    MPI_Barrier(MPI_COMM_WORLD);
    double times[3] = {MPI_Wtime()}, last[3] = {};
    meet();
    times[1] = MPI_Wtime();
    usleep(static_cast<useconds_t>(seconds * 1e6));  // a simulated one
    sum_by_owners(
        slices, memory, memory, true,
        [&](const std::vector<Piece>& sends, const std::vector<Piece>& receives) {
          MpiCalls calls = calls_;
          calls.receive = receive_later;
          Exchange exchange(calls, own_rank, sends, receives, [](int) { return false; });
          auto distance = [](const Receive& each) { return (own_rank - each.from + rank_count) % rank_count; };
          std::reverse(waiting.begin(), waiting.end());
          std::ranges::stable_sort(waiting, std::greater(), distance);
          post_receives();
          while (!exchange.go_on()) continue;
        },
        [](std::byte*, std::byte*) {});
    times[2] = MPI_Wtime();
    MPI_Reduce(times, last, 3, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (own_rank == 0) std::printf("step %.9g meeting %.9g\n", last[2] - last[0], last[1] - last[0]);
  }

 private:
  MpiCalls calls_ = kCalls;
  uint64_t sequence_ = 0;
  std::optional<Control> control_;
};

}  // namespace
}  // namespace lutra

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  lutra::Rank rank;
  rank.step(std::strtoull(argv[1], nullptr, 10), std::strtod(argv[2], nullptr));
  MPI_Finalize();
}
