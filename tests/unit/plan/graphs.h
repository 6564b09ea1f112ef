// Problems for tests: generated ones, a reference that tries all schedules, and a checker that shares no code with the
// simulation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "plan/planner.h"

namespace lutra::plan::test {

// A machine of CPUs and GPUs of different speeds, and a random graph.
struct Generated {
  int most_nodes = 10;
  int most_devices = 3;
  bool tight_memory = false;
  bool constraints = true;
};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  Spec spec(const Generated& kind) {
    Spec spec;
    const int devices = 1 + below(kind.most_devices);
    const char* types[] = {"GPU", "GPU", "CPU", "TPU"};
    for (int d = 0; d < devices; ++d) spec.devices.push_back({"d" + std::to_string(d), types[below(4)], kUnlimited});
    spec.link = {static_cast<double>(below(20)), below(4) == 0 ? kUnlimited : 1.0 + below(40)};
    if (below(4) == 0 && devices > 1)
      spec.links.push_back({"d0", "d1", {static_cast<double>(below(60)), 1.0 + below(9)}});
    const int count = 1 + below(kind.most_nodes);
    double total = 0;
    for (int i = 0; i < count; ++i) {
      NodeSpec node;
      node.name = "n" + std::to_string(i);
      const int reach = 1 + below(4);
      for (int j = 0; i > 0 && j < reach; ++j) {
        if (below(3) > 0) node.inputs.push_back("n" + std::to_string(std::max(0, i - 1 - below(5))));
      }
      const double cpu = 1 + below(100);
      node.time_us = {{"CPU", cpu}, {"GPU", 1 + below(60)}, {"TPU", 1 + below(30)}};
      if (below(8) == 0) node.time_us.back().second = cpu;
      node.bytes = below(300);
      total += node.bytes;
      if (kind.constraints && below(10) == 0) node.device = "d" + std::to_string(below(devices));
      if (kind.constraints && i > 0 && below(10) == 0 && node.device.empty()) {
        NodeSpec& other = spec.nodes[static_cast<std::size_t>(below(i))];
        if (other.device.empty()) node.colocate = {other.name};
      }
      if (below(12) == 0) node.keep = true;
      spec.nodes.push_back(node);
    }
    if (kind.tight_memory) {
      for (DeviceSpec& device : spec.devices) device.memory = total * (0.35 + 0.1 * below(6));
    }
    return spec;
  }

 private:
  std::mt19937 random_;
};

// The memory a schedule needs, by stepping through all times at which something begins or ends.
inline std::vector<double> peaks_of(const Problem& p, const std::vector<int>& device, const std::vector<double>& start,
                                    const std::vector<double>& finish) {
  struct Held {
    int device;
    double from, until, bytes;
  };
  double end = 0;
  for (double f : finish) end = std::max(end, f);
  std::vector<Held> all;
  for (int u = 0; u < p.node_count(); ++u) {
    double until = finish[at(u)];
    std::map<int, double> last;  // per other device: when its last reader ends
    for (int v : p.users.of(u)) {
      if (device[at(v)] == device[at(u)]) until = std::max(until, finish[at(v)]);
      else last[device[at(v)]] = std::max(last[device[at(v)]], finish[at(v)]);
    }
    for (auto [d, read] : last) {
      until = std::max(until, finish[at(u)] + p.copy_us(u, device[at(u)], d));
      all.push_back({d, finish[at(u)], std::max(read, finish[at(u)] + p.copy_us(u, device[at(u)], d)), p.bytes[at(u)]});
    }
    if (p.keep[at(u)] || p.resident[at(u)] || p.users.of(u).empty()) until = end + 1;
    all.push_back({device[at(u)], p.resident[at(u)] ? -1 : start[at(u)], until, p.bytes[at(u)]});
  }
  std::vector<double> peaks(at(p.device_count()), 0.0);
  for (const Held& moment : all) {
    for (int d = 0; d < p.device_count(); ++d) {
      double held = 0;
      for (const Held& each : all) {
        if (each.device == d && each.from <= moment.from && each.until > moment.from) held += each.bytes;
      }
      peaks[at(d)] = std::max(peaks[at(d)], held);
    }
  }
  return peaks;
}

inline bool fits(const Problem& p, const std::vector<double>& peaks) {
  for (int d = 0; d < p.device_count(); ++d) {
    if (peaks[at(d)] > p.devices[at(d)].memory + 1e-6) return false;
  }
  return true;
}

// The shortest of all schedules: every order of the nodes on every combination of devices, without deliberate pauses.
// Nodes are appended by start time, so that each schedule is met once. `below`: only shorter ones are of interest.
class BruteForce {
 public:
  explicit BruteForce(const Problem& problem, double below = kUnlimited) : p_(problem), best_(below) {
    const std::size_t n = problem.names.size();
    device_.assign(n, -1);
    start_.assign(n, 0);
    finish_.assign(n, 0);
    placed_.assign(n, false);
    free_.assign(at(p_.device_count()), 0);
    fixed_.assign(at(p_.component_count()), -1);
    tail_.assign(n, 0);
    for (auto node = p_.order.rbegin(); node != p_.order.rend(); ++node) {
      double fastest = kUnlimited, after = 0;
      for (int d : p_.feasible(p_.component[at(*node)])) fastest = std::min(fastest, p_.time(*node, d));
      for (int v : p_.users.of(*node)) after = std::max(after, tail_[at(v)]);
      tail_[at(*node)] = fastest + after;
    }
    go(0, 0, 0);
  }
  double best() const { return best_; }

 private:
  void go(int count, double last_start, double longest) {
    if (longest >= best_) return;
    if (count == p_.node_count()) {
      if (!p_.is_memory_tight() || fits(p_, peaks_of(p_, device_, start_, finish_))) best_ = longest;
      return;
    }
    for (int v = 0; v < p_.node_count(); ++v) {
      if (placed_[at(v)]) continue;
      bool ready = true;
      double earliest = 0;
      for (int u : p_.inputs.of(v)) {
        ready = ready && placed_[at(u)];
        earliest = std::max(earliest, finish_[at(u)]);
      }
      if (!ready) continue;
      if (std::max(earliest, last_start) + tail_[at(v)] >= best_) continue;
      const int component = p_.component[at(v)];
      for (int d : p_.feasible(component)) {
        if (fixed_[at(component)] >= 0 && fixed_[at(component)] != d) continue;
        double start = free_[at(d)];
        for (int u : p_.inputs.of(v)) {
          start = std::max(start, finish_[at(u)] + (device_[at(u)] == d ? 0 : p_.copy_us(u, device_[at(u)], d)));
        }
        if (start < last_start || start + tail_[at(v)] >= best_) continue;
        const int was_fixed = fixed_[at(component)];
        const double was_free = free_[at(d)];
        fixed_[at(component)] = d;
        device_[at(v)] = d;
        start_[at(v)] = start;
        finish_[at(v)] = free_[at(d)] = start + p_.time(v, d);
        placed_[at(v)] = true;
        go(count + 1, start, std::max(longest, finish_[at(v)]));
        placed_[at(v)] = false;
        free_[at(d)] = was_free;
        fixed_[at(component)] = was_fixed;
      }
    }
  }

  const Problem& p_;
  double best_;
  std::vector<int> device_, fixed_;
  std::vector<double> start_, finish_, free_, tail_;
  std::vector<bool> placed_;
};

// What is wrong with a schedule; "": nothing.
inline std::string fault_of(const Problem& p, const Simulation& s, bool check_memory = true) {
  const double eps = 1e-6;
  double end = 0;
  for (int v = 0; v < p.node_count(); ++v) {
    const int d = s.device[at(v)];
    if (!p.is_feasible(p.component[at(v)], d)) return p.names[at(v)] + " is where it must not be";
    if (std::abs(s.finish[at(v)] - s.start[at(v)] - p.time(v, d)) > eps) return p.names[at(v)] + " takes another time";
    end = std::max(end, s.finish[at(v)]);
    for (int u : p.inputs.of(v)) {
      double there = s.finish[at(u)] + (s.device[at(u)] == d ? 0 : p.copy_us(u, s.device[at(u)], d));
      if (s.start[at(v)] < there - eps)
        return p.names[at(v)] + " starts before its input " + p.names[at(u)] + " is there";
    }
    for (int u = 0; u < v; ++u) {
      if (p.component[at(u)] == p.component[at(v)] && s.device[at(u)] != d) return "colocated nodes are apart";
      if (s.device[at(u)] != d || p.time(u, d) == 0 || p.time(v, d) == 0) continue;
      if (s.start[at(u)] < s.finish[at(v)] - eps && s.start[at(v)] < s.finish[at(u)] - eps)
        return p.names[at(u)] + " and " + p.names[at(v)] + " run at once";
    }
  }
  if (std::abs(end - s.makespan_us) > eps) return "the makespan is not the last finish";
  if (!check_memory) return "";
  std::vector<double> peaks = peaks_of(p, s.device, s.start, s.finish);
  for (int d = 0; d < p.device_count(); ++d) {
    if (std::abs(peaks[at(d)] - s.peak_bytes[at(d)]) > eps) return "the peak of " + p.devices[at(d)].name + " is wrong";
  }
  if (!fits(p, peaks)) return "memory is exceeded";
  std::set<std::pair<int, int>> sent;
  for (const Copy& copy : s.copies) {
    if (!sent.insert({copy.node, copy.to}).second) return "a result is sent twice to one device";
  }
  return "";
}

}  // namespace lutra::plan::test
