// Simulates a placed graph: when each node starts and ends, what is copied, what each device holds.
#pragma once

#include <vector>

#include "plan/problem.h"

namespace lutra::plan {

// Where each component runs, and in which order the nodes are given to their devices.
struct Placement {
  std::vector<int> device;  // per component
  std::vector<int> order;   // of nodes, each after its inputs
};

struct Copy {
  int node, from, to;
  double start, finish;
  double until;  // when its last reader ends
};

struct Simulation {
  std::vector<int> device;  // per node
  std::vector<double> start, finish;
  std::vector<Copy> copies;
  std::vector<double> busy_us, peak_bytes;  // per device
  std::vector<int> critical_path;           // nodes, first to last: each starts when the one before lets it
  double makespan_us = 0;
  // How much the devices lack in all, and the device that lacks most; 0 and -1: everything fits.
  double missing_bytes = 0;
  int fullest = -1;
};

// What the search minimises: first the missing memory, then the time.
struct Score {
  double missing_bytes = kUnlimited;
  double makespan_us = kUnlimited;
  bool operator<(const Score& other) const {
    return missing_bytes != other.missing_bytes ? missing_bytes < other.missing_bytes : makespan_us < other.makespan_us;
  }
  bool fits() const { return missing_bytes <= 0; }
};

// A device takes one node at a time; a node starts when its device is free and its inputs are there. A result is sent
// once to each device that reads it, as soon as it is computed (Execution::is_eager: as eager code does). It takes up
// memory on its own device from its node's start until its last reader there has ended and its last copy has arrived,
// and each copy from the copy's start until its last reader has ended. Results that no node reads stay.
class Simulator {
 public:
  explicit Simulator(const Problem& problem);
  Score score(const Placement& placement);
  Simulation simulate(const Placement& placement);

  // Of the last score or simulation, per node.
  const std::vector<double>& starts() const { return start_; }
  const std::vector<double>& finishes() const { return finish_; }
  // The nodes that decide the makespan, first to last.
  std::vector<int> critical_path(const Placement& placement) const;

 private:
  template <bool kEager, bool kCopies> void run(const Placement& placement);
  double arrival(int node, int from, int to, bool is_eager);
  void measure_memory(const Placement& placement, std::vector<double>* peaks);
  int device_of(const Placement& placement, int node) const {
    return placement.device[static_cast<std::size_t>(problem_.component[static_cast<std::size_t>(node)])];
  }

  const Problem& problem_;
  std::vector<double> start_, finish_;
  std::vector<double> free_;       // per device
  std::vector<double> copy_free_;  // per device: its queue of copies
  std::vector<int> first_copy_;    // per node: its last copy in copies_, which are linked
  std::vector<int> next_copy_;
  std::vector<Copy> copies_;
  double host_ = 0;
  double makespan_ = 0;
  struct Change {
    double when;
    double bytes;
    int device;
  };
  std::vector<Change> changes_;
  std::vector<double> held_, peak_;
};

}  // namespace lutra::plan
