#include "plan/policies.h"

#include <algorithm>
#include <numeric>
#include <queue>

#include "plan/construct.h"

namespace lutra::plan {
namespace {

// Places `node` on the device where it finishes soonest; false if it fits on none.
bool place_soonest(const Problem& problem, Builder& builder, int node) {
  int best = -1;
  double best_finish = kUnlimited;
  builder.for_each_candidate(node, [&](int device, double arrival) {
    const double finish = std::max(builder.free(device), arrival) + problem.time(node, device);
    const bool is_better = best < 0 || finish < best_finish ||
                           (finish == best_finish && problem.priority[at(device)] > problem.priority[at(best)]);
    if (!is_better || !builder.fits(node, device)) return;
    best = device;
    best_finish = finish;
  });
  if (best < 0) {
    builder.fail_at(node);
    return false;
  }
  builder.put(node, best);
  return true;
}

}  // namespace

Construction place_greedily(const Problem& problem, Memory memory) {
  Builder builder(problem, memory);
  using Entry = std::pair<double, int>;  // when its inputs are done; the node
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
  std::vector<int> missing = builder.input_counts();
  for (int node = 0; node < problem.node_count(); ++node) {
    if (missing[at(node)] == 0) ready.emplace(0.0, node);
  }
  while (!ready.empty()) {
    const int node = ready.top().second;
    ready.pop();
    if (!place_soonest(problem, builder, node)) break;
    for (int user : problem.users.of(node)) {
      if (--missing[at(user)] > 0) continue;
      double done = 0;
      for (int input : problem.inputs.of(user)) done = std::max(done, builder.finish(input));
      ready.emplace(done, user);
    }
  }
  return builder.take();
}

Construction place_by_rank(const Problem& problem, Memory memory) {
  double latency = problem.default_link.latency_us, bytes_per_us = problem.default_link.bytes_per_us;
  std::vector<double> mean_us(problem.names.size()), rank(problem.names.size());
  std::vector<double> devices_of_kind(problem.kinds.size(), 0.0);
  for (int kind : problem.kind) devices_of_kind[at(kind)] += 1;
  for (int node = 0; node < problem.node_count(); ++node) {
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < problem.kinds.size(); ++k) {
      const double us = problem.times[at(node) * problem.kinds.size() + k];
      if (us == kUnlimited) continue;
      sum += us * devices_of_kind[k];
      count += devices_of_kind[k];
    }
    mean_us[at(node)] = sum / count;
  }
  const double apart = 1 - 1 / static_cast<double>(problem.device_count());  // two nodes on different devices
  for (auto node = problem.order.rbegin(); node != problem.order.rend(); ++node) {
    const double copy = (latency + problem.bytes[at(*node)] / bytes_per_us) * apart;
    double longest = 0;
    for (int user : problem.users.of(*node)) longest = std::max(longest, copy + rank[at(user)]);
    rank[at(*node)] = mean_us[at(*node)] + longest;
  }
  std::vector<int> place(problem.names.size());
  for (std::size_t i = 0; i < problem.order.size(); ++i) place[at(problem.order[i])] = static_cast<int>(i);
  std::vector<int> order = problem.order;
  // Nodes of equal rank stay in topological order.
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return rank[at(a)] != rank[at(b)] ? rank[at(a)] > rank[at(b)] : place[at(a)] < place[at(b)];
  });
  Builder builder(problem, memory);
  for (int node : order) {
    if (!place_soonest(problem, builder, node)) break;
  }
  return builder.take();
}

Placement place_in_runs(const Problem& problem) {
  Placement placement{std::vector<int>(at(problem.component_count()), -1), problem.order};
  double total = 0;
  for (double bytes : problem.bytes) total += bytes;
  // Each device takes its share of the bytes, in proportion to its memory, and not more than it has.
  double room = 0;
  for (const DeviceSpec& device : problem.devices) room += std::min(device.memory, total);
  std::vector<double> left;
  for (const DeviceSpec& device : problem.devices) {
    left.push_back(room > 0 ? std::min(device.memory, total) * std::min(1.0, total / room) : 0);
  }
  std::vector<double> need(at(problem.component_count()), 0.0);
  for (int node = 0; node < problem.node_count(); ++node)
    need[at(problem.component[at(node)])] += problem.bytes[at(node)];
  int current = 0;
  for (int node : problem.order) {
    const int component = problem.component[at(node)];
    int& device = placement.device[at(component)];
    if (device >= 0) continue;
    const std::vector<int>& feasible = problem.feasible(component);
    auto next = std::lower_bound(feasible.begin(), feasible.end(), current);
    while (next != feasible.end() && left[at(*next)] < need[at(component)] / 2) ++next;
    device = next != feasible.end() ? *next : *std::max_element(feasible.begin(), feasible.end(), [&](int a, int b) {
      return left[at(a)] < left[at(b)];
    });
    left[at(device)] -= need[at(component)];
    if (feasible.size() > 1) current = std::max(current, device);
  }
  return placement;
}

Placement place_by_affinity(const Problem& problem) {
  Placement placement{std::vector<int>(at(problem.component_count()), -1), problem.order};
  std::vector<double> resident(at(problem.component_count()), 0.0);
  double total = 0, room = 0;
  for (int node = 0; node < problem.node_count(); ++node) {
    if (problem.resident[at(node)] == 0) continue;
    resident[at(problem.component[at(node)])] += problem.bytes[at(node)];
    total += problem.bytes[at(node)];
  }
  // Devices that may take everything; others only have what nobody else may.
  std::vector<double> memory, left;
  for (const DeviceSpec& device : problem.devices) memory.push_back(std::min(device.memory, std::max(total, 1.0)));
  std::vector<uint8_t> is_general(problem.devices.size(), 0);
  for (const std::vector<int>& set : problem.sets) {
    if (set.size() < 2) continue;
    for (int device : set) is_general[at(device)] = 1;
  }
  for (std::size_t d = 0; d < memory.size(); ++d) room += is_general[d] != 0 ? memory[d] : 0;
  for (std::size_t d = 0; d < memory.size(); ++d) {
    left.push_back(is_general[d] != 0 && room > 0 ? total * memory[d] / room : 0);
  }
  int current = 0;
  for (int node : problem.order) {
    int& device = placement.device[at(problem.component[at(node)])];
    const double need = resident[at(problem.component[at(node)])];
    const std::vector<int>& feasible = problem.feasible(problem.component[at(node)]);
    if (device >= 0 || need <= 0) continue;
    auto next = std::lower_bound(feasible.begin(), feasible.end(), current);
    while (next != feasible.end() && left[at(*next)] < need / 2) ++next;
    device = next != feasible.end() ? *next : feasible.back();
    left[at(device)] -= need;
    if (feasible.size() > 1) current = device;
  }
  std::vector<double> has(problem.devices.size());
  for (int node : problem.order) {
    int& device = placement.device[at(problem.component[at(node)])];
    if (device >= 0) continue;
    std::fill(has.begin(), has.end(), 0.0);
    auto count = [&](int other, double bytes) {
      const int there = placement.device[at(problem.component[at(other)])];
      if (there >= 0) has[at(there)] += bytes;
    };
    for (int input : problem.inputs.of(node)) count(input, problem.bytes[at(input)]);
    for (int user : problem.users.of(node)) count(user, problem.bytes[at(node)]);
    const std::vector<int>& feasible = problem.feasible(problem.component[at(node)]);
    device = *std::max_element(feasible.begin(), feasible.end(), [&](int a, int b) { return has[at(a)] < has[at(b)]; });
  }
  return placement;
}

int first_obstacle(const Problem& problem, int device) {
  for (int node = 0; node < problem.node_count(); ++node) {
    // What is there before the run, such as an argument, may be elsewhere and is copied.
    const int home = problem.feasible(problem.component[at(node)]).front();
    if (problem.inputs.of(node).empty() && problem.time(node, home) == 0) continue;
    if (!problem.is_feasible(problem.component[at(node)], device)) return node;
  }
  return -1;
}

Placement place_alone(const Problem& problem, int device) {
  Placement placement{std::vector<int>(at(problem.component_count()), device), problem.order};
  for (int c = 0; c < problem.component_count(); ++c) {
    if (!problem.is_feasible(c, device)) placement.device[at(c)] = problem.feasible(c).front();
  }
  return placement;
}

}  // namespace lutra::plan
