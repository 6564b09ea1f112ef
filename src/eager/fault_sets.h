// Late errors. A launch that may find a wrong value has a record. Each tensor carries the set of such launches that it
// depends on, directly or not, as a small index in its storage (0, nearly always: the empty set). Every wait for a
// tensor raises iff its set contains a launch that failed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "device/stream.h"
#include "ops/fault.h"

namespace lutra {

struct LaunchRecord {
  Fault fault;
  Ticket ticket;
  const OpDef* op = nullptr;
  std::string device;
  std::string line;   // "train.lua:7", where it was queued
  uint32_t sets = 0;  // how many sets hold it
  LaunchRecord* next_retired = nullptr;
};

class FaultSets {
 public:
  FaultSets() : sets_(1) {}
  ~FaultSets();

  // Makes a record for a launch that is about to be queued. Its outputs have the set *with_it, which is `set` and the
  // launch, and is retained.
  LaunchRecord* open(uint32_t set, uint32_t* with_it);

  // The union, retained. A set that is known to be good counts as empty.
  uint32_t unite(uint32_t a, uint32_t b);
  void retain(uint32_t set) {
    if (set != 0) ++sets_[set].refs;
  }
  void release(uint32_t set);
  // Whether all launches of the set are done and none failed.
  bool is_good(uint32_t set) const;
  // Raises the error of a launch that failed. The caller has waited for all launches of the set.
  void check(uint32_t set) const;
  // The same for all sets in use, for the launches of one device or ("") of all.
  void check_all(const std::string& device) const;

 private:
  struct Set {
    std::vector<LaunchRecord*> launches;  // sorted by address; copied from the key in known_
    uint32_t refs = 0;
  };
  using Launches = std::vector<LaunchRecord*>;
  static bool is_good(const LaunchRecord& launch) { return is_done(launch.ticket) && !launch.fault.happened(); }
  static Launches open_launches(const Launches& launches);
  static void raise_if_failed(const LaunchRecord& launch);
  uint32_t intern(Launches launches);
  void sweep();
  void let_go(const Launches& launches);

  std::vector<Set> sets_;  // [0] is the empty set
  std::map<Launches, uint32_t> known_;
  LaunchRecord* retired_ = nullptr;  // in no set any more, but the device may still write to them
  std::vector<uint32_t> unused_;
};

}  // namespace lutra
