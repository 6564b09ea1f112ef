// One thread's view of a Runtime: its device scopes, its random numbers, who listens, and who made which tensor.
// It holds no scratch of a call in progress: a finalizer may call ops in the middle of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "eager/ledger.h"
#include "eager/origins.h"
#include "eager/placement_log.h"
#include "eager/runtime.h"
#include "eager/scope.h"

namespace lutra {

// What src/lua lends the layers below. Every one may be null.
struct ContextHooks {
  void* user = nullptr;
  // Collects garbage; false when that is not possible now (stopped, inside a finalizer).
  bool (*collect)(void* user) = nullptr;
  // The script line that is running, "train.lua:7".
  std::string (*line)(void* user) = nullptr;
  // Whether the user asked to stop. Long work polls it between steps. True once: the caller must then stop.
  bool (*take_interrupt)() = nullptr;
};

// What memory is asked for, for the out-of-memory report.
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
  bool take_interrupt() const { return hooks.take_interrupt != nullptr && hooks.take_interrupt(); }
  std::string line() const { return hooks.line != nullptr ? hooks.line(hooks.user) : std::string(); }

  // The running coroutine's scopes; never null.
  ScopeStack* scopes = &main_scopes_;
  ScopeStack& main_scopes() { return main_scopes_; }

  // The id of a DeviceSpec in this Context; 0 is the empty one. It holds until forget_specs.
  uint32_t intern(const DeviceSpec& spec);
  // Many names were made up since names were forgotten last: time to do it again.
  bool has_many_specs() const { return spec_ids_.size() >= many_specs_; }
  // Forgets the names that neither `in_use` nor an origin refers to, and gives their ids to others.
  void forget_specs(std::span<const uint32_t> in_use);
  const DeviceSpec& spec(uint32_t id) const { return specs_[id]->spec; }
  const std::string& spec_text(uint32_t id) const { return specs_[id]->text; }
  // The id of `name`, read as a scope opened inside `outer`.
  uint32_t scope_inside(uint32_t outer, uint32_t inner);

  // The initialised devices a scope means, in order of placement. With soft placement on those that stand in for them.
  struct Target {
    std::vector<LogicalDevice*> devices;
    Reason reason = Reason::OnlyCpu;  // for the first of them
    bool soft = false;                // none of them was meant
  };
  // Initialises the devices if need be. Fails (NotFound) when there are none.
  const Target& target(uint32_t spec) {
    Spec& entry = *specs_[spec];
    return entry.resolved == runtime_.placement_stamp() ? entry.target : resolve(entry);
  }

  // The devices, initialising them if need be.
  std::span<LogicalDevice* const> devices() {
    if (!runtime_.is_initialised()) runtime_.initialise(line());
    return runtime_.order();
  }

  void set_seed(uint64_t seed);
  // Where the sequence of random numbers stands: what is drawn next is drawn again when it is put back there.
  struct RandomPlace {
    uint64_t seed = 0, counter = 0;
    bool seeded = false;
  };
  RandomPlace random_place();
  void set_random_place(const RandomPlace& place) { random_ = place; }
  // The next range of `blocks` Philox blocks; with a given seed one that depends on it alone.
  Rng random_range(const Seed& seed, uint64_t blocks);
  // The next range is a part of a larger one, from block `skip` of it on: the counter moves on by `whole` blocks, or
  // not at all when the larger one began at `began`, in the past. So the rows of a batch that replicas share have the
  // random bits of their places in it.
  struct RandomPart {
    uint64_t skip = 0;
    uint64_t whole = 0;  // 0: the next range is an ordinary one
    std::optional<uint64_t> began = {};
  };
  void draw_part(const RandomPart& part) { part_ = part; }
  uint64_t random_counter() const { return random_.counter; }

  // Never null: collects, drops mirrors, drains, trims and tries again before it fails (ResourceExhausted) with the
  // report (memory_report.h).
  Storage* allocate(LogicalDevice& device, std::size_t bytes, const Wanted& wanted) {
    Storage* storage = device.allocate(bytes);
    return storage != nullptr ? storage : allocate_under_pressure(device, bytes, wanted);
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
  void seed_if_need_be();

  Runtime& runtime_;
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
