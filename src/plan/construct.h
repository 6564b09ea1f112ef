// A placement under construction: what each device was given so far, and when it is free. A result is copied once to
// each device that reads it.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/policies.h"

namespace lutra::plan {

class Builder {
 public:
  explicit Builder(const Problem& problem, Memory memory = Memory::kKept);

  // Calls visit(device, arrival_on(node, device)) for the devices that the node may go to, in order. Devices that hold
  // nothing yet and differ only in their names are equal: only the first of them is visited.
  template <class Visit> void for_each_candidate(int node, const Visit& visit) {
    const int component = problem_.component[at(node)];
    if (placement_.device[at(component)] >= 0) {
      const int fixed = placement_.device[at(component)];
      visit(fixed, arrival_on(node, fixed));
      return;
    }
    ++round_;
    const bool is_alike = problem_.pair_links.empty();
    const double apart = is_alike ? arrival_apart(node) : 0;
    for (int input : problem_.inputs.of(node)) has_input_in_[at(device_of(input))] = round_;
    for (int device : problem_.feasible(component)) {
      if (!is_used_[at(device)]) {
        int& seen = seen_in_[at(problem_.device_class[at(device)])];
        if (seen == round_) continue;
        seen = round_;
      }
      const bool is_apart = is_alike && has_input_in_[at(device)] != round_;
      visit(device, is_apart ? apart : arrival_on(node, device));
    }
  }

  // When its inputs can all be on the device.
  double arrival_on(int node, int device) const {
    double latest = 0;
    for (int input : problem_.inputs.of(node)) {
      const int from = device_of(input);
      double there = finish_[at(input)];
      if (from != device) there += problem_.copy_us(input, from, device);
      latest = std::max(latest, there);
    }
    return latest;
  }
  // The same on a device that holds none of them, where all links are alike.
  double arrival_apart(int node) const {
    double latest = 0;
    for (int input : problem_.inputs.of(node)) {
      const double copy = problem_.mirrored[at(input)] != 0 ? 0 : problem_.default_link.us(problem_.bytes[at(input)]);
      latest = std::max(latest, finish_[at(input)] + copy);
    }
    return latest;
  }
  double start_on(int node, int device) const { return std::max(free_[at(device)], arrival_on(node, device)); }
  // Its result, and the inputs that are not on the device yet.
  double need_on(int node, int device) const;
  bool fits(int node, int device) const {
    return memory_ == Memory::kIgnored || !problem_.is_memory_tight() ||
           used_[at(device)] + need_on(node, device) <= problem_.devices[at(device)].memory;
  }
  void put(int node, int device);
  void fail_at(int node);

  double finish(int node) const { return finish_[at(node)]; }
  double free(int device) const { return free_[at(device)]; }
  bool is_used(int device) const { return is_used_[at(device)]; }
  int component_device(int node) const { return placement_.device[at(problem_.component[at(node)])]; }
  std::vector<int> input_counts() const;
  Construction take();

 private:
  int device_of(int node) const { return placement_.device[at(problem_.component[at(node)])]; }
  bool was_sent(int node, int device) const;

  void release_inputs(int node);

  const Problem& problem_;
  const Memory memory_;
  std::vector<int> users_left_;  // kFreed: per node, the users that are not placed yet
  Placement placement_;
  std::vector<double> start_, finish_, free_, used_;
  std::vector<int> has_input_in_;  // per device: the last round in which it held an input
  std::vector<uint8_t> is_used_;
  std::vector<int> seen_in_;
  int round_ = 0;
  std::vector<std::vector<int>> sent_;  // per node: the devices it was copied to
  int failed_ = -1;
  double need_ = 0;
  int nearest_ = -1;
};

}  // namespace lutra::plan
