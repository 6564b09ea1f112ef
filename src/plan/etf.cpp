// Note [Queues of earliest-task-first]
// Every pair of a ready node and a device has a time at which the node's inputs can be on the device, which is known
// once the node is ready and never changes. So the pairs of a device are kept in two heaps: those whose inputs will
// arrive after the device is free, by arrival, and those that only wait for the device, by their time on it. When a
// device becomes busy, pairs move from the first heap to the second, once each. A pair whose node was placed elsewhere,
// or which no longer fits into the device's memory, is dropped when it comes to the top: memory is never given back.
//
// Where all links are alike and memory cannot run out, a node's inputs arrive at the same time on all devices that hold
// none of them, and of the devices of one type the one that is free first is the best of these. So one queue per type
// holds them all, for that device, and a device's own queue only the nodes with an input on it.
#include <algorithm>
#include <queue>

#include "plan/construct.h"

namespace lutra::plan {
namespace {

struct Pair {
  double key, second;  // it is placed in their order, then by node
  double arrival;
  int node;
  bool operator>(const Pair& other) const {
    if (key != other.key) return key > other.key;
    return second != other.second ? second > other.second : node > other.node;
  }
};
using Heap = std::priority_queue<Pair, std::vector<Pair>, std::greater<Pair>>;

struct Queue {
  Heap pending;  // by arrival
  Heap waiting;  // by time on the device
  Heap early;    // kFinish: the pending ones, by finish
};

class Etf {
 public:
  Etf(const Problem& problem, EtfRule rule)
      : problem_(problem),
        rule_(rule),
        is_grouped_(!problem.is_memory_tight() && problem.pair_links.empty()),
        builder_(problem),
        of_device_(problem.devices.size()),
        of_kind_(problem.kinds.size()),
        soonest_(problem.kinds.size()),
        is_placed_(problem.names.size(), 0) {}

  Construction run() {
    find_soonest();
    std::vector<int> missing = builder_.input_counts();
    for (int node = 0; node < problem_.node_count(); ++node) {
      if (missing[at(node)] == 0) add(node);
    }
    for (int placed = 0; placed < problem_.node_count(); ++placed) {
      Choice best;
      for (std::size_t k = 0; is_grouped_ && k < of_kind_.size(); ++k) offer(of_kind_[k], soonest_[k], true, &best);
      for (int device = 0; device < problem_.device_count(); ++device) {
        offer(of_device_[at(device)], device, false, &best);
      }
      if (best.node < 0) {
        builder_.fail_at(next_unplaced(missing));
        break;
      }
      is_placed_[at(best.node)] = 1;
      builder_.put(best.node, best.device);
      find_soonest();
      // Ready nodes of its component now have one device, whose queue need not have them.
      for (int member : problem_.members.of(problem_.component[at(best.node)])) {
        if (is_placed_[at(member)] == 0 && missing[at(member)] == 0) add(member);
      }
      for (int user : problem_.users.of(best.node)) {
        if (--missing[at(user)] == 0) add(user);
      }
    }
    return builder_.take();
  }

 private:
  struct Choice {
    double start = kUnlimited, finish = kUnlimited;
    int node = -1, device = -1;
  };

  // The device of each type that is free first.
  void find_soonest() {
    if (!is_grouped_) return;
    std::fill(soonest_.begin(), soonest_.end(), -1);
    for (int device = 0; device < problem_.device_count(); ++device) {
      int& soonest = soonest_[at(problem_.kind[at(device)])];
      if (soonest < 0 || builder_.free(device) < builder_.free(soonest)) soonest = device;
    }
  }

  void add(int node) {
    const int component = problem_.component[at(node)];
    const int fixed = builder_.component_device(node);
    if (fixed >= 0) return add(of_device_[at(fixed)], node, fixed, builder_.arrival_on(node, fixed));
    const std::vector<int>& feasible = problem_.feasible(component);
    if (!is_grouped_ || !problem_.takes_all_of_its_types(component)) {
      for (int device : feasible) add(of_device_[at(device)], node, device, builder_.arrival_on(node, device));
      return;
    }
    const double arrival = builder_.arrival_apart(node);
    for (std::size_t k = 0; k < of_kind_.size(); ++k) {
      if (problem_.is_feasible(component, soonest_[k])) add(of_kind_[k], node, soonest_[k], arrival);
    }
    near_.clear();
    for (int input : problem_.inputs.of(node)) {
      const int device = builder_.component_device(input);
      if (std::find(near_.begin(), near_.end(), device) != near_.end() || !problem_.is_feasible(component, device))
        continue;
      near_.push_back(device);
      add(of_device_[at(device)], node, device, builder_.arrival_on(node, device));
    }
  }

  void add(Queue& queue, int node, int device, double arrival) {
    const double us = problem_.time(node, device);
    if (arrival <= builder_.free(device)) {
      queue.waiting.push({us, 0, arrival, node});
      return;
    }
    queue.pending.push({arrival, us, arrival, node});
    if (rule_ == EtfRule::kFinish) queue.early.push({arrival + us, arrival, arrival, node});
  }

  bool is_open(int node, int device, bool is_shared) const {
    if (is_placed_[at(node)] != 0) return false;
    const int fixed = builder_.component_device(node);
    if (fixed >= 0 && (is_shared || fixed != device)) return false;
    return builder_.fits(node, device);
  }

  // `is_shared`: the queue is a type's, for the device of that type that is free first.
  void offer(Queue& queue, int device, bool is_shared, Choice* best) {
    const double free = builder_.free(device);
    while (!queue.pending.empty() && queue.pending.top().arrival <= free) {
      const Pair pair = queue.pending.top();
      queue.pending.pop();
      if (is_placed_[at(pair.node)] == 0)
        queue.waiting.push({problem_.time(pair.node, device), 0, pair.arrival, pair.node});
    }
    auto clean = [&](Heap& heap) {
      while (!heap.empty() && !is_open(heap.top().node, device, is_shared)) heap.pop();
    };
    clean(queue.waiting);
    if (!queue.waiting.empty()) consider(queue.waiting.top().node, device, free, best);
    if (rule_ == EtfRule::kStart) {
      if (!queue.waiting.empty()) return;  // it starts before every pair whose inputs are still on their way
      clean(queue.pending);
      if (queue.pending.empty()) return;
      const Pair& first = queue.pending.top();
      consider(first.node, is_shared ? first_free_at(first.arrival, device) : device, first.arrival, best);
      return;
    }
    // Pairs that have moved to `waiting` are here too, with a finish that is too early.
    while (!queue.early.empty() &&
           (queue.early.top().arrival <= free || !is_open(queue.early.top().node, device, is_shared))) {
      queue.early.pop();
    }
    if (!queue.early.empty()) consider(queue.early.top().node, device, queue.early.top().arrival, best);
  }

  // The first device of the same type that is free then.
  int first_free_at(double when, int device) const {
    for (int each = 0; each < device; ++each) {
      if (problem_.kind[at(each)] == problem_.kind[at(device)] && builder_.free(each) <= when) return each;
    }
    return device;
  }

  void consider(int node, int device, double start, Choice* best) const {
    const double finish = start + problem_.time(node, device);
    const double key = rule_ == EtfRule::kStart ? start : finish;
    const double best_key = rule_ == EtfRule::kStart ? best->start : best->finish;
    if (best->node >= 0) {
      if (key > best_key) return;
      if (key == best_key) {
        const double other = rule_ == EtfRule::kStart ? finish : start;
        const double best_other = rule_ == EtfRule::kStart ? best->finish : best->start;
        if (other > best_other) return;
        if (other == best_other && !is_before(device, node, *best)) return;
      }
    }
    *best = {start, finish, node, device};
  }

  // Among equals: a GPU before a CPU, the first device, the smallest index.
  bool is_before(int device, int node, const Choice& best) const {
    const int own = problem_.priority[at(device)], other = problem_.priority[at(best.device)];
    if (own != other) return own > other;
    return device != best.device ? device < best.device : node < best.node;
  }

  int next_unplaced(const std::vector<int>& missing) const {
    for (int node : problem_.order) {
      if (is_placed_[at(node)] == 0 && missing[at(node)] == 0) return node;
    }
    return -1;
  }

  const Problem& problem_;
  const EtfRule rule_;
  const bool is_grouped_;
  Builder builder_;
  std::vector<Queue> of_device_, of_kind_;
  std::vector<int> soonest_;  // per type of device
  std::vector<uint8_t> is_placed_;
  std::vector<int> near_;
};

}  // namespace

Construction place_by_etf(const Problem& problem, EtfRule rule) { return Etf(problem, rule).run(); }

}  // namespace lutra::plan
