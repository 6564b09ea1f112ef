// A self-contained HTML page with a timeline: a lane per device, its copies below, the critical path marked.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plan/planner.h"

namespace lutra::plan {

struct TimelineEvent {
  std::string name;
  std::string device;  // the lane
  double start_us = 0, duration_us = 0;
  bool is_copy = false;
  bool is_critical = false;
  std::string detail;  // shown with the name
};

struct Timeline {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // name and value, above the lanes
  std::vector<std::string> lanes;                          // in order
  std::vector<TimelineEvent> events;
};

Timeline timeline_of(const Problem& problem, const Plan& plan, std::string title);

// Needs no network and no other file. Names of nodes and devices may hold anything.
std::string timeline_page(const Timeline& timeline);

}  // namespace lutra::plan
