// Ways to place a graph from nothing. Each is deterministic. Placements are per component; the order is the one in
// which the policy placed the nodes.
#pragma once

#include <vector>

#include "plan/simulate.h"

namespace lutra::plan {

// What a constructive policy found. Where memory ran out, `failed` is the node that fits on no device.
struct Construction {
  Placement placement;
  std::vector<double> start, finish;  // per node, as the policy counted
  std::vector<double> used_bytes;     // per device: all results and copies, nothing freed
  int failed = -1;
  double need_bytes = 0;  // of the failed node where it needs least
  int nearest = -1;       // the device that lacks least for it
};

// The greedy of the TensorFlow whitepaper (2015), section 3.2.1. The node whose inputs are done first is next, the
// smallest index among equals; it goes to the device where it finishes soonest, counting its own time there and the
// copies of its inputs; among equals to a GPU before a CPU, then to the first device. Nothing is ever freed.
//
// Memory: kKept is the rule of the paper, as above. kFreed gives a result's memory back once all its users are placed,
// which is about what runs need; kIgnored counts nothing. The simulation decides whether such placements fit.
enum class Memory { kKept, kFreed, kIgnored };
Construction place_greedily(const Problem& problem, Memory memory = Memory::kKept);

// m-ETF of Baechi (Jeon et al., SoCC 2020): of all pairs of a ready node and a device with room for it, the one that
// can start earliest is next. kFinish instead takes the pair that can finish earliest. Among equals the shorter time, a
// GPU before a CPU, the first device, the smallest index.
enum class EtfRule { kStart, kFinish };
Construction place_by_etf(const Problem& problem, EtfRule rule);

// Nodes by their upward rank (the longest way to an end, with mean times and copies; Topcuoglu et al., 2002), each to
// the device where it finishes soonest.
Construction place_by_rank(const Problem& problem, Memory memory = Memory::kKept);

// The nodes in order, cut into runs that fill one device after the other (m-TOPO of Baechi): the first candidate where
// no device holds everything.
Placement place_in_runs(const Problem& problem);

// Variables in runs, as above; then each node in order to the device that has most of what it reads, or whose nodes
// read it: the operations of a layer gather around its variables.
Placement place_by_affinity(const Problem& problem);

// Everything on one device. What cannot run there goes to the first device that can run it.
Placement place_alone(const Problem& problem, int device);
// The first node that takes time and cannot run on the device, or -1.
int first_obstacle(const Problem& problem, int device);

}  // namespace lutra::plan
