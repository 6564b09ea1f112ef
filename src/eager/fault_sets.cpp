#include "eager/fault_sets.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace lutra {

FaultSets::~FaultSets() {
  for (std::size_t i = 1; i < sets_.size(); ++i) let_go(sets_[i].launches);
  while (retired_ != nullptr) {
    std::unique_ptr<LaunchRecord> launch(std::exchange(retired_, retired_->next_retired));
    host_wait(launch->ticket);
  }
}

// A set with these launches is gone: launches that are now in no set are retired.
void FaultSets::let_go(const Launches& launches) {
  for (LaunchRecord* launch : launches) {
    if (--launch->sets > 0) continue;
    launch->next_retired = retired_;
    retired_ = launch;
  }
}

uint32_t FaultSets::intern(Launches launches) {
  if (launches.empty()) return 0;
  if (auto known = known_.find(launches); known != known_.end()) {
    ++sets_[known->second].refs;
    return known->second;
  }
  if (unused_.empty()) {
    sets_.reserve(sets_.size() == sets_.capacity() ? 2 * sets_.size() : 0);
    unused_.reserve(sets_.capacity());  // release must not fail
    sets_.emplace_back();
    unused_.push_back(static_cast<uint32_t>(sets_.size() - 1));
  }
  uint32_t index = unused_.back();
  known_.emplace(launches, index);
  unused_.pop_back();
  for (LaunchRecord* launch : launches) ++launch->sets;
  sets_[index].launches = std::move(launches);
  sets_[index].refs = 1;
  return index;
}

void FaultSets::sweep() {
  const Stream* busy = nullptr;  // so that consecutive launches of a busy stream query the card once
  for (LaunchRecord** link = &retired_; *link != nullptr;) {
    LaunchRecord* launch = *link;
    if (launch->ticket.stream != busy || busy == nullptr) {
      if (is_done(launch->ticket)) {
        *link = launch->next_retired;
        delete launch;
        continue;
      }
      busy = launch->ticket.stream;
    }
    link = &launch->next_retired;
  }
}

// Omits launches known to be good: otherwise the sets of a program that never waits would keep growing.
FaultSets::Launches FaultSets::open_launches(const Launches& launches) {
  Launches open;
  std::copy_if(launches.begin(), launches.end(), std::back_inserter(open),
               [](const LaunchRecord* launch) { return !is_good(*launch); });
  return open;
}

LaunchRecord* FaultSets::open(uint32_t set, uint32_t* with_it) {
  sweep();
  auto record = std::make_unique<LaunchRecord>();
  Launches launches;
  if (set != 0) launches = open_launches(sets_[set].launches);
  launches.insert(std::upper_bound(launches.begin(), launches.end(), record.get()), record.get());
  *with_it = intern(std::move(launches));
  return record.release();
}

uint32_t FaultSets::unite(uint32_t a, uint32_t b) {
  if (a != 0 && is_good(a)) a = 0;
  if (b != 0 && is_good(b)) b = 0;
  if (a == b || b == 0) {
    retain(a);
    return a;
  }
  if (a == 0) {
    retain(b);
    return b;
  }
  Launches both;
  std::set_union(sets_[a].launches.begin(), sets_[a].launches.end(), sets_[b].launches.begin(), sets_[b].launches.end(),
                 std::back_inserter(both));
  return intern(open_launches(both));
}

void FaultSets::release(uint32_t set) {
  if (set == 0 || --sets_[set].refs > 0) return;
  known_.erase(sets_[set].launches);
  let_go(sets_[set].launches);
  sets_[set].launches.clear();
  unused_.push_back(set);
}

bool FaultSets::is_good(uint32_t set) const {
  return std::all_of(sets_[set].launches.begin(), sets_[set].launches.end(),
                     [](const LaunchRecord* launch) { return is_good(*launch); });
}

void FaultSets::raise_if_failed(const LaunchRecord& launch) {
  host_wait(launch.ticket);  // it is done, but a card's stream reports a fault to the record only when waited for
  if (!launch.fault.happened()) return;
  Error error = fault_error(*launch.op, launch.fault);
  std::string message = error.message();
  if (!launch.line.empty()) message += text(" (queued at ", launch.line, " on ", launch.device, ")");
  throw Error(error.code(), message).with("device", launch.device);
}

void FaultSets::check(uint32_t set) const {
  for (const LaunchRecord* launch : sets_[set].launches) raise_if_failed(*launch);
}

void FaultSets::check_all(const std::string& device) const {
  for (std::size_t i = 1; i < sets_.size(); ++i) {
    for (const LaunchRecord* launch : sets_[i].launches) {
      if (device.empty() || launch->device == device) raise_if_failed(*launch);
    }
  }
}

}  // namespace lutra
