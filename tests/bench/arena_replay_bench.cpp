// Target 19 of the performance plan: the memory that training takes from a card, against what its tensors need. The
// allocations of an MLP 1024-4096-1024, forward, backward and update, with batches of 1 to 256 rows, 2,000 steps, by
// Lutra's arena with pages as needed, and by what TensorFlow and PyTorch do (arena_policies.h). Prints the most that
// was taken over the most that was in use, and what is left taken after the arena was trimmed.
#include <cstdio>
#include <random>
#include <unordered_map>
#include <vector>

#include "addresses_only.h"
#include "arena_policies.h"
#include "memory/arena.h"

namespace {

using namespace lutra::bench;

constexpr std::size_t kIn = 1024, kHidden = 4096, kOut = 1024, kFloat = 4;

struct Event {
  int tensor;
  std::size_t bytes;  // 0: it is freed
};

// What a program does that computes gradients op by op: a tensor goes when nothing will read it any more.
class Trace {
 public:
  Trace() {
    for (std::size_t bytes : {kIn * kHidden, kHidden, kHidden * kOut, kOut}) make(bytes * kFloat);
    std::mt19937_64 random(1);
    for (int step = 0; step < 2000; ++step) add_step(1 + random() % 256);
  }
  const std::vector<Event>& events() const { return events_; }

 private:
  int make(std::size_t bytes) {
    events_.push_back({tensors_, bytes});
    return tensors_++;
  }
  void drop(int tensor) { events_.push_back({tensor, 0}); }

  void add_step(std::size_t batch) {
    const std::size_t in = batch * kIn * kFloat, hidden = batch * kHidden * kFloat, out = batch * kOut * kFloat;
    int x = make(in), wanted = make(out);
    int sum = make(hidden), active = make(hidden);
    drop(sum);
    int y = make(out), off = make(out), losses = make(batch * kFloat), loss = make(kFloat);
    drop(losses);
    int dy = make(out);
    drop(off);
    drop(y);
    int dw2 = make(kHidden * kOut * kFloat), db2 = make(kOut * kFloat), dactive = make(hidden);
    drop(dy);
    int dsum = make(hidden);
    drop(dactive);
    drop(active);
    int dw1 = make(kIn * kHidden * kFloat), db1 = make(kHidden * kFloat);
    drop(dsum);
    // w -= rate * dw, in place, with the product in between.
    for (auto [gradient, elements] : {std::pair(dw1, kIn * kHidden), std::pair(db1, kHidden),
                                      std::pair(dw2, kHidden * kOut), std::pair(db2, kOut)}) {
      int scaled = make(elements * kFloat);
      drop(scaled);
      drop(gradient);
    }
    for (int tensor : {x, wanted, loss}) drop(tensor);
  }

  std::vector<Event> events_;
  int tensors_ = 0;
};

class LutraGrowth {
 public:
  LutraGrowth() {
    arena_.set_drain([](void* self) { ++static_cast<LutraGrowth*>(self)->waits_; }, this);
  }
  int waits() const { return waits_; }
  lutra::Arena::Chunk* allocate(std::size_t bytes) { return arena_.allocate(bytes); }
  void free(lutra::Arena::Chunk* chunk) { arena_.free(chunk, 0); }
  std::size_t reserved() const { return arena_.stats().reserved_bytes; }
  void trim() { arena_.trim(); }

 private:
  int waits_ = 0;
  AddressesOnly pages_;
  lutra::Arena arena_{pages_, {.limit_bytes = std::size_t{16} << 30, .growth = true}};
};

template <class Allocator> void replay(const char* name, Allocator& allocator, const Trace& trace) {
  struct Tensor {
    decltype(allocator.allocate(1)) place;
    std::size_t bytes;
  };
  std::unordered_map<int, Tensor> live;
  std::size_t in_use = 0, most_in_use = 0, most_reserved = 0;
  for (const Event& event : trace.events()) {
    if (event.bytes > 0) {
      live[event.tensor] = {allocator.allocate(event.bytes), event.bytes};
      in_use += event.bytes;
    } else {
      allocator.free(live[event.tensor].place);
      in_use -= live[event.tensor].bytes;
      live.erase(event.tensor);
    }
    most_in_use = std::max(most_in_use, in_use);
    most_reserved = std::max(most_reserved, allocator.reserved());
  }
  for (const auto& [tensor, what] : live) allocator.free(what.place);
  constexpr double kMiB = 1 << 20;
  std::printf("MLP replayed, %-18s %6.1f MiB taken for %.1f in use: %.3f", name,
              static_cast<double>(most_reserved) / kMiB, static_cast<double>(most_in_use) / kMiB,
              static_cast<double>(most_reserved) / static_cast<double>(most_in_use));
}

}  // namespace

int main() {
  Trace trace;
  LutraGrowth lutra;
  replay("Lutra", lutra, trace);
  lutra.trim();
  std::printf(", target 1.15; %d waits for the card; %zu bytes after trim, target 0\n", lutra.waits(),
              lutra.reserved());
  TensorFlowGrowth tensorflow;
  replay("TensorFlow's rules", tensorflow, trace);
  std::printf("; given back by nothing\n");
  PyTorchCaching pytorch;
  replay("PyTorch's rules", pytorch, trace);
  std::printf("; given back by empty_cache\n");
}
