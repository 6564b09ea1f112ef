#include "plan/local_search.h"

#include <algorithm>
#include <cmath>

#include "core/stop_request.h"

namespace lutra::plan {
namespace {

// SplitMix64 (Steele et al., 2014): small, and the same everywhere.
class Random {
 public:
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  int below(std::size_t count) { return static_cast<int>((next() >> 32) * count >> 32); }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }

 private:
  uint64_t state_ = 22;
};

class Search {
 public:
  Search(const Problem& problem, Simulator& simulator, const Placement& start, const SearchLimits& limits)
      : problem_(problem), simulator_(simulator), limits_(limits), current_(start) {
    score_ = evaluate();
    best_ = current_;
    best_score_ = score_;
    for (int c = 0; c < problem.component_count(); ++c) {
      if (problem.feasible(c).size() > 1) movable_.push_back(c);
    }
    shortest_ = longest_path();
  }

  SearchOutcome run() {
    if (!movable_.empty() || !problem_.execution.is_eager) {
      descend();
      constexpr int kMostAnnealed = 4000;
      if (problem_.node_count() <= kMostAnnealed) anneal();
    }
    return {std::move(best_), best_score_, steps_, out_of_time_};
  }

 private:
  Score evaluate() {
    ++steps_;
    return simulator_.score(current_);
  }

  // No placement is shorter: every node on its fastest device, and no copies.
  double longest_path() const {
    std::vector<double> until(problem_.names.size());
    double longest = 0;
    for (int node : problem_.order) {
      double start = 0, fastest = kUnlimited;
      for (int input : problem_.inputs.of(node)) start = std::max(start, until[at(input)]);
      for (std::size_t k = 0; k < problem_.kinds.size(); ++k) {
        fastest = std::min(fastest, problem_.times[at(node) * problem_.kinds.size() + k]);
      }
      until[at(node)] = start + fastest;
      longest = std::max(longest, until[at(node)]);
    }
    return longest;
  }

  bool may_go_on() {
    if (best_score_.fits() && best_score_.makespan_us <= shortest_) return false;
    if (steps_ >= limits_.most_steps) return false;
    // Reading the clock costs as much as simulating a few nodes.
    if (problem_.node_count() < 100 && steps_ % 16 != 0) return true;
    if (now_ns() >= limits_.deadline_ns || StopRequest::is_wanted()) out_of_time_ = true;
    return !out_of_time_;
  }

  void keep_if_best() {
    if (!(score_ < best_score_)) return;
    best_ = current_;
    best_score_ = score_;
  }

  // Moves component `c` if that is an improvement.
  bool try_move(int c, int device) {
    int& slot = current_.device[at(c)];
    if (slot == device || !problem_.is_feasible(c, device)) return false;
    const int before = slot;
    slot = device;
    Score moved = evaluate();
    if (moved < score_) {
      score_ = moved;
      keep_if_best();
      return true;
    }
    slot = before;
    return false;
  }

  // Walks the critical path; a node on it goes to where its inputs or its users are, or to the device that is free
  // soonest. Begins anew after each improvement, until a whole path brings none.
  void descend() {
    bool improved = true;
    while (improved && may_go_on()) {
      improved = false;
      evaluate();  // the path is read from the last simulation
      std::vector<int> path = simulator_.critical_path(current_);
      std::vector<double> load(problem_.devices.size(), 0.0);
      for (int node = 0; node < problem_.node_count(); ++node) {
        const int device = current_.device[at(problem_.component[at(node)])];
        load[at(device)] += problem_.time(node, device);
      }
      for (std::size_t i = 0; i < path.size() && may_go_on(); ++i) {
        const int c = problem_.component[at(path[i])];
        if (problem_.feasible(c).size() < 2) continue;
        const int own = current_.device[at(c)];
        int targets[3] = {-1, -1, -1};
        if (i > 0) targets[0] = current_.device[at(problem_.component[at(path[i - 1])])];
        if (i + 1 < path.size()) targets[1] = current_.device[at(problem_.component[at(path[i + 1])])];
        for (int device : problem_.feasible(c)) {
          if (device != own && (targets[2] < 0 || load[at(device)] < load[at(targets[2])])) targets[2] = device;
        }
        for (int k = 0; k < 3 && !improved; ++k) {
          if (targets[k] < 0 || targets[k] == own || (k > 0 && targets[k] == targets[k - 1])) continue;
          improved = try_move(c, targets[k]);
        }
        if (improved) break;
      }
    }
  }

  double energy(const Score& score) const { return score.makespan_us + score.missing_bytes * us_per_missing_byte_; }

  void anneal() {
    const std::size_t count = problem_.names.size();
    if (count == 0) return;
    position_.resize(count);
    double total_bytes = 0;
    for (double bytes : problem_.bytes) total_bytes += bytes;
    const double scale = std::max(best_score_.makespan_us, 1e-9);
    us_per_missing_byte_ = total_bytes > 0 ? 4 * scale * static_cast<double>(count) / total_bytes : 0;
    // Several rounds, each from the best so far: a round that cools slowly finds what a quick one misses.
    constexpr int kRounds = 4;
    const int64_t each = std::max<int64_t>((limits_.most_steps - steps_) / kRounds, 1);
    for (int round = 0; round < kRounds; ++round) {
      current_ = best_;
      score_ = best_score_;
      for (std::size_t i = 0; i < count; ++i) position_[at(current_.order[i])] = static_cast<int>(i);
      const double hot = 0.2 * scale, cold = 0.0005 * scale;
      for (int64_t i = 0; i < each; ++i) {
        if (!may_go_on()) return;
        const double share = static_cast<double>(i) / static_cast<double>(each);
        step(hot * std::pow(cold / hot, share));
      }
    }
  }

  bool accepts(const Score& moved, double temperature) {
    const double worse = energy(moved) - energy(score_);
    return worse <= 0 || random_.unit() < std::exp(-worse / temperature);
  }

  void step(double temperature) {
    const int kind = random_.below(100);
    if (!problem_.execution.is_eager && (kind < 45 || movable_.empty())) return shift_node(temperature);
    if (movable_.empty()) return;
    const int c = movable_[at(random_.below(movable_.size()))];
    int& slot = current_.device[at(c)];
    const int before = slot;
    if (kind < 60 && movable_.size() > 1) {
      const int other = movable_[at(random_.below(movable_.size()))];
      int& second = current_.device[at(other)];
      if (second == slot || !problem_.is_feasible(c, second) || !problem_.is_feasible(other, slot)) return skip();
      std::swap(slot, second);
      if (!settle(temperature)) std::swap(slot, second);
      return;
    }
    const std::vector<int>& feasible = problem_.feasible(c);
    slot = feasible[at(random_.below(feasible.size()))];
    if (slot == before) return skip();
    if (!settle(temperature)) slot = before;
  }

  // A draw that changes nothing counts as a step, so that the search ends.
  void skip() { ++steps_; }

  bool settle(double temperature) {
    Score moved = evaluate();
    if (!accepts(moved, temperature)) return false;
    score_ = moved;
    keep_if_best();
    return true;
  }

  // Moves one node between its last input and its first user.
  void shift_node(double temperature) {
    const int node = random_.below(problem_.names.size());
    const int from = position_[at(node)];
    int low = 0, high = problem_.node_count() - 1;
    for (int input : problem_.inputs.of(node)) low = std::max(low, position_[at(input)] + 1);
    for (int user : problem_.users.of(node)) high = std::min(high, position_[at(user)] - 1);
    const int to = low + random_.below(at(high - low + 1));
    if (to == from) return skip();
    rotate(from, to);
    if (!settle(temperature)) rotate(to, from);
  }

  void rotate(int from, int to) {
    auto begin = current_.order.begin();
    if (from < to) std::rotate(begin + from, begin + from + 1, begin + to + 1);
    else std::rotate(begin + to, begin + from, begin + from + 1);
    for (int i = std::min(from, to); i <= std::max(from, to); ++i) position_[at(current_.order[at(i)])] = i;
  }

  const Problem& problem_;
  Simulator& simulator_;
  const SearchLimits& limits_;
  Placement current_, best_;
  Score score_, best_score_;
  std::vector<int> movable_;   // components with a choice
  std::vector<int> position_;  // of each node in the current order
  double us_per_missing_byte_ = 0;
  double shortest_ = 0;
  Random random_;
  int64_t steps_ = 0;
  bool out_of_time_ = false;
};

}  // namespace

SearchOutcome improve(const Problem& problem, Simulator& simulator, const Placement& start,
                      const SearchLimits& limits) {
  return Search(problem, simulator, start, limits).run();
}

}  // namespace lutra::plan
