// A planning problem that has been checked: nodes and devices as indices, edges in flat arrays, colocated nodes joined
// in components. Every policy and the simulation read this form.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/spec.h"

namespace lutra::plan {

// Nodes and devices are ints, and -1 is none of them: this makes one an index.
inline std::size_t at(int i) { return static_cast<std::size_t>(i); }

// How the machine executes a plan, beyond devices and links.
struct Execution {
  // False: devices are fed freely, each takes its nodes in the plan's order, and copies do not delay each other. True:
  // as eager code runs. One host issues the nodes in the order of their indices; a node on the host's own device blocks
  // it; a copy waits for all work that its source was given before, and copies of one device follow each other.
  bool is_eager = false;
  int host = -1;         // the device that blocks the host; -1: none
  double issue_us = 0;   // the host's time for each node that it issues
  double finish_us = 0;  // the host's time at the end, after the last node
};

// The bounds of a node's or component's entries in a flat array.
struct Lists {
  std::vector<int> begin{0};
  std::vector<int> items;
  std::span<const int> of(int i) const { return {items.data() + begin[at(i)], items.data() + begin[at(i) + 1]}; }
  int size() const { return static_cast<int>(begin.size()) - 1; }
};

class Problem {
 public:
  std::vector<DeviceSpec> devices;
  std::vector<std::string> kinds;  // the types of devices, in order of appearance
  std::vector<int> kind;           // per device
  std::vector<int> priority;       // per device: 1, and 0 for CPUs
  // Devices that differ in nothing but their name have one class: its first device.
  std::vector<int> device_class;
  Execution execution;

  std::vector<std::string> names;  // per node
  Lists inputs, users;             // of nodes, each at most once
  std::vector<double> bytes;       // per node
  std::vector<uint8_t> resident, mirrored, keep;
  std::vector<int> component;        // per node
  Lists members;                     // of components
  std::vector<int> order;            // the nodes, each after its inputs, else by index
  std::vector<std::string> ignored;  // nodes that no output needs

  int node_count() const { return static_cast<int>(names.size()); }
  int device_count() const { return static_cast<int>(devices.size()); }
  int component_count() const { return members.size(); }

  // kUnlimited: the device cannot run it.
  double time(int node, int device) const {
    return times[static_cast<std::size_t>(node) * kinds.size() +
                 static_cast<std::size_t>(kind[static_cast<std::size_t>(device)])];
  }
  // The devices that can run all nodes of the component, and that its constraints allow; never empty.
  const std::vector<int>& feasible(int component_index) const {
    return sets[static_cast<std::size_t>(set_of[static_cast<std::size_t>(component_index)])];
  }
  bool is_feasible(int component_index, int device) const;
  // Whether a type of device that it may run on has no device that it may not run on.
  bool takes_all_of_its_types(int component_index) const {
    return set_is_whole[static_cast<std::size_t>(set_of[static_cast<std::size_t>(component_index)])] != 0;
  }
  const Link& link(int from, int to) const {
    return pair_links.empty()
               ? default_link
               : pair_links[static_cast<std::size_t>(from) * devices.size() + static_cast<std::size_t>(to)];
  }
  double copy_us(int node, int from, int to) const {
    const auto at = static_cast<std::size_t>(node);
    return mirrored[at] != 0 ? 0 : link(from, to).us(bytes[at]);
  }
  // Whether some placement might exceed a device's memory. No device ever holds more than one copy of each result.
  bool is_memory_tight() const { return memory_is_tight; }

  // Filled by compile.
  std::vector<double> times;  // node x kind
  std::vector<std::vector<int>> sets;
  std::vector<uint8_t> set_is_whole;
  std::vector<int> set_of;  // per component
  Link default_link;
  std::vector<Link> pair_links;  // device x device; empty: all are the default
  bool memory_is_tight = false;
};

// Fails (InvalidArgument) and says which node, device or number is wrong: an unknown or repeated name, a negative or
// undefined number, a cycle (with its nodes), constraints that contradict each other or that no device meets.
Problem compile(const Spec& spec);

}  // namespace lutra::plan
