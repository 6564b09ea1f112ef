#include "plan/construct.h"

namespace lutra::plan {

Builder::Builder(const Problem& problem, Memory memory)
    : problem_(problem),
      memory_(memory),
      placement_{std::vector<int>(at(problem.component_count()), -1), {}},
      start_(problem.names.size(), 0.0),
      finish_(problem.names.size(), 0.0),
      free_(problem.devices.size(), 0.0),
      used_(problem.devices.size(), 0.0),
      has_input_in_(problem.devices.size(), 0),
      is_used_(problem.devices.size(), 0),
      seen_in_(problem.devices.size(), 0),
      sent_(problem.names.size()) {
  placement_.order.reserve(problem.names.size());
  if (memory != Memory::kFreed) return;
  for (int node = 0; node < problem.node_count(); ++node) {
    const bool stays = problem.keep[at(node)] != 0 || problem.resident[at(node)] != 0;
    users_left_.push_back(stays ? -1 : static_cast<int>(problem.users.of(node).size()));
  }
}

bool Builder::was_sent(int node, int device) const {
  const std::vector<int>& devices = sent_[at(node)];
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

double Builder::need_on(int node, int device) const {
  double need = problem_.bytes[at(node)];
  for (int input : problem_.inputs.of(node)) {
    if (device_of(input) != device && !was_sent(input, device)) need += problem_.bytes[at(input)];
  }
  return need;
}

void Builder::put(int node, int device) {
  used_[at(device)] += need_on(node, device);
  start_[at(node)] = start_on(node, device);
  finish_[at(node)] = start_[at(node)] + problem_.time(node, device);
  free_[at(device)] = finish_[at(node)];
  is_used_[at(device)] = 1;
  for (int input : problem_.inputs.of(node)) {
    if (device_of(input) != device && !was_sent(input, device)) sent_[at(input)].push_back(device);
  }
  placement_.device[at(problem_.component[at(node)])] = device;
  placement_.order.push_back(node);
  if (memory_ == Memory::kFreed) release_inputs(node);
}

void Builder::release_inputs(int node) {
  for (int input : problem_.inputs.of(node)) {
    int& left = users_left_[at(input)];
    if (left < 0 || --left > 0) continue;
    used_[at(device_of(input))] -= problem_.bytes[at(input)];
    for (int device : sent_[at(input)]) used_[at(device)] -= problem_.bytes[at(input)];
  }
}

void Builder::fail_at(int node) {
  failed_ = node;
  double least = kUnlimited;
  for_each_candidate(node, [&](int device, double) {
    const double need = need_on(node, device);
    const double missing = used_[at(device)] + need - problem_.devices[at(device)].memory;
    if (missing >= least) return;
    least = missing;
    need_ = need;
    nearest_ = device;
  });
}

std::vector<int> Builder::input_counts() const {
  std::vector<int> counts;
  counts.reserve(problem_.names.size());
  for (int node = 0; node < problem_.node_count(); ++node) {
    counts.push_back(static_cast<int>(problem_.inputs.of(node).size()));
  }
  return counts;
}

Construction Builder::take() {
  return {std::move(placement_), std::move(start_), std::move(finish_), std::move(used_), failed_, need_, nearest_};
}

}  // namespace lutra::plan
