#include "plan/simulate.h"

#include <algorithm>
#include <cassert>

namespace lutra::plan {
namespace {}  // namespace

Simulator::Simulator(const Problem& problem)
    : problem_(problem),
      start_(problem.names.size()),
      finish_(problem.names.size()),
      free_(problem.devices.size()),
      copy_free_(problem.devices.size()),
      first_copy_(problem.names.size()),
      held_(problem.devices.size()),
      peak_(problem.devices.size()) {}

// When the result of `node` is on `to`: the copy is made for the first reader and serves the others.
double Simulator::arrival(int node, int from, int to, bool is_eager) {
  for (int c = first_copy_[at(node)]; c >= 0; c = next_copy_[at(c)]) {
    if (copies_[at(c)].to == to) return copies_[at(c)].finish;
  }
  double start = finish_[at(node)];
  double finish;
  if (problem_.mirrored[at(node)] != 0) {
    finish = start;
  } else if (is_eager) {
    // Copies of a device follow each other, after all the work that their source was given so far.
    const int queue = from == problem_.execution.host ? to : from;
    start = std::max({start, host_, copy_free_[at(queue)], from == queue ? free_[at(from)] : 0.0, free_[at(to)]});
    finish = start + problem_.copy_us(node, from, to);
    copy_free_[at(queue)] = finish;
    if (to == problem_.execution.host) host_ = std::max(host_, finish);
  } else {
    finish = start + problem_.copy_us(node, from, to);
  }
  next_copy_.push_back(first_copy_[at(node)]);
  first_copy_[at(node)] = static_cast<int>(copies_.size());
  copies_.push_back({node, from, to, start, finish, finish});
  return finish;
}

template <bool kEager, bool kCopies> void Simulator::run(const Placement& placement) {
  std::fill(free_.begin(), free_.end(), 0.0);
  host_ = makespan_ = 0;
  if constexpr (kCopies) {
    std::fill(copy_free_.begin(), copy_free_.end(), 0.0);
    std::fill(first_copy_.begin(), first_copy_.end(), -1);
    copies_.clear();
    next_copy_.clear();
  }
  const Execution& execution = problem_.execution;
  for (int node : placement.order) {
    const int device = device_of(placement, node);
    double start = 0;
    for (int input : problem_.inputs.of(node)) {
      const int from = device_of(placement, input);
      double there = finish_[at(input)];
      if (from != device) {
        if constexpr (kCopies) there = arrival(input, from, device, kEager);
        else there += problem_.copy_us(input, from, device);
      }
      start = std::max(start, there);
    }
    start = std::max(start, free_[at(device)]);
    const double us = problem_.time(node, device);
    if constexpr (kEager) {
      start = std::max(start, host_);
      // A variable is there before the run: it is no work for the host.
      if (!(us == 0 && problem_.inputs.of(node).empty())) host_ += execution.issue_us;
      if (device == execution.host && us > 0) host_ = std::max(host_, start + us);
    }
    const double finish = start + us;
    start_[at(node)] = start;
    finish_[at(node)] = finish;
    free_[at(device)] = finish;
    makespan_ = std::max(makespan_, finish);
  }
  if constexpr (kEager) makespan_ = std::max(makespan_, host_) + execution.finish_us;
}

void Simulator::measure_memory(const Placement& placement, std::vector<double>* peaks) {
  for (Copy& copy : copies_) copy.until = copy.finish;
  changes_.clear();
  for (int node = 0; node < problem_.node_count(); ++node) {
    const int device = device_of(placement, node);
    double until = finish_[at(node)];
    for (int c = first_copy_[at(node)]; c >= 0; c = next_copy_[at(c)]) until = std::max(until, copies_[at(c)].finish);
    for (int user : problem_.users.of(node)) {
      const int reader = device_of(placement, user);
      if (reader == device) {
        until = std::max(until, finish_[at(user)]);
        continue;
      }
      for (int c = first_copy_[at(node)]; c >= 0; c = next_copy_[at(c)]) {
        if (copies_[at(c)].to == reader) copies_[at(c)].until = std::max(copies_[at(c)].until, finish_[at(user)]);
      }
    }
    const double bytes = problem_.bytes[at(node)];
    if (bytes <= 0) continue;
    const bool stays =
        problem_.resident[at(node)] != 0 || problem_.keep[at(node)] != 0 || problem_.users.of(node).empty();
    const double from = problem_.resident[at(node)] != 0 ? -1 : start_[at(node)];
    changes_.push_back({from, bytes, device});
    if (!stays) changes_.push_back({until, -bytes, device});
  }
  for (const Copy& copy : copies_) {
    const double bytes = problem_.bytes[at(copy.node)];
    if (bytes <= 0) continue;
    const bool stays = problem_.mirrored[at(copy.node)] != 0;
    changes_.push_back({stays ? -1 : copy.start, bytes, copy.to});
    if (!stays) changes_.push_back({copy.until, -bytes, copy.to});
  }
  // What is freed at a time makes room for what begins at that time.
  std::sort(changes_.begin(), changes_.end(),
            [](const Change& a, const Change& b) { return a.when != b.when ? a.when < b.when : a.bytes < b.bytes; });
  std::fill(held_.begin(), held_.end(), 0.0);
  std::fill(peaks->begin(), peaks->end(), 0.0);
  for (const Change& change : changes_) {
    double& held = held_[at(change.device)] += change.bytes;
    double& peak = (*peaks)[at(change.device)];
    peak = std::max(peak, held);
  }
}

Score Simulator::score(const Placement& placement) {
  assert(placement.order.size() == problem_.names.size());
  const bool is_tight = problem_.is_memory_tight();
  if (problem_.execution.is_eager) run<true, true>(placement);
  else if (is_tight) run<false, true>(placement);
  else run<false, false>(placement);
  Score score{0, makespan_};
  if (!is_tight) return score;
  measure_memory(placement, &peak_);
  for (int d = 0; d < problem_.device_count(); ++d) {
    score.missing_bytes += std::max(0.0, peak_[at(d)] - problem_.devices[at(d)].memory);
  }
  return score;
}

std::vector<int> Simulator::critical_path(const Placement& placement) const {
  // The node before each on its device.
  std::vector<int> before(problem_.names.size(), -1), last(problem_.devices.size(), -1);
  int node = -1;
  for (int each : placement.order) {
    int& slot = last[at(device_of(placement, each))];
    before[at(each)] = slot;
    slot = each;
    if (node < 0 || finish_[at(each)] > finish_[at(node)]) node = each;
  }
  std::vector<int> path;
  while (node >= 0) {
    path.push_back(node);
    // The input or the node before that ends last is what it waited for; an input's copy counts.
    int next = -1;
    double latest = 0;
    const int device = device_of(placement, node);
    for (int input : problem_.inputs.of(node)) {
      const int from = device_of(placement, input);
      double there = finish_[at(input)] + (from != device ? problem_.copy_us(input, from, device) : 0);
      if (next < 0 || there > latest) {
        next = input;
        latest = there;
      }
    }
    const int previous = before[at(node)];
    if (previous >= 0 && (next < 0 || finish_[at(previous)] > latest)) next = previous;
    node = next;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

Simulation Simulator::simulate(const Placement& placement) {
  if (problem_.execution.is_eager) run<true, true>(placement);
  else run<false, true>(placement);
  Simulation result;
  result.peak_bytes.resize(problem_.devices.size());
  measure_memory(placement, &result.peak_bytes);
  result.start = start_;
  result.finish = finish_;
  result.copies = copies_;
  result.makespan_us = makespan_;
  result.busy_us.assign(problem_.devices.size(), 0.0);
  for (int node = 0; node < problem_.node_count(); ++node) {
    const int device = device_of(placement, node);
    result.device.push_back(device);
    result.busy_us[at(device)] += problem_.time(node, device);
  }
  double worst = 0;
  for (int d = 0; d < problem_.device_count(); ++d) {
    const double missing = result.peak_bytes[at(d)] - problem_.devices[at(d)].memory;
    if (missing <= 0) continue;
    result.missing_bytes += missing;
    if (missing > worst) {
      worst = missing;
      result.fullest = d;
    }
  }
  result.critical_path = critical_path(placement);
  return result;
}

}  // namespace lutra::plan
