// One thread's view of a Runtime: its device scopes, random numbers, placement log, ledger and the origins of tensors.
// It holds no scratch memory of a call in progress, as a finalizer may call ops in the middle of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/copy_totals.h"
#include "eager/ledger.h"
#include "eager/observer.h"
#include "eager/origins.h"
#include "eager/placement_log.h"
#include "eager/runtime.h"
#include "eager/scope.h"
#include "eager/script_position.h"

namespace lutra {

class PlacementPolicy;

// What src/lua provides to the layers below. Each function may be null.
struct ContextHooks {
  void* user = nullptr;
  // Collects garbage; false when that is not possible now (stopped, inside a finalizer).
  bool (*collect)(void* user) = nullptr;
  // Whether a finalizer is running.
  bool (*in_finalizer)(void* user) = nullptr;
  // The script line that is running, "train.lua:7".
  std::string (*line)(void* user) = nullptr;
  // The same, without allocating memory.
  void (*position)(void* user, ScriptPosition* position) = nullptr;
  // Whether the user asked to stop. Long work polls it between steps. Returns true only once: the caller must then
  // stop.
  bool (*take_interrupt)(void* interrupts) = nullptr;
  void* interrupts = nullptr;
};

// The tensor that an allocation is for, for the out-of-memory report.
struct Wanted {
  const char* op;
  DType dtype;
  Shape shape;
};

class Context {
 public:
  explicit Context(Runtime& runtime);
  ~Context();
  Context(const Context&) = delete;

  Runtime& runtime() { return runtime_; }
  PlacementLog& placement_log() { return placement_log_; }
  Origins& origins() { return origins_; }
  Ledger& ledger() { return ledger_; }
  ContextHooks hooks;
  // Null: the rules place ops. Inside a composed op there is none.
  PlacementPolicy* policy() const { return composing == 0 ? policy_ : nullptr; }
  void set_policy(PlacementPolicy* policy) {
    policy_ = policy;
    ledger_.tell_policy(policy != nullptr);
  }
  // Ends it, if it is the present one.
  void drop_policy(const PlacementPolicy* policy) {
    if (policy_ == policy) set_policy(nullptr);
  }
  bool has_policy() const { return policy_ != nullptr; }
  int composing = 0;  // how many composed ops are running

  bool take_interrupt() const { return hooks.take_interrupt != nullptr && hooks.take_interrupt(hooks.interrupts); }
  // Fails (Cancelled): Ctrl-C has ended an op early.
  [[noreturn]] void fail_stopped() const;
  // At the prompt, waits for the device's queued work; Ctrl-C ends the wait: fails (Cancelled), and the work goes on.
  // `why`: as for host_wait.
  void wait_for(const LogicalDevice& device, const char* why) const;
  std::string line() const {
    if (replayed_line != nullptr) return *replayed_line;
    return hooks.line != nullptr ? hooks.line(hooks.user) : std::string();
  }
  // While a recorded launch is replayed: the line that it was recorded at.
  const std::string* replayed_line = nullptr;

  // From here on `by`, which records launches for replays, observes (null: recording ends). While it does, all new
  // tensors have a Storage, which identifies them. Initialises the devices.
  void record(Observer* by);
  const Observer* recording() const { return recording_; }
  // The recorded launches cannot repeat what is being done, because of `reason`, a clause for users.
  void cannot_repeat(const char* reason) {
    tell_observers([=](Observer& each) { each.cannot_repeat(reason); });
  }
  // A storage is about to be freed.
  void freed(const Storage* storage);

  ScriptPosition position() const {
    ScriptPosition position{{}, 0};
    if (hooks.position != nullptr) hooks.position(hooks.user, &position);
    return position;
  }

  // Observers see what runs from now on. One Context at a time; before an observer is destroyed, detach it.
  void attach(Observer& observer);
  void detach(Observer& observer);
  bool is_observed() const { return observers_ != nullptr; }
  // Whether some observer checks ops' results.
  bool is_checked() {
    bool any = false;
    tell_observers([&](Observer& each) { any |= each.checks(); });
    return any;
  }
  template <class F> void tell_observers(const F& f) {
    for (Observer* each = observers_; each != nullptr;) {
      Observer* next = each->next_;  // `each` may detach itself
      f(*each);
      each = next;
    }
  }
  // Copies since the start or since they were cleared.
  CopyTotals& copy_totals() { return copy_totals_; }

  // The running coroutine's scopes; never null.
  ScopeStack* scopes = &main_scopes_;
  ScopeStack& main_scopes() { return main_scopes_; }

  // The id of a DeviceSpec in this Context; 0 is the empty one. Valid until forget_specs.
  uint32_t intern(const DeviceSpec& spec);
  // Whether so many names are interned that it is time to call forget_specs.
  bool has_many_specs() const { return spec_ids_.size() >= many_specs_; }
  // Forgets the names that neither `in_use` nor an origin refers to. Their ids are reused.
  void forget_specs(std::span<const uint32_t> in_use);
  const DeviceSpec& spec(uint32_t id) const { return specs_[id]->spec; }
  const std::string& spec_text(uint32_t id) const { return specs_[id]->text; }
  // The id of the scope `inner` opened inside `outer`.
  uint32_t scope_inside(uint32_t outer, uint32_t inner);

  // The initialised devices that a scope names, in order of placement; under soft placement their substitutes.
  struct Target {
    std::vector<LogicalDevice*> devices;
    Reason reason = Reason::OnlyCpu;  // for the first of them
    bool soft = false;                // they are substitutes
  };
  // Initialises the devices if necessary. Fails (NotFound) if no device matches.
  const Target& target(uint32_t spec) {
    Spec& entry = *specs_[spec];
    return entry.resolved == runtime_.placement_stamp() ? entry.target : resolve(entry);
  }

  // All devices. Initialises them if necessary.
  std::span<LogicalDevice* const> devices() {
    if (!runtime_.is_initialised()) initialise();
    return runtime_.order();
  }

  void set_seed(uint64_t seed);
  // A position in the sequence of random numbers. Setting it repeats the numbers that were drawn after it was read.
  struct RandomPlace {
    uint64_t seed = 0, counter = 0;
    bool seeded = false;
  };
  RandomPlace random_place();
  void set_random_place(const RandomPlace& place) { random_ = place; }
  // The next range of `blocks` Philox blocks; with a given seed, a range that depends on the seed alone.
  Rng random_range(const Seed& seed, uint64_t blocks);
  // Makes the next range a part of a larger range, from its block `skip` on. The counter advances by `whole` blocks, or
  // not at all if the larger range began in the past, at `began`. So each row of a batch split among replicas gets the
  // random bits of its position in the batch.
  struct RandomPart {
    uint64_t skip = 0;
    uint64_t whole = 0;  // 0: the next range is an ordinary one
    std::optional<uint64_t> began = {};
  };
  void draw_part(const RandomPart& part) { part_ = part; }
  uint64_t random_counter() const { return random_.counter; }

  // Never null. If memory is short, collects garbage, drops mirrors, drains and trims, retrying in between; fails
  // (ResourceExhausted) with the report (memory_report.h).
  Storage* allocate(LogicalDevice& device, std::size_t bytes, const Wanted& wanted) {
    Storage* storage = device.allocate(bytes);
    if (storage == nullptr) [[unlikely]]
      storage = allocate_under_pressure(device, bytes, wanted);
    if (observers_ != nullptr) [[unlikely]]
      tell_observers([&](Observer& each) { each.allocated(device, bytes, wanted); });
    return storage;
  }

 private:
  Storage* allocate_under_pressure(LogicalDevice& device, std::size_t bytes, const Wanted& wanted);

  static constexpr std::size_t kManySpecs = 4096;
  struct Spec {
    DeviceSpec spec;
    std::string text;
    uint64_t resolved = 0;  // the Runtime's placement stamp when target was found; 0: never
    Target target;
  };
  const Target& resolve(Spec& entry);
  void initialise();
  void seed_if_need_be();

  Runtime& runtime_;
  Observer* observers_ = nullptr;  // in the order in which they were attached
  Observer* recording_ = nullptr;  // one of them
  CopyTotals copy_totals_;
  PlacementPolicy* policy_ = nullptr;
  PlacementLog placement_log_;
  Origins origins_;
  Ledger ledger_;
  ScopeStack main_scopes_;
  std::vector<std::unique_ptr<Spec>> specs_;
  std::unordered_map<std::string, uint32_t> spec_ids_;
  std::vector<uint32_t> free_specs_;
  std::size_t many_specs_ = kManySpecs;
  std::unordered_map<uint64_t, uint32_t> merged_;
  RandomPart part_;
  RandomPlace random_;
};

}  // namespace lutra
