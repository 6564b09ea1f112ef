// What the parts of the driver's stub share: the cards as they are now, who has which of their memory, what the streams
// hold, and which calls are to fail.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/cuda/driver.h"
#include "support/cuda_stub/shared_cards.h"

// The driver's opaque types.
struct lutra::cuda::CUctx_st {
  int card = 0;
};
struct lutra::cuda::CUstream_st {
  struct Command {
    std::function<void()> run;
    std::shared_ptr<bool> waits_for;  // an event's moment; null: none
    bool is_work = true;              // what a lost card does no more
  };
  int card = 0;
  std::deque<Command> queue;
  CUgraph_st* captured = nullptr;  // what it gets meanwhile; null: it is not being captured
};
struct lutra::cuda::CUgraph_st {
  std::vector<CUstream_st::Command> commands;
};
struct lutra::cuda::CUgraphExec_st {
  std::vector<CUstream_st::Command> commands;
  int card;
};
struct lutra::cuda::CUevent_st {
  std::shared_ptr<bool> moment;  // of the last record; null: never recorded
  CUstream_st* stream = nullptr;
  std::shared_ptr<int64_t> ns;  // when it happened, by the steady clock
};

namespace lutra::cuda {

inline constexpr Result kInvalidValue = 1, kDeviceUnavailable = 46, kIllegalAddress = 700;
inline constexpr Result kCaptureUnsupported = 900, kUpdateFailure = 910;

struct Memory {
  std::size_t bytes;
  int card;
};

struct Stub {
  std::recursive_mutex mutex;
  int cards = 1;
  std::size_t memory_bytes = std::size_t{4096} << 20, taken_bytes = 0;
  int driver_version = 13000, capability = 90, old_card = -1, closed_card = -1;
  int faulty_card = -1;
  uint64_t fault_at = 0, work_done[kMostCards] = {};
  bool has_vmm = true, is_random = false, has_peers = true;
  std::unique_ptr<SharedCards> shared;
  std::mt19937_64 random{1};
  bool is_counting = false;
  std::string calls, told;
  std::map<std::string, std::pair<int, Result>> failures;  // calls to go, what then
  bool lost[kMostCards] = {};
  CUctx_st contexts[kMostCards];
  int context_uses[kMostCards] = {};
  thread_local static CUctx_st* current;
  std::set<CUstream_st*> streams;
  std::set<CUevent_st*> events;
  std::set<CUgraph_st*> graphs;
  std::set<CUgraphExec_st*> execs;
  std::map<MemoryHandle, Memory> handles;
  MemoryHandle next_handle = 1;
  std::map<Address, Memory> mapped, allocated;  // by address
  std::map<Address, std::size_t> reserved;
  std::map<void*, std::size_t> pinned;

  Stub() {
    for (int i = 0; i < kMostCards; ++i) contexts[i].card = i;
    if (const char* options = std::getenv("LUTRA_CUDA_STUB")) configure(options);
  }

  void configure(std::string_view options) {
    while (!options.empty()) {
      std::string_view word = options.substr(0, options.find(','));
      options.remove_prefix(std::min(options.size(), word.size() + 1));
      auto number = [&] { return std::strtoull(std::string(word.substr(word.find(':') + 1)).c_str(), nullptr, 10); };
      if (word == "inline") is_random = false;
      else if (word.starts_with("random:")) is_random = true, random.seed(number());
      else if (word.starts_with("cards:")) cards = static_cast<int>(std::min<uint64_t>(number(), kMostCards));
      else if (word.starts_with("memory:")) memory_bytes = number() << 20;
      else if (word.starts_with("taken:")) taken_bytes = number() << 20;
      else if (word.starts_with("driver:")) driver_version = static_cast<int>(number());
      else if (word.starts_with("capability:")) capability = static_cast<int>(number());
      else if (word.starts_with("old:")) old_card = static_cast<int>(number());
      else if (word.starts_with("closed:")) closed_card = static_cast<int>(number());
      else if (word.starts_with("faulty:")) faulty_card = static_cast<int>(number());
      else if (word.starts_with("fault-at:")) fault_at = number();
      else if (word.starts_with("shared:")) shared = std::make_unique<SharedCards>(std::string(word.substr(7)));
      else if (word == "vmm") has_vmm = true;
      else if (word == "no-vmm") has_vmm = false;
      else if (word == "peers") has_peers = true;
      else if (word == "no-peers") has_peers = false;
      else std::abort();
    }
  }

  // What the function of that name is to answer; success unless a test wants otherwise.
  Result enter(const char* function, std::size_t number = 0) {
    if (is_counting) calls += std::string(function) + " " + std::to_string(number) + "\n";
    auto failure = failures.find(function);
    if (failure == failures.end() || --failure->second.first > 0) return kSuccess;
    Result result = failure->second.second;
    failures.erase(failure);
    return result;
  }

  std::size_t own(int card) const {
    std::size_t sum = 0;
    for (const auto& [at, memory] : mapped) sum += memory.card == card ? memory.bytes : 0;
    for (const auto& [at, memory] : allocated) sum += memory.card == card ? memory.bytes : 0;
    for (const auto& [at, memory] : handles) sum += memory.card == card ? memory.bytes : 0;
    return sum;
  }
  std::size_t used(int card) const {
    std::size_t sum = taken_bytes + own(card) + (shared != nullptr ? shared->of_others(card) : 0);
    return std::min(sum, memory_bytes);
  }
  // Runs take() where the card has so much left, and nobody else can take it meanwhile.
  template <class Take> Result take(int card, std::size_t bytes, const Take& take) {
    SharedCards::Lock lock(shared.get());
    if (bytes > memory_bytes - used(card)) return kOutOfMemory;
    take();
    tell_others(card);
    return kSuccess;
  }
  void tell_others(int card) {
    if (shared != nullptr) shared->tell(card, own(card));
  }

  // Commands alone may touch the cards' memory: from the first that runs until those have run that run together.
  bool may_touch = false;
  void let_touch(bool may) {
    if (may == may_touch) return;
    may_touch = may;
    int access = may ? PROT_READ | PROT_WRITE : PROT_NONE;
    for (const auto& [at, memory] : mapped) mprotect(reinterpret_cast<void*>(at), memory.bytes, access);
    for (const auto& [at, memory] : allocated) mprotect(reinterpret_cast<void*>(at), memory.bytes, access);
  }
  void run(CUstream_st::Command& command, int card) {
    if (command.is_work && card == faulty_card && ++work_done[card] == fault_at) lost[card] = true;
    if (command.is_work && lost[card]) return;
    let_touch(true);
    command.run();
  }

  static bool may_run(const CUstream_st& stream) {
    return !stream.queue.empty() && (stream.queue.front().waits_for == nullptr || *stream.queue.front().waits_for);
  }
  // False when nothing can run.
  bool run_one() {
    std::vector<CUstream_st*> ready;
    for (CUstream_st* stream : streams) {
      if (may_run(*stream)) ready.push_back(stream);
    }
    if (ready.empty()) return false;
    CUstream_st& stream = *ready[random() % ready.size()];
    CUstream_st::Command command = std::move(stream.queue.front());
    stream.queue.pop_front();
    run(command, stream.card);
    return true;
  }
  void some() {
    if (!is_random || random() % 2 == 0) return;
    for (uint64_t left = random() % 4; left > 0 && run_one(); --left) {
    }
    let_touch(false);
  }
  template <class Done> void until(const Done& done) {
    while (!done() && run_one()) {
    }
    let_touch(false);
    if (!done()) std::abort();  // streams that wait for each other
  }

  // The result of a call after commands have run: a fault of theirs is reported from then on.
  Result answer() const { return lost[current->card] ? kIllegalAddress : kSuccess; }

  Result queue(CUstream_st* stream, std::function<void()> what, std::shared_ptr<bool> waits_for = nullptr,
               bool is_work = true) {
    if (streams.count(stream) == 0) return kInvalidValue;
    if (lost[stream->card]) return kIllegalAddress;
    if (stream->captured != nullptr) {
      if (!is_work) return kCaptureUnsupported;  // an event, which Lutra never captures
      stream->captured->commands.push_back({std::move(what), nullptr});
      return kSuccess;
    }
    stream->queue.push_back({std::move(what), std::move(waits_for), is_work});
    if (is_random) some();
    else until([stream] { return stream->queue.empty(); });
    return kSuccess;
  }
};

Stub& stub();

#define ENTER(name, number)      \
  Stub& s = stub();              \
  std::lock_guard lock(s.mutex); \
  if (Result told = s.enter(#name, number); told != kSuccess) return told
// The same where a context is needed.
#define ENTER_CONTEXT(name, number)     \
  ENTER(name, number);                  \
  if (s.current == nullptr) return 201; \
  if (s.lost[s.current->card]) return kIllegalAddress

}  // namespace lutra::cuda
