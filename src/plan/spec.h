// What is to be planned, as users state it: a machine and a graph, by names. compile (problem.h) checks it.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace lutra::plan {

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

// One way between two devices: a copy of b bytes takes latency_us + b / bytes_per_us.
struct Link {
  double latency_us = 0;
  double bytes_per_us = kUnlimited;
  double us(double bytes) const { return latency_us + bytes / bytes_per_us; }
};

struct DeviceSpec {
  std::string name;
  std::string type;
  double memory = kUnlimited;  // bytes
};

// A link of its own. It counts in the other direction too, unless that is listed as well.
struct LinkSpec {
  std::string from, to;
  Link link;
};

struct NodeSpec {
  std::string name;
  std::vector<std::string> inputs;
  // Per type of device; a type that is not listed cannot run the node. The type "" stands for all.
  std::vector<std::pair<std::string, double>> time_us;
  double bytes = 0;                   // of its result
  std::string device;                 // a device's name, or a type; "": any
  std::vector<std::string> colocate;  // nodes that must run on the same device
  bool resident = false;              // its result is in memory all the time (a variable)
  bool mirrored = false;              // never changes: its copies stay from run to run, and cost no time
  bool keep = false;                  // its result is needed until the end, although other nodes read it
};

struct Spec {
  std::vector<DeviceSpec> devices;
  Link link;  // of all pairs that have none of their own
  std::vector<LinkSpec> links;
  std::vector<NodeSpec> nodes;
  // Nodes whose results are wanted; what no wanted result needs is left out. Empty: all nodes.
  std::vector<std::string> outputs;
};

}  // namespace lutra::plan
